"""Advice that accompanies a result when an agent's runs keep failing in the same way."""

from __future__ import annotations

from mendbench.api_errors.call_errors import CallErrors, handled, reset
from mendbench.workflow_app import as_text
from mendbench.workflow_app.mcp_server.tools import Result


class Advice:
    """Watches the runs of one client session: a server over standard input and output has just one.

    Three errors of one category in a row trigger the advice to stop, and so does each further one of that category. Only
    a successful run resets the count: a workflow that merely validates would fail as before.
    """

    def __init__(self) -> None:
        self._state = CallErrors()

    def after(self, result: Result, function: str) -> str | None:
        """Return the advice for the result of a run, as JSON, or None.

        Its form is ``{"stop_retrying": true, "suggestion": …}``.
        """
        if not result.failed:
            self._state = reset(self._state)
            return None
        self._state, stop = handled(self._state, f"Error: {result.error or result.text}", function)
        if stop is None:
            return None
        return as_text({"stop_retrying": self._state.stop_retrying, "suggestion": stop.suggestion})
