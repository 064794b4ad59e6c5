"""Write the wordings that need the tools' schemas: ``python wordings.py [FOLDER]``.

They are ``FOLDER/strategies/schema.md.j2`` and ``FOLDER/strategies/server-text-expected.md.j2``; without FOLDER, those of this folder.

A template sees a failure, and neither the case nor the server's list of tools. So each of the two holds a table of the chosen broken calls:
tool, arguments and error text to what it adds, which is nothing for other failures. The additions come from the tool's input schema and the
name of the broken argument, which a server knows that compares the call with its schema.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import choose

HERE = Path(__file__).parent
KEY = 'tool ~ " " ~ (sent.body | tojson(none)) ~ " " ~ (failure | error_text)'
"""The key of a failure in a template; :func:`key_of` makes the same from a probe."""
FRONT = """\
---
title: {title}
source: studies/mcp-servers/wordings.py, from the input schemas of the probed servers
sections:
  - {{name: error, label: state, keep: 1}}
---
{{% block error %}}
{{% set known = {table} %}}
{{% for failure in failures %}}
{{% set tool, sent = (failure.mcp_error_details or {{}}).get("tool"), failure.request_sent %}}
{{% set added = known.get({key}, "") if sent else "" %}}
{body}
{{% endfor %}}
{{% endblock %}}
"""

Document = Mapping[str, Any]


def key_of(broken: Document) -> str:
    """Return the key of a broken call: its tool, its arguments as canonical JSON, and the text of its error."""
    response = broken["response"]
    texts = [one["text"] for one in response.get("result", {}).get("content", []) if "text" in one]
    text = response["error"]["message"] if "error" in response else "\n".join(texts)
    return f"{broken['tool']} {json.dumps(broken['arguments'], ensure_ascii=False, sort_keys=True)} {text}"


def described(schema: Document) -> str:
    """Return a schema in words: the type, the allowed values, format and limits, and the server's own description."""
    types = schema.get("type", [])
    branches = [one for key in ("anyOf", "oneOf") for one in schema.get(key, [])]
    named = [types] if isinstance(types, str) else list(types) or [str(one.get("type", "any")) for one in branches]
    parts = [" or ".join(named) or "any"]
    if "items" in schema:
        parts[0] += f" of {described(schema['items'])}"
    if "properties" in schema:
        parts[0] += f" with {', '.join(_arguments(schema))}"
    if "enum" in schema:
        parts.append("one of " + ", ".join(json.dumps(one, ensure_ascii=False) for one in schema["enum"]))
    parts += [
        f"{key} {schema[key]}"
        for key in ("format", "pattern", "minimum", "maximum", "minLength", "minItems")
        if key in schema
    ]
    return "; ".join(parts) + (f" ({schema['description']})" if "description" in schema else "")


def expected(broken: Document, schema: Document) -> str:
    """Return what a server could add to its message: the right argument, and its type and values."""
    name, properties = broken["right_name"], schema.get("properties", {})
    unknown = broken["argument"] not in properties
    lines = [f"There is no argument `{broken['argument']}`."] if unknown else []
    if name in properties:
        required = ", required" if name in schema.get("required", []) else ""
        return " ".join([*lines, f"Expected: `{name}`{required}: {described(_resolved(properties[name], schema))}"])
    return " ".join([*lines, "The arguments are " + ", ".join(_arguments(schema))])


def _resolved(schema: Document, root: Document) -> Document:
    ref = str(schema.get("$ref", ""))
    return root["$defs"][ref.rpartition("/")[2]] if ref else schema


def _arguments(schema: Document) -> list[str]:
    required = schema.get("required", [])
    return [f"`{name}`{' (required)' if name in required else ''}" for name in schema.get("properties", {})]


def _chosen(folder: Path) -> Iterator[tuple[Document, Document]]:
    """Yield the chosen broken calls with the schemas of their tools."""
    for server, ids in choose.chosen(folder / "probes").items():
        tools = json.loads((folder / f"tools/{server}.json").read_text("utf-8"))
        report = json.loads((folder / f"probes/{server}.json").read_text("utf-8"))
        yield from ((one, tools[one["tool"]]) for one in report["broken_calls"] if one["id"] in ids)


def _table(pairs: Sequence[tuple[str, Any]]) -> str:
    """Return a table as a Jinja expression.

    Raises:
        ValueError: two calls with different additions have the same key.
    """
    table: dict[str, Any] = {}
    for key, added in pairs:
        if table.setdefault(key, added) != added:
            raise ValueError(f"two additions for {key}")
    return json.dumps(table, ensure_ascii=False)


def main(folder: Path) -> None:
    """Write both templates of a folder."""
    chosen = list(_chosen(folder))
    (folder / "strategies").mkdir(exist_ok=True)
    schema = [(key_of(one), json.dumps(tool, ensure_ascii=False)) for one, tool in chosen]
    added = [(key_of(one), expected(one, tool)) for one, tool in chosen]
    for name, title, table, body in (
        ("schema", "The tool's input schema alone", schema, '{{ "Input schema of the tool: " ~ added if added }}'),
        (
            "server-text-expected", "The server's message, and the right argument with its type and values", added,
            "{{ failure | error_text }}\n{{ added }}",
        ),
    ):  # fmt: skip
        text = FRONT.format(title=title, table=_table(table), key=KEY, body=body)
        (folder / f"strategies/{name}.md.j2").write_text(text, "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
