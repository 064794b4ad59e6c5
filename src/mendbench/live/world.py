"""The live world, used only while recording: HTTP, MCP servers and the shell sandbox behind one interface."""

from __future__ import annotations

import socket
import ssl
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit, urlunsplit

from mendbench.exchanges.urls import host_of
from mendbench.model.exchange import Fault, Headers, Request, Response
from mendbench.ports.world import ClassifiesReads

if TYPE_CHECKING:
    import httpx2

    from mendbench.live.http_wire import Deadline

PATIENCE_S = 60.0
"""How long to wait for a live response, in seconds, whatever the sender's own timeout. The world's whole response is recorded, and each
sender then sees what it would have received within its own timeout."""

MAX_BODY = 10_000_000
"""The maximum length of a response body, in bytes, both encoded and decoded: a response is recorded whole, or not at all."""

_HOP_HEADERS = frozenset({"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"})
"""Headers about the transfer and not about the response (RFC 9110 section 7.6.1); bodies are recorded decoded."""

_CODINGS = {"gzip": 31, "x-gzip": 31, "deflate": 47}
"""Supported content codings (RFC 9110 section 8.4.1), and zlib's number for them; only the first is requested."""


class Live(Protocol):
    """A world that receives real requests."""

    def serves(self, request: Request) -> bool:
        """Return whether it can handle this request."""

    def resets(self, request: Request) -> bool:
        """Return whether the world behind this request began afresh with the scope.

        If so, the scope's earlier writes are sent to it first.
        """

    def send(self, request: Request) -> Response:
        """Return the response, with the time it really took. Transport faults are responses."""


class LiveWorld:
    """Passes a request to the first of several live worlds that can handle it."""

    def __init__(self, parts: Sequence[Live]) -> None:
        self._parts = tuple(parts)

    def serves(self, request: Request) -> bool:
        """Return whether any part can handle this request."""
        return self._part(request) is not None

    def resets(self, request: Request) -> bool:
        """Return the result of the part that serves the request."""
        part = self._part(request)
        return part is not None and part.resets(request)

    def send(self, request: Request) -> Response:
        """Return the response of that part.

        Raises:
            LookupError: no part serves the request.
        """
        part = self._part(request)
        if part is None:
            raise LookupError(f"nothing live serves {request.url}")
        return part.send(request)

    def reads(self, request: Request) -> bool | None:
        """Return the result of the part that serves the request, if it knows."""
        part = self._part(request)
        return part.reads(request) if isinstance(part, ClassifiesReads) else None

    def _part(self, request: Request) -> Live | None:
        return next((part for part in self._parts if part.serves(request)), None)


