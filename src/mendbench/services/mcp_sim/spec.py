"""The state of ``mcp_sim``: MCP servers, each with its tools and data, as the seed has them or as a case invents them.

A call is ``mcp://SERVER/TOOL`` with the arguments as body, ``mcp://SERVER/tools/list`` lists the tools; the answer is the whole
JSON-RPC object::

    {"servers": {"kelp-desk": {
      "profile": "tool_errors",                  # protocol | tool_errors | wrapper
      "sdk": "fastmcp",                          # fastmcp | python | typescript: whose words bad arguments are refused in
      "unknown_tool": -32602,                    # profile protocol: the code for a tool that is not there (or -32601)
      "structured": true,                        # results carry structuredContent beside the text
      "collections": {"slips": {"s-7": {"slip_ref": "s-7", "tide_mark": "low"}}},
      "tools": {
        "get_slip":  {"description": "…", "action": "get", "collection": "slips", "id_argument": "slip_ref",
                      "missing": "Slip {slip_ref} not found",
                      "inputSchema": {"type": "object", "required": ["slip_ref"], "properties": {"slip_ref": {"type": "string"}}}},
        "open_slip": {"action": "create", "collection": "slips", "key": "slip_ref", "id": {"prefix": "s-", "start": 40},
                      "rules": [{"when": {"body": {"tide_mark": "ebb"}}, "detail": "No slips are opened at ebb tide"}],
                      "inputSchema": {…}}},
      "at_first": {"get_slip": [{"fault": "timeout"}, {"says": "upstream said no"}, {"error": {"code": -32603, "message": "…"}}]}},
     "crew-chat": {"profile": "wrapper", "workspace": {"channels": {…}},
                   "tools": {"SLACK_SEND_MESSAGE": {"method": "chat.postMessage", "inputSchema": {…}}}}}}

Actions are those of ``json_api`` (get, list, lookup, create, update, delete, static, with ``unique``, ``references``, ``rules``, ``paging``
and so on: :mod:`mendbench.services.json_api.spec`). A tool with a ``method`` calls that method of a Slack workspace instead;
``workspace`` is a patch over the data of the ``slack`` service. ``at_first`` is as in ``json_api``, by tool or ``*``; ``says`` fails as the
server's tools fail, ``error`` is a JSON-RPC error, ``status`` and ``fault`` are the transport's.

Profiles
    ``protocol``: every failure is a JSON-RPC error. The specifications of 2025-06-18 and 2025-11-25 (server/tools, "Error
    handling") give an unknown tool as -32602 ``Unknown tool: …``; servers on the TypeScript SDK's low-level ``Server`` often throw
    -32601 for it. Bad arguments are a protocol error up to 2025-06-18 (-32602), tool errors from 2025-11-25 on. What a
    low-level handler throws is -32603 with the thrown text.
    ``tool_errors``: results with ``isError: true`` and the SDK's text: FastMCP (pydantic's words, every violation, unknown arguments
    dropped), Python's low-level server (jsonschema's words, one violation), the TypeScript SDK 1.x (Zod's words).
    ``wrapper``: as Composio's: the text is a JSON string ``{"successful", "error", "data"}``, ``isError`` is never set, and a refusal of
    the API behind it may stand in ``data`` of a success.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from mendbench.errors import BadInput
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.schema import refuse_odd
from mendbench.services.json_api.spec import Action

Profile: TypeAlias = Literal["protocol", "tool_errors", "wrapper"]
Sdk: TypeAlias = Literal["fastmcp", "python", "typescript"]
_READS = {"get", "list", "lookup", "static"}
_READING_METHODS = (".list", ".info", ".history", ".members", ".lookupByEmail", ".test")
_PLACE = "state of mcp_sim"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool of a server."""

    name: str
    action: Action
    collection: str
    method: str
    """The Slack method that it calls instead of an action; empty for none."""
    schema: JsonObject
    """Its ``inputSchema``."""
    options: JsonObject
    """The rest of what the state says."""

    @property
    def reads_only(self) -> bool:
        """Whether it changes nothing: its ``readOnlyHint``."""
        return self.method.endswith(_READING_METHODS) if self.method else self.action in _READS

    @property
    def properties(self) -> Mapping[str, JsonObject]:
        """The declared arguments."""
        return cast("Mapping[str, JsonObject]", self.schema.get("properties") or {})

    def listed(self) -> JsonObject:
        """Return the tool as ``tools/list`` shows it."""
        hints: JsonObject = {"readOnlyHint": self.reads_only}
        if not self.reads_only:
            destroys = self.action in {"update", "delete"} and not self.method
            hints |= {"destructiveHint": destroys, "idempotentHint": destroys, "openWorldHint": bool(self.method)}
        said = self.options.get("description", "")
        return {"name": self.name, "description": said, "inputSchema": self.schema, "annotations": hints}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One MCP server."""

    name: str
    profile: Profile
    sdk: Sdk
    unknown_tool: int
    structured: bool
    tools: Mapping[str, Tool]


def read_servers(state: JsonObject) -> dict[str, Server]:
    """Return the servers of a state by their lower-case names.

    Raises:
        BadInput: a declaration is not of the form above.
    """
    declared = state.get("servers") or {}
    if not isinstance(declared, dict):
        raise BadInput(f"{_PLACE}: servers", type(declared).__name__, "write an object of names to servers")
    return {name.lower(): _server(name, record) for name, record in declared.items()}


def _server(name: str, record: Json) -> Server:
    place = f"{_PLACE}: {name}"
    if not isinstance(record, dict) or not isinstance(record.get("tools") or {}, dict):
        raise BadInput(place, "no server", 'write an object with "profile" and "tools"')
    profile, sdk = record.get("profile", "tool_errors"), record.get("sdk", "fastmcp")
    for what, value, known in (("profile", profile, get_args(Profile)), ("sdk", sdk, get_args(Sdk))):
        if value not in known:
            raise BadInput(place, f"{what} {value!r}", f"use one of {', '.join(known)}")
    return Server(
        name=name,
        profile=profile,
        sdk=sdk,
        unknown_tool=int(record.get("unknown_tool", -32602)),
        structured=bool(record.get("structured", False)),
        tools={key: _tool(f"{place}: {key}", key, options) for key, options in (record.get("tools") or {}).items()},
    )


def _tool(place: str, name: str, options: Json) -> Tool:
    if not isinstance(options, dict):
        raise BadInput(place, type(options).__name__, 'write an object with an "action" or a "method"')
    method, action = options.get("method", ""), options.get("action", "static")
    if not method and "action" not in options:
        raise BadInput(place, "neither action nor method", f"name an action: one of {', '.join(get_args(Action))}")
    if action not in get_args(Action):
        raise BadInput(place, f"action {action!r}", f"use one of {', '.join(get_args(Action))}")
    if not method and action not in {"static", "refuse"} and not options.get("collection"):
        raise BadInput(place, f"action {action} without a collection", 'name a "collection"')
    if action in {"get", "update", "delete", "job"} and not options.get("id_argument"):
        raise BadInput(place, f"action {action} without an id", 'name the argument that holds it in "id_argument"')
    schema = options.get("inputSchema") or {"type": "object", "properties": {}}
    refuse_odd(schema, f"{place}: inputSchema")
    return Tool(
        name=name,
        action=action,
        collection=options.get("collection", ""),
        method=method,
        schema=schema,
        options=options,
    )
