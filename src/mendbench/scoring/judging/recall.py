"""The content of a prompt: which required facts it contains, and where it contains the fix's new value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case, Fix
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Section
from mendbench.model.trial import Where
from mendbench.runtime.templates import Template, templates_in
from mendbench.scoring.judging.diffs import MISSING, Missing, unescape, value_at

PLACES: tuple[Where, ...] = ("frame", "raw", "state", "derived", "nowhere")
"""Ordered from what every prompt has to what none has. If several contain a value, the first one counts."""

_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\[\"\\/bfnrt]")
"""Escape sequences of JSON strings (RFC 8259 section 7). Consecutive Unicode escapes match together because of surrogate pairs."""

_NESTED = 2
"""Maximum number of escape levels: an API's message in JSON that is itself in a JSON string."""

_OWN_NAMES = frozenset({"id", "type", "purpose"})
"""Fields of a new node that its author may choose freely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The facts that a context contains, and those that it does not."""

    found: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def share(self) -> float | None:
        """Share of the facts that the context contains; None if there are no facts."""
        total = len(self.found) + len(self.missing)
        return len(self.found) / total if total else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Needle:
    """Something to search for: a text, or the name of a field."""

    text: str
    field: bool = False

    def found_in(self, forms: Iterable[str]) -> bool:
        """Return whether any of the :func:`readings` of a text contains it."""
        word = re.escape(self.text)
        pattern = rf"(?<!\w){word}(?!\w)"
        if self.field:
            quoted = rf"[.\"'`\[/]{word}(?!\w)"
            named = rf"(?<!\w){word}[\"'`]?\s*[:=(\[]"
            listed = rf"(?m:^\s*[-*•]\s+{word}(?!\w))"
            pattern = rf"{quoted}|{named}|{listed}"
        return any(re.search(pattern, text) is not None for text in forms)


def facts_of(case: Case) -> tuple[str, ...]:
    """Return the facts of all faults of a case, each once."""
    return tuple(dict.fromkeys(fact for fault in case.faults for fact in fault.facts))


def context_recall(facts: Iterable[str], text: str) -> Recall:
    """Return which of the facts ``text`` contains. Facts are regular expressions and match between word boundaries.

    A fact may also be escaped in JSON: all :func:`readings` of ``text`` are searched.

    Raises:
        BadInput: a fact is not a regular expression.
    """
    return _recall(tuple(facts), text)


@lru_cache(maxsize=64)
def _recall(facts: tuple[str, ...], text: str) -> Recall:
    found: list[str] = []
    missing: list[str] = []
    forms = readings(text)
    for fact in facts:
        try:
            pattern = re.compile(rf"(?<!\w)(?:{fact})(?!\w)")
        except re.error as error:
            raise BadInput(f"fact {fact!r}", str(error), "write a regular expression") from None
        (found if any(pattern.search(form) for form in forms) else missing).append(fact)
    return Recall(found=tuple(found), missing=tuple(missing))


@lru_cache(maxsize=64)
def readings(text: str) -> tuple[str, ...]:
    """Return ``text``, and the distinct results of decoding its JSON escapes once and twice."""
    forms = [text]
    for _ in range(_NESTED):
        forms.append(_ESCAPES.sub(_unescaped, forms[-1]))
    return tuple(dict.fromkeys(forms))


def _unescaped(escape: re.Match[str]) -> str:
    return str(json.loads(f'"{escape.group()}"'))


def where_is_value(workflow: JsonObject, fix: Fix, frame: str, sections: Sequence[Section]) -> Where:
    """Return where a prompt contains the new values of ``fix``, which mends ``workflow``.

    New values are the texts that the patch inserts: of a partly changed text, the changed part; of a template, the new
    steps of its path, which are found wherever they occur as a field name. The value that is hardest to find decides: a
    fix with one value in the API's response and one nowhere is ``nowhere``. A fix without new values is judged by the
    names of the parameters that it creates (a rename). A fix that only removes or reconnects counts as ``frame``.
    """
    texts: dict[Where, str] = {"frame": frame, "raw": "", "state": "", "derived": ""}
    for section in sections:
        texts[section.label] += f"\n{section.text}"
    return _hardest(new_values(workflow, fix), tuple(texts.items()))


