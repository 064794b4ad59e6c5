"""Where a fact stands in the part of a prompt that all strategies share. There it would help every one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mendbench.io.canonical_json import canonical_json, pretty_json
from mendbench.model.case import Case
from mendbench.model.json import Json
from mendbench.scoring.judging.checks import short
from mendbench.scoring.judging.diffs import escape
from mendbench.scoring.judging.recall import context_recall, facts_of, readings
from mendbench.strategies.frame import build_frame

MOST_PLACES = 3
"""Places that are named for one fact."""


def facts_in_frame(case: Case) -> tuple[str, ...]:
    """Return one text for each fact that the frame contains: the fact, and where it stands with the matched text."""
    found = context_recall(facts_of(case), build_frame(case.request, case.workflow, None)).found
    return tuple(f"{fact!r} stands in {_listed(list(_places(case, fact)))}" for fact in found)


def _listed(places: list[str]) -> str:
    more = len(places) - MOST_PLACES
    shown = ", ".join(places[:MOST_PLACES]) + (f" and {more} more places" if more > 0 else "")
    return shown or "the frame's own text"


def _places(case: Case, fact: str) -> Iterator[str]:
    if text := _match(fact, case.request):
        yield f"the request ({text!r})"
    inside = [(pointer, text) for pointer, leaf in _texts(case.workflow, "") if (text := _match(fact, leaf))]
    yield from (f"workflow.json: {pointer} ({text!r})" for pointer, text in inside)
    if not inside and (text := _match(fact, pretty_json(case.workflow))):
        yield f"workflow.json ({text!r})"


def _match(fact: str, text: str) -> str | None:
    """Return what a fact matches in a text, on one line; None if the text does not contain it."""
    if not context_recall((fact,), text).found:
        return None
    found = (re.search(rf"(?<!\w)(?:{fact})(?!\w)", form) for form in readings(text))
    return next((short(one.group()) for one in found if one), None)


def _texts(value: Json, at: str) -> Iterator[tuple[str, str]]:
    """Yield the keys and leaves of a workflow, each with its JSON pointer; the token after ``/nodes`` is a node's id."""
    if isinstance(value, dict):
        for key, item in value.items():
            place = f"{at}/{escape(key)}"
            yield place, key
            yield from _texts(item, place)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            name = item.get("id") if at == "/nodes" and isinstance(item, dict) else None
            yield from _texts(item, f"{at}/{escape(name) if isinstance(name, str) else number}")
    else:
        yield at, value if isinstance(value, str) else canonical_json(value)
