"""The loopback server through which a program reaches the world of an execution, and the models."""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Callable
from contextvars import Context
from dataclasses import dataclass, field, replace

from mendbench.engines.chat_wire import ask_in, refused
from mendbench.engines.client_headers import NamedBy, without_client_headers
from mendbench.engines.loopback import HOP, Loopback, Said
from mendbench.engines.mcp_http import LIST, NotListed
from mendbench.engines.url_mapping import CONTROL, Spelling
from mendbench.errors import ReplayMiss
from mendbench.exchanges.urls import host_of, model_url
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Exchange, Headers, Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.ports.world import World

NODE, TIMEOUT = "mendbench-node", "mendbench-timeout-s"
"""Request headers that an engine may set: the node that sends the request, and its timeout in seconds. Not part of the request."""
OWN_PREFIX = "mendbench-"
MOST_REQUESTS = 10_000
"""The maximum number of requests per execution: each is stored, and a program in an endless loop must end."""

_JSON: Headers = (("Content-Type", "application/json"),)

Guess = Callable[[Request], str | None]
"""Returns which node sent a request, if the sender does not state it."""
AskModel = Callable[[JsonObject], Response]
"""Responds to a model request of the repair itself."""


@dataclass(slots=True)
class Served:
    """What a server has observed, besides the world's own traffic."""

    raised: BaseException | None = None
    """The exception that the world raised: it ends the execution."""
    strayed: list[str] = field(default_factory=list)
    """Hosts that were requested outside the world."""
    last: Response | None = None
    requests: int = 0
    closed: bool = False
    spent_s: float = 0.0
    since: float | None = None
    """When the request in progress began, on the monotonic clock."""

    def stray(self, host: str) -> None:
        """Record a host that was requested outside the world."""
        if host not in self.strayed:
            self.strayed.append(host)

    def stopped(self) -> bool:
        """Return whether the execution cannot continue."""
        return self.raised is not None or bool(self.strayed) or self.flooded()

    def flooded(self) -> bool:
        """Return whether there were more requests than any workflow makes."""
        return self.requests > MOST_REQUESTS

    def waited_s(self) -> float:
        """Return how long the program has waited for responses."""
        since = self.since
        return self.spent_s + (time.monotonic() - since if since is not None else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What the server serves."""

    world: World
    spelling: Spelling
    guess: Guess
    named: NamedBy = lambda _: frozenset()
    model_request: AskModel | None = None
    """Responds to model requests at ``/-/model/v1``; None if there must be none."""
    served: Served = field(default_factory=Served)


class WorldServer:
    """A server on a free port of the loopback interface. What it serves is set once its address is known.

    The world is called in ``context``, so that a trial's guard also covers the world of its commands.
    """

    def __init__(self, context: Context, listener: socket.socket | None = None) -> None:
        """Listen on ``listener`` if it is given: a socket in the network from which the server must be reachable."""
        self._context = context
        self._lock = threading.Lock()
        self._serving: Serving | None = None
        self._http = Loopback(self, listener)
        self.base = f"http://127.0.0.1:{self._http.server_address[1]}"

    def serve(self, serving: Serving) -> None:
        """Start."""
        self._serving = serving
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        """Stop; pending requests get no response."""
        with self._lock:
            if self._serving is not None:
                self._serving.served.closed = True
        if self._serving is not None:
            self._http.shutdown()
        self._http.server_close()

    def response(self, request: Request) -> Said | None:
        """Return the response to a raw request, with the server's own URL in it; None to send nothing."""
        return self._locked(_answered, request)

    def sent(self, request: Request) -> Response | None:
        """Return the world's response to an exchange, with the server's own URLs in it; None to send nothing.

        Raises:
            NotListed: a list of tools is requested, and none is recorded. Clients list tools by themselves; the workflow does not request
                it.
        """
        result = self._locked(_plainly, request)
        return result.response if result is not None else None

    def _locked(self, answering: Callable[[Serving, Request], Said], request: Request) -> Said | None:
        serving = self._serving
        if serving is None:
            return None
        with self._lock:
            serving.served.requests += 1
            if serving.served.closed or serving.served.raised is not None or serving.served.flooded():
                return None
            serving.served.since = time.monotonic()
            try:
                return self._context.run(answering, serving, request)
            except NotListed:
                raise
            except BaseException as error:  # noqa: BLE001  it is raised again where the execution is waited for
                serving.served.raised = error
                return None
            finally:
                serving.served.spent_s, serving.served.since = serving.served.waited_s(), None

    def stray(self, host: str) -> None:
        """Record a host that was requested outside the world."""
        if self._serving is not None:
            self._serving.served.stray(host)


def _answered(serving: Serving, request: Request) -> Said:
    path = request.url.partition("?")[0]
    if path.startswith(f"/{CONTROL}/"):
        return _controlled(serving, request, path.removeprefix(f"/{CONTROL}/"))
    original = serving.spelling.asked(request.url)
    if original is None:
        return _own(404, {"error": f"no host in {path!r}: ask for {serving.spelling.base}/HOST/path"})
    if not path.startswith("/") and host_of(original) not in serving.spelling.hosts:
        serving.served.stray(host_of(original))
        return _own(502, {"error": "past the world"})
    original_request = _original_request(serving, request, original)
    node = request.header(NODE) or serving.guess(original_request)
    return _from_world(serving, without_client_headers(original_request, serving.named(node)), node)


def _plainly(serving: Serving, request: Request) -> Said:
    """Return the response to an exchange that was mapped by the server itself."""
    try:
        return _from_world(serving, replace(request, body=serving.spelling.bytes_back(request.body)), None)
    except ReplayMiss:
        if request.url.endswith(f"/{LIST}"):
            raise NotListed from None
        raise


def _controlled(serving: Serving, request: Request, rest: str) -> Said:
    match rest.rstrip("/"):
        case "exchange":
            return _exchanged(serving, request)
        case "last":
            last = serving.served.last
            return _own(
                200, {"fault": last.fault, "elapsed_ms": last.elapsed_ms} if last else {"fault": None, "elapsed_ms": 0}
            )
        case "nodes/v1/chat/completions":
            return _asked(
                serving,
                request,
                lambda model_request: serving.world.send(_ask_request(model_request), node=request.header(NODE)),
            )
        case "model/v1/chat/completions" if serving.model_request is not None:
            return _asked(serving, request, serving.model_request)
    return _own(404, {"error": f"no such address: {request.method} /{CONTROL}/{rest}"})


def _exchanged(serving: Serving, request: Request) -> Said:
    """Return the response, as JSON, to an exchange that is described as JSON: for exchanges other than HTTP, and for faults by name."""
    data = _json_object(request.body)
    if data is None or not isinstance(data.get("url"), str):
        return _own(
            400,
            {"error": "an exchange is a JSON object with url, method, headers, body or body_base64, timeout_s, node"},
        )
    encoded = data.get("body_base64")
    try:
        body = base64.b64decode(encoded) if isinstance(encoded, str) else str(data.get("body") or "").encode()
        pairs = data.get("headers") or []
        headers = tuple(
            (str(name), str(value)) for name, value in (pairs.items() if isinstance(pairs, dict) else pairs)
        )
        timeout = None if data.get("timeout_s") is None else float(data["timeout_s"])
    except (ValueError, TypeError, OverflowError) as error:
        return _own(400, {"error": f"no exchange: {error}"})
    spelling = serving.spelling
    asked = Request(
        method=str(data.get("method") or "GET").upper(), url=spelling.back(data["url"]), timeout_s=timeout, body=spelling.bytes_back(body),
        headers=tuple((name, spelling.back(value)) for name, value in headers),
    )  # fmt: skip
    node = data.get("node")
    result = _from_world(serving, asked, node if isinstance(node, str) else None)
    response = result.response
    document = {
        "status": response.status, "headers": [list(pair) for pair in response.headers], "elapsed_ms": response.elapsed_ms,
        "body_base64": base64.b64encode(response.body).decode(), "fault": response.fault, "changed": result.changed,
    }  # fmt: skip
    return _own(200, document)


def _asked(serving: Serving, request: Request, model_request: AskModel) -> Said:
    """Return a model's response in the form of the OpenAI chat completions API."""
    wire = _json_object(request.body)
    if wire is None or not isinstance(wire.get("messages"), list) or not isinstance(wire.get("model"), str):
        return _own(400, refused("a model and messages are needed"))
    if wire.get("stream"):
        return _own(400, refused("responses are not streamed here: send stream: false"))
    response = model_request(ask_in(serving.spelling.value_back(wire)))
    if response.fault is not None:
        return Said(response=response)
    shown = replace(response, body=serving.spelling.bytes_to_world(response.body))
    return Said(response=shown, about_world=False)


def _ask_request(model_request: JsonObject) -> Request:
    body = canonical_json(model_request).encode("utf-8", "backslashreplace")
    return Request(method="POST", url=model_url(str(model_request["model"])), headers=_JSON, body=body)


def _from_world(serving: Serving, request: Request, node: str | None) -> Said:
    response = serving.world.send(request, node=node or serving.guess(request))
    serving.served.last = response
    traffic = serving.world.traffic()
    last: Exchange | None = traffic[-1] if traffic else None
    spelling = serving.spelling
    headers = tuple((name, spelling.to_world(value)) for name, value in response.headers)
    shown = replace(response, headers=headers, body=spelling.bytes_to_world(response.body))
    return Said(response=shown, changed=last is not None and last.changed)


def _original_request(serving: Serving, request: Request, url: str) -> Request:
    """Return the request as it would have been sent without this server."""
    back = serving.spelling.back
    kept = (
        (name, back(value))
        for name, value in request.headers
        if name.lower() not in HOP and not name.lower().startswith(OWN_PREFIX)
    )
    wait = request.header(TIMEOUT)
    return replace(
        request, url=back(url), headers=tuple(kept), body=serving.spelling.bytes_back(request.body),
        timeout_s=float(wait) if wait is not None and wait.replace(".", "", 1).isdecimal() else None,
    )  # fmt: skip


def _own(status: int, document: Json) -> Said:
    return Said(
        response=Response(status=status, headers=_JSON, body=canonical_json(document).encode()), about_world=False
    )


def _json_object(body: bytes) -> JsonObject | None:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
