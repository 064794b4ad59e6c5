"""Calls real MCP servers, over stdio or streamable HTTP, while recording: the only module here that needs the MCP SDK."""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import unquote, urlsplit

from mendbench.errors import BadInput
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import host_of
from mendbench.io.canonical_json import canonical_json
from mendbench.live.world import MAX_BODY, PATIENCE_S
from mendbench.model.exchange import Fault, Request, Response
from mendbench.model.json import Json, JsonObject

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client

    from mendbench.live.mcp_wire import Heard

_HEADERS = (("content-type", "application/json"),)
_MOST_PAGES = 100
"""How many pages of a list of tools are read."""
_RELAY = str(Path(__file__).with_name("mcp_relay.py"))
_NOT_FOUND = 404
"""The status with which a server over HTTP reports that a session is over; the client then begins another one."""


class McpLive:
    """MCP servers, each started on its first request and stopped by :meth:`close`. One that gives no response is started again.

    A response's body is the whole JSON-RPC object. Over HTTP, a refusal (429, 503 and any other status that is not 2xx) is a response
    with its status and its ``Retry-After``, unless it carries a JSON-RPC error of its own. A broken connection is recorded as the fault
    that broke it. A server that was never reached is an error for the operator to fix, and not a fault; one that is only busy on its
    first request counts as reached.

    ``servers`` maps a server's name to the command that starts it (program and arguments), to the URL of its streamable HTTP endpoint, or
    to anything else that the SDK's client connects to. A message has ``MAX_BODY`` bytes at most, and is awaited for ``patience_s``. A
    longer message counts as a closed connection. JSON-RPC ids are always 1, because a counter would make equal responses differ.
    """

    def __init__(self, servers: Mapping[str, Sequence[str] | Any], *, patience_s: float = PATIENCE_S) -> None:
        self._servers = {name.lower(): server for name, server in servers.items()}
        self._patience_s = patience_s
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None
        self._clients: dict[str, Client] = {}
        self._running: dict[str, ExitStack] = {}
        self._heard: dict[str, Heard] = {}
        self._reached: set[str] = set()
        self._refused: set[str] = set()
        self._readers: dict[str, frozenset[str]] = {}

    def serves(self, request: Request) -> bool:
        """Return whether the request is for one of these servers."""
        return urlsplit(request.url).scheme.lower() == "mcp" and host_of(request.url) in self._servers

    def resets(self, request: Request) -> bool:
        """Return whether the server began afresh with this scope: the code that gives a scope its servers ensures that."""
        return self.serves(request)

    def send(self, request: Request) -> Response:
        """Call the tool, or list the tools for ``mcp://server/tools/list``.

        Raises:
            BadInput: the SDK is not installed, or the server cannot be started, or was never reached.
        """
        name = host_of(request.url)
        began = time.perf_counter()
        client = self._client(name)
        if isinstance(client, Response):
            return self._ended(name, client, began)
        portal = self._opened()
        began = time.perf_counter()
        reply = portal.call(_reply, client, _tool_of(request), _arguments_of(request), self._patience_s)
        trouble = self._trouble(name, reply)
        if trouble is not None:
            return self._ended(name, trouble, began)
        self._refused.discard(name)
        return Response(
            status=200, headers=_HEADERS, body=canonical_json(reply).encode(), elapsed_ms=self._took_ms(began, None)
        )

    def _trouble(self, name: str, reply: JsonObject | str) -> Response | None:
        """Return the fault or refusal that came instead of a JSON-RPC response; None if there is a response."""
        heard = self._heard.get(name)
        trouble = heard.trouble if heard is not None else None
        if isinstance(reply, str):
            broken = trouble if trouble is not None and trouble.fault is not None and reply == "reset" else None
            return broken or Response(status=0, fault=_FAULTS.get(reply, "reset"))
        if trouble is None or trouble.fault is not None or "error" not in reply:
            return None
        from mendbench.live.mcp_wire import stands_for_itself  # noqa: PLC0415  replay must not pay for it

        return trouble if stands_for_itself(trouble) else None

    def _ended(self, name: str, trouble: Response, began: float) -> Response:
        """Return the result with the time that it took. After a fault, or the end of a session, reconnect to the server."""
        took = self._took_ms(began, trouble.fault)
        if trouble.fault is None:
            self._refused.add(name)
        if name in self._running and (trouble.fault is not None or trouble.status == _NOT_FOUND):
            with suppress(Exception):  # the SDK's own errors about what a closed server leaves unfinished
                self._stop(name)
        return replace(trouble, elapsed_ms=took)

    def _took_ms(self, began: float, fault: Fault | None) -> int:
        return round((self._patience_s if fault == "timeout" else max(0.0, time.perf_counter() - began)) * 1000)

    def reads(self, request: Request) -> bool | None:
        """Return True if the tools are listed, or a tool is called that its server annotates with ``readOnlyHint``; else None.

        The hint comes from the server, and servers that give it are trusted.
        """
        tool, server = _tool_of(request), host_of(request.url)
        if tool is None:
            return True
        if server not in self._clients or server in self._refused:  # a server that refuses a call also gives no list
            return None
        if server not in self._readers:
            self._readers[server] = self._opened().call(_read_only, self._clients[server], self._patience_s)
        return True if tool in self._readers[server] else None

    def close(self) -> None:
        """Stop all servers that were started."""
        with ExitStack() as ending:
            ending.callback(self._stack.close)
            for name in self._running:
                ending.callback(self._stop, name)
        self._portal = None

    def _stop(self, name: str) -> None:
        self._clients.pop(name, None)
        self._running.pop(name).close()

    def _opened(self) -> BlockingPortal:
        if self._portal is None:
            from anyio.from_thread import start_blocking_portal  # noqa: PLC0415  replay must not pay for it

            self._portal = self._stack.enter_context(start_blocking_portal())
        return self._portal

    def _client(self, name: str) -> Client | Response:
        """Return the session of the server, or the result to use instead if it is busy or was reached before."""
        if name in self._clients:
            return self._clients[name]
        try:
            from mcp import Client, StdioServerParameters, stdio_client  # noqa: PLC0415  an extra, and slow to import
        except ImportError as error:
            raise BadInput(
                f"MCP server {name!r}", "the MCP SDK is not installed", "pip install 'mendbench[mcp]'"
            ) from error
        server: Any = self._servers[name]
        logging.getLogger("mcp").addHandler(
            logging.NullHandler()
        )  # invalid output of a server ends in a fault, reported once
        portal = self._opened()
        with ExitStack() as running:
            errlog = running.enter_context(tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace"))
            if isinstance(server, list | tuple):
                arguments = ["-I", _RELAY, str(MAX_BODY), *server]
                server = stdio_client(StdioServerParameters(command=sys.executable, args=arguments), errlog=errlog)
            elif isinstance(server, str):
                server = _far(server, self._listened(name))
            try:
                client = Client(server, read_timeout_seconds=self._patience_s)
                running.enter_context(portal.wrap_async_context_manager(client))
            except Exception as error:  # errors of the server's start, and of the SDK's transports
                instead = self._instead(name, error)
                if instead is not None:
                    return instead
                why = _last_line(errlog) or _innermost(error)
                raise BadInput(
                    f"MCP server {name!r}", f"cannot be started ({why})", "mend its command or URL"
                ) from error
            self._running[name] = running.pop_all()
        self._clients[name] = client
        self._reached.add(name)
        return client

    def _listened(self, name: str) -> Heard:
        """Return a new connection to a server over HTTP, and keep it: its last result is needed later."""
        from mendbench.live.http_wire import Bounded  # noqa: PLC0415  as above
        from mendbench.live.mcp_wire import Heard  # noqa: PLC0415  replay must not pay for it

        self._heard[name] = Heard(Bounded(MAX_BODY))
        return self._heard[name]

    def _instead(self, name: str, error: Exception) -> Response | None:
        """Return the HTTP server's response to a failed connection; None if the operator has to fix the error."""
        if name not in self._heard:
            return None
        from mcp import MCPError, types  # noqa: PLC0415  an extra, and slow to import

        from mendbench.live.mcp_wire import asks_for_patience  # noqa: PLC0415  replay must not pay for it

        trouble, inner = self._heard[name].trouble, _inner(error)
        late = isinstance(inner, MCPError) and inner.code == types.REQUEST_TIMEOUT
        if name in self._reached:
            return trouble or Response(status=0, fault="timeout" if late else "reset")
        return trouble if trouble is not None and asks_for_patience(trouble) else None


_FAULTS: dict[str, Fault] = {"timeout": "timeout", "truncated": "truncated"}
"""Errors for which :func:`_reply` returns a result instead of a response; all others mean that the connection has ended."""


@asynccontextmanager
async def _far(url: str, heard: Heard) -> AsyncIterator[Any]:
    """Connect to a server over HTTP, without a proxy and with limited message length."""
    import httpx2  # noqa: PLC0415  replay must not pay for it
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    waits = httpx2.Timeout(30.0, read=300.0)  # as the SDK's own client sets them: a stream may be held open
    async with (
        httpx2.AsyncClient(trust_env=False, timeout=waits, transport=heard) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams


def _last_line(errlog: TextIO) -> str:
    """Return the last line that a server wrote to its standard error, which is not shown otherwise."""
    errlog.seek(0)
    return next((line.strip() for line in reversed(errlog.readlines()) if line.strip()), "")


def _innermost(error: BaseException) -> str:
    inner = _inner(error)
    return str(inner) or type(inner).__name__


def _inner(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _reply(client: Client, tool: str | None, arguments: JsonObject, patience_s: float) -> JsonObject | str:
    """Return the JSON-RPC response as it came, or the name of the fault that occurred instead."""
    from mcp import MCPError, types  # noqa: PLC0415  an extra, and slow to import
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415

    cursor = arguments.get("cursor")
    asked = (
        types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor) if cursor else None)
        if tool is None
        else types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))
    )
    try:
        whole: Any = TypeAdapter(dict[str, Any])  # the SDK's own result types would drop and default fields
        result: JsonObject = await client.session.send_request(asked, whole, patience_s)
    except MCPError as error:
        if error.code == types.REQUEST_TIMEOUT:
            return "timeout"
        if error.code == types.CONNECTION_CLOSED:
            return "reset"
        data: JsonObject = {"code": error.code, "message": error.message}
        return {"jsonrpc": "2.0", "id": 1, "error": data if error.data is None else {**data, "data": error.data}}
    except ValidationError:
        return "truncated"
    return {"jsonrpc": "2.0", "id": 1, "result": result}


