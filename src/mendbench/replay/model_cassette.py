"""Model requests and their responses, served from one cassette per model.

A model's response is identified only by its model request (model, messages, tools that it may call, sampling parameters, response format,
draw), never by where the request was made.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.keys import first_difference
from mendbench.cassettes.recordings import Recordings, RecordMode
from mendbench.errors import ReplayMiss
from mendbench.exchanges.urls import model_url
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Exchange, Origin, Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.replay.guard import allowed
from mendbench.replay.request_queue import Pending, RequestQueue, ResponsePending
from mendbench.secrets.issued_credentials import without_provider_shapes
from mendbench.secrets.redaction import Redactor

NO_SUCH_MODEL = 404
"""A server's response to a request for an unknown model, as in OpenAI's API (``code: model_not_found``)."""

_SHOWN_KEY = 8
_MAX_DIFFERENCES = 8


class ModelCaller(Protocol):
    """A model that receives real requests."""

    def send(self, model_request: JsonObject) -> Response:
        """Return the provider's whole response. A timeout or a busy server is not one.

        Raises:
            Incomplete: no response came.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    entry: Entry
    origin: Origin


class ModelCassette:
    """The world of ``model://…``: a request's body is the model request as canonical JSON.

    Pass a ``clock`` only if a model's responses should take the trial's time; without one, a response takes none. ``models`` are the
    existing models, None for any. Requests to other models are refused, both while recording and in replay, and the refusal names the
    existing ones. With a ``queue``, models are called while other trials run.
    """

    def __init__(
        self,
        *,
        recordings: Recordings,
        redactor: Redactor,
        clock: Clock | None = None,
        mode: RecordMode = "none",
        caller: ModelCaller | None = None,
        record_hint: str = "mendbench run --record new_episodes",
        models: Collection[str] | None = None,
        queue: RequestQueue | None = None,
    ) -> None:
        self._recordings, self._redactor, self._clock, self._models = recordings, redactor, clock, models
        self._mode, self._caller, self._hint, self._queue = mode, caller, record_hint, queue
        self._traffic: list[Exchange] = []
        self._phase = 0

    def begin_execution(self) -> None:
        """Mark that the next model requests belong to the next execution."""
        self._phase += 1

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all model requests so far with their responses, in order."""
        return tuple(self._traffic)

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the recorded response; while recording, a missing one is requested, stored, and then served from the cassette.

        Raises:
            ResponsePending: there is a queue, and the response is under way.
            Incomplete: the model gave no response.
            ReplayMiss: it is not recorded, and live requests are not allowed.
        """
        exchange = self.exchange(request, node=node, phase=self._phase)
        if self._clock is not None:
            self._clock.advance(exchange.response.elapsed_ms)
        self._traffic.append(exchange)
        return exchange.response

    def exchange(self, request: Request, *, node: str | None, phase: int) -> Exchange:
        """Return the exchange for a model request, without recording it and without moving the clock.

        Raises:
            ResponsePending, Incomplete, ReplayMiss: as :meth:`send`.
        """
        model_request = self._redactor.value(_well_formed(_ask_in(request)))
        found = self._found(model_request)
        return Exchange(
            request=found.entry.request,
            response=found.entry.response,
            origin=found.origin,
            key=found.entry.key,
            accepted=200 <= found.entry.response.status < 300,  # noqa: PLR2004  the 2xx
            node=node,
            phase=phase,
        )

    def _found(self, model_request: JsonObject) -> _Found:
        model, key = str(model_request.get("model", "")), digest(model_request)
        if self._models is not None and model not in self._models:
            refused = _no_such_model(model, self._models)
            return _Found(
                entry=Entry(
                    key=key, request=_request(model, model_request), response=refused, model_request=model_request
                ),
                origin="recorded",
            )
        recording, fresh = self._mode != "none", self._mode == "all"
        if self._queue is not None and self._queue.holds(key):
            raise ResponsePending(key)
        entry = self._recordings.model_entry(model, key, fresh=fresh and self._caller is not None)
        if entry is not None:
            return _Found(entry=entry, origin="recorded")
        if not recording or self._caller is None:
            raise self._miss(model_request, model)
        return _Found(entry=self._asked(self._caller, model_request, model, key), origin="live")

    def _asked(self, caller: ModelCaller, model_request: JsonObject, model: str, key: str) -> Entry:
        """Return the stored response of a live model request; a response to the same request for another case is reused.

        Raises:
            ResponsePending, Incomplete: as :meth:`send`.
        """

        def asked() -> Response:
            with allowed():
                return caller.send(model_request)

        def store(received: Response) -> Entry:
            response = without_provider_shapes(self._redactor.response(received))
            fresh = Entry(
                key=key, request=_request(model, model_request), response=response, model_request=model_request
            )
            with allowed():
                return self._recordings.append_model_entry(model, fresh, replace=self._mode == "all")

        queue = self._queue
        if queue is None or not queue.takes(model):
            return store(asked())
        folder, place = self._recordings.folder, queue.place_of(key)
        if (
            self._recordings.model_entry(model, key) is None
        ):  # a replacement takes the place of the response that it replaces
            queue.note(model, key, folder)
        twin = None if place is None else Recordings.open(place).model_entry(model, key)
        if twin is not None:
            return store(twin.response)
        queue.put(Pending(model=model, key=key, folder=folder, asked=asked, store=store))
        raise ResponsePending(key)

    def _miss(self, model_request: JsonObject, model: str) -> ReplayMiss:
        near = _nearest(model_request, self._recordings.model_entries(model))
        shown = f"the model request {digest(model_request)[:_SHOWN_KEY]} to model {model!r}"
        if near is None or near.model_request is None:
            return ReplayMiss(shown, nearest=None, differs=(), record=self._hint)
        differs = model_request_differences(model_request, near.model_request)
        return ReplayMiss(shown, nearest=f"ask {near.key[:_SHOWN_KEY]}", differs=differs, record=self._hint)


