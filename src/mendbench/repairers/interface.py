"""The options of every repairer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mendbench.model.json import Json, JsonObject

DEFAULT_PARAMS: Mapping[str, Json] = {"temperature": 0, "max_tokens": 400}
"""Default sampling parameters: a response with edits is short, and a run should be repeatable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All options of repairers. Each uses those that it needs."""

    model: str | None = None
    """For ``chat``: the server's name for the model."""
    params: Mapping[str, Json] = field(default_factory=lambda: dict(DEFAULT_PARAMS))
    """For ``chat``: the sampling parameters, sent unchanged; no others are sent."""
    recording: int = 0
    """For ``chat``: number of the recording at temperature 0."""
    response_format: JsonObject | None = None
    """For ``chat``: OpenAI's field of that name."""
    base_seed: int | None = None
    """For ``chat``: the first seed; None if the endpoint does not support seeds."""
    patch: tuple[JsonObject, ...] | None = None
    """For ``reference``: the case's fix."""
    argv: tuple[str, ...] = ()
    """For ``command``: the operator's program and its arguments."""
    function: str | None = None
    """For ``callable``: the operator's Python function, ``package.module:function``."""
    called: str | None = None
    """For ``command`` and ``callable``: the configured name."""


Factory: TypeAlias = Callable[[Options], Any]
"""Makes a :class:`mendbench.ports.repair.Repairer`. Not typed as one, because the repairers are frozen."""
