"""The function-call error handler: reads call results and decides when to stop retrying.

Its state covers one conversation. All front ends that let a model call functions share it. :func:`handled` takes each result in turn, and
:attr:`CallErrors.stop_retrying` stays set until :func:`reset`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mendbench.api_errors.patterns import PatternHistory, noted, should_stop, suggestion
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json

_ERROR_STARTS = ("ERROR:", "Error:", "Error executing code", "Error occurred", "\N{CROSS MARK}")
"""Prefixes that mark a text as an error. They are case-sensitive and must be at the start."""

_FALSE_SUCCESS = ('"success":false', '"success": false')
"""Substrings of a text that is, or quotes, the JSON object of a failed call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallErrors:
    """The state of a conversation's calls. It is immutable; :func:`handled` returns a new one for each error."""

    history: PatternHistory = field(default_factory=PatternHistory)
    stop_retrying: bool = False
    """Whether the detector has requested a stop since the last reset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """The detector's request to stop calling and to inform the user instead."""

    suggestion: str
    """The message for the user."""


def error_in(result: Json) -> str | None:
    """Return the error text in a call's result, or None if there is no error.

    An object is an error if its ``success`` is false. A text is an error by its prefix, or by a false ``success`` inside it.
    Nothing else is an error, not even an HTTP status.
    """
    if isinstance(result, dict):
        return canonical_json(result) if result.get("success") is False else None
    if not isinstance(result, str):
        return None
    is_error = result.startswith(_ERROR_STARTS) or any(part in result for part in _FALSE_SUCCESS)
    return result if is_error else None


def handled(state: CallErrors, result: Json, function: str) -> tuple[CallErrors, Stop | None]:
    """Return the state after a call of ``function``, and :class:`Stop` if there were too many errors of one kind.

    A result that is not an error leaves the state unchanged: a success in between does not reset the count.
    """
    text = error_in(result)
    if text is None:
        return state, None
    history = noted(state.history, text, function)
    if not should_stop(history):
        return replace(state, history=history), None
    return CallErrors(history=history, stop_retrying=True), Stop(suggestion=suggestion(history) or text)


def reset(state: CallErrors) -> CallErrors:
    """Return the state of a new conversation: no errors and no flag. The counting mode for unrecognised errors is kept."""
    return CallErrors(history=PatternHistory(unrecognised=state.history.unrecognised))
