"""The options of an interrupted run, which its plan stores: resuming the run needs no other options."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable
from dataclasses import fields, replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from mendbench.api.settings import RunOptions
from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import JsonObject
from mendbench.results.store import interrupted_plan, no_interrupted_run

FREE = ("out", "resume", "fresh", "workers", "cluster", "concurrency")
"""Options that change no row of a run: no plan stores them."""

STORED = tuple(field.name for field in fields(RunOptions) if field.name not in FREE)

_SHAPE = TypeAdapter(RunOptions)
_DEFAULTS = RunOptions()


def stored_options(options: RunOptions) -> JsonObject:
    """Return the options as a plan stores them."""
    stored: JsonObject = _SHAPE.dump_python(options, mode="json", include=set(STORED))
    return stored


def resumed(options: RunOptions, place: Path, given: Collection[str] = ()) -> RunOptions:
    """Return the options with which the interrupted run of ``place`` began, and the free ones of ``options``.

    ``given`` names options that were given explicitly, though they have their default value.

    Raises:
        BadInput: there is no interrupted run, or ``options`` has one that differs from the run's; names each, with both values.
    """
    plan = interrupted_plan(place)
    if plan is None:
        raise no_interrupted_run(place)
    try:
        began = _SHAPE.validate_json(canonical_json(plan.get("options")))
    except ValidationError:
        raise BadInput(str(place), "its plan stores no options that can be read", "run it without --resume") from None
    asked = [name for name in STORED if name in given or getattr(options, name) != getattr(_DEFAULTS, name)]
    differing = [name for name in asked if getattr(options, name) != getattr(began, name)]
    if differing:
        differences = (f"{_shown(options, name)} (it began with {_shown(began, name)})" for name in differing)
        hint = "leave out what differs, or give the command without --resume to begin again"
        raise BadInput(f"--resume {place}", ", ".join(differences), hint)
    return replace(options, **{name: getattr(began, name) for name in STORED})


def words(options: RunOptions, names: Iterable[str]) -> list[str]:
    """Return the words of a command line that give these options, without those that have their default value."""
    found = []
    for name in names:
        value = getattr(options, name)
        if value == getattr(_DEFAULTS, name):
            continue
        if name == "names":
            found += value
        elif isinstance(value, tuple):
            found += [word for one in value for word in (_flag(name), one)]
        else:
            found += [_flag(name)] if value is True else [_flag(name), str(value)]
    return found


def _shown(options: RunOptions, name: str) -> str:
    value = getattr(options, name)
    return shlex.join(words(options, (name,))) or (f"{_flag(name)} {value}" if value else f"no {_flag(name)}")


def _flag(name: str) -> str:
    if name == "names":
        return "CASE"
    if isinstance(getattr(_DEFAULTS, name), tuple):  # repeatable: the option has the singular
        name = f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    return f"--{name.replace('_', '-')}"
