"""The ``llm`` node: one prompt to a chat model, which may call MCP tools before it responds."""

from __future__ import annotations

import re

from mendbench.api_errors.network import provider_of
from mendbench.model.json import JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.conversation import Turn, TurnResult
from mendbench.runtime.nodes.function_calls import tools_named, tools_offered
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Send
from mendbench.runtime.nodes.params import number, optional_text, text
from mendbench.runtime.outline import NodeSpec

_WHO = "LLM"
_FENCED = re.compile(r"\A\s*```[^\n`]*\n(.*?)\n?```\s*\Z", re.DOTALL)


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Send the prompt and return the model's text, without the code fence if one encloses all of it.

    With ``tools`` (a list of ``server/tool``) the model may call these MCP tools before it responds. ``provider``
    selects the limits; its default is the part of the model's name before the slash.

    Raises:
        TypeError, ValueError: a parameter cannot be used, or a server has no such tool.
    """
    model_request, named = ask_of(params), tools_named(params, _WHO)
    model = text(params, "model", _WHO)
    provider = optional_text(params, "provider", _WHO) or provider_of(model)
    tools = tools_offered(named or (), _WHO, send, clock)
    if isinstance(tools, NodeOutput):
        return tools
    if tools:
        model_request["tools"] = [tool.definition for tool in tools]
    result = Turn(model_request, tools, provider, send, clock).run()
    return _output(result, model, with_calls=named is not None)


def ask_of(params: JsonObject) -> JsonObject:
    """Return the model request, the key of the recorded response. It contains only configured parameters.

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


def unfenced(text: str) -> str:
    """Return the content of the code fence that encloses all of ``text``, or ``text`` unchanged."""
    found = _FENCED.match(text)
    return found.group(1) if found else text


def _output(result: TurnResult, model: str, *, with_calls: bool) -> NodeOutput:
    calls: JsonObject = {"tool_calls": list(result.calls)} if with_calls else {}
    usage: JsonObject = {} if result.tokens is None else {"llm_usage": {"model": model, **result.tokens}}
    if result.failed is None:
        return NodeOutput(outputs={"response": unfenced(result.text), **usage, **calls})
    text: JsonObject = {"response": result.text} if result.text else {}
    outputs = {**text, **usage, **calls, "error": result.failed.message}
    return NodeOutput(outputs=outputs, noticed=result.failed, answered=result.answered)


NODE = NodeType(
    type="llm",
    spec=NodeSpec(
        params=frozenset({"prompt", "system", "model", "temperature", "max_tokens", "tools", "provider"}),
        required=frozenset({"prompt", "model"}),
        outputs=frozenset({"response", "llm_usage", "tool_calls", "error"}),
    ),
    run=run,
)
