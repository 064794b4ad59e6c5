"""Where the commands that read traces get them from."""

from __future__ import annotations

from pathlib import Path

from mendbench.model.json import JsonObject


def opened(path: Path | None) -> JsonObject:
    """Return the trace in ``path``, or the last one of the current folder.

    Raises:
        BadInput: there is none, or it cannot be used.
    """
    from mendbench.workflow_app.tracing import LAST, read_trace

    return read_trace(path or LAST)