class HttpLive:
    """HTTP with one shared client: no redirects followed, no proxy or credentials taken from the environment.

    ``base_urls`` maps a declared host to the base URL of the real server that replaces it on this machine; other hosts are called
    directly. ``open_s`` limits the time to connect, if it is less than the whole. A response takes ``patience_s`` at most and has at most
    :data:`MAX_BODY` bytes; a longer one counts as a broken connection. With ``outside``, a name that resolves to this machine or its link
    (:func:`mendbench.live.http_wire.leads_inside`) does not exist.
    """

    def __init__(
        self,
        base_urls: Mapping[str, str],
        *,
        patience_s: float = PATIENCE_S,
        open_s: float | None = None,
        outside: bool = False,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        self._base_urls = {host.lower(): url for host, url in base_urls.items()}
        self._patience_s, self._transport = patience_s, transport
        self._open_s = patience_s if open_s is None else open_s
        self._outside = outside
        self._client: httpx2.Client | None = None
        self._deadline: Deadline | None = None

    def serves(self, request: Request) -> bool:
        """Return whether it is an HTTP request."""
        return urlsplit(request.url).scheme.lower() in {"http", "https"}

    def resets(self, request: Request) -> bool:
        """Return whether a server on this machine replaces the host: such servers are reset before each scope."""
        return host_of(request.url) in self._base_urls

    def send(self, request: Request) -> Response:
        """Send the request and return the response, its body decoded."""
        import httpx2  # noqa: PLC0415  replay must not pay for it

        client = self._opened()
        began = time.perf_counter()
        if self._deadline is not None:
            self._deadline.begin(self._patience_s)
        body: list[bytes] = []
        try:
            url, headers = self._routed(request)
            wire = client.build_request(request.method, url, headers=list(headers), content=request.body)
            if host_of(url) not in {wire.url.host.lower(), wire.url.raw_host.decode("ascii").lower()}:
                raise _NoHost(socket.EAI_NONAME, "the client reads another host in it")
            wire.headers["Accept-Encoding"] = "gzip"
            response = client.send(wire, stream=True)
            try:
                for part in _bounded(response):
                    body.append(part)
                    if time.perf_counter() - began > self._patience_s:
                        raise TimeoutError
            finally:
                response.close()
        except _TooLong:
            return Response(status=0, elapsed_ms=_since(began), fault="truncated")
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, UnicodeError) as error:
            fault = fault_of(error)
            waited = self._open_s if isinstance(error, httpx2.ConnectTimeout) else self._patience_s
            took = round(waited * 1000) if fault == "timeout" else _since(began)
            return Response(status=0, body=b"".join(body), elapsed_ms=took, fault=fault)
        kept = tuple(
            (name, value) for name, value in response.headers.multi_items() if name.lower() not in _HOP_HEADERS
        )
        return Response(status=response.status_code, headers=kept, body=b"".join(body), elapsed_ms=_since(began))

    def close(self) -> None:
        """Close the client's connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def _opened(self) -> httpx2.Client:
        import httpx2  # noqa: PLC0415  replay must not pay for it

        if self._client is None:
            waits = httpx2.Timeout(self._patience_s, connect=self._open_s)
            transport = self._transport
            if transport is None:
                from mendbench.live.http_wire import Deadline, WireTransport  # noqa: PLC0415  as above

                self._deadline = Deadline()
                transport = WireTransport(self._deadline, outside=self._outside)
            self._client = httpx2.Client(follow_redirects=False, trust_env=False, timeout=waits, transport=transport)
        return self._client

    def _routed(self, request: Request) -> tuple[str, Headers]:
        """Return the URL for the real request, and the headers with the declared host."""
        parts = urlsplit(request.url)
        base = self._base_urls.get(host_of(request.url))
        if base is None:
            return request.url, request.headers
        to = urlsplit(base)
        url = urlunsplit((to.scheme, to.netloc, to.path.rstrip("/") + (parts.path or "/"), parts.query, ""))
        host = () if request.header("host") else (("Host", parts.netloc.rpartition("@")[2]),)
        return url, (*host, *request.headers)


class _NoHost(socket.gaierror):
    """Two parsers of one URL find different hosts in it, so it has no target."""


class _TooLong(Exception):
    """The response is longer than the limit."""


def _bounded(response: httpx2.Response) -> Iterator[bytes]:
    """Yield a response's body, decoded.

    Raises:
        _TooLong: it, or its encoded form, has more than :data:`MAX_BODY` bytes.
        DecodingError: it does not match its coding, has an unrequested coding, or is cut off.
    """
    import httpx2  # noqa: PLC0415  replay must not pay for it

    if response.is_stream_consumed:  # a transport that returns a whole response has decoded it
        yield response.content
        return
    names = [name.strip().lower() for name in response.headers.get("content-encoding", "").split(",")]
    coded = [name for name in names if name not in {"", "identity"}]
    if len(coded) > 1 or not set(coded) <= _CODINGS.keys():
        raise httpx2.DecodingError(f"an answer in {', '.join(coded)[:80]}")
    decoder = zlib.decompressobj(_CODINGS[coded[0]]) if coded else None
    received = made = 0
    for part in response.iter_raw():
        received += len(part)
        try:
            plain = part if decoder is None else decoder.decompress(part, MAX_BODY + 1 - made)
        except zlib.error as error:
            raise httpx2.DecodingError(str(error)) from error
        made += len(plain)
        if received > MAX_BODY or made > MAX_BODY:
            raise _TooLong
        yield plain
    if received and decoder is not None and not decoder.eof:
        raise httpx2.DecodingError("the body breaks off")


def fault_of(error: BaseException) -> Fault:
    """Return the fault for a transport error of the HTTP client, by its type and its cause."""
    import httpx2  # noqa: PLC0415  replay must not pay for it

    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return "timeout"
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.DecodingError):
        return "reset" if "disconnected" in str(error) else "truncated"
    causes: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in causes:
        causes.append(cause)
        cause = cause.__cause__ or cause.__context__
    if any(isinstance(each, ssl.SSLError) for each in causes):
        return "tls"
    if any(isinstance(each, socket.gaierror) for each in causes):
        return "dns"
    if isinstance(
        error, httpx2.ReadError | httpx2.WriteError | httpx2.CloseError | ConnectionResetError | BrokenPipeError
    ):
        return "reset"
    return "refused"


def _since(began: float) -> int:
    return max(0, round((time.perf_counter() - began) * 1000))
