"""The ``llm`` node: one question to a chat model."""

from __future__ import annotations

import re
from urllib.parse import quote

from mendbench.kit.canonical import canonical_json
from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.answers import answered, fault_words, succeeded
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Noticed, Send
from mendbench.runtime.nodes.params import number, optional_text, text
from mendbench.runtime.validate import NodeSpec

_WHO = "LLM"
_FENCED = re.compile(r"\A\s*```[^\n`]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Ask the model and give back its text, out of its code fence if the whole of it stands in one.

    Raises:
        TypeError, ValueError: a parameter cannot be used.
    """
    del clock
    model = text(params, "model", _WHO)
    answer = send(
        Request(
            method="POST",
            url=f"model://{quote(model, safe='')}/chat",
            headers=(("Content-Type", "application/json"),),
            body=canonical_json(ask_of(params)).encode("utf-8", "backslashreplace"),
        )
    )
    said = answered(answer)
    if answer.fault is not None:
        message = fault_words(answer, f"model {model}")
        return NodeOutput(outputs={"error": message}, noticed=Noticed(kind="transport", message=message), answered=said)
    reply = reply_of(said.body)
    if not succeeded(answer) or reply is None:
        message = f"LLM call failed: {_words(said.body, answer.status)}"
        return NodeOutput(outputs={"error": message}, noticed=Noticed(kind="llm", message=message), answered=said)
    return NodeOutput(outputs={"response": unfenced(reply), "llm_usage": _usage(said.body, model)})


def ask_of(params: JsonObject) -> JsonObject:
    """Return the ask: what a model's answer is recorded under. Only what is configured is sent.

    Raises:
        TypeError, ValueError: a parameter cannot be used.
    """
    system = optional_text(params, "system", _WHO)
    messages = [{"role": "system", "content": system}] if system else []
    sampling = {name: number(params, name, _WHO) for name in ("max_tokens", "temperature")}
    return {
        "model": text(params, "model", _WHO),
        "messages": [*messages, {"role": "user", "content": text(params, "prompt", _WHO)}],
        "params": {name: value for name, value in sampling.items() if value is not None},
        "response_format": None,
        "draw": 0,
    }


def reply_of(body: Json) -> str | None:
    """Return the text of a chat completion (OpenAI's ``choices[0].message.content``), or None if there is none."""
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else None


def unfenced(said: str) -> str:
    """Return what stands in the code fence that encloses the whole of ``said``, or ``said`` as it is."""
    found = _FENCED.match(said)
    return found.group(1) if found else said


def _usage(body: JsonObject, model: str) -> JsonObject:
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return {
        "model": model,
        "input_tokens": counts.get("prompt_tokens"),
        "output_tokens": counts.get("completion_tokens"),
        "total_tokens": counts.get("total_tokens"),
    }


def _words(body: Json, status: int) -> str:
    error = body.get("error") if isinstance(body, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    if isinstance(said, str) and said:
        return said
    return f"HTTP {status}: the answer holds no text"


NODE = NodeType(
    type="llm",
    spec=NodeSpec(
        params=frozenset({"prompt", "system", "model", "temperature", "max_tokens"}),
        required=frozenset({"prompt", "model"}),
        outputs=frozenset({"response", "llm_usage", "error"}),
    ),
    run=run,
)
