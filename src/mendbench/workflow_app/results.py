"""The result document of a run: the agent error format, with the result of the repair."""

from __future__ import annotations

from mendbench.model.execution import Execution
from mendbench.model.json import JsonObject
from mendbench.model.trial import Attempt, StopReason
from mendbench.repair.responses import Declined, read_response

NOT_ASKED = "Repair was not asked for"

_REASONS: dict[str, str] = {
    "warned": "Stopped at a warning: no edit of the workflow would help",
    "no_progress": "Could not fix: the last edit led to the same failure again",
    "pattern": "Could not fix: three failures of one kind in a row",
    "validation_failed": "Could not fix: no response was a workflow that could run",
    "prompt_too_long": "Could not fix: the prompt is too long for the model",
}


def result_document(
    described: JsonObject,
    execution: Execution,
    *,
    attempts: tuple[Attempt, ...],
    changed: bool,
    stop: StopReason | None,
    broken: BaseException | None,
    choices: tuple[JsonObject, ...] = (),
) -> JsonObject:
    """Return the document. ``described`` is the engine's description of the last execution.

    ``changed`` is whether it ran a workflow that a repairer edited. ``stop`` is None if no repair was requested
    or if it was aborted; then ``broken`` is the reason. A user's choices at a terminal are included if there are any.
    """
    first = {
        "success": bool(described["success"]) and broken is None,
        "status": execution.outcome,
        "error": described["error"] or (_message(broken) if broken is not None else None),
        "repaired": changed and execution.outcome != "error" and broken is None,
        "repair_attempted": bool(attempts),
        "repair_reason": _reason(execution, attempts, stop, broken),
    }
    chosen = {"choices": list(choices)} if choices else {}
    return {**first, **{name: value for name, value in described.items() if name not in first}, **chosen}


def _reason(
    execution: Execution, attempts: tuple[Attempt, ...], stop: StopReason | None, broken: BaseException | None
) -> str | None:
    """Return why the repair ended, or why there was none; None if there was nothing to repair."""
    if broken is not None:
        return f"Broke off: {_message(broken)}"
    if stop is None:
        return NOT_ASKED if execution.failures else None
    if stop == "succeeded" or (stop == "warned" and not execution.failures):
        return f"Fixed in {_counted(attempts)}" if any(attempt.execution is not None for attempt in attempts) else None
    if stop == "declined":
        return f"No edit can fix it: {_declined(attempts[-1])}"
    if stop == "crashed":
        return f"Broke off: {attempts[-1].problem if attempts else 'the repairer crashed'}"
    return _REASONS.get(stop) or f"Could not fix it in {_counted(attempts)}"


def _counted(attempts: tuple[Attempt, ...]) -> str:
    return f"{len(attempts)} attempt{'' if len(attempts) == 1 else 's'}"


def _declined(attempt: Attempt) -> str:
    response = read_response(attempt.reply.text, attempt.candidate or {})
    return response.reason if isinstance(response, Declined) and response.reason else "the repairer gave no reason"


def _message(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