async def _read_only(client: Client, patience_s: float) -> frozenset[str]:
    """Return the names of the tools that a server declares as read-only; empty if it cannot list its tools.

    An endless list is read up to the limits of ``patience_s`` and :data:`_MOST_PAGES`.
    """
    from anyio import move_on_after  # noqa: PLC0415  replay must not pay for it
    from mcp import MCPError, types  # noqa: PLC0415  an extra, and slow to import
    from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415

    whole: Any = TypeAdapter(dict[str, Any])
    found: set[str] = set()
    cursor: str | None = None
    with move_on_after(patience_s):
        for _ in range(_MOST_PAGES):
            asked = types.ListToolsRequest(params=types.PaginatedRequestParams(cursor=cursor) if cursor else None)
            try:
                page: JsonObject = await client.session.send_request(asked, whole, patience_s)
            except (MCPError, ValidationError):
                break
            found |= _annotated(page.get("tools"))
            next_cursor = page.get("nextCursor")
            if not isinstance(next_cursor, str) or next_cursor == cursor:
                break
            cursor = next_cursor
    return frozenset(found)


def _annotated(tools: Json) -> set[str]:
    """Return the names of the tools with the read-only hint; empty for an invalid list of tools."""
    hinted = [each for each in tools if isinstance(each, dict)] if isinstance(tools, list) else []
    return {
        str(each.get("name"))
        for each in hinted
        if isinstance(hints := each.get("annotations"), dict) and hints.get("readOnlyHint") is True
    }


def _tool_of(request: Request) -> str | None:
    """Return the tool's name, or None where the tools are to be listed."""
    path = urlsplit(request.url).path.lstrip("/")
    return None if path == "tools/list" else unquote(path)


def _arguments_of(request: Request) -> JsonObject:
    value: Json = parse_body(request.body, "application/json")
    return value if isinstance(value, dict) else {}
