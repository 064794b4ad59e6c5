"""The strategies that follow agent frameworks, against the frameworks: the lowest versions that pyproject.toml allows, and the newest."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from mendbench.model.failure import Failure, SentRequest
from mendbench.strategies import strategy
from qa.release.steps import ROOT, SHOWN, Step, environment, timed
from tests.strategies import invented

PACKAGES: Mapping[str, Sequence[str]] = {
    "instructor": ("instructor",),
    "langchain": ("langgraph-prebuilt", "langgraph"),
    "openai-agents": ("openai-agents",),
    "pydantic-ai": ("pydantic-ai-slim",),
}
"""What each strategy follows: distributions of the dependency group ``frameworks``."""

ERRORS = (
    "1 validation error for diffArguments\ncontext_lines\n  Input should be a valid integer [input_value='three', input_type=str]",
    'Unknown "unit" \u2018é\u2019 \u2713 {x} \\n %s <b>\ttab',
    "Zeile 1\r\nZeile 2",
)
"""Errors with the characters that a wording could change."""
ARGUMENTS = {"repo_path": "/r", "context_lines": "three", "é": [None, True, 1.5, {"a": "it's"}]}


def frameworks(place: Path) -> Iterator[Step]:
    """Compare every strategy that follows a framework with the framework's own texts."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]["frameworks"]
    for name, packages in PACKAGES.items():
        own = [one for one in wanted if one.partition(">=")[0] in packages]
        for bound, versions in (("lowest", [one.replace(">=", "==") for one in own]), ("newest", ["--upgrade", *own])):
            python = place / f"{name}-{bound}" / "bin" / "python"
            install = partial(environment, python.parents[1], sys.executable, *versions)
            made = timed("frameworks", f"{name}, {bound}: installed", install)
            yield made
            if made.failure is None:
                what = f"{name}, {bound}: {', '.join(versions)}"
                yield timed("frameworks", what, partial(compared, name, python))


def compared(name: str, python: Path | str = sys.executable) -> str | None:
    """Return how a strategy's text differs from its framework's in this environment; None if it does not."""
    asked = [{"tool": "git_diff", "arguments": ARGUMENTS, "error": error} for error in ERRORS]
    script = Path(__file__).parent / "framework_texts.py"
    done = subprocess.run([python, script, name], input=json.dumps(asked), text=True, capture_output=True, check=False)
    if done.returncode:
        return done.stderr[-SHOWN:].strip()
    texts = json.loads(done.stdout)
    ours = [strategy(name).render(view_of(error), 100_000).text for error in ERRORS]
    return next((f"{own!r} is not {text!r}" for own, text in zip(ours, texts, strict=True) if own != text), None)


def view_of(error: str):
    """Return the view of a workflow whose one MCP call was refused with an error."""
    sent = SentRequest(method="POST", url="mcp://git/git_diff", headers={}, body=ARGUMENTS)
    failure = Failure(
        source="runtime", category="execution_failure", message=error, node_id="diff", node_type="mcp", request_sent=sent,
        mcp_error=error, mcp_error_details={"server": "git", "tool": "git_diff", "is_tool_error": True},
    )  # fmt: skip
    node = {"id": "diff", "type": "mcp", "params": {"server": "git", "tool": "git_diff", "arguments": ARGUMENTS}}
    return invented.view("Show the changes.", [node], failure)
