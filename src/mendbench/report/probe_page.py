"""The result of a probe as one self-contained HTML page, in the style of the report."""

from __future__ import annotations

import json

from markupsafe import Markup

from mendbench.probing.findings import VERDICTS, Verdict
from mendbench.probing.result import BrokenCall, Probe
from mendbench.report.html import page_file, page_templates, security_policy

MEANINGS: dict[Verdict, str] = {
    "silent": "The result is not marked as an error: at most its text says that the call failed.",
    "lost": "No answer came: the server ended, or took too long.",
    "hidden": "The refusal is a JSON-RPC error, which many hosts do not show to the model.",
    "misleads": "The message states neither the argument nor what is expected.",
    "partly": "The message states the argument or what is expected, but not both.",
    "helps": "The message states the argument and what is expected.",
}
"""What each verdict means, in one sentence."""
_TONES: dict[Verdict, str] = {
    "silent": "harm", "lost": "harm", "hidden": "trap", "misleads": "trap", "partly": "part", "helps": "good",
}  # fmt: skip
"""The class of each verdict in the report's style."""


def render_probe(found: Probe) -> str:
    """Return the page."""
    style = page_file("style.css") + page_file("probe.css")
    name = " ".join(filter(None, (found.info.name, found.info.version))) or found.server
    return page_templates().get_template("probe.html.j2").render(
        found=found, name=name, verdicts=VERDICTS, meanings=MEANINGS, tones=_TONES,
        rows=[_row(one) for one in found.broken], style=Markup(style),  # noqa: S704 - our own file
        policy=security_policy(style),
    )  # fmt: skip


def _row(one: BrokenCall) -> dict[str, object]:
    shown = {"sent": one.fault.arguments, "right": one.call.arguments, "response": one.answer.response}
    return {"broken": one, **{name: json.dumps(value, indent=1, ensure_ascii=False) for name, value in shown.items()}}
