"""A world that knows only models: it answers asks from a script and keeps what it was sent."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mendbench.model.exchange import Answer, Exchange, Request
from mendbench.model.json import JsonObject


def completion(content, *, finish_reason="stop", usage=None, model=None, elapsed_ms=0) -> Answer:
    """Return an OpenAI-shaped answer of a chat model."""
    value = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}]
    }
    if usage is not None:
        value["usage"] = usage
    if model is not None:
        value["model"] = model
    headers = (("content-type", "application/json"),)
    return Answer(status=200, headers=headers, body=json.dumps(value).encode(), elapsed_ms=elapsed_ms)


@dataclass
class FakeAsks:
    """Gives its answers in turn, the last one for ever; or asks a function of the ask."""

    answers: Sequence[Answer] | Callable[[JsonObject], Answer] = ()
    sent: list[Request] = field(default_factory=list)

    @property
    def asks(self) -> list[JsonObject]:
        return [json.loads(request.body) for request in self.sent]

    def send(self, request: Request, *, node: str | None = None) -> Answer:
        self.sent.append(request)
        if callable(self.answers):
            return self.answers(json.loads(request.body))
        return self.answers[min(len(self.sent), len(self.answers)) - 1]

    def traffic(self) -> tuple[Exchange, ...]:
        return ()

    def begin_execution(self) -> None:
        """Asks belong to no execution."""
