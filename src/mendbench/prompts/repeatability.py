"""Compares repeated responses to the same prompt without sampling. Differences are recording noise."""

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
    """A repairer's prompt that was sent again, with its response compared with the first one."""

    case: str
    custom_id: str
    same_text: bool
    """Identical text, and both are truncated or neither is."""
    same_response: bool
    """Both contain the same JSON; or neither contains JSON, and the texts are the same."""


def repeats(case: str, entries: Iterable[Entry]) -> Iterator[Repeat]:
    """Yield the repeated model requests of a case in the order of the first ones. Each repeat is compared with the first take.

    Requests at a temperature above 0 are separate draws and never count as repeats.

    Raises:
        Incomplete: a recorded response is not one.
    """
    takes: dict[str, list[tuple[int, str, Entry]]] = defaultdict(list)
    for entry in entries:
        if (
            entry.model_request is not None
            and isinstance(take := entry.model_request.get("draw"), int)
            and by_repairer(entry.model_request)
        ):
            takes[digest({**entry.model_request, "draw": 0})].append((take, custom_id(entry.model_request), entry))
    for own in takes.values():
        (_, _, first), *later = sorted(own, key=lambda take: take[0])
        for _, name, entry in later:
            (text, status), (again, status_again) = _content(first), _content(entry)
            same = (text, status) == (again, status_again)
            yield Repeat(case=case, custom_id=name, same_text=same, same_response=same or _same_json(text, again))


def _content(entry: Entry) -> tuple[str, str]:
    reply = read_response(entry.response, model="", model_request=entry.key)
    return reply.text, reply.status


def _same_json(text: str, again: str) -> bool:
    response, other = find_response(text), find_response(again)
    return response is not None and other is not None and canonical_json(response) == canonical_json(other)
