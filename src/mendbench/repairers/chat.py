"""The chat repairer: any model behind an OpenAI-compatible URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mendbench.errors import BadInput
from mendbench.exchanges.urls import model_url
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Prompt, Reply
from mendbench.ports.world import World
from mendbench.repairers.asking import build_model_request, send_model_request
from mendbench.repairers.interface import DEFAULT_PARAMS, Options

SEEDS_PER_SAMPLE = 1000
"""Distance between the seeds of two samples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRepairer:
    """Sends prompts to a chat model. The request identifies its response; the server's location does not matter."""

    model: str
    params: Mapping[str, Json] = field(default_factory=lambda: dict(DEFAULT_PARAMS))
    response_format: JsonObject | None = None
    base_seed: int | None = None
    recording: int = 0
    """Number of the recording at temperature 0: a new number sends every prompt again."""
    name: str = "chat"

    def model_request(self, prompt: Prompt, *, sample: int, times_asked: int) -> JsonObject:
        """Return the model request for ``prompt``, without sending it.

        At temperature 0 every draw is the same one, ``take``. Otherwise the draw is (sample, times asked), and the seed, if seeds
        are configured, is ``base_seed + 1000 * sample + times_asked``.
        """
        params = dict(self.params)
        draw: int | tuple[int, int] = self.recording
        if params.get("temperature") != 0:
            draw = (sample, times_asked)
            if self.base_seed is not None:
                params["seed"] = self.base_seed + SEEDS_PER_SAMPLE * sample + times_asked
        return build_model_request(
            prompt, model=self.model, params=params, response_format=self.response_format, draw=draw
        )

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:
        """Return the model's response, recorded or live."""
        return send_model_request(
            model_world, self.model_request(prompt, sample=sample, times_asked=times_asked), model_url(self.model)
        )


def make(options: Options) -> ChatRepairer:
    """Return a chat repairer.

    Raises:
        BadInput: no model is named.
    """
    if not options.model:
        raise BadInput("repairer chat", "no model", "name one with --model")
    return ChatRepairer(
        model=options.model,
        params=dict(options.params),
        response_format=options.response_format,
        base_seed=options.base_seed,
        recording=options.recording,
    )
