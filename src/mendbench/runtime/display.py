"""Terminal output of an execution: a line for each node, a block for each failure, a summary.

The output is plain text without control characters, whatever an API returned. Failures are sanitised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mendbench.model.execution import Execution
from mendbench.model.failure import Failure
from mendbench.runtime.events import NodeCached, NodeCompleted, NodeEvent, NodeFailed, NodeStarted, NodeWarned
from mendbench.runtime.parse import WorkflowProblem
from mendbench.secrets.redaction import sanitise

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters except tab and line feed: an API's text must not move the cursor or colour the screen."""
_INDENT = "     "


def plain(text: str) -> str:
    """Return ``text`` without control characters; line feeds and tabs stay."""
    return _CONTROL.sub("", text)


def display_line(event: NodeEvent) -> str:
    """Return a node's line: ``fetch... ✓ 1.2s``. When a node starts, it is ``fetch...``."""
    begun = f"{plain(event.node_id)}..."
    ended = ending_of(event)
    return f"{begun} {ended}" if ended else begun


def ending_of(event: NodeEvent) -> str:
    """Return the text after the node's name in its line; empty when a node starts."""
    match event:
        case NodeStarted():
            return ""
        case NodeCached(message=None):
            return "↻ cached"
        case NodeCached(message=message):
            return f"↻ cached ⚠️ {_first_line(message or '')}"
        case NodeCompleted():
            result = "✓"
        case NodeWarned():
            result = f"⚠️ {_first_line(event.message)}"
        case NodeFailed():
            result = f"✗ {_first_line(event.message)}"
    return f"{result} {seconds(event.duration_ms)}{' [repaired]' if event.modified else ''}"


def seconds(ms: int) -> str:
    """Return a duration in readable form: ``1.2s``."""
    return f"{ms / 1000:.1f}s"


def failure_text(failure: Failure, number: int) -> str:
    """Return one failure in lines: node, message, category, fixable, suggestion, the API's message for each field."""
    facts = [
        ("Category", failure.category),
        ("Fixable", "yes" if failure.fixable else "no"),
        ("Hint", failure.hint),
        ("Suggestion", failure.suggestion),
        ("Available", ", ".join(failure.available_fields) if failure.available_fields else None),
    ]
    lines = [_heading(number, failure.node_id, failure.message), *_facts(facts)]
    lines += [f"   Field '{field.field}' is {field.problem}: {_indented(field.says)}" for field in failure.problems]
    if failure.available_fields_truncated:
        lines.append(f"   ({len(failure.available_fields or ())} of {failure.available_fields_total} fields shown)")
    return plain(str(sanitise("\n".join(lines))))


def problem_text(problem: WorkflowProblem, number: int) -> str:
    """Return one problem of a document, in lines."""
    facts = [("At", problem.where), ("Hint", problem.hint), ("Suggestion", problem.suggestion)]
    note = "note: " if problem.severity == "note" else ""
    lines = [_heading(number, problem.node_id, problem.message, note), *_facts(facts)]
    return plain(str(sanitise("\n".join(lines))))


def summary_line(execution: Execution) -> str:
    """Return a one-line summary of a workflow: outcome, nodes by state, failures, warnings, time."""
    outcome = {"success": "succeeded", "warning": "ended with warnings", "error": "failed"}[execution.outcome]
    if execution.outcome == "warning" and execution.failures:
        outcome = "was stopped by a warning"
    counts = ", ".join(_counts(execution)) or "no node ran"
    return f"Workflow {outcome}: {counts} ({seconds(execution.duration_ms)})"


def warning_lines(execution: Execution) -> Iterator[str]:
    """Yield a line for each warning that did not stop the run. A warning that did is also a failure."""
    stopped = {failure.node_id for failure in execution.failures}
    for warned in execution.warnings:
        if warned.node_id not in stopped:
            yield plain(str(sanitise(f"⚠️ [{warned.node_id}] {_indented(warned.message)}")))


def _counts(execution: Execution) -> list[str]:
    records, warnings, failures = execution.nodes, len(execution.warnings), len(execution.failures)
    ran = [record for record in records if record.state != "not_run"]
    counts = (
        (sum(record.state == "success" for record in ran), "completed"),
        (sum(record.cached for record in ran), "cached"),
        (sum(record.modified for record in ran), "repaired"),
        (sum(record.state == "error" for record in ran), "failed"),
        (len(records) - len(ran), "not run"),
        (warnings, "warning" if warnings == 1 else "warnings"),
        (failures, "failure" if failures == 1 else "failures"),
    )
    return [f"{count} {word}" for count, word in counts if count]


def _heading(number: int, node_id: str | None, message: str, note: str = "") -> str:
    node = f"[{node_id}] " if node_id else ""
    return f"{number}. {note}{node}{_indented(message)}"


def _facts(facts: list[tuple[str, str | None]]) -> list[str]:
    return [f"   {name}: {_indented(text)}" for name, text in facts if text]


def _first_line(message: str) -> str:
    lines = plain(message).strip().splitlines()
    return lines[0] if lines else "failed"


def _indented(text: str) -> str:
    first, *rest = text.strip().splitlines() or [""]
    return "\n".join([first, *(f"{_INDENT}{line}" if line.strip() else "" for line in rest)])
