"""The views of a trace as text."""

from __future__ import annotations

import json
from collections.abc import Callable

from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import write, write_json
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.display import plain


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
    for number, one in enumerate(view["errors"], 1):
        when = "" if not one["attempt"] else f" after repair attempt {one['attempt']}"
        lines.append(f"{number}. [{one['node_id']}] {_indented(str(one['message']))}")
        lines.append(f"   Category: {one['category']}; fixable: {_yes(one['fixable'])}; {_state(one)}{when}")
        if one["suggestion"]:
            lines.append(f"   Suggestion: {one['suggestion']}")
    lines += [f"⚠️ [{one['node_id']}] {_indented(str(one['message']))}" for one in view["warnings"]]
    if view["repair_attempted"]:
        lines.append(f"Repair: {view['repair_reason']}")
    return "\n".join(lines)


def error(view: JsonObject) -> str:
    """Return a failure with everything that there is, leaving out what its node's type does not have."""
    return fields({name: value for name, value in view.items() if value not in (None, [], {}, "")})


def all_errors(view: JsonObject) -> str:
    """Return each failure with everything that there is."""
    return "\n\n".join(error(one) for one in view["errors"]) or "Nothing failed"


def node_io(view: JsonObject) -> str:
    """Return a node's exchanges as they went over the wire."""
    lines = [f"{view['node_id']}: {view['state']}, {len(view['exchanges'])} exchange(s)"]
    for exchange in view["exchanges"]:
        if "request" in exchange:
            sent = exchange["request"]
            lines += [f"> {sent['method']} {sent['url']}", *_headers(">", sent["headers"]), _body(">", sent["body"])]
        if "response" in exchange:
            came = exchange["response"]
            status = f"fault {came['fault']}" if came["fault"] else f"status {came['status']}"
            lines += [f"< {status}, {came['elapsed_ms']} ms", *_headers("<", came["headers"]), _body("<", came["body"])]
    return "\n".join(lines)


def difference(view: JsonObject) -> str:
    """Return expected against actual, a pair of lines for each field."""
    lines = [f"{view['node_id']}: {_indented(str(view['message']))}"]
    for one in view["fields"]:
        lines.append(f"{one['field'] or 'workflow'} ({one['problem']})")
        lines.append(f"  expected: {one['expected']}")
        filled = f"  from {one['from']}" if one["from"] and one["from"] != one["actual"] else ""
        actual = one["actual"]
        shown = (
            actual if isinstance(actual, str) and actual.strip() else json.dumps(actual, indent=2, ensure_ascii=False)
        )
        absent = not one["sent"] and one["actual"] is None
        lines.append(f"  actual:   {'(not sent)' if absent else shown}{filled}")
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


def _headers(mark: str, headers: JsonObject) -> list[str]:
    return [f"{mark} {name}: {value}" for name, value in headers.items()]


def _body(mark: str, body: Json) -> str:
    return mark if body is None else "\n".join(f"{mark} {line}" for line in _value(body).splitlines())


def _indented(text: str) -> str:
    first, *rest = text.splitlines() or [""]
    return "\n".join([first, *(f"   {line}" if line.strip() else "" for line in rest)])


def _yes(value: Json) -> str:
    return "yes" if value else "no"


def _state(failure: JsonObject) -> str:
    return "open" if failure["open"] else "mended or replaced by another"
