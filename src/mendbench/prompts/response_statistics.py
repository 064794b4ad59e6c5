"""Estimates the length and duration of a model's future responses from its recorded ones."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mendbench.api_errors.chat_responses import limit_in
from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recordings import model_file
from mendbench.errors import Incomplete
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json, JsonObject
from mendbench.repairers.asking import read_response
from mendbench.strategies.tokens import estimate

ENOUGH = 400
"""Maximum number of recorded responses of a model to read for its figures: more would only take longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseFigures:
    """Figures of one model. None means that no recorded response has the value."""

    responses: int
    ratio: float | None
    """Reported prompt tokens per estimated token."""
    completion_tokens: float | None
    median_ms: int | None


def responses_of(cassettes: Path, model: str, first: Iterable[Path]) -> ResponseFigures:
    """Return the figures of a model's recorded responses. Those in the folders ``first`` are read before others below ``cassettes``.

    Raises:
        BadInput: a cassette is broken.
    """
    entries = _recorded(cassettes, model, first)
    reported = guessed = 0
    completions: list[int] = []
    took = [entry.response.elapsed_ms for entry in entries if entry.provenance is None and entry.response.elapsed_ms]
    for entry in entries:
        try:
            reply = read_response(entry.response, model=model, model_request=entry.key)
        except Incomplete:  # not a response
            continue
        if reply.prompt_tokens and entry.model_request is not None:
            reported, guessed = reported + reply.prompt_tokens, guessed + prompt_length(entry.model_request)
        if reply.completion_tokens is not None:
            completions.append(reply.completion_tokens)
    return ResponseFigures(
        responses=len(entries),
        ratio=reported / guessed if guessed else None,
        completion_tokens=statistics.fmean(completions) if completions else None,
        median_ms=round(statistics.median(took)) if took else None,
    )


def _recorded(cassettes: Path, model: str, first: Iterable[Path]) -> list[Entry]:
    """Return recorded responses of a model until there are enough."""
    name, found = model_file(model), list[Entry]()
    others = (path.parent for path in sorted(cassettes.glob(f"*/*/{name}")))
    for folder in dict.fromkeys([*first, *others]):
        if len(found) >= ENOUGH:
            break
        found += [
            entry
            for entry in cassette.load(folder / name)
            if entry.model_request is not None
            and entry.model_request.get("model") == model
            and 200 <= entry.response.status < 300  # noqa: PLR2004  the 2xx
        ]
    return found


def prompt_length(model_request: JsonObject) -> int:
    """Return about how many tokens a model request's messages have, estimated from their length alone."""
    return sum(estimate(_text(message)) for message in model_request.get("messages") or [])


def _text(message: Json) -> str:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else canonical_json(message)


def response_limit(model_request: JsonObject) -> int | None:
    """Return the maximum number of tokens in the response; None if the model request sets no limit."""
    found = limit_in(model_request.get("params") or {})
    given = found[1] if found else None
    return given if isinstance(given, int) and not isinstance(given, bool) else None
