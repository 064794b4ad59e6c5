"""Fakes of what the engine runs on: a world with fixed answers, and detectors with fixed judgements."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Exchange, Fault, Request, Response
from mendbench.model.execution import Judgement, Observation


def said(body: object, status: int = 200, *, elapsed_ms: int = 10, **headers: str) -> Response:
    """A response whose body is JSON, or the bytes or text given."""
    raw = body if isinstance(body, bytes) else body.encode() if isinstance(body, str) else json.dumps(body).encode()
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Response(status=status, headers=named, body=raw, elapsed_ms=elapsed_ms)


def fault(kind: Fault, *, elapsed_ms: int = 10) -> Response:
    """No whole response."""
    return Response(status=0, fault=kind, elapsed_ms=elapsed_ms)


def rpc(result: object = None, *, error: object = None, status: int = 200) -> Response:
    """A JSON-RPC answer."""
    return said({"jsonrpc": "2.0", "id": 1, **({"error": error} if error is not None else {"result": result})}, status)


def ran(stdout: str = "", stderr: str = "", exit_code: int = 0) -> Response:
    """The response to a shell command."""
    return said({"stdout": stdout, "stderr": stderr, "exit_code": exit_code})


def completion(text: str, **usage: int) -> Response:
    """A chat completion."""
    return said({"choices": [{"message": {"role": "assistant", "content": text}}], "usage": usage})


@dataclass
class FakeWorld:
    """Answers by ``METHOD url``: each call takes the next response of the list, the last one for ever. Unknown requests get a 404."""

    responses: Mapping[str, Response | Sequence[Response] | Callable[[Request], Response]] = field(default_factory=dict)
    clock: VirtualClock = field(default_factory=VirtualClock)
    redact: Callable[[Request], Request] = lambda request: request
    sent: list[Request] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    phase: int = 0

    def send(self, request: Request, *, node: str | None = None) -> Response:
        name = f"{request.method} {request.url}"
        response = self._response(name, request)
        self.counts[name] = self.counts.get(name, 0) + 1
        self.clock.advance(response.elapsed_ms)
        self.sent.append(request)
        did = accepted(response, parse_body(response.body, response.header("content-type")))
        self.exchanges.append(
            Exchange(
                request=self.redact(request),
                response=response,
                origin="recorded",
                key=name,
                accepted=did,
                changed=did and not request.safe and not request.url.startswith("model://"),
                node=node,
                phase=self.phase,
            )
        )
        return response

    def _response(self, name: str, request: Request) -> Response:
        known = self.responses.get(name)
        if known is None:
            return said({"message": "Not Found"}, 404)
        if isinstance(known, Response):
            return known
        if callable(known):
            return known(request)
        return known[min(self.counts.get(name, 0), len(known) - 1)]

    def traffic(self) -> tuple[Exchange, ...]:
        return tuple(self.exchanges)

    def begin_execution(self) -> None:
        self.phase += 1

    def calls(self) -> list[str]:
        """What was sent, as ``METHOD url``."""
        return [f"{request.method} {request.url}" for request in self.sent]

    def body(self, index: int = -1) -> object:
        """The parsed body of a request that was sent."""
        return json.loads(self.sent[index].body)


@dataclass
class FakeDetector:
    """Judges everything the same, and remembers what it saw."""

    state: str = "warning"
    words: str | None = None
    seen: list[Observation] = field(default_factory=list)
    name: str = "fake"

    def judge(self, observation: Observation) -> Judgement:
        self.seen.append(observation)
        return Judgement(state=self.state, message=self.words or f"API error: {observation.message}")


def http(node_id: str, url: str, **params: object) -> dict[str, object]:
    """An http node."""
    return {"id": node_id, "type": "http", "params": {"url": url, **params}}


def chain(
    *nodes: dict[str, object], edges: Sequence[tuple[str, ...]] | None = None, **rest: object
) -> dict[str, object]:
    """A workflow that runs its nodes one after the other, or along the edges given as (from, to[, action])."""
    ids = [str(node["id"]) for node in nodes]
    pairs = list(pairwise(ids)) if edges is None else edges
    lines = [{"from": one[0], "to": one[1], **({"action": one[2]} if len(one) > 2 else {})} for one in pairs]
    return {"ir_version": "0.1.0", "nodes": list(nodes), "edges": lines, **rest}
