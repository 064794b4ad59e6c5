"""The function-call error handler: reads a call's result, and says when calling again should stop.

Kept for one conversation. Every front end that lets a model call functions shares it: :func:`handled` takes each result
in turn, and :attr:`CallErrors.stop_retrying` stays set until :func:`reset`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mendbench.api_errors.patterns import PatternHistory, noted, should_stop, suggestion
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json

_ERROR_STARTS = ("ERROR:", "Error:", "Error executing code", "Error occurred", "\N{CROSS MARK}")
"""How a text begins that tells an error. Case counts, and nothing may stand before it."""

_FALSE_SUCCESS = ('"success":false', '"success": false')
"""What a text holds that is, or quotes, a JSON object of a call that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallErrors:
    """What is remembered of a conversation's calls: a value that :func:`handled` makes anew with each error."""

    history: PatternHistory = field(default_factory=PatternHistory)
    stop_retrying: bool = False
    """Whether the detector has said stop since the last reset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The detector asks to stop calling and to tell the user instead."""

    suggestion: str
    """What the user is told."""


def error_in(result: Json) -> str | None:
    """Return the text of the error that a call's result tells, or None if it tells none.

    An object is an error if its ``success`` is false; a text by how it begins, or by a false ``success`` inside it.
    Nothing else is one, an HTTP status among it.
    """
    if isinstance(result, dict):
        return canonical_json(result) if result.get("success") is False else None
    if not isinstance(result, str):
        return None
    told = result.startswith(_ERROR_STARTS) or any(part in result for part in _FALSE_SUCCESS)
    return result if told else None


def handled(state: CallErrors, result: Json, function: str) -> tuple[CallErrors, Stop | None]:
    """Return the state after a call of ``function``, and :class:`Stop` if it was one error too many of a kind.

    A result that is no error leaves the state as it is: a success in between does not reset the count.
    """
    text = error_in(result)
    if text is None:
        return state, None
    history = noted(state.history, text, function)
    if not should_stop(history):
        return replace(state, history=history), None
    return CallErrors(history=history, stop_retrying=True), Stop(suggestion=suggestion(history) or text)


def reset(state: CallErrors) -> CallErrors:
    """Return the state of a new conversation: no errors and no flag. How unrecognised errors count stays."""
    return CallErrors(history=PatternHistory(unrecognised=state.history.unrecognised))