def _request(model: str, model_request: JsonObject) -> Request:
    return Request(method="POST", url=model_url(model), body=canonical_json(model_request).encode())


def _no_such_model(model: str, models: Collection[str]) -> Response:
    message = f"The model `{model}` does not exist. Available models: {', '.join(sorted(models)) or 'none'}"
    error = {"code": "model_not_found", "message": message, "param": None, "type": "invalid_request_error"}
    body = canonical_json({"error": error}).encode()
    return Response(status=NO_SUCH_MODEL, headers=(("content-type", "application/json"),), body=body)


def model_request_differences(a: JsonObject, b: JsonObject) -> tuple[str, ...]:
    """Return where two model requests differ: ``model``, ``params.temperature``, ``messages[1] at character 812`` and so on."""
    names = [name for name in ("model", "draw", "response_format", "tools") if _differ(a.get(name), b.get(name))]
    mine, theirs = _object(a.get("params")), _object(b.get("params"))
    names += [f"params.{name}" for name in sorted({*mine, *theirs}) if _differ(mine.get(name), theirs.get(name))]
    one, other = _messages(a), _messages(b)
    if len(one) != len(other):
        names.append("number of messages")
    for index, (first, second) in enumerate(zip(one, other, strict=False)):
        if first != second:
            names.append(f"messages[{index}] at character {first_difference(first, second)}")
    return tuple(names[:_MAX_DIFFERENCES])


def _nearest(model_request: JsonObject, entries: Iterable[Entry]) -> Entry | None:
    """Return the entry whose last message shares the longest prefix with the model request's; among equals, the least different."""
    mine = (_messages(model_request) or [""])[-1]

    def likeness(entry: Entry) -> tuple[int, int]:
        known = entry.model_request or {}
        return (
            first_difference(mine, (_messages(known) or [""])[-1]),
            -len(model_request_differences(model_request, known)),
        )

    return max(entries, key=likeness, default=None)


def _messages(model_request: JsonObject) -> list[str]:
    messages = model_request.get("messages")
    if not isinstance(messages, list):
        return []
    return [_shown(message) for message in messages]


def _shown(message: Json) -> str:
    """Return a message's text; a message with function calls, or with a call's result, is returned whole."""
    plain = isinstance(message, dict) and message.keys() <= {"role", "content"}
    content = message.get("content") if plain else message
    return content if isinstance(content, str) else canonical_json(content)


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _differ(a: Json, b: Json) -> bool:
    return canonical_json(a) != canonical_json(b)


def _ask_in(request: Request) -> JsonObject:
    try:
        model_request = json.loads(request.body)
    except ValueError as error:
        raise ValueError(f"the body of {request.url} is no model request: {error}") from error
    if not isinstance(model_request, dict):
        raise TypeError(f"the body of {request.url} is no model request: a JSON object is needed")
    return model_request


def _well_formed(value: Json) -> Json:
    """Return ``value`` without lone surrogates, which neither a cassette nor a model's server can take."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_well_formed(key): _well_formed(item) for key, item in value.items()}
    return [_well_formed(item) for item in value] if isinstance(value, list) else value
