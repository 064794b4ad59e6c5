"""The report as one HTML file that asks nothing of anybody: it opens from a disk, without a network, for years.

Totals are HTML, so they can be read without a script. The trials travel in the same file as compressed JSON, each text
once, and are unpacked and shown by the page's own script. What is shown was written by models and by services: the
template escapes it, the script sets it as text and never as markup, and the security policy lets no other script run.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from dataclasses import asdict
from importlib.resources import files
from urllib.parse import quote

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from mendbench.bench.results import StoredRun
from mendbench.model.json import JsonObject
from mendbench.report.summary import summarise
from mendbench.report.tables import FEW
from mendbench.report.views import Views

FORMAT = 1
"""Of the data inside the page. 1: the first."""

SCRIPTS = ("elements.js", "diff.js", "trial.js", "grid.js", "app.js")
"""Joined into one, in this order."""

_OS_BYTE = 9
"""Where a gzip header says what system wrote it (RFC 1952 section 2.3)."""


def render_html(run: StoredRun) -> str:
    """Return the report of ``run`` as one self-contained page. Equal runs but for their timing give equal bytes."""
    summary = summarise(run)
    style, script = _page("style.css"), "\n".join(_page(name) for name in SCRIPTS)
    environment = SandboxedEnvironment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["trial_link"] = trial_link
    html = environment.from_string(_page("index.html.j2")).render(
        summary=summary,
        few_cases=FEW,
        style=Markup(style),  # noqa: S704 - our own file
        script=Markup(script),  # noqa: S704 - our own file
        policy=_security_policy(style, script),
        data=pack(run, summary.views),
    )
    return html.encode("utf-8", "replace").decode("utf-8")


def trial_link(key: str) -> str:
    """Return the link that opens a trial in the page."""
    return f"#trial={quote(key.encode('utf-8', 'replace'), safe='')}"


def pack(run: StoredRun, views: Views) -> str:
    """Return the trials of ``run`` as base64 of gzipped JSON, without what depends on the moment."""
    content = {
        "format": FORMAT,
        "run": _timeless(run.run),
        "views": asdict(views),
        "rows": [_timeless(row) for row in run.rows],
        "texts": dict(run.texts),
    }
    packed = gzip.compress(json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii"), mtime=0)
    return base64.b64encode(packed[:_OS_BYTE] + b"\xff" + packed[_OS_BYTE + 1 :]).decode("ascii")


def _timeless(row: JsonObject) -> JsonObject:
    return {name: value for name, value in row.items() if name != "timing"}


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
