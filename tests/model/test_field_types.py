"""The parts of the types of fields."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from mendbench.model.field_types import Count, Document, FieldType, LongText, Mark, field_types, type_of


class Example(TypedDict):
    first: Annotated[Count | None, "How many."]
    second: NotRequired[Annotated[bool, "Whether."]]


def test_a_type_is_read_without_null_and_annotations():
    for annotation, kind, nullable, notes in (
        (str, str, False, ()),
        (Count, int, False, (("minimum", 0),)),
        (LongText | None, Any, True, (Mark.LONG,)),
        (Document, Any, False, (Mark.LONG, Mark.NO_COLUMN)),
        (list[Count], list[Count], False, ()),
        (Annotated[Literal["a"] | None, "Text."], Literal["a"], True, ("Text.",)),
    ):
        assert type_of(annotation) == FieldType(kind=kind, nullable=nullable, notes=notes)


def test_the_fields_of_a_definition_have_their_meanings_and_keywords():
    first, second = field_types(Example).values()
    assert (first.kind, first.nullable, first.required, first.keywords, first.meaning) == (
        int,
        True,
        True,
        {"minimum": 0},
        "How many.",
    )
    assert (second.kind, second.required, second.meaning) == (bool, False, "Whether.")
