"""Validates the states of a case against the shapes that its services declare, before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, RootModel, ValidationError

from mendbench.corpus.declared_services import FILES, MODELS, OWN, SHELL, laid_over, state_of
from mendbench.corpus.documents import misfits
from mendbench.errors import BadInput, UnknownName
from mendbench.model.case import Case, Provenance
from mendbench.model.json import JsonObject
from mendbench.services import shape_of, simulated
from mendbench.services.shape import File, Shape, Table, Text


class _Shell(Shape):
    """The home folder of all commands, and a script that runs in it first."""

    files: Table[File] = None
    setup: Text = None


class _Files(RootModel[dict[str, File | None]]):
    """Files by path."""


class _Models(Shape):
    """The models that nodes can use."""

    names: list[str]


OWN_SHAPES: dict[str, type[BaseModel]] = {SHELL: _Shell, FILES: _Files, MODELS: _Models}


def state_misfits(case: Case) -> tuple[BadInput, ...]:
    """Return one line for each error in the states of a case and of its variants, with its place."""
    found = [one for name in case.recorded_from for one in _misfits(case, name)]
    return tuple({str(one): one for one in found}.values())


def _misfits(case: Case, name: str) -> Iterator[BadInput]:
    path, own = case.folder / "case.yaml", ("state", name)
    try:
        shape, seed = _declared(name, case.recorded_from[name])
    except BadInput as error:
        yield BadInput(f"{path}: {error.place}", error.found, error.hint)
        return
    if shape is None:
        return
    changed = [(number, one) for number, one in enumerate(case.variants) if name in one.state]
    for places, variant in [((own,), None), *(((("variants", number, *own), own), one) for number, one in changed)]:
        try:
            shape.model_validate(laid_over(seed, state_of(case, variant, name)))
        except ValidationError as error:
            yield from misfits(path, error, shape, "mendbench schema case", places)


def _declared(name: str, provenance: Provenance) -> tuple[type[BaseModel] | None, JsonObject]:
    """Return the shape of a service's state, None if it declares none, and the seed data that the state patches.

    Raises:
        BadInput: it does not exist, or is not a simulated service although the case says so.
    """
    if name in OWN:
        return OWN_SHAPES[name], {}
    try:
        return shape_of(name), simulated(name).seed()
    except UnknownName:
        if provenance == "simulator":
            raise
        return shape_of(name), {}
