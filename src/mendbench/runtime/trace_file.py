"""Reads and writes trace files."""

from __future__ import annotations

import json
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.files import ignore_folder, why_unwritable, write_atomically
from mendbench.io.json_documents import load_json
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.trace import FORMAT
from mendbench.values.schema import COUNT, MAYBE_TEXT, NUMBER, OBJECT, TEXT, TEXTS, fields, many, maybe, misfit

FOLDER = ".mendbench"
LAST = Path(FOLDER) / "last-trace.json"
"""The last run's trace, relative to the working directory of the command."""

_HINT = "write one with `mendbench workflow run FILE`"


def write_trace(trace: JsonObject, path: Path) -> None:
    """Write a trace atomically. Git ignores the default folder, because traces contain API responses.

    Raises:
        BadInput: the path is not writable.
    """
    try:
        if path.parent.name == FOLDER:
            ignore_folder(path.parent)
        write_atomically(path, json.dumps(trace, indent=1, ensure_ascii=True, default=str) + "\n")
    except OSError as error:
        raise BadInput(str(path), why_unwritable(error), "name another file with --trace") from None


def read_trace(path: Path) -> JsonObject:
    """Return the trace in a file.

    Raises:
        BadInput: the file is missing, broken, or has another format.
    """
    trace = load_json(
        read_text(path, MAX_RECORDING, f"{_HINT}, or name one with --trace"), str(path), _HINT, halves=True
    )
    if not isinstance(trace, dict) or "format" not in trace or "executions" not in trace:
        raise BadInput(str(path), "no trace", _HINT)
    if trace["format"] != FORMAT:
        raise BadInput(f"{path}: format", f"format {trace['format']!r}", f"this mendbench reads format {FORMAT}")
    wrong = misfit(trace, _TRACE)
    if wrong is not None:
        place, _, found = wrong.partition(": ")
        raise BadInput(f"{path}: {place}", found, _HINT)
    return trace


def _any(_value: Json) -> None:
    """The shape of any value."""


_FAILURE = fields(
    {"node_id": MAYBE_TEXT, "message": MAYBE_TEXT},
    {
        "problems": maybe(many(OBJECT)), "upstream": maybe(many(OBJECT)), "unresolved": maybe(TEXTS), "available_fields": maybe(TEXTS),
        "suggestion": MAYBE_TEXT, "hint": MAYBE_TEXT, "category": MAYBE_TEXT,
    },
)  # fmt: skip

_EXCHANGE = fields(
    {
        "request": fields({"method": TEXT, "url": TEXT, "headers": OBJECT, "body": _any}),
        "response": fields(
            {"status": NUMBER, "fault": MAYBE_TEXT, "headers": OBJECT, "body": _any, "elapsed_ms": NUMBER}
        ),
    }
)

_TRACE = fields(
    {
        "result": fields({}, {"status": MAYBE_TEXT}),
        "workflow": OBJECT,
        "executions": many(
            fields(
                {
                    "attempt": COUNT,
                    "nodes": many(fields({"node_id": TEXT, "state": TEXT, "exchanges": many(_EXCHANGE)})),
                    "failures": many(_FAILURE),
                    "warnings": many(fields({"node_id": TEXT, "message": TEXT})),
                }
            )
        ),
        "attempts": many(OBJECT),
    }
)
"""The structure that readers of a trace rely on. :mod:`mendbench.runtime.trace` builds it."""
