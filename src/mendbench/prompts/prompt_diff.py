"""Finds the recorded prompt that is most similar to a missing one, and their differences."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from mendbench.cassettes.cassette import Entry
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json, JsonObject
from mendbench.replay.model_cassette import model_request_differences


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """The recorded prompt that is most similar to a missing one."""

    key: str
    """Digest of its model request."""
    differs: tuple[str, ...]
    """Where the two differ: ``messages[1] at character 812``, ``params.temperature``."""
    diff: str
    """The unified diff of the texts; empty if they are the same."""


def nearest(model_request: JsonObject, entries: Iterable[Entry]) -> Nearest | None:
    """Return the recorded prompt of the same model with the most similar lines; None if nothing is recorded."""
    mine = text_of(model_request).splitlines()
    matcher: difflib.SequenceMatcher[str] = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(mine)
    best: tuple[float, Entry] | None = None
    for entry in sorted(entries, key=lambda entry: entry.key):
        matcher.set_seq1(text_of(entry.model_request or {}).splitlines())
        least = -1.0 if best is None else best[0]
        if matcher.real_quick_ratio() > least and matcher.quick_ratio() > least and (found := matcher.ratio()) > least:
            best = (found, entry)
    if best is None:
        return None
    entry = best[1]
    lines = difflib.unified_diff(
        text_of(entry.model_request or {}).splitlines(), mine, f"recorded {entry.key}", "rendered now", lineterm=""
    )
    return Nearest(
        key=entry.key,
        differs=model_request_differences(model_request, entry.model_request or {}),
        diff="\n".join(lines),
    )


def text_of(model_request: JsonObject) -> str:
    """Return a model request's messages as one text."""
    messages = model_request.get("messages")
    return "\n".join(map(_text, messages)) if isinstance(messages, list) else ""


def _text(message: Json) -> str:
    content = message.get("content") if isinstance(message, dict) and message.keys() <= {"role", "content"} else None
    return content if isinstance(content, str) else canonical_json(message)
