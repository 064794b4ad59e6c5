"""Model requests: converts a prompt to a request to ``model://…``, and the server's response to a reply."""

from __future__ import annotations

from collections.abc import Mapping

from mendbench.api_errors.chat_responses import choice_of, refuses_for_length, was_cut
from mendbench.errors import Incomplete
from mendbench.exchanges.bodies import parse_body
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Prompt, Reply, ReplyStatus
from mendbench.ports.world import World


def build_model_request(
    prompt: Prompt,
    *,
    model: str,
    params: Mapping[str, Json],
    response_format: JsonObject | None,
    draw: int | tuple[int, int],
) -> JsonObject:
    """Return the model request: everything that determines a response, without the server's location."""
    return {
        "model": model,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "params": dict(params),
        "response_format": response_format,
        "draw": draw if isinstance(draw, int) else list(draw),
    }


def model_request_digest(model_request: JsonObject) -> str:
    """Return the digest that identifies a model request."""
    return digest(model_request)


def send_model_request(model_world: World, model_request: JsonObject, url: str, *, says_model: bool = False) -> Reply:
    """Return the response to ``model_request``. With ``says_model`` its model is the one that the response names, if any.

    Raises:
        Incomplete: the model's server gave no readable response. A timeout or a failure is never a response.
        ReplayMiss: the response is not recorded, and a live request is not allowed.
    """
    body = canonical_json(model_request).encode("utf-8", "backslashreplace")  # a lone surrogate becomes its JSON escape
    response = model_world.send(
        Request(method="POST", url=url, headers=(("content-type", "application/json"),), body=body)
    )
    return read_response(
        response,
        model=str(model_request["model"]),
        model_request=model_request_digest(model_request),
        says_model=says_model,
    )


def read_response(response: Response, *, model: str, model_request: str, says_model: bool = False) -> Reply:
    """Return the reply in an OpenAI chat completion. Its model is ``model``, or with ``says_model`` the one that it names.

    Raises:
        Incomplete: it is not a chat completion.
    """
    value = parse_body(response.body, response.header("content-type"))
    if refuses_for_length(response):
        return Reply(
            text="", status="prompt_too_long", model=model, model_request=model_request, elapsed_ms=response.elapsed_ms
        )
    choice = choice_of(value)
    if response.fault is not None or not 200 <= response.status < 300 or choice is None:  # noqa: PLR2004 (the 2xx)
        raise Incomplete(
            f"model {model!r} gave no response: {_what_came(response)}; mend its server and record the model request again"
        )
    status: ReplyStatus = "cut" if was_cut(choice) else "answered"
    usage = value.get("usage") or {}
    reported = value.get("model") if says_model else None
    return Reply(
        text=_content(choice["message"].get("content")) or _arguments(choice["message"].get("tool_calls")),
        status=status,
        model=reported if isinstance(reported, str) and reported else model,
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        model_request=model_request,
        elapsed_ms=response.elapsed_ms,
    )


def _content(content: Json) -> str:
    """Return a message's text: a string, the text parts of a list, or nothing if the model refused."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _arguments(calls: Json) -> str:
    """Return the arguments of the first tool call: a model with tools responds with them instead of a text."""
    first = calls[0] if isinstance(calls, list) and calls else None
    function = first.get("function") if isinstance(first, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return arguments if isinstance(arguments, str) else ""


def _count(usage: Json, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _what_came(response: Response) -> str:
    if response.fault is not None:
        return response.fault
    start = " ".join(response.body.decode("utf-8", "replace").split())[:200]
    return f"HTTP {response.status} {start or '(empty)'}"
