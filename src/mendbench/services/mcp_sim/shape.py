"""The shape of the state of ``mcp_sim``. :mod:`mendbench.services.mcp_sim.spec` describes the keys."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator

from mendbench.services.json_api.keywords import Keywords, Schema
from mendbench.services.json_api.shape import BY_ID, Collections, Doing, Passing, Rule, refuse_odd_names
from mendbench.services.mcp_sim.spec import Profile, Sdk
from mendbench.services.shape import Failure, Flag, Shape, Simulated, Table, Text, Texts, Whole, misfit, one_of, unknown
from mendbench.services.slack.routes import METHODS
from mendbench.services.slack.shape import State as Workspace


class Argument(Schema):
    """The schema of an argument, which may have a default."""

    default: Any = None


class Input(Keywords):
    """The schema of a tool's arguments."""

    properties: Table[Argument] = None
    required: Texts = None


class Tool(Doing):
    """A tool."""

    description: Text = None
    input_schema: Input | None = Field(None, alias="inputSchema")
    id_argument: Text = None
    method: Annotated[str, one_of("Slack method", METHODS)] | None = None
    rules: list[Rule] | None = None

    @model_validator(mode="after")
    def _does_something(self) -> Tool:
        if self.action is None and self.method is None:
            raise misfit("neither action nor method", 'name an "action", or the "method" of a Slack workspace')
        if self.action in BY_ID and not self.id_argument:
            raise misfit(f"action {self.action} without an id", 'name the argument that holds it in "id_argument"')
        return self


class RpcError(Shape):
    """A JSON-RPC error."""

    code: Whole = None
    message: Text = None
    data: Any = None


class Call(Passing):
    """A temporary failure of a call."""

    says: Text = None
    error: RpcError | None = None

    @model_validator(mode="after")
    def _fails(self) -> Call:
        if all(value is None for value in (self.status, self.fault, self.says, self.error)):
            raise misfit("a failure that says nothing", "give it a status, a fault, an error, or what it says")
        return self


class Server(Simulated):
    """An MCP server."""

    profile: Profile | None = None
    sdk: Sdk | None = None
    unknown_tool: Whole = None
    structured: Flag = None
    collections: Collections = None
    tools: Table[Tool] = None
    at_first: Table[list[Call]] = None
    failures: Table[list[Failure]] = None
    workspace: Workspace | None = None
    token: Text = None

    @model_validator(mode="after")
    def _consistent(self) -> Server:
        tools = {name: tool for name, tool in (self.tools or {}).items() if tool is not None}
        refuse_odd_names("tools", tools, self.collections)
        for key in ("at_first", "failures"):
            for name in getattr(self, key) or {}:
                if name not in {"*", "tools/list", *tools}:
                    raise unknown("tool", name, {"*", "tools/list", *tools}, key, name)
        return self


class State(Simulated):
    """MCP servers by name."""

    servers: Table[Server] = None

    @model_validator(mode="after")
    def _has_servers(self) -> State:
        if not any((self.servers or {}).values()):
            raise misfit("no server", 'declare one under "servers", with "profile" and "tools"')
        return self
