"""Chats with models in OpenTelemetry traces, by the conventions for generative AI (development) and their earlier forms.

Messages are in ``gen_ai.input.messages`` and ``gen_ai.output.messages``, on the span or on an event of it, with ``parts``; before 1.37 in
one event per message (``gen_ai.user.message``, ``gen_ai.choice``), or in the attributes ``gen_ai.prompt`` and ``gen_ai.completion``
of two events; in OpenLLMetry in ``gen_ai.prompt.0.content`` and so on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain

from mendbench.exchanges.urls import model_url
from mendbench.importing.interface import Dropped, FoundExchange, body_bytes
from mendbench.importing.otel.spans import Span
from mendbench.io.json_documents import parse_json
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.interface import json_request

_INPUT = ("gen_ai.input.messages", "gen_ai.prompt")
_OUTPUT = ("gen_ai.output.messages", "gen_ai.completion")
_SYSTEM = "gen_ai.system_instructions"
_TOOLS = ("gen_ai.tool.definitions", "gen_ai.request.tools", "llm.request.functions.0.name")
_EVENT = re.compile(r"gen_ai\.(system|user|assistant|tool)\.message")
_CHOICE = "gen_ai.choice"
_NUMBERED = re.compile(r"gen_ai\.(prompt|completion)\.(\d+)\.(role|content|finish_reason)")
_USAGE = (
    ("prompt_tokens", ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens")),
    ("completion_tokens", ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens")),
)
"""Counts in OpenAI's API, and the attributes that hold them: the present one, and the one before 1.27."""

_SAMPLING = ("max_tokens", "temperature")
"""The parameters that an ``llm`` node can send."""


class _NoText(ValueError):
    """A message contains something that is not text."""


def is_chat(span: Span) -> bool:
    """Return whether a span is a request to a chat model."""
    named = span.attributes.get("gen_ai.operation.name") or span.attributes.get("llm.request.type")
    return named == "chat" and span.kind in {"client", "internal", ""}


def chat_exchange(span: Span) -> FoundExchange | Dropped:
    """Return the exchange of a chat: the request that an ``llm`` node sends for it, and a chat completion with the text."""
    model = span.text("gen_ai.request.model")
    what = f"{span.place} model {model}"
    if not model:
        return Dropped(what=what, why="the span does not name the model")
    if span.first(*_TOOLS) is not None:
        return Dropped(what=what, why="it offers tools: record it with `case check --record`")
    try:
        sent, received = _messages(span, _INPUT, "prompt"), _messages(span, _OUTPUT, "completion")
    except _NoText as error:
        return Dropped(what=what, why=str(error))
    except (ValueError, KeyError, TypeError, AttributeError):
        return Dropped(what=what, why="its messages have no known form, or were cut")
    if not sent or not received:
        side = "response" if sent else "messages"
        ended = f" ({span.text('error.type')})" if span.text("error.type") else ""
        return Dropped(what=what, why=f"the span does not hold its {side}{ended}")
    sampling = {name: span.first(f"gen_ai.request.{name}") for name in _SAMPLING}
    asked: JsonObject = {
        "model": model,
        "messages": [{"role": message["role"], "content": message["content"]} for message in sent],
        "params": {name: value for name, value in sampling.items() if value is not None},
        "response_format": None,
        "draw": 0,
    }
    return FoundExchange(
        place=span.place, request=json_request(model_url(model), asked), response=_completion(span, model, received[0])
    )


def _completion(span: Span, model: str, message: JsonObject) -> Response:
    usage = {name: span.first(*names) for name, names in _USAGE}
    reasons = span.first("gen_ai.response.finish_reasons")
    listed = reasons[0] if isinstance(reasons, list) and reasons else reasons
    body: JsonObject = {
        "object": "chat.completion",
        "model": span.text("gen_ai.response.model") or model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": message["content"]},
                "finish_reason": message.get("finish_reason") or listed or "stop",
            }
        ],
    }
    if all(isinstance(count, int) for count in usage.values()):
        body["usage"] = {**usage, "total_tokens": sum(usage.values())}
    headers = (("content-type", "application/json"),)
    return Response(status=200, headers=headers, body=body_bytes(body), elapsed_ms=span.elapsed_ms)