@lru_cache(maxsize=256)
def _hardest(needles: tuple[Needle, ...], texts: tuple[tuple[Where, str], ...]) -> Where:
    """Return the place of the value that is hardest to find. Cached: the first prompts of all models are alike."""
    forms = {place: readings(text) for place, text in texts}
    return PLACES[max((_rank(needle, forms) for needle in needles), default=0)]


def new_values(workflow: JsonObject, fix: Fix) -> tuple[Needle, ...]:
    """Return the distinct values that ``fix`` inserts and that ``workflow`` does not have in that place."""
    added = {str(op["value"].get("id")) for op in fix.patch if isinstance(op.get("value"), dict) and _is_node(op)}
    needles: dict[Needle, None] = {}
    for op in fix.patch:
        path = op.get("path")
        if op.get("op") not in {"add", "replace"} or not isinstance(path, str) or path.startswith("/edges"):
            continue
        found = value_at(workflow, path)
        before = None if isinstance(found, Missing) else found
        for old, new in _leaves(before, op.get("value"), skip=_OWN_NAMES if _is_node(op) else frozenset()):
            needles.update(dict.fromkeys(_needles(old, new, added)))
    return tuple(needles) or tuple(dict.fromkeys(_new_names(workflow, fix)))


def _new_names(workflow: JsonObject, fix: Fix) -> Iterator[Needle]:
    """Yield the names of the parameters that a fix without new values adds or moves something to."""
    for op in fix.patch:
        path = str(op.get("path", ""))
        name = path.rsplit("/", 1)[-1]
        named = name != "-" and not name.isdecimal() and not _is_node(op)
        if op.get("op") in {"add", "move", "copy"} and named and value_at(workflow, path) == MISSING:
            yield Needle(text=unescape(name), field=True)


def _rank(needle: Needle, forms: Mapping[Where, Iterable[str]]) -> int:
    found = (rank for rank, place in enumerate(PLACES) if place in forms and needle.found_in(forms[place]))
    return next(found, len(PLACES) - 1)


def _is_node(op: JsonObject) -> bool:
    tokens = str(op.get("path", "")).split("/")
    return len(tokens) == 3 and tokens[1] == "nodes"  # noqa: PLR2004 - "", nodes, id


def _leaves(old: Json, new: Json, skip: frozenset[str]) -> Iterator[tuple[Json, Json]]:
    """Yield the leaves of ``new``, each with the value of ``old`` in the same place."""
    if isinstance(new, dict):
        for key, value in new.items():
            if key not in skip:
                yield from _leaves(old.get(key) if isinstance(old, dict) else None, value, frozenset())
    elif isinstance(new, list):
        for index, value in enumerate(new):
            yield from _leaves(old[index] if isinstance(old, list) and index < len(old) else None, value, frozenset())
    else:
        yield old, new


def _needles(old: Json, new: Json, added: set[str]) -> Iterator[Needle]:
    if isinstance(new, bool | int | float) and canonical_json(new) != canonical_json(old):
        yield Needle(text=canonical_json(new))
    if not isinstance(new, str) or new == old:
        return
    before = old if isinstance(old, str) else ""
    known, templates = templates_in(before), templates_in(new)
    for template in templates:
        if template.text not in {template.text for template in known}:
            yield from (Needle(text=step, field=True) for step in _new_steps(template, known) if step not in added)
    text = _new_part(_blank(before, known), _blank(new, templates))
    if text:
        yield Needle(text=text)


def _new_steps(template: Template, known: Sequence[Template]) -> list[str]:
    steps = (template.root, *template.path)
    common = max((_common(steps, (template.root, *template.path)) for template in known), default=0)
    return [step for step in steps[common:] if isinstance(step, str) and not step.startswith("$")]


def _common(left: Sequence[str | int], right: Sequence[str | int]) -> int:
    """Return the length of the common start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left, right, strict=False)))


def _blank(text: str, templates: Sequence[Template]) -> str:
    for template in templates:
        text = text.replace(template.text, "\0")
    return text


def _new_part(old: str, new: str) -> str:
    """Return the words of ``new`` from the first to the last that differs from ``old``."""
    before, after = (re.findall(r"\w+|[^\w\s\0]|\0", text) for text in (old, new))
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    spans = [match.span() for match in re.finditer(r"\w+|[^\w\s\0]|\0", new)][start : len(after) - end]
    part = new[spans[0][0] : spans[-1][1]] if spans else ""
    return re.sub(r"^\W+|\W+$", "", part.replace("\0", " "))
