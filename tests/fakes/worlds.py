"""Fakes of the exchange ports: a simulated service, a live world, a model's caller and a scripted world."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.json import Json, JsonObject


def json_response(
    value: Json, status: int = 200, elapsed_ms: int = 10, headers: tuple[tuple[str, str], ...] = ()
) -> Response:
    """Return a response with a JSON body."""
    kept = (("Content-Type", "application/json"), *headers)
    return Response(status=status, headers=kept, body=json.dumps(value).encode(), elapsed_ms=elapsed_ms)


def get(url: str, **fields: object) -> Request:
    """Return a GET request."""
    return Request(method="GET", url=url, **fields)


def post(url: str, value: Json, **fields: object) -> Request:
    """Return a POST request with a JSON body."""
    headers = (("Content-Type", "application/json"), *fields.pop("headers", ()))
    return Request(method="POST", url=url, headers=headers, body=json.dumps(value).encode(), **fields)


@dataclass
class NotesService:
    """Notes over JSON: POST /notes adds one, GET /notes lists them, GET /secret returns the caller's own credential.

    GET /notes?add=text adds one too, and POST /query lists them.
    """

    name: str = "notes"
    hosts: tuple[str, ...] = ("notes.test",)
    calls: list[Request] = field(default_factory=list)
    elapsed_ms: int = 10

    def seed(self) -> dict[str, object]:
        return {"notes": []}

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        self.calls.append(request)
        notes = list(state["notes"])
        if request.url.endswith("/secret"):
            return state, json_response({"you_sent": request.header("authorization")}, elapsed_ms=self.elapsed_ms)
        if request.method == "GET" and "?add=" in request.url:
            text = request.url.partition("?add=")[2]
        elif request.method == "GET" or request.url.endswith("/query"):
            return state, json_response({"notes": notes}, elapsed_ms=self.elapsed_ms)
        else:
            text = json.loads(request.body or b"{}").get("text")
        if not text:
            return state, json_response({"ok": False, "error": "no_text"}, elapsed_ms=self.elapsed_ms)
        added = {"text": text, "at": now_ms}
        return {"notes": [*notes, added]}, json_response({"ok": True, "note": added}, 201, elapsed_ms=self.elapsed_ms)

    def canonical(self, request: Request) -> Request | None:
        path, _, text = request.url.partition("?add=")
        return post(path, {"text": text}) if text else None


@dataclass
class FakeLive:
    """A live world that answers by a function, and remembers what it was asked."""

    responses: Callable[[Request], Response]
    starts_afresh: bool = False
    asked: list[Request] = field(default_factory=list)

    def serves(self, request: Request) -> bool:
        return True

    def resets(self, request: Request) -> bool:
        return self.starts_afresh

    def send(self, request: Request) -> Response:
        self.asked.append(request)
        return self.responses(request)


@dataclass
class ClassifyingLive(FakeLive):
    """A live world that knows which of its requests only read."""

    only_reads: Callable[[Request], bool | None] = lambda _request: None

    def reads(self, request: Request) -> bool | None:
        return self.only_reads(request)


class ForbiddenLive:
    """A live world that must not be asked."""

    def serves(self, request: Request) -> bool:
        return True

    def resets(self, request: Request) -> bool:
        return False

    def send(self, request: Request) -> Response:
        raise AssertionError(f"asked live: {request.method} {request.url}")


@dataclass
class ScriptedCaller:
    """A model that gives its texts in order."""

    texts: Iterable[str]
    asked: list[JsonObject] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.texts = iter(self.texts)

    def send(self, model_request: JsonObject) -> Response:
        self.asked.append(model_request)
        return completion(next(self.texts))


def completion(text: str, elapsed_ms: int = 1234) -> Response:
    """Return a chat completion as an OpenAI-compatible server gives it."""
    value = {
        "id": "completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3},
    }
    return json_response(value, elapsed_ms=elapsed_ms)


@dataclass
class ScriptedWorld:
    """A world that answers by a function: for tests of whoever sends."""

    responses: Callable[[Request], Response]
    clock: VirtualClock = field(default_factory=VirtualClock)
    sent: list[Exchange] = field(default_factory=list)
    phase: int = 0

    def send(self, request: Request, *, node: str | None = None) -> Response:
        response = self.responses(request)
        self.clock.advance(response.elapsed_ms)
        did = response.fault is None and 200 <= response.status < 300
        self.sent.append(
            Exchange(
                request=request,
                response=response,
                origin="recorded",
                key=str(len(self.sent)),
                accepted=did,
                node=node,
                phase=self.phase,
                changed=did and not request.safe,
            )
        )
        return response

    def traffic(self) -> tuple[Exchange, ...]:
        return tuple(self.sent)

    def begin_execution(self) -> None:
        self.phase += 1
