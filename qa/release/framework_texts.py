"""What an agent framework returns to the model after a failed tool call, by the framework's own code.

``python framework_texts.py FRAMEWORK`` reads failures from its input, as a JSON list of ``{"tool", "arguments", "error"}``, and prints their
texts as a JSON list. It runs in an environment that has only the framework, so it imports nothing else.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from types import SimpleNamespace


def pydantic_ai(failures):
    """Return what models without an error channel of their own get for a tool that raises ``ModelRetry``."""
    models, agents = importlib.import_module("pydantic_ai.models.function"), importlib.import_module("pydantic_ai")
    messages = importlib.import_module("pydantic_ai.messages")

    def text(failure):
        def fails() -> str:
            raise agents.ModelRetry(failure["error"])

        def model(history, _):
            returned = [part for part in history[-1].parts if isinstance(part, messages.ToolReturnPart)]
            if not returned:
                return messages.ModelResponse(parts=[messages.ToolCallPart(tool_name=failure["tool"], args={})])
            return messages.ModelResponse(parts=[messages.TextPart(returned[0].model_response_str())])

        agent = agents.Agent(models.FunctionModel(model), tools=[agents.Tool(fails, name=failure["tool"])])
        return agent.run_sync("go").output

    return [text(failure) for failure in failures]


def langchain(failures):
    """Return what the default error handler of ``ToolNode`` returns for arguments that do not validate."""
    nodes = importlib.import_module("langgraph.prebuilt.tool_node")
    handler = inspect.signature(nodes.ToolNode.__init__).parameters["handle_tool_errors"].default
    return [handler(nodes.ToolInvocationError(one["tool"], one["error"], one["arguments"])) for one in failures]


def openai_agents(failures):
    """Return what the default error function of a tool returns."""
    default = importlib.import_module("agents.tool").default_tool_error_function
    return [default(SimpleNamespace(), RuntimeError(one["error"])) for one in failures]


def instructor(failures):
    """Return the message after a tool call that does not validate, in tools mode."""
    chat = importlib.import_module("openai.types.chat")
    try:
        reask = importlib.import_module("instructor.v2.providers.openai.handlers").reask_tools
    except ModuleNotFoundError:  # 1.2
        reask = None

    def text(failure):
        call = {"name": failure["tool"], "arguments": json.dumps(failure["arguments"])}
        message = {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": call}]}
        choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
        response = chat.ChatCompletion.model_validate(
            {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        )
        error = ValueError(failure["error"])
        if reask is not None:
            return reask({"messages": []}, response, error)["messages"][-1]["content"]
        old = importlib.import_module("instructor.retry")
        return list(old.reask_messages(response, old.Mode.TOOLS, error))[-1]["content"]

    return [text(failure) for failure in failures]


FRAMEWORKS = {
    "instructor": instructor, "langchain": langchain, "openai-agents": openai_agents, "pydantic-ai": pydantic_ai,
}  # fmt: skip

if __name__ == "__main__":
    print(json.dumps(FRAMEWORKS[sys.argv[1]](json.load(sys.stdin))))
