"""One turn of a conversation with a chat model: model requests repeat as long as the model calls functions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.api_errors.call_errors import CallErrors, handled
from mendbench.api_errors.network import NetworkFailure, with_network_retry
from mendbench.exchanges.urls import model_url
from mendbench.model.json import JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.completions import Call, added, calls_of, refusal, reply_of, tokens_of
from mendbench.runtime.nodes.function_calls import Tool, run_call
from mendbench.runtime.nodes.interface import Answered, Observed, Send, json_request
from mendbench.runtime.nodes.responses import answered, succeeded

MAX_ROUNDS = 20
"""Maximum number of rounds of function calls in one turn. All calls in one response form one round."""

_PROVIDER_MAX_ROUNDS = {"mistral": 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """The result of a turn."""

    text: str
    """The response; with ``failed``, the text so far."""
    tokens: JsonObject | None
    """The sum over all model requests; None if none got a response."""
    calls: tuple[JsonObject, ...]
    """The records of the executed calls, in order."""
    failed: Observed | None = None
    answered: Answered | None = None
    """The model server's reply if it returned no completion."""


class Turn:
    """The state of one turn. :meth:`run` may be called once.

    Transport faults are retried on ``clock``. Calls have a limit, which ``provider`` determines. Three similar errors in a
    row also end the turn.
    """

    def __init__(
        self, model_request: JsonObject, tools: tuple[Tool, ...], provider: str | None, send: Send, clock: Clock
    ) -> None:
        self._model_request, self._provider, self._send, self._clock = model_request, provider, send, clock
        self._messages = list(model_request["messages"])
        self._tools = {tool.name: tool for tool in tools}
        self._rounds_left = _PROVIDER_MAX_ROUNDS.get((provider or "").lower(), MAX_ROUNDS)
        self._errors = CallErrors()
        self._texts: list[str] = []
        self._calls: list[JsonObject] = []
        self._tokens: JsonObject | None = None

    def run(self) -> TurnResult:
        """Send model requests until the model makes no more calls, or something ends the turn."""
        while True:
            answer = self._asked()
            if isinstance(answer, TurnResult):
                return answer
            text, calls = reply_of(answer.body), calls_of(answer.body) if self._tools else ()
            if text is None and not calls:
                return self._refused(answer)
            counts = tokens_of(answer.body)
            self._tokens = counts if self._tokens is None else added(self._tokens, counts)
            if not calls:
                return self._result(text or "")
            self._texts += [text] if text else []
            problem = self._round(text, calls)
            if problem is not None:
                return self._failed(Observed(kind="llm", message=problem))

    def _asked(self) -> Answered | TurnResult:
        """Return the model's response, or the turn's result if there was none."""
        model_request = {**self._model_request, "messages": self._messages}
        request = json_request(model_url(model_request["model"]), model_request)
        response = with_network_retry(
            lambda: self._send(request), self._clock, provider=self._provider, seed=request.url
        )
        if isinstance(response, NetworkFailure):
            return self._failed(Observed(kind="transport", message=response.message))
        answer = answered(response)
        return answer if succeeded(response) else self._refused(answer)

    def _round(self, text: str | None, calls: tuple[Call, ...]) -> str | None:
        """Run the calls of one response and add them to the next model request. Return the reason to end the turn, if any."""
        if not self._rounds_left:
            return "Maximum function call depth exceeded"
        self._rounds_left -= 1
        numbered = {f"call{len(self._calls) + at:05d}": call for at, call in enumerate(calls, start=1)}
        self._messages.append({"role": "assistant", "content": text, "tool_calls": _as_sent(numbered)})
        for number, call in numbered.items():
            result = run_call(call, self._tools, self._send, self._clock)
            self._calls.append(result.record)
            self._messages.append({"role": "tool", "tool_call_id": number, "content": result.text})
            self._errors, stop = handled(self._errors, result.value, call.name)
            if stop is not None:
                return stop.suggestion
        return None

    def _refused(self, answer: Answered) -> TurnResult:
        message = f"LLM call failed: {refusal(answer.body, answer.status or 0)}"
        return self._failed(Observed(kind="llm", message=message), answer)

    def _failed(self, failed: Observed, answer: Answered | None = None) -> TurnResult:
        return replace(self._result("\n".join(self._texts)), failed=failed, answered=answer)

    def _result(self, text: str) -> TurnResult:
        return TurnResult(text=text, tokens=self._tokens, calls=tuple(self._calls))


def _as_sent(numbered: dict[str, Call]) -> list[JsonObject]:
    """Return the model's calls as the next model request repeats them.

    They get our own ids: the server's are random, so requests with them would never be equal. The ids are nine letters
    and digits, the strictest format (Mistral's).
    """
    return [
        {"id": number, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for number, call in numbered.items()
    ]
