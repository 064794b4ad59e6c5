"""Prompts as lines of a file: OpenAI's batch input format (API reference, "The request input object"), one prompt per line.

A line determines its model request: the draw, which does not fit in the body, is in the id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.json import Json, JsonObject
from mendbench.prompts.file_lines import lines_of, parsed

METHOD, URL = "POST", "/v1/chat/completions"

_DIGITS = 32
"""Hexadecimal digits of the model request's digest in an id. With a draw the id stays below 64 characters, the limit of Anthropic's
batches (letters, digits, ``_`` and ``-``)."""

_ID = re.compile(rf"ask-[0-9a-f]{{{_DIGITS}}}(?:-(\d{{1,9}})-(\d{{1,9}})|-t(\d{{1,18}}))?")
_BESIDE_PARAMS = ("response_format", "tools")
_HINT = "use the file as it was exported"


def custom_id(model_request: JsonObject) -> str:
    """Return a model request's id. It is the same in every export.

    It is ``ask-`` and the first digits of the digest. If the request is a separate draw, the sample and the number of
    earlier requests follow: ``ask-4f…-2-0``. If it is another take, its number follows: ``ask-4f…-t1``.
    """
    draw = model_request.get("draw", 0)
    drawn = map(str, draw) if isinstance(draw, list | tuple) else [f"t{draw}"] if draw else []
    return "-".join(["ask", digest(model_request, _DIGITS), *drawn])


def prompt_line(model_request: JsonObject) -> str:
    """Return the line that requests a response, without its line feed.

    Raises:
        BadInput: the model request could not be recovered from the line, because a parameter has the name of another field.
    """
    body = {
        "model": model_request["model"],
        "messages": model_request["messages"],
        **(model_request.get("params") or {}),
    }
    body |= {name: model_request[name] for name in _BESIDE_PARAMS if model_request.get(name) is not None}
    name = custom_id(model_request)
    if ask_of(name, body) is None:
        place, taken = (
            f"models.{model_request['model']}.parameters",
            ", ".join(sorted(body.keys() & {"model", "messages"})),
        )
        raise BadInput(place, f"one of {taken} is among them", "leave it out: each prompt has its own")
    line = {"custom_id": name, "method": METHOD, "url": URL, "body": body}
    return json.dumps(line)  # in ASCII: some readers end a line at any Unicode line break


def in_order(model_requests: Iterable[JsonObject]) -> list[JsonObject]:
    """Return each model request once: by model, and then by text, so that prompts with a common prefix follow one another.

    This helps model servers with a prefix cache.
    """
    found = {custom_id(model_request): model_request for model_request in model_requests}
    order = sorted(
        (str(model_request["model"]), canonical_json(model_request["messages"]), name)
        for name, model_request in found.items()
    )
    return [found[name] for *_, name in order]


def read_prompts(path: Path) -> dict[str, JsonObject]:
    """Return the model requests of an exported file by their ids. A repeated line counts once.

    Raises:
        BadInput: it cannot be read, has no prompt, or a line was changed after the export; names the line.
    """
    found = dict(_asks(path))
    if not found:
        raise BadInput(str(path), "no prompt in it", _HINT)
    return found


def ask_of(name: str, body: JsonObject) -> JsonObject | None:
    """Return the model request with that id and body; None if they do not match."""
    found = _ID.fullmatch(name)
    messages = body.get("messages")
    if found is None or not isinstance(body.get("model"), str) or not isinstance(messages, list):
        return None
    if not all(isinstance(message, dict) for message in messages):
        return None
    sample, times, take = found.groups()
    draw: Json = int(take or 0) if sample is None else [int(sample), int(times)]
    return next((model_request for model_request in _readings(body, draw) if custom_id(model_request) == name), None)


def _readings(body: JsonObject, draw: Json) -> Iterator[JsonObject]:
    """Yield the model requests that a body can represent: another field may have the name of a parameter."""
    for apart in product((True, False), repeat=len(_BESIDE_PARAMS)):
        beside = {name for name, stands in zip(_BESIDE_PARAMS, apart, strict=True) if stands and name in body}
        params = {name: value for name, value in body.items() if name not in {"model", "messages", *beside}}
        model_request = {"model": body["model"], "messages": body["messages"], "params": params, "draw": draw}
        yield {**model_request, "response_format": None, **{name: body[name] for name in beside}}


def _asks(path: Path) -> Iterator[tuple[str, JsonObject]]:
    for place, data in lines_of(path):
        line = parsed(data, place)
        name, body = line.get("custom_id"), line.get("body")
        if not isinstance(name, str) or not isinstance(body, dict):
            raise BadInput(place, "no exported prompt: custom_id or body is missing", _HINT)
        model_request = ask_of(name, body)
        if model_request is None:
            raise BadInput(place, f"the prompt is not the one that its id {name!r} stands for", _HINT)
        yield name, model_request
