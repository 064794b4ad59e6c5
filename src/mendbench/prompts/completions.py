"""Converts other forms of a model's response to the chat completions in cassettes (OpenAI API reference, "The chat completion object").

Nothing is invented: no usage, no time, no id.
"""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject

FINISHED = ("stop", "length", "content_filter")
"""Reasons for which a text can end."""

_STOP_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
    "tool_use": "tool_calls",
}
"""Anthropic's reasons (API reference, "Messages", ``stop_reason``) in OpenAI's terms. Other reasons do not end a response."""

_PROMPT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""Anthropic's separate counts of prompt tokens; OpenAI's ``prompt_tokens`` is their sum."""

_JSON = (("content-type", "application/json"),)


def answered(body: JsonObject, status: int = 200) -> Response:
    """Return a model server's response with that body."""
    data = canonical_json(body).encode("utf-8", "backslashreplace")  # a lone surrogate becomes its JSON escape
    return Response(status=status, headers=_JSON, body=data)


def completion(message: JsonObject, finish_reason: str, **more: Json) -> JsonObject:
    """Return a chat completion with one choice."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}
    return {"object": "chat.completion", "choices": [choice], **more}


def of_message(message: JsonObject) -> JsonObject | str:
    """Return an Anthropic message as a chat completion, or why it is not a response.

    Text and tool calls are kept. A refusal is a response.
    """
    reason, blocks = message.get("stop_reason"), message.get("content")
    finish = _STOP_REASONS.get(reason) if isinstance(reason, str) else None
    if finish is None:
        return f"it stopped for {reason!r}, which ends no response"
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        return "its content is no list of blocks"
    text = "".join(str(block.get("text") or "") for block in blocks if block.get("type") == "text")
    calls = [_call(block) for block in blocks if block.get("type") == "tool_use"]
    answer: JsonObject = {"content": text, **({"tool_calls": calls} if calls else {})}
    more = {name: message[name] for name in ("id", "model") if isinstance(message.get(name), str)}
    return completion(answer, finish, **more, **_usage(message.get("usage")))


def _call(block: JsonObject) -> JsonObject:
    arguments = canonical_json(block.get("input") or {})
    return {"id": block.get("id"), "type": "function", "function": {"name": block.get("name"), "arguments": arguments}}


def _usage(reported: Json) -> JsonObject:
    if not isinstance(reported, dict):
        return {}
    prompt, answer = _counts(reported, _PROMPT_TOKENS), _counts(reported, ("output_tokens",))
    usage: JsonObject = {}
    if prompt and "input_tokens" in reported:
        usage["prompt_tokens"] = sum(prompt)
    if answer:
        usage["completion_tokens"] = sum(answer)
    return {"usage": usage} if usage else {}


def _counts(reported: JsonObject, names: Sequence[str]) -> list[int]:
    return [reported[name] for name in names if isinstance(reported.get(name), int)]
