"""HTTP connections for recording, with a deadline for the whole response and a check of the addresses that a name resolves to.

Imported only for real requests.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeAlias

import anyio
import httpcore2
import httpx2

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve: TypeAlias = Callable[[str, int], tuple[str, ...]]
"""Resolves a host and a port to its addresses. Raises ``OSError`` if there are none."""

OWN_NAMES = frozenset({"localhost"})
"""Names of this machine (RFC 6761 section 6.3): a case that declares one wants this machine."""


END_S = 5.0
"""How long to wait for a server to confirm the end of its session, in seconds."""


class Deadline(threading.local):
    """The deadline of the current response, on the monotonic clock; separate for each thread."""

    at = float("inf")

    def begin(self, patience_s: float) -> None:
        """Set the deadline for a response, in seconds from now."""
        self.at = time.monotonic() + patience_s

    def left_s(self, timeout_s: float | None) -> float:
        """Return how long one step may still take, in seconds; not positive once the time is over."""
        left = self.at - time.monotonic()
        return left if timeout_s is None else min(timeout_s, left)


def addresses_of(host: str, port: int) -> tuple[str, ...]:
    """Return the addresses of a name, as this machine resolves it."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(each[4][0]) for each in found))


def leads_inside(host: str, address: str) -> bool:
    """Return whether a name resolves to an address that no external name may resolve to.

    These are this machine itself, its link (cloud machines have their credentials at 169.254.169.254), and unspecified or multicast
    addresses. An address that is in the URL itself was declared as such.
    """
    if host.lower().rstrip(".") in OWN_NAMES or _address(host) is not None:
        return False
    found = _address(address)
    if found is None:
        return True
    resolved = getattr(found, "ipv4_mapped", None) or found
    return bool(resolved.is_loopback or resolved.is_link_local or resolved.is_unspecified or resolved.is_multicast)


@cache
def _trust() -> ssl.SSLContext:
    """Return the trusted certificate authorities. Reading them takes longer than most requests."""
    return httpx2.create_ssl_context(trust_env=False)


class WireTransport(httpx2.BaseTransport):
    """HTTP/1.1 whose every step ends at the deadline. It uses no proxy and no environment variables.

    With ``outside``, a name that resolves to this machine or its link does not exist. The connection uses the address that was checked.
    """

    def __init__(self, deadline: Deadline, *, outside: bool = False, resolve: Resolve = addresses_of) -> None:
        self._pool = httpcore2.ConnectionPool(
            ssl_context=_trust(),
            network_backend=_Backend(deadline, outside=outside, resolve=resolve),
            keepalive_expiry=5.0,
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it and return the response once its headers are there."""
        url, stream = request.url, request.stream
        assert isinstance(stream, httpx2.SyncByteStream)  # noqa: S101  the client is not asynchronous
        wire = httpcore2.Request(
            method=request.method,
            url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=stream,
            extensions=request.extensions,
        )
        with _translated():
            response = self._pool.handle_request(wire)
        assert isinstance(response.stream, Iterable)  # noqa: S101  as above
        return httpx2.Response(
            response.status, headers=response.headers, stream=_Body(response.stream), extensions=response.extensions
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _translated():
            yield from self._stream

    def close(self) -> None:
        self._stream.close()


@contextmanager
def _translated() -> Iterator[None]:
    """Raise the client's exceptions instead of the connection pool's: both libraries use the same names."""
    try:
        yield
    except Exception as error:
        kind = getattr(httpx2, type(error).__name__, None) if type(error).__module__.startswith("httpcore2") else None
        if kind is None:
            raise
        raise kind(str(error)) from error


class _Backend(httpcore2.NetworkBackend):
    def __init__(self, deadline: Deadline, *, outside: bool, resolve: Resolve) -> None:
        self._deadline, self._outside, self._resolve = deadline, outside, resolve
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        failed: Exception = httpcore2.ConnectError(f"{host} has no address")
        for address in self._allowed(host, port):
            left = self._deadline.left_s(timeout)
            if left <= 0:
                raise httpcore2.ConnectTimeout
            try:
                stream = self._inner.connect_tcp(address, port, left, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
            else:
                return _Stream(stream, self._deadline)
        raise failed

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.NetworkStream:
        raise NotImplementedError("no Unix sockets are asked")

    def _allowed(self, host: str, port: int) -> tuple[str, ...]:
        try:
            found = self._resolve(host, port)
            if self._outside and any(leads_inside(host, each) for each in found):
                raise socket.gaierror(socket.EAI_NONAME, f"{host} leads to this machine or its link")
        except UnicodeError as error:  # a name that cannot be looked up
            raise httpcore2.ConnectError(str(error)) from socket.gaierror(socket.EAI_NONAME, str(error))
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        return found


class _Stream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream, deadline: Deadline) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left = self._deadline.left_s(timeout)
        if left <= 0:
            raise httpcore2.ReadTimeout
        return self._inner.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = self._deadline.left_s(timeout)
        if left <= 0:
            raise httpcore2.WriteTimeout
        self._inner.write(buffer, left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left = self._deadline.left_s(timeout)
        if left <= 0:
            raise httpcore2.ConnectTimeout
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class Bounded(httpx2.AsyncBaseTransport):
    """HTTP whose responses have at most ``most`` bytes each and are not compressed.

    The request that ends a session (``DELETE``) is sent. Its response is awaited for :data:`END_S` and not read.
    """

    def __init__(self, most: int) -> None:
        self._inner, self._most = httpx2.AsyncHTTPTransport(trust_env=False), most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it and return the response once its headers are there."""
        request.headers["Accept-Encoding"] = "identity"
        if request.method == "DELETE":
            with anyio.move_on_after(END_S):
                await (await self._inner.handle_async_request(request)).aclose()
            return httpx2.Response(202, request=request)
        response = await self._inner.handle_async_request(request)
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            raise httpx2.DecodingError("an answer in a coding that was not asked for", request=request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101  the transport is asynchronous
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Counted(response.stream, self._most),
            extensions=response.extensions,
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, most: int) -> None:
        self._stream, self._most = stream, most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for part in self._stream:
            received += len(part)
            if received > self._most:
                raise httpx2.RemoteProtocolError(f"the answer has more than {self._most} bytes")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()


def _address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
