"""Traces on the disk."""

from __future__ import annotations

import json
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.kit.files import write_atomically
from mendbench.kit.json_documents import load_json
from mendbench.kit.reading import MAX_RECORDING, read_text
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.trace import FORMAT

FOLDER = ".mendbench"
LAST = Path(FOLDER) / "last-trace.json"
"""The last run's trace, in the folder where the command ran."""

_MEND = "write one with `mendbench workflow run FILE`"


def write_trace(trace: JsonObject, path: Path) -> None:
    """Write a trace, whole or not at all. The default folder ignores itself in Git: traces hold what APIs answered.

    Raises:
        BadInput: the place cannot be written to.
    """
    try:
        if path.parent.name == FOLDER:
            ignore_folder(path.parent)
        write_atomically(path, json.dumps(trace, indent=1, ensure_ascii=True, default=str) + "\n")
    except OSError as error:
        raise BadInput(
            str(path), error.strerror or "cannot be written", "give a place that can be with --trace"
        ) from None


def ignore_folder(folder: Path) -> None:
    """Let Git ignore all that is in a folder, before anything is.

    Raises:
        OSError: the folder cannot be written to.
    """
    if not (folder / ".gitignore").exists():
        write_atomically(folder / ".gitignore", "*\n")


def read_trace(path: Path) -> JsonObject:
    """Return the trace in a file.

    Raises:
        BadInput: there is none, it is broken, or of another format.
    """
    trace = load_json(
        read_text(path, MAX_RECORDING, f"{_MEND}, or name one with --trace"), str(path), _MEND, halves=True
    )
    if not isinstance(trace, dict) or "format" not in trace or "executions" not in trace:
        raise BadInput(str(path), "no trace", _MEND)
    if trace["format"] != FORMAT:
        raise BadInput(f"{path}: format", f"format {trace['format']!r}", f"this mendbench reads format {FORMAT}")
    place = _broken_place(trace)
    if place is not None:
        raise BadInput(f"{path}: {place}", "not as a trace has it", _MEND)
    return trace


def _broken_place(trace: JsonObject) -> str | None:
    """Return where the trace is not what the readers of traces rely on, or None."""
    for name in ("result", "workflow"):
        if not isinstance(trace.get(name), dict):
            return name
    for name, ids in (("executions", ("nodes", "failures", "warnings")), ("attempts", ())):
        for index, item in enumerate(_list(trace.get(name))):
            if not isinstance(item, dict):
                return f"{name}[{index}]"
            for part in ids:
                if not _are_named(item.get(part)):
                    return f"{name}[{index}].{part}"
            for node in item["nodes"] if ids else ():
                if not _are_exchanges(node.get("exchanges")):
                    return f"{name}[{index}].nodes: exchanges of {node['node_id']!r}"
    return None if isinstance(trace["executions"], list) and isinstance(trace.get("attempts"), list) else "executions"


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _are_named(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, dict) and "node_id" in item for item in value)


def _are_exchanges(value: Json) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and isinstance(one.get("request"), dict) and isinstance(one.get("response"), dict)
        for one in value
    )
