"""Models that many threads ask at once, and tiny trials that ask them: nothing here hangs on real time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from mendbench.cassettes.recordings import Recordings
from mendbench.exchanges.urls import model_url
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Request, Response
from mendbench.model.json import JsonObject
from mendbench.replay.model_cassette import ModelCassette
from mendbench.secrets.redaction import Redactor
from tests.fakes.worlds import completion

MODEL = "tiny"
PATIENCE_S = 30.0
"""How long a test waits for what has to come at once: it fails instead of hanging."""


def ask_of(text: str, model: str = MODEL) -> JsonObject:
    """Return the model request with this prompt."""
    messages = [{"role": "user", "content": text}]
    return {"model": model, "messages": messages, "params": {"temperature": 0}, "response_format": None, "draw": 0}


def key_of(text: str) -> str:
    """Return by what the model request with this prompt is known."""
    return digest(ask_of(text))


def prompt_of(model_request: JsonObject) -> str:
    """Return the prompt of a model request."""
    return str(model_request["messages"][-1]["content"])


class PromptModel:
    """Answers at once with its prompt, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def send(self, model_request: JsonObject) -> Response:
        """Return the response."""
        self.asked.append(prompt_of(model_request))
        return completion(f"to {prompt_of(model_request)}")


class HeldModel(PromptModel):
    """Answers nothing before it is released, and then in the order that is drawn.

    ``choose`` picks one of so many that wait; ``outstanding`` says how many asks have to be waiting before one is picked.
    """

    def __init__(self, choose: Callable[[int], int], at_once: int) -> None:
        super().__init__()
        self._choose, self._at_once = choose, at_once
        self._changed = threading.Condition()
        self._waiting: list[str] = []
        self._answered: set[str] = set()
        self.order: list[str] = []
        """Prompts in the order in which they were answered."""

    def send(self, model_request: JsonObject) -> Response:
        """Wait until it is this prompt's turn, and answer."""
        prompt = prompt_of(model_request)
        with self._changed:
            self.asked.append(prompt)
            self._waiting.append(prompt)
            self._changed.notify_all()
            if not self._changed.wait_for(lambda: prompt in self._answered, PATIENCE_S):
                raise TimeoutError(prompt)
        return completion(f"to {prompt}")

    def answer_until(self, there: Callable[[], bool], outstanding: int) -> None:
        """Answer one of those that wait after the other, until ``there`` holds."""
        while not there():
            with self._changed:
                expected = min(self._at_once, outstanding)
                if not self._changed.wait_for(lambda: len(self._waiting) >= expected, PATIENCE_S):  # noqa: B023 - at once
                    raise TimeoutError(f"{self._waiting}, and not {expected}")
                prompt = self._waiting.pop(self._choose(len(self._waiting)))
                self._answered.add(prompt)
                self.order.append(prompt)
                outstanding -= 1
                self._changed.notify_all()
            if not outstanding:
                return


def goes(recordings: Recordings, prompts: Sequence[str], caller: object, **options: object) -> tuple[str, ...]:
    """Go a trial that asks these prompts, each after the response to the one before, and return the bodies of the responses."""
    book = ModelCassette(
        recordings=recordings, redactor=Redactor({}), caller=caller, **{"mode": "new_episodes", **options}
    )
    return tuple(
        book.send(
            Request(method="POST", url=model_url(MODEL), body=canonical_json(ask_of(prompt)).encode())
        ).body.decode()
        for prompt in prompts
    )
