"""The state of ``mcp_sim``: MCP servers, each with its tools and data, from the seed or from a case.

A call is ``mcp://SERVER/TOOL`` with the arguments as body. ``mcp://SERVER/tools/list`` lists the tools. The response is the whole
JSON-RPC object::

    {"servers": {"kelp-desk": {
      "profile": "tool_errors",                  # protocol | tool_errors | wrapper
      "sdk": "fastmcp",                          # fastmcp | python | typescript: whose messages report bad arguments
      "unknown_tool": -32602,                    # profile protocol: the code for an unknown tool (or -32601)
      "structured": true,                        # results have structuredContent next to the text
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

Actions are those of ``json_api`` (get, list, lookup, create, update, delete, static, with ``unique``, ``references``, ``rules``,
``paging`` and so on: :mod:`mendbench.services.json_api.spec`). A tool with a ``method`` calls that method of a Slack workspace instead;
``workspace`` is a patch over the data of the ``slack`` service. ``token`` is the token for the calls. ``at_first`` is as in ``json_api``,
by tool or ``*``; ``says`` is a tool failure with that message, ``error`` is a JSON-RPC error, and ``status`` and ``fault`` are transport
failures.

:mod:`mendbench.services.mcp_sim.shape` has all keys; any other key is an error. An ``inputSchema`` has the keywords that schemas have
in ``json_api``, and each argument may have a ``default``.

Profiles
    ``protocol``: every failure is a JSON-RPC error. The specifications of 2025-06-18 and 2025-11-25 (server/tools, "Error
    handling") give an unknown tool as -32602 ``Unknown tool: …``; servers on the TypeScript SDK's low-level ``Server`` often throw
    -32601 for it. Bad arguments are a protocol error up to 2025-06-18 (-32602), tool errors from 2025-11-25 on. An exception of a
    low-level handler is -32603 with its text.
    ``tool_errors``: results with ``isError: true`` and the SDK's text: FastMCP (pydantic's messages, every violation, unknown arguments
    dropped), Python's low-level server (jsonschema's messages, one violation), the TypeScript SDK 1.x (Zod's messages).
    ``wrapper``: as in Composio: the text is a JSON string ``{"successful", "error", "data"}``, ``isError`` is never set, and a refusal of
    the API behind it may be in ``data`` of a success.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from mendbench.model.json import JsonObject
from mendbench.services.json_api.spec import Action

Profile: TypeAlias = Literal["protocol", "tool_errors", "wrapper"]
Sdk: TypeAlias = Literal["fastmcp", "python", "typescript"]
_READS = {"get", "list", "lookup", "static"}
_READING_METHODS = (".list", ".info", ".history", ".members", ".lookupByEmail", ".test")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool of a server."""

    name: str
    action: Action
    collection: str
    method: str
    """The Slack method that it calls instead of an action; empty if it has an action."""
    schema: JsonObject
    """Its ``inputSchema``."""
    options: JsonObject
    """The other keys of the tool."""

    @property
    def reads_only(self) -> bool:
        """Whether it is read-only: its ``readOnlyHint``."""
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
        description = self.options.get("description", "")
        return {"name": self.name, "description": description, "inputSchema": self.schema, "annotations": hints}


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
    """Return the servers of a state by lower-case name."""
    return {name.lower(): _server(name, record) for name, record in (state.get("servers") or {}).items()}


def _server(name: str, record: JsonObject) -> Server:
    return Server(
        name=name,
        profile=record.get("profile", "tool_errors"),
        sdk=record.get("sdk", "fastmcp"),
        unknown_tool=int(record.get("unknown_tool", -32602)),
        structured=bool(record.get("structured", False)),
        tools={key: _tool(key, options) for key, options in (record.get("tools") or {}).items()},
    )


def _tool(name: str, options: JsonObject) -> Tool:
    return Tool(
        name=name,
        action=options.get("action", "static"),
        collection=options.get("collection", ""),
        method=options.get("method", ""),
        schema=options.get("inputSchema") or {"type": "object", "properties": {}},
        options=options,
    )
