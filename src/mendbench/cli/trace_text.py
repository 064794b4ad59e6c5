"""Opens traces, and prints their views."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import write, write_json
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.display import plain


def opened(path: Path | None) -> JsonObject:
    """Return the trace in ``path``, or the last one of the current folder.

    Raises:
        BadInput: there is none, or it cannot be read.
    """
    from mendbench.runtime.trace_file import LAST, read_trace

    return read_trace(path or LAST)


def show(view: JsonObject, words: Callable[[JsonObject], str], output: Format) -> int:
    """Print a view as JSON, or in words."""
    if output is Format.json:
        write_json(view)
    else:
        write(plain(words(view)).rstrip() + "\n")
    return Exit.DONE


def errors(view: JsonObject) -> str:
    """Return the list of failures, a block for each, and the warnings."""
    lines = [f"The run ended in {view['status']}: {len(view['errors'])} failure(s), {len(view['warnings'])} warning(s)"]
    for number, failure in enumerate(view["errors"], 1):
        when = f" after repair attempt {failure['attempt']}" if failure["attempt"] else ""
        state = "open" if failure["open"] else "fixed or replaced by another"
        fixable = "yes" if failure["fixable"] else "no"
        lines.append(f"{number}. [{failure['node_id']}] {_indented(str(failure['message']))}")
        lines.append(f"   Category: {failure['category']}; fixable: {fixable}; {state}{when}")
        if failure["suggestion"]:
            lines.append(f"   Suggestion: {failure['suggestion']}")
    lines += [f"⚠️ [{warning['node_id']}] {_indented(str(warning['message']))}" for warning in view["warnings"]]
    if view["repair_attempted"]:
        lines.append(f"Repair: {view['repair_reason']}")
    return "\n".join(lines)


def error(view: JsonObject) -> str:
    """Return a failure with all its details, without empty fields."""
    found = {name: value for name, value in view.items() if value not in (None, [], {}, "")}
    if "evidence" in found:
        found["evidence"] = [f"{one['weight']:+.1f} {one['path']}: {one['found']}" for one in found["evidence"]]
    return fields(found)


def all_errors(view: JsonObject) -> str:
    """Return each failure with all its details."""
    return "\n\n".join(map(error, view["errors"])) or "Nothing failed"


def node_io(view: JsonObject) -> str:
    """Return a node's exchanges as they were sent and received."""
    lines = [f"{view['node_id']}: {view['state']}, {len(view['exchanges'])} exchange(s)"]
    for exchange in view["exchanges"]:
        if "request" in exchange:
            request = exchange["request"]
            lines += [f"> {request['method']} {request['url']}", *_message(">", request)]
        if "response" in exchange:
            response = exchange["response"]
            status = f"fault {response['fault']}" if response["fault"] else f"status {response['status']}"
            lines += [f"< {status}, {response['elapsed_ms']} ms", *_message("<", response)]
    return "\n".join(lines)


def difference(view: JsonObject) -> str:
    """Return the expected and the actual value of each field."""
    lines = [f"{view['node_id']}: {_indented(str(view['message']))}"]
    for field in view["fields"]:
        actual = field["actual"]
        source = f"  from {field['from']}" if field["from"] and field["from"] != actual else ""
        absent = not field["sent"] and actual is None
        blank = isinstance(actual, str) and not actual.strip()
        text = "(not sent)" if absent else json.dumps(actual, ensure_ascii=False) if blank else _value(actual)
        lines.append(f"{field['field'] or 'workflow'} ({field['problem']})")
        lines += [f"  expected: {field['expected']}", f"  actual:   {text}{source}"]
    if not view["fields"]:
        lines.append("The response names no field: `mendbench debug node-io` shows all of it")
    if view["suggestion"]:
        lines.append(f"Suggestion: {view['suggestion']}")
    return "\n".join(lines)


def fields(view: JsonObject) -> str:
    """Return a view field by field."""
    return "\n".join(f"{name}: {_indented(_value(value))}" for name, value in view.items())


def _value(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)


def _message(mark: str, message: JsonObject) -> list[str]:
    headers = [f"{mark} {name}: {value}" for name, value in message["headers"].items()]
    if message["body"] is None:
        return [*headers, mark]
    return [*headers, "\n".join(f"{mark} {line}" for line in _value(message["body"]).splitlines())]


def _indented(text: str) -> str:
    first, *rest = text.splitlines() or [""]
    return "\n".join([first, *(f"   {line}" if line.strip() else "" for line in rest)])
