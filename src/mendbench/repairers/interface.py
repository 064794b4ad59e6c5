"""What every repairer is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mendbench.model.json import Json, JsonObject

DEFAULT_PARAMS: Mapping[str, Json] = {"temperature": 0, "max_tokens": 400}
"""Sampling parameters where nothing else is configured: a response of edits is short, and a run should be repeatable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything that a repairer may be told. Each takes what it needs and leaves the rest."""

    model: str | None = None
    """For ``chat``: the model's name, as its server knows it."""
    params: Mapping[str, Json] = field(default_factory=lambda: dict(DEFAULT_PARAMS))
    """For ``chat``: the sampling parameters, sent as they are; what is not here is not sent."""
    recording: int = 0
    """For ``chat``: which recording of its responses at temperature 0."""
    response_format: JsonObject | None = None
    """For ``chat``: OpenAI's field of that name."""
    base_seed: int | None = None
    """For ``chat``: where seeds are counted from; None where the endpoint takes none."""
    patch: tuple[JsonObject, ...] | None = None
    """For ``reference``: the case's fix."""
    argv: tuple[str, ...] = ()
    """For ``command``: the operator's program and its arguments."""
    function: str | None = None
    """For ``callable``: the operator's Python function, ``package.module:function``."""
    called: str | None = None
    """For ``command`` and ``callable``: the name that the operator gave it."""


Factory: TypeAlias = Callable[[Options], Any]
"""Makes a :class:`mendbench.ports.repair.Repairer`. Not typed as one, because the repairers are frozen."""
