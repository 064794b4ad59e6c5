"""The MCP servers of a case over streamable HTTP, so that an engine with real MCP nodes runs unchanged.

The only module here that needs the MCP SDK, and only for engines that declare MCP.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mendbench.errors import BadInput
from mendbench.exchanges.bodies import parse_body
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Request, Response
from mendbench.model.json import Json, JsonObject

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

START_S = 20.0
"""How long the server may take to start, seconds."""
_POLL_S = 0.005
LIST = "tools/list"
_INTERNAL_ERROR = -32603
"""Defined in JSON-RPC 2.0 section 5.1."""
_HEADERS = (("Content-Type", "application/json"),)


class NotListed(Exception):
    """The world has no recorded list of a server's tools."""


Send = Callable[[Request], Response | None]
"""Sends a request to the world; None if the world gives no more responses."""


class McpServers:
    """All MCP servers of an execution, on one free port of the loopback interface: that of ``listener`` if it is given.

    ``tools`` are those that the workflow calls, by the name of their server. Clients list a server's tools by themselves. If the world
    has no recorded list, they get these names without any argument schema.
    """

    def __init__(self, tools: Mapping[str, Collection[str]], send: Send, listener: socket.socket | None = None) -> None:
        try:
            import uvicorn  # noqa: PLC0415  an extra's, and slow to import
            from starlette.applications import Starlette  # noqa: PLC0415
        except ImportError as error:
            raise BadInput(
                "an engine with MCP nodes", "the MCP SDK is not installed", "pip install 'mendbench[mcp]'"
            ) from error
        servers = {name: _server(name, tuple(sorted(tools[name])), send) for name in sorted(tools)}
        routes: list[Any] = []
        for name, own in servers.items():
            app = own.streamable_http_app(
                streamable_http_path=f"/{quote(name, safe='')}/mcp", json_response=True, stateless_http=True
            )
            routes += app.routes

        @asynccontextmanager
        async def lifespan(_app: Starlette) -> AsyncIterator[None]:
            async with AsyncExitStack() as stack:
                for own in servers.values():
                    await stack.enter_async_context(own.session_manager.run())
                yield

        config = uvicorn.Config(
            Starlette(routes=routes, lifespan=lifespan), host="127.0.0.1", port=0, log_config=None, access_log=False, ws="none",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._names, self._server = tuple(servers), uvicorn.Server(config)
        self._socket = listener or config.bind_socket()
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)

    def start(self) -> dict[str, str]:
        """Start and return the address of each server by its name.

        Raises:
            BadInput: it does not start.
        """
        self._thread.start()
        deadline = time.monotonic() + START_S
        while not self._server.started:
            if time.monotonic() > deadline or not self._thread.is_alive():
                self.close()
                raise BadInput(
                    "an engine with MCP nodes", "the MCP servers do not start", "try again on an idle machine"
                )
            time.sleep(_POLL_S)
        base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        return {name: f"{base}/{quote(name, safe='')}/mcp" for name in self._names}

    @property
    def base(self) -> str:
        """The prefix of all addresses."""
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        """Stop."""
        self._server.should_exit = True
        self._thread.join(START_S)
        self._socket.close()


def _server(name: str, tools: Collection[str], send: Send) -> Server[Any]:
    """Return one server, whose tools are the world's."""
    from anyio.to_thread import run_sync  # noqa: PLC0415  an extra's
    from mcp import types  # noqa: PLC0415
    from mcp.server.lowlevel import Server  # noqa: PLC0415

    async def listed(_context: Any, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        found = await run_sync(_listed, send, name, tools)
        return types.ListToolsResult.model_validate(found)

    async def called(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = quote(params.name, safe="")
        return types.CallToolResult.model_validate(await run_sync(_result, send, name, tool, params.arguments or {}))

    return Server(name, on_list_tools=listed, on_call_tool=called)


def _listed(send: Send, server: str, tools: Collection[str]) -> Json:
    try:
        return _result(send, server, LIST, {})
    except NotListed:
        return {"tools": [{"name": tool, "inputSchema": {"type": "object"}} for tool in tools]}


def _result(send: Send, server: str, what: str, arguments: JsonObject) -> Json:
    """Return the result of an exchange with a server; raise a failure of the protocol or of the transport as the SDK's error."""
    from mcp import MCPError  # noqa: PLC0415  an extra

    url = f"mcp://{quote(server, safe='')}/{what}"
    body = canonical_json(arguments).encode("utf-8", "backslashreplace")
    response = send(Request(method="POST", url=url, headers=_HEADERS, body=body))
    if response is None or response.fault is not None:
        raise MCPError(_INTERNAL_ERROR, "The server gave no response")
    document = parse_body(response.body, "application/json")
    if not isinstance(document, dict):
        raise MCPError(_INTERNAL_ERROR, f"HTTP {response.status}")
    if isinstance(error := document.get("error"), dict):
        raise MCPError(int(error.get("code") or _INTERNAL_ERROR), str(error.get("message") or ""), error.get("data"))
    return document.get("result", document)
