"""The batches of prompts that a model processed together: each has a name and the ids of its prompts in order."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from mendbench.cassettes.cassette import BatchPlace
from mendbench.errors import BadInput
from mendbench.prompts.file_lines import bytes_of

_SHAPE = 'write a list of {"batch": NAME, "ids": [custom_id, …]}'


class _Batch(BaseModel):
    model_config = ConfigDict(strict=True)  # other keys are the operator's notes

    batch: str = Field(min_length=1, max_length=200)
    ids: list[str] = Field(min_length=1)


_BATCHES = TypeAdapter(list[_Batch])


def read_batches(path: Path) -> Mapping[str, BatchPlace]:
    """Return the place of each prompt in its batch, by the prompt's id.

    Raises:
        BadInput: the file cannot be read, is not a list of batches, or names a prompt twice.
    """
    try:
        batches = _BATCHES.validate_json(bytes_of(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BadInput(f"{path}: {place}" if place else str(path), first["msg"], _SHAPE) from None
    found: dict[str, BatchPlace] = {}
    for one in batches:
        for position, name in enumerate(one.ids, start=1):
            if name in found:
                raise BadInput(str(path), f"{name} is in batch {found[name].name} and in {one.batch}", "name it once")
            found[name] = BatchPlace(name=one.batch, position=position, size=len(one.ids))
    return found
