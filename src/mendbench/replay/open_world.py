"""The world of a workflow that is run outside the benchmark: every request is real, and nothing is recorded.

A node sees what it would see while a recording is made: responses are redacted before it gets them, redirects are not followed, and
``Set-Cookie`` never keeps its value.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from mendbench.cassettes.keys import world_key
from mendbench.errors import BadInput, UnknownName
from mendbench.exchanges.urls import host_of
from mendbench.live.mcp_servers import McpLive
from mendbench.live.sandbox_files import FileLive
from mendbench.live.shell import ShellLive
from mendbench.live.world import PATIENCE_S, HttpLive, Live
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.replay.effects import by_live, did
from mendbench.replay.model_cassette import ModelCaller
from mendbench.secrets.redaction import Redactor


class OpenModelRequests:
    """The real models: the world of ``model://…``. A request's body is the model request as canonical JSON."""

    def __init__(self, caller: ModelCaller, redactor: Redactor) -> None:
        self._caller, self._redactor = caller, redactor
        self._traffic: list[Exchange] = []
        self._phase = 0

    def begin_execution(self) -> None:
        """Mark that the next model requests belong to the next execution."""
        self._phase += 1

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all model requests so far with their responses, redacted, in order."""
        return tuple(self._traffic)

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the model's response.

        Raises:
            BadInput: the model is not configured, or its server refuses the model request.
            Incomplete: no response came.
        """
        clean = self._redactor.request(request)
        response = self._redactor.response(self._caller.send(json.loads(clean.body)))
        self._traffic.append(_exchange(clean, response, node, self._phase, len(self._traffic)))
        return response


class OpenWorld:
    """HTTP to any host, the configured MCP servers, the models, a folder of files, and the shell's sandbox if allowed.

    ``mcp_servers`` maps a server's name to a value that :class:`~mendbench.live.mcp_servers.McpLive` takes; ``environ`` is the source of
    a shell command's variables; ``folder`` is the only folder that file nodes see, None for none. ``http`` replaces the HTTP client. Time
    is real: no clock is moved.
    """

    def __init__(
        self,
        *,
        redactor: Redactor,
        model_world: OpenModelRequests,
        mcp_servers: Mapping[str, Any] | None = None,
        allow_shell: bool = False,
        environ: Mapping[str, str] | None = None,
        folder: Path | None = None,
        http: Live | None = None,
    ) -> None:
        self._redactor, self._asks, self._http = redactor, model_world, http
        self._mcp_names = tuple(name.lower() for name in mcp_servers or {})
        self._mcp = McpLive(mcp_servers or {})
        self._allow_shell, self._environ = allow_shell, dict(environ or {})
        self._files = None if folder is None else FileLive(folder)
        self._clients: dict[float, HttpLive] = {}
        self._traffic: list[Exchange] = []
        self._phase = 0

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close connections and stop servers."""
        self.close()

    def close(self) -> None:
        """Close all connections, and stop the MCP servers that were started."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()
        self._mcp.close()

    def begin_execution(self) -> None:
        """Mark that the next exchanges belong to the next execution."""
        self._phase += 1

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all exchanges so far, redacted, in order."""
        return tuple(self._traffic)

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the real response, redacted. A sender whose timeout is shorter than the world's time gets a ``timeout`` fault.

        Raises:
            BadInput: a shell command that may not run, an MCP server that is not configured or cannot be started, a model that is not
                configured, or a URL that accepts no request.
        """
        clean = self._redactor.request(request)
        if urlsplit(request.url).scheme.lower() == "model":
            received, changed = self._asks.send(request, node=node), False
        else:
            live = self._live(request)
            received = live.send(request)
            changed = by_live(live, request, received)
        response = self._redactor.response(_as_waited(received, request.timeout_s))
        exchange = _exchange(clean, response, node, self._phase, len(self._traffic))
        self._traffic.append(replace(exchange, changed=changed))
        return response

    def _live(self, request: Request) -> Live:
        match urlsplit(request.url).scheme.lower():
            case "shell":
                return self._shell(request.timeout_s or PATIENCE_S)
            case "mcp":
                if host_of(request.url) not in self._mcp_names:
                    raise UnknownName("MCP server", host_of(request.url), self._mcp_names, "configuration")
                return self._mcp
            case "file" if self._files is not None and self._files.serves(request):
                return self._files
            case "http" | "https":
                return self._client(request.timeout_s or PATIENCE_S)
        raise BadInput(
            request.url, "nothing can be asked there", "use an http, https, mcp, model, shell or file address"
        )

    def _shell(self, patience_s: float) -> Live:
        if not self._allow_shell:
            raise BadInput("shell node", "a shell command, and none may run", "allow it with --allow-shell")
        return ShellLive(allow_shell=True, environ=self._environ, patience_s=patience_s)

    def _client(self, patience_s: float) -> Live:
        """Return the client with that timeout: a timeout belongs to the client, not to a request."""
        if self._http is not None:
            return self._http
        return self._clients.setdefault(patience_s, HttpLive({}, patience_s=patience_s))


def _as_waited(response: Response, timeout_s: float | None) -> Response:
    if timeout_s is None or response.elapsed_ms <= timeout_s * 1000:
        return response
    return Response(status=0, fault="timeout", elapsed_ms=round(timeout_s * 1000))


def _exchange(clean: Request, response: Response, node: str | None, phase: int, n: int) -> Exchange:
    key = world_key(clean, "", n)
    return Exchange(
        request=clean, response=response, origin="live", key=key, accepted=did(response), node=node, phase=phase
    )
