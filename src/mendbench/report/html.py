"""The report as one HTML file that asks nothing of anybody: it opens from a disk, without a network, for years.

Totals are HTML, so they can be read without a script. The trials travel in the same file, packed, and are unpacked and
shown by the page's own script. What is shown was written by models and by services: the template escapes it, the script
sets it as text and never as markup, and the security policy lets no other script run.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import asdict
from functools import partial
from importlib.resources import files
from urllib.parse import quote

from jinja2 import FunctionLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from mendbench.bench.results import StoredRun
from mendbench.bench.rows import whole
from mendbench.bench.totals import headline_rows
from mendbench.errors import UnknownName
from mendbench.model.json import JsonObject
from mendbench.repair.policies import policy
from mendbench.report.first_screen import NAMED, first_screen
from mendbench.report.packing import packed, parts_of
from mendbench.report.summary import summarise
from mendbench.report.tables import FEW, Panel
from mendbench.report.views import Views

FORMAT = 2
"""Of the data inside the page. 2: columns, and a part for each case. 1: the first."""

STYLES = ("style.css", "pictures.css", "grid.css", "trial.css", "compare.css", "paper.css")
"""Joined into one, in this order."""

SCRIPTS = (
    "elements.js", "words.js", "run.js", "address.js", "diff.js", "graph.js", "filter.js", "grid.js", "prompt.js", "attempts.js",
    "facts.js", "trial.js", "compare.js", "keys.js", "app.js",
)  # fmt: skip
"""Joined into one, in this order."""

UNCONTROLLED = "*"
"""All strategies but the controls, in the grid's filter; filter.js has the same."""

_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""Characters that show nothing, or turn around what follows them (Unicode Standard Annex 9); elements.js has the same."""


def render_html(run: StoredRun, against: StoredRun | None = None) -> str:
    """Return the report of ``run`` as one self-contained page, held against another run if there is one.

    Equal runs but for their timing give equal bytes.
    """
    summary = summarise(run)
    style, script = "\n".join(map(_page, STYLES)), "\n".join(map(_page, SCRIPTS))
    environment = SandboxedEnvironment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        loader=FunctionLoader(_page), finalize=_seen,
    )  # fmt: skip
    rows = {row["key"]: row for row in run.rows}
    environment.filters["trial_link"] = trial_link
    environment.filters["trial_title"] = lambda key: whole(rows[key]["title"], run.texts)
    environment.filters["trial_strategy"] = lambda key: rows[key]["strategy"]
    return environment.get_template("index.html.j2").render(
        summary=summary,
        first=first_screen(run, summary),
        named=NAMED,
        few_cases=FEW,
        trials_link=partial(trials_link, _part(run)),
        uncontrolled=_uncontrolled(summary.views),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        policy=_security_policy(style, script),
        data=Markup(pack(run, summary.views, against)),  # noqa: S704 - base64
    )


def trial_link(key: str) -> str:
    """Return the link that opens a trial in the page."""
    return f"#trial={quote(_whole(key), safe='')}"


def trials_link(part: str | None, panel: Panel, strategy: str, **wanted: str) -> str:
    """Return the link that shows the trials of a strategy that a figure of a panel counts."""
    asked = {
        "policy": panel.policy.label,
        "by": panel.solver.label,
        "strategy": strategy,
        "part": part or "",
        **wanted,
        "view": "grid",
    }
    return "#" + "&".join(f"{name}={quote(_whole(value), safe='')}" for name, value in asked.items() if value)


def _part(run: StoredRun) -> str | None:
    """Return the part of a split corpus that figures are told of; None where they are told of all."""
    told = {row["part"] for row in headline_rows(run.rows)}
    return told.pop() if len(told) == 1 and told != {row["part"] for row in run.rows} else None


def _uncontrolled(views: Views) -> str:
    """Return what the grid's filter of strategies calls those that are no controls; nothing where that leaves out none or all."""
    return UNCONTROLLED if {"strategy", "control"} <= {column.group for column in views.columns} else ""


def _whole(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def pack(run: StoredRun, views: Views, against: StoredRun | None = None) -> str:
    """Return the trials of ``run``, without what depends on the moment, as packed lines.

    First what all trials are listed by, then the pool that cases share, then a line for each case.
    """
    parts = parts_of(run.rows, run.texts)
    index: JsonObject = {
        "format": FORMAT,
        "views": asdict(views),
        "part": _part(run) or "",
        "detectors": _own_detectors(views),
        "columns": parts.columns,
        "cases": parts.cases,
        "shapes": parts.shapes,
        "against": None
        if against is None
        else {"name": str(against.folder), "columns": parts_of(against.rows, against.texts).columns},
    }
    return "\n".join(packed(part) for part in (index, parts.common, *parts.records))


def _own_detectors(views: Views) -> JsonObject:
    """Return which detector each policy has of its own, of those that there are still."""
    found: JsonObject = {}
    for view in views.policies:
        try:
            found[view.policy] = policy(view.policy).detector
        except UnknownName:
            continue
    return found


def _seen(value: object) -> object:
    """Return what is shown of a value: characters that a reader would not see are named."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", value)


def _security_policy(style: str, script: str) -> str:
    """Return the page's Content-Security-Policy: this style, this script, and no request."""
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


def _page(name: str) -> str:
    return (files("mendbench.report") / "page" / name).read_text(encoding="utf-8")
