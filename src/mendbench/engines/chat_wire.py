"""The OpenAI chat completions API, translated to model requests and responses."""

from __future__ import annotations

from mendbench.model.json import Json, JsonObject

_NAMED = frozenset(
    {"model", "messages", "response_format", "tools", "stream", "stream_options", "user", "n", "metadata", "store"}
)
"""Fields that have their own place in a model request, or that do not affect the response."""


def ask_in(wire: JsonObject) -> JsonObject:
    """Return the model request (draw 0) for a request body: everything that affects the response, without the sender.

    Messages keep role, text and calls. A text given as parts is joined.
    """
    model_request: JsonObject = {
        "model": wire["model"],
        "messages": [_message(message) for message in wire["messages"]],
        "params": {name: value for name, value in wire.items() if name not in _NAMED and value is not None},
        "response_format": wire.get("response_format"),
        "draw": 0,
    }
    return {**model_request, "tools": wire["tools"]} if wire.get("tools") else model_request


def texts_of(model_request: JsonObject) -> tuple[str, str]:
    """Return the text of the system messages of a model request, and the text of all other messages."""
    texts: dict[bool, list[str]] = {True: [], False: []}
    for message in model_request["messages"]:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str) and content:
            texts[message.get("role") in ("system", "developer")].append(content)
    return "\n\n".join(texts[True]), "\n\n".join(texts[False])


def refused(words: str, code: str = "invalid_request_error") -> JsonObject:
    """Return the body of an error response."""
    return {"error": {"message": words, "type": code, "param": None, "code": code}}


def _message(message: Json) -> Json:
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    kept = {name: value for name, value in message.items() if value is not None or name == "content"}
    if isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content):
        return {**kept, "content": "".join(str(part.get("text") or "") for part in content)}
    return kept
