"""Prompts that a model was asked more than once where nothing is drawn: whether it said the same, which is the noise of recording."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mendbench.cassettes.cassette import Entry
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.prompts.prompt_lines import custom_id
from mendbench.prompts.trials_asking import by_repairer
from mendbench.repair.responses import find_response
from mendbench.repairers.asking import read_response


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """A prompt of a repairer that was asked again, with its response held against the first one."""

    case: str
    custom_id: str
    same_text: bool
    """To the letter, and broken off or not."""
    same_response: bool
    """What is read of both is the same JSON; or none is, and the texts are the same."""


def repeats(case: str, entries: Iterable[Entry]) -> Iterator[Repeat]:
    """Yield the repeated asks among a case's recorded ones, in order of the first ones; each repeat is held against the first take.

    Asks at a temperature above 0 are draws, of which none repeats another.

    Raises:
        Incomplete: a recorded response is none.
    """
    takes: dict[str, list[tuple[int, str, Entry]]] = defaultdict(list)
    for entry in entries:
        if (
            entry.model_request is not None
            and isinstance(take := entry.model_request.get("draw"), int)
            and by_repairer(entry.model_request)
        ):
            takes[digest({**entry.model_request, "draw": 0})].append((take, custom_id(entry.model_request), entry))
    for made in takes.values():
        (_, _, first), *later = sorted(made, key=lambda one: one[0])
        for _, name, entry in later:
            said, again = _said(first), _said(entry)
            same = said == again
            yield Repeat(case=case, custom_id=name, same_text=same, same_response=same or _alike(said[0], again[0]))


def _said(entry: Entry) -> tuple[str, str]:
    reply = read_response(entry.response, model="", model_request=entry.key)
    return reply.text, reply.status


def _alike(text: str, again: str) -> bool:
    response, other = find_response(text), find_response(again)
    return response is not None and other is not None and canonical_json(response) == canonical_json(other)
