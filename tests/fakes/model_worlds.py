"""A world that knows only models: it answers asks from a script and keeps what it was sent."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.json import JsonObject


def completion(content, *, finish_reason="stop", usage=None, model=None, elapsed_ms=0) -> Response:
    """Return an OpenAI-shaped answer of a chat model."""
    value = {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}]
    }
    if usage is not None:
        value["usage"] = usage
    if model is not None:
        value["model"] = model
    headers = (("content-type", "application/json"),)
    return Response(status=200, headers=headers, body=json.dumps(value).encode(), elapsed_ms=elapsed_ms)


@dataclass
class FakeModelWorld:
    """Gives its responses in turn, the last one for ever; or asks a function of the model request."""

    responses: Sequence[Response] | Callable[[JsonObject], Response] = ()
    sent: list[Request] = field(default_factory=list)

    @property
    def model_requests(self) -> list[JsonObject]:
        return [json.loads(request.body) for request in self.sent]

    def send(self, request: Request, *, node: str | None = None) -> Response:
        self.sent.append(request)
        if callable(self.responses):
            return self.responses(json.loads(request.body))
        return self.responses[min(len(self.sent), len(self.responses)) - 1]

    def traffic(self) -> tuple[Exchange, ...]:
        return ()

    def begin_execution(self) -> None:
        """Asks belong to no execution."""
