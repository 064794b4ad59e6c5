"""The ``llm`` node: one prompt to a chat model, which may call MCP tools before it responds."""

from __future__ import annotations

import re

from mendbench.api_errors.network import provider_of
from mendbench.model.json import JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.conversation import Said, Turn
from mendbench.runtime.nodes.function_calls import Tool, tools_named, tools_offered
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Send
from mendbench.runtime.nodes.params import number, optional_text, text
from mendbench.runtime.validate import NodeSpec

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
    said = Turn(_with_tools(model_request, tools), tools, provider, send, clock).run()
    return _output(said, model, with_calls=named is not None)


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


def unfenced(said: str) -> str:
    """Return the content of the code fence that encloses all of ``said``, or ``said`` unchanged."""
    found = _FENCED.match(said)
    return found.group(1) if found else said


def _with_tools(model_request: JsonObject, tools: tuple[Tool, ...]) -> JsonObject:
    return {**model_request, "tools": [tool.definition for tool in tools]} if tools else model_request


def _output(said: Said, model: str, *, with_calls: bool) -> NodeOutput:
    calls: JsonObject = {"tool_calls": list(said.calls)} if with_calls else {}
    usage: JsonObject = {} if said.tokens is None else {"llm_usage": {"model": model, **said.tokens}}
    if said.failed is None:
        return NodeOutput(outputs={"response": unfenced(said.text), **usage, **calls})
    so_far: JsonObject = {"response": said.text} if said.text else {}
    outputs = {**so_far, **usage, **calls, "error": said.failed.message}
    return NodeOutput(outputs=outputs, noticed=said.failed, answered=said.answered)


NODE = NodeType(
    type="llm",
    spec=NodeSpec(
        params=frozenset({"prompt", "system", "model", "temperature", "max_tokens", "tools", "provider"}),
        required=frozenset({"prompt", "model"}),
        outputs=frozenset({"response", "llm_usage", "tool_calls", "error"}),
    ),
    run=run,
)