def _messages(span: Span, names: tuple[str, str], numbered: str) -> list[JsonObject]:
    """Return the messages of one side, from the first place that has some: role, text, and the finish reason if any.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: one has an unknown form, or contains something that is not text.
    """
    places = [span.attributes, *(attributes for _, attributes in span.events)]
    held = next((place[name] for name in names for place in places if place.get(name)), None)
    if held is not None:
        found = [_plain(message, "user" if numbered == "prompt" else "assistant") for message in _listed(held)]
    else:
        found = list(_from_events(span, numbered)) or list(_from_numbered(span.attributes, numbered))
    system = next((place[_SYSTEM] for place in places if place.get(_SYSTEM)), None)
    if system is None or numbered == "completion":
        return found
    text = "".join(_text(part) for part in _listed(system))
    return [{"role": "system", "content": text}, *found]


def _from_events(span: Span, side: str) -> Iterator[JsonObject]:
    for name, attributes in span.events:
        whole = attributes.get("gen_ai.event.content")
        body: Mapping[str, Json] = attributes if whole is None else _object(whole)
        role = _EVENT.fullmatch(name)
        if role is not None and side == "prompt":
            yield _plain(body, role.group(1))
        elif name == _CHOICE and side == "completion":
            message = body.get("message")
            reason = body.get("finish_reason")
            yield {**_plain(body if message is None else _object(message), "assistant"), "finish_reason": reason}


def _from_numbered(attributes: Mapping[str, Json], side: str) -> Iterator[JsonObject]:
    found: dict[int, JsonObject] = {}
    for name, value in attributes.items():
        at = _NUMBERED.fullmatch(name)
        if at is not None and at.group(1) == side:
            found.setdefault(int(at.group(2)), {})[at.group(3)] = value
    for number in sorted(found):
        yield _plain(found[number], "user" if side == "prompt" else "assistant")


def _plain(message: Mapping[str, Json], role: str) -> JsonObject:
    """Return a message as an ``llm`` node sends it.

    Raises:
        _NoText: it calls a tool, has a tool's result, or another part that is not text.
    """
    said = str(message.get("role") or role)
    parts = message.get("parts", message.get("content"))
    if said == "tool" or message.get("tool_calls") or parts is None:
        raise _NoText("it calls tools: record it with `case check --record`")
    text = parts if isinstance(parts, str) else "".join(_text(part) for part in parts)
    return {"role": said, "content": text, "finish_reason": message.get("finish_reason")}


def _text(part: Json) -> str:
    """Return the text of a part. Thinking is no part of what a completion says."""
    if isinstance(part, str):
        return part
    if part["type"] in {"reasoning", "thinking"}:
        return ""
    text = part.get("content", part.get("text"))
    if part["type"] != "text" or not isinstance(text, str):
        raise _NoText(f"a message has a part that is not text ({part['type']})")
    return text


def _listed(value: Json) -> list[Json]:
    """Return the items of a list that a span holds structured or as JSON text; a plain text is one message or part."""
    if isinstance(value, str) and not value.lstrip().startswith(("[", "{")):
        return [{"type": "text", "content": value}]
    parsed = parse_json(value) if isinstance(value, str) else value
    items = parsed if isinstance(parsed, list) else [parsed]
    return list(chain.from_iterable(parse_json(item) if _is_list(item) else [item] for item in items))


def _is_list(item: Json) -> bool:
    return isinstance(item, str) and item.lstrip().startswith("[")


def _object(value: Json) -> Mapping[str, Json]:
    parsed = parse_json(value) if isinstance(value, str) else value
    if not isinstance(parsed, dict):
        raise TypeError(type(parsed).__name__)
    return parsed
