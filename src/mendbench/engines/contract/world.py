"""The world of the contract kit: a list of responses for each expected request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.json import Json
from mendbench.ports.clock import Clock

UNKNOWN = 404


def said(body: Json, status: int = 200) -> Response:
    """Return a response with a JSON body."""
    return Response(
        status=status,
        headers=(("Content-Type", "application/json"),),
        body=canonical_json(body).encode(),
        elapsed_ms=20,
    )


class ScriptedWorld:
    """Responses by ``METHOD URL``: each request takes the next response of its list; the last one repeats forever."""

    def __init__(self, responses: Mapping[str, Sequence[Response]], clock: Clock) -> None:
        self._responses, self._clock = {_known(name): list(own) for name, own in responses.items()}, clock
        self._traffic: list[Exchange] = []
        self._phase = 0

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the next response."""
        left = self._responses.get(f"{request.method} {_bare(request.url)}")
        response = said({"message": "Not Found"}, UNKNOWN) if left is None else left[0]
        if left is not None and len(left) > 1:
            left.pop(0)
        self._clock.advance(response.elapsed_ms)
        did = accepted(response, parse_body(response.body, response.header("content-type")))
        changed = did and not request.safe
        self._traffic.append(
            Exchange(
                request=request,
                response=response,
                origin="recorded",
                key="",
                accepted=did,
                node=node,
                phase=self._phase,
                changed=changed,
            )
        )
        return response

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all exchanges so far."""
        return tuple(self._traffic)

    def begin_execution(self) -> None:
        """Mark that the next exchanges belong to the next execution."""
        self._phase += 1


def _known(name: str) -> str:
    method, _, url = name.partition(" ")
    return f"{method} {_bare(url)}"


def _bare(url: str) -> str:
    """Return a URL without its query."""
    return normalise_url(url).partition("?")[0]
