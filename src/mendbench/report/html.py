"""The report as one self-contained HTML file: it opens from a disk, without a network.

Totals are HTML, so they can be read without a script. The trials are packed in the same file; the page's own script unpacks and
shows them. Models and services wrote the contents: the template escapes them, the script
sets them as text and never as markup, and the security policy lets no other script run.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache, partial
from importlib.resources import files
from urllib.parse import quote

from jinja2 import FunctionLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from mendbench.errors import UnknownName
from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialRow
from mendbench.repair.policies import policy
from mendbench.report.funnels import SAYS
from mendbench.report.overview import NAMED, build_overview
from mendbench.report.packing import PackedTrials, column_parts, columns_of, packed, packed_parts, parts_of
from mendbench.report.summary import summarise
from mendbench.report.tables import FEW, Panel
from mendbench.report.views import Views
from mendbench.results.store import StoredRun
from mendbench.results.totals import headline_records
from mendbench.trial.long_texts import whole

FORMAT = 2
"""Format version of the data inside the page. 2: columns, and a part for each case. 1: the first."""

STYLES = ("style.css", "pictures.css", "grid.css", "trial.css", "compare.css", "paper.css")
"""Joined into one, in this order."""

SCRIPTS = (
    "elements.js", "words.js", "run.js", "address.js", "diff.js", "graph.js", "filter.js", "grid.js", "prompt.js", "attempts.js",
    "facts.js", "trial.js", "compare.js", "keys.js", "app.js",
)  # fmt: skip
"""Joined into one, in this order."""

_DATA = '<script type="application/octet-stream" id="data">'
"""Occurs once in the page, before the trials: texts of a run are escaped, so they cannot contain it."""

UNCONTROLLED = "*"
"""All strategies except the controls, in the grid's filter; filter.js has the same value."""

_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""Invisible characters, and those that reverse the text after them (Unicode Standard Annex 9); elements.js has the same."""


def render_html(run: StoredRun, against: StoredRun | None = None) -> str:
    """Return the report of ``run`` as one self-contained page, compared with another run if there is one.

    Runs that differ only in timing give equal bytes.
    """
    return "".join(html_parts(run, against))


def html_parts(run: StoredRun, against: StoredRun | None = None) -> Iterator[str]:
    """Yield the parts of :func:`render_html` one by one, so that the page of a large run is never in memory as a whole."""
    views, page = _page_around(run)
    before, after = page.split(_DATA)
    yield before + _DATA
    yield from pack(run, views, against)
    yield after


def _page_around(run: StoredRun) -> tuple[Views, str]:
    """Return the views of the run, and the page without the trials."""
    summary = summarise(run)
    style, script = "\n".join(map(page_file, STYLES)), "\n".join(map(page_file, SCRIPTS))
    template = page_templates().get_template("index.html.j2")
    page = template.render(
        summary=summary,
        first=build_overview(run, summary),
        named=NAMED,
        few_cases=FEW,
        stage_says=SAYS,
        trial_title=lambda key: whole(_row(run, key)["title"], run.texts),
        trial_strategy=lambda key: _row(run, key)["strategy"],
        trials_link=partial(trials_link, _part(run)),
        uncontrolled=_uncontrolled(summary.views),
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        policy=security_policy(style, script),
    )
    return summary.views, page


@cache
def page_templates() -> SandboxedEnvironment:
    """Return the environment of the page's templates. It escapes every value, and shows invisible characters."""
    environment = SandboxedEnvironment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        loader=FunctionLoader(page_file), finalize=_seen,
    )  # fmt: skip
    environment.filters["trial_link"] = trial_link
    return environment


def _row(run: StoredRun, key: str) -> TrialRow:
    row = run.row(key)
    if row is None:
        raise KeyError(key)
    return row


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
        "api": panel.api,
        **wanted,
        "view": "grid",
    }
    return "#" + "&".join(f"{name}={quote(_whole(value), safe='')}" for name, value in asked.items() if value)


def _part(run: StoredRun) -> str | None:
    """Return the part of a split corpus that figures cover; None if they cover all."""
    every: set[str | None] = set(run.records.values("part"))
    covered: set[str | None] = set(headline_records(run.records).values("part"))
    return covered.pop() if len(covered) == 1 and covered != every else None


def _uncontrolled(views: Views) -> str:
    """Return the label for strategies that are not controls in the grid's filter; empty if it would leave out none or all."""
    return UNCONTROLLED if {"strategy", "control"} <= {column.group for column in views.columns} else ""


def _whole(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def pack(run: StoredRun, views: Views, against: StoredRun | None = None) -> Iterator[str]:
    """Yield the trials of ``run`` as packed lines, without values that depend on the time of the run.

    First the index of all trials, then the pool that cases share, then a line for each case.
    """
    parts = parts_of(run.rows, run.texts, run.records)
    yield from packed_parts(_index(run, views, parts, against))
    yield f"\n{packed(parts.common)}"
    for record in parts.records:
        yield f"\n{packed(record)}"


def _index(run: StoredRun, views: Views, parts: PackedTrials, against: StoredRun | None) -> Iterator[str]:
    """Yield the index of all trials, as JSON in parts."""
    head: JsonObject = {
        "format": FORMAT,
        "views": asdict(views),
        "part": _part(run) or "",
        "detectors": _own_detectors(views),
    }
    yield _json(head)[:-1] + ',"columns":'
    yield from column_parts(parts.columns)
    yield "," + _json({"cases": parts.cases, "shapes": parts.shapes})[1:-1] + ',"against":'
    if against is None:
        yield "null}"
        return
    yield _json({"name": str(against.folder)})[:-1] + ',"columns":'
    yield from column_parts(columns_of(against.rows, against.texts, against.records))
    yield "}}"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def _own_detectors(views: Views) -> JsonObject:
    """Return each policy's own detector, for policies that still exist."""
    found: JsonObject = {}
    for view in views.policies:
        try:
            found[view.policy] = policy(view.policy).detector
        except UnknownName:
            continue
    return found


def _seen(value: object) -> object:
    """Return a value for display: invisible characters are replaced by their names."""
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", value)


def security_policy(style: str, script: str = "") -> str:
    """Return the page's Content-Security-Policy: this style, this script, and no request."""
    return (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


def page_file(name: str) -> str:
    """Return the text of a file of the page."""
    return (files("mendbench.report") / "page" / name).read_text(encoding="utf-8")
