"""The types of fields of a JSON object that a ``TypedDict`` defines, and what they say besides the type.

``Annotated`` holds the meaning of a field as a text, keywords of JSON Schema as pairs, and marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from types import MappingProxyType, NoneType, UnionType
from typing import Annotated, Any, NotRequired, TypeAlias, Union, get_args, get_origin, get_type_hints


class Mark(Enum):
    """What readers do with a field."""

    LONG = auto()
    """Texts over 200 bytes are in ``texts.jsonl``."""
    CATEGORY = auto()
    """A text with few distinct values: a category in data frames."""
    NO_COLUMN = auto()
    """Data frames leave it out."""


LongText: TypeAlias = Annotated[Any, Mark.LONG]
"""A text, or ``{"$text": DIGEST}`` in place of a long one."""

Document: TypeAlias = Annotated[LongText, Mark.NO_COLUMN]
"""A text that is too long for a column."""

Name: TypeAlias = Annotated[str, Mark.CATEGORY]
LongName: TypeAlias = Annotated[LongText, Mark.CATEGORY]
Count: TypeAlias = Annotated[int, ("minimum", 0)]
Amount: TypeAlias = Annotated[float, ("minimum", 0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldType:
    """The type of a field or of an item."""

    kind: Any
    """A type, list, dict, ``Literal`` or ``TypedDict``, without null and annotations."""
    nullable: bool = False
    required: bool = True
    notes: tuple[Any, ...] = ()

    @property
    def meaning(self) -> str | None:
        """The meaning in a sentence; None of an item."""
        return next((note for note in self.notes if isinstance(note, str)), None)

    @property
    def keywords(self) -> dict[str, Any]:
        """The keywords of JSON Schema that limit its values."""
        return dict(note for note in self.notes if isinstance(note, tuple))


def type_of(annotation: Any) -> FieldType:
    """Return the parts of a type annotation."""
    nullable, required, notes = False, True, list[Any]()
    while (origin := get_origin(annotation)) in {Annotated, NotRequired, Union, UnionType}:
        if origin is Annotated:
            notes += annotation.__metadata__
        nullable |= origin in {Union, UnionType}
        required &= origin is not NotRequired
        (annotation,) = (
            part for part in get_args(annotation)[: 1 if origin is Annotated else None] if part is not NoneType
        )
    return FieldType(kind=annotation, nullable=nullable, required=required, notes=tuple(notes))


@lru_cache(maxsize=64)
def field_types(definition: type) -> Mapping[str, FieldType]:
    """Return the fields of a ``TypedDict`` in their order."""
    hints = get_type_hints(definition, include_extras=True)
    return MappingProxyType({name: type_of(hint) for name, hint in hints.items()})
