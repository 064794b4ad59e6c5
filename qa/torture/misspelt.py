"""Keys of shipped states, misspelt: each is reported."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from mendbench.config.shipped import shipped_root
from mendbench.corpus.corpus import load_corpus
from mendbench.corpus.declared_services import OWN, laid_over, state_of
from mendbench.corpus.states import state_misfits
from mendbench.model.case import Case
from mendbench.services import shape_of, simulated
from mendbench.services.shape import Record, Shape
from qa.torture.tally import Attempt

LONG = 2_000
"""Keys that are misspelt."""


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Misspell ``count`` keys of the states of shipped cases and of their variants, one at a time."""
    chance = random.Random(seed)
    for number in range(count):
        case, at, name, way, known = chance.choice(_places())
        key = misspelt(way[-1], known, chance)
        reported = state_misfits(_changed(case, at, name, way, key))
        failure = (
            None
            if any(repr(key) in str(one) for one in reported)
            else f"{case.id}: {'.'.join(map(str, way))}: {key!r} is taken"
        )
        yield Attempt(kind=f"keys of {name}", what=f"key {number} of seed {seed}", failure=failure)


def misspelt(key: str, known: frozenset[str], chance: random.Random) -> str:
    """Return a key with a letter that is doubled, left out or swapped with the next one."""
    while True:
        at = chance.randrange(len(key))
        ways = (
            key[:at] + key[at] + key[at:],
            key[:at] + key[at + 1 :],
            key[:at] + key[at + 1 : at + 2] + key[at] + key[at + 2 :],
        )
        found = chance.choice(ways)
        if found and found not in known:
            return found


@cache
def _places() -> tuple[tuple[Case, int | None, str, tuple[Any, ...], frozenset[str]], ...]:
    """Return the keys that shapes declare: case, variant, service, the way to the key, and its neighbours' names."""
    root = shipped_root()
    return tuple(
        (case, at, name, way, known)
        for case in load_corpus(root / "cases", root / "cassettes").cases
        for name, provenance in case.recorded_from.items()
        if name not in OWN
        for at, variant in ((None, None), *enumerate(case.variants))
        for seed in [simulated(name).seed() if provenance == "simulator" else {}]
        for raw in [(variant or case).state.get(name, {})]
        for way, known in _keys(shape_of(name).model_validate(laid_over(seed, state_of(case, variant, name))), raw, ())
    )


def _keys(value: Any, raw: Any, way: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], frozenset[str]]]:
    if isinstance(value, Shape) and isinstance(raw, dict):
        names = {field.alias or name: name for name, field in type(value).model_fields.items()}
        for key in raw.keys() & names.keys():
            if not isinstance(value, Record):
                yield (*way, key), frozenset(names)
            yield from _keys(getattr(value, names[key]), raw[key], (*way, key))
    elif isinstance(value, dict) and isinstance(raw, dict):
        for key in raw.keys() & value.keys():
            yield from _keys(value[key], raw[key], (*way, key))
    elif isinstance(value, list) and isinstance(raw, list):
        for at, (item, inner) in enumerate(zip(value, raw, strict=False)):
            yield from _keys(item, inner, (*way, at))


def _changed(case: Case, at: int | None, name: str, way: tuple[Any, ...], key: str) -> Case:
    holder = case if at is None else case.variants[at]
    state = copy.deepcopy(holder.state)
    inner: Any = state[name]
    for step in way[:-1]:
        inner = inner[step]
    inner[key] = inner.pop(way[-1])
    if at is None:
        return replace(case, state=state)
    return replace(case, variants=(*case.variants[:at], replace(holder, state=state), *case.variants[at + 1 :]))
