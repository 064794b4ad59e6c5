"""Keeps an MCP server's HTTP errors: for a refusal or a broken connection, the SDK reports only that no response came.

Imported only for real requests.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx2

from mendbench.api_errors.retry import TRANSIENT_STATUSES
from mendbench.exchanges.bodies import parse_body
from mendbench.live.world import fault_of
from mendbench.model.exchange import Response

_KEPT_HEADERS = frozenset({"content-type", "date", "location", "retry-after"})
"""Headers of a refusal that are kept. A session's id is internal to the server, and differs each time."""

_TOO_MANY_REQUESTS, _UNAVAILABLE = 429, 503


class Heard(httpx2.AsyncBaseTransport):
    """Forwards messages to another transport, and keeps the outcome of the last one that expects a response.

    ``trouble`` is the refusal (a status that is not 2xx), the fault of the wire, or None if there was neither. It has no timeout of its
    own.
    """

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner
        self.trouble: Response | None = None

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it and return the response: a complete one for a refusal, any other once its headers are there."""
        if not _wants_response(request):
            return await self._inner.handle_async_request(request)
        self.trouble = None
        try:
            response = await self._inner.handle_async_request(request)
        except (httpx2.HTTPError, OSError) as error:
            self._note(error)
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)  # noqa: S101  the transport is asynchronous
        stream = _Noted(response.stream, self._note)
        if response.is_success:
            return httpx2.Response(
                response.status_code,
                headers=response.headers,
                stream=stream,
                extensions=response.extensions,
                request=request,
            )
        try:
            body = b"".join([part async for part in stream])
        finally:
            await stream.aclose()
        kept = tuple((name, value) for name, value in response.headers.multi_items() if name.lower() in _KEPT_HEADERS)
        self.trouble = Response(status=response.status_code, headers=kept, body=body)
        return httpx2.Response(
            response.status_code, headers=list(kept), content=body, extensions=response.extensions, request=request
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._inner.aclose()

    def _note(self, error: Exception) -> None:
        self.trouble = Response(status=0, fault=fault_of(error))


def asks_for_patience(refusal: Response) -> bool:
    """Return whether the server is running but reports that it cannot respond now: another try may bring a response."""
    asked_to_wait = refusal.header("retry-after") is not None
    return refusal.fault is None and (refusal.status in TRANSIENT_STATUSES or asked_to_wait)


def stands_for_itself(refusal: Response) -> bool:
    """Return whether the status is the response, and not the JSON-RPC error that came with it.

    A server may give its JSON-RPC errors any status (400 to wrong arguments, for example). 429, 503 and ``Retry-After`` describe the
    server itself.
    """
    if refusal.status in {_TOO_MANY_REQUESTS, _UNAVAILABLE} or refusal.header("retry-after") is not None:
        return True
    body = parse_body(refusal.body, "application/json")
    return not (isinstance(body, dict) and "jsonrpc" in body and isinstance(body.get("error"), dict))


class _Noted(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, note: Callable[[Exception], None]) -> None:
        self._stream, self._note = stream, note

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._stream:
                yield part
        except (httpx2.HTTPError, OSError) as error:
            self._note(error)
            raise

    async def aclose(self) -> None:
        await self._stream.aclose()


def _wants_response(request: httpx2.Request) -> bool:
    """Return whether it is a JSON-RPC request: a notification, and a response to the server, expect no response."""
    if request.method != "POST":
        return False
    message = parse_body(request.content, "application/json")
    return isinstance(message, dict) and "id" in message and "method" in message
