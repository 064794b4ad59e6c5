"""Asks: how a prompt becomes a request to ``model://…``, and the server's answer a reply."""

from __future__ import annotations

from collections.abc import Mapping

from mendbench.api_errors.chat_responses import choice_of, refuses_for_length, was_cut
from mendbench.errors import Incomplete
from mendbench.exchanges.bodies import parse_body
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Answer, Request
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Prompt, Reply, ReplyStatus
from mendbench.ports.world import World


def build_ask(
    prompt: Prompt,
    *,
    model: str,
    params: Mapping[str, Json],
    response_format: JsonObject | None,
    draw: int | tuple[int, int],
) -> JsonObject:
    """Return the ask: all that decides an answer, and nothing of where it is asked."""
    return {
        "model": model,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "params": dict(params),
        "response_format": response_format,
        "draw": draw if isinstance(draw, int) else list(draw),
    }


def ask_digest(ask: JsonObject) -> str:
    """Return the digest by which an ask is known."""
    return digest(ask)


def send_ask(asks: World, ask: JsonObject, url: str, *, says_model: bool = False) -> Reply:
    """Return the answer to ``ask``. With ``says_model`` its model is the one that the answer names, if it names one.

    Raises:
        Incomplete: the model's server gave no answer that could be read. A timeout or a failure is never an answer.
        ReplayMiss: the answer is not recorded and may not be asked live.
    """
    body = canonical_json(ask).encode("utf-8", "backslashreplace")  # a lone surrogate becomes its JSON escape
    answer = asks.send(Request(method="POST", url=url, headers=(("content-type", "application/json"),), body=body))
    return read_answer(answer, model=str(ask["model"]), ask=ask_digest(ask), says_model=says_model)


def read_answer(answer: Answer, *, model: str, ask: str, says_model: bool = False) -> Reply:
    """Return the reply in an OpenAI-shaped chat completion, of ``model`` unless it ``says_model`` itself.

    Raises:
        Incomplete: it is none.
    """
    value = parse_body(answer.body, answer.header("content-type"))
    if refuses_for_length(answer):
        return Reply(text="", status="prompt_too_long", model=model, ask=ask, elapsed_ms=answer.elapsed_ms)
    choice = choice_of(value)
    if answer.fault is not None or not 200 <= answer.status < 300 or choice is None:  # noqa: PLR2004 (the 2xx)
        raise Incomplete(
            f"model {model!r} gave no answer: {_what_came(answer)}; mend its server and record the ask again"
        )
    status: ReplyStatus = "cut" if was_cut(choice) else "answered"
    usage = value.get("usage") or {}
    said = value.get("model") if says_model else None
    return Reply(
        text=_content(choice["message"].get("content")),
        status=status,
        model=said if isinstance(said, str) and said else model,
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        ask=ask,
        elapsed_ms=answer.elapsed_ms,
    )


def _content(content: Json) -> str:
    """Return a message's text: a string, the text parts of a list, or nothing where a model refused."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _count(usage: Json, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _what_came(answer: Answer) -> str:
    if answer.fault is not None:
        return answer.fault
    start = " ".join(answer.body.decode("utf-8", "replace").split())[:200]
    return f"HTTP {answer.status} {start or '(empty)'}"
