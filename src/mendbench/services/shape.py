"""The shape of a service's state: its keys, and the values that each may have.

Every service exports its shape as ``STATE``. A case's state is checked against it when the case is read, before anything runs
(:mod:`mendbench.corpus.states`), and the published schema of ``case.yaml`` includes it for editors. An optional key may be null, since
null removes a key in a merge patch.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from mendbench.errors import UnknownName
from mendbench.model.exchange import Fault
from mendbench.model.json import Json, JsonObject
from mendbench.values.schema import shown

_T = TypeVar("_T")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
MISFIT = "misfit"
"""The type of the errors that :func:`misfit` makes."""


class Shape(BaseModel):
    """An object with fixed keys. Any other key is an error."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class Record(Shape):
    """A record that the service shows as it is. It may have more keys than the service reads.

    A further key is an error if it resembles a key that the service reads and that the record lacks.
    """

    model_config = ConfigDict(extra="allow")

    @model_validator(mode="before")
    @classmethod
    def _refuse_misspelt(cls, data: Any) -> Any:
        if isinstance(data, dict):
            absent = [name for name in cls.model_fields if name not in data]
            for key in data.keys() - cls.model_fields.keys():
                if close := difflib.get_close_matches(str(key), absent, n=1, cutoff=_NEARLY):
                    raise misfit(f"unknown key {key!r}", f"did you mean {close[0]!r}?", key)
        return data


_NEARLY = 0.8
"""The similarity of two keys above which one counts as a misspelling of the other: ``idd`` and ``id`` are similar."""


def misfit(found: str, hint: str, *below: str | int) -> PydanticCustomError:
    """Return a validator's error, which states the finding and the remedy; ``below`` is the path from the value to the fault."""
    return PydanticCustomError(MISFIT, "{found}; {hint}", {"found": found, "hint": hint, "below": below})


def unknown(kind: str, name: str, known: Iterable[str], *below: str | int) -> PydanticCustomError:
    """Return the error for an unknown name, with the closest known one."""
    error = UnknownName(kind, name, known)
    return misfit(error.found, error.hint, *below)


def one_of(kind: str, known: Collection[str]) -> AfterValidator:
    """Return the validator for a text from a set of names."""

    def check(value: str) -> str:
        if value not in known:
            raise unknown(kind, value, known)
        return value

    return AfterValidator(check)


def is_expression(value: Json) -> bool:
    """Return whether a value is a regular expression."""
    try:
        re.compile(value)
    except (re.error, TypeError, OverflowError, RecursionError):
        return False
    return True


def _plain(value: Any) -> Any:
    if isinstance(value, dict | list):
        raise misfit(f"a {type(value).__name__} where a text is needed", "write a text or a number")
    return value


def _expression(text: str) -> str:
    if not is_expression(text):
        raise misfit(f"{shown(text)} is no regular expression", "correct it")
    return text


def _file(value: Any) -> Any:
    if not isinstance(value, str | dict | list):
        raise misfit(f"{shown(value)} is no file", "write its text, or what it holds as JSON")
    return value


Text: TypeAlias = str | None
Flag: TypeAlias = bool | None
Whole: TypeAlias = int | None
Count: TypeAlias = Annotated[int, Field(ge=0)] | None
Number: TypeAlias = float | None
Plain: TypeAlias = Annotated[Any, AfterValidator(_plain)]
"""A text, or a number or a boolean that is written as a text."""
File: TypeAlias = Annotated[Any, AfterValidator(_file)]
"""A file: its text, or an object or a list that is written as JSON."""
Texts: TypeAlias = list[str] | None
Object: TypeAlias = JsonObject | None
"""Free data."""
Regex: TypeAlias = Annotated[str, AfterValidator(_expression)] | None
Status: TypeAlias = Annotated[int, Field(ge=100, le=599)] | None
Table: TypeAlias = dict[str, _T | None] | None
"""Any keys, each with a value of one shape."""


class Failure(Shape):
    """A failure that a case declares: see :mod:`mendbench.services.scripted`."""

    status: Status = None
    fault: Fault | None = None
    headers: Table[Plain] = None
    body: Any = None
    elapsed_ms: Count = None
    times: Count = None
    applied: Flag = None

    @model_validator(mode="after")
    def _fails(self) -> Failure:
        if self.status is None and self.fault is None:
            raise misfit("a failure without a status", "give it a status or a fault")
        return self


class Limit(Shape):
    """A rate limit: the next ``times`` requests are refused, or all of them without ``times``."""

    times: Count = None
    retry_after: Annotated[float, Field(ge=0)] | None = None


def _requests(key: str) -> str:
    method, _, path = key.partition(" ")
    if key != "*" and not (method in METHODS and path.startswith("/")):
        raise misfit(f"{key!r} names no requests", 'write "METHOD /path", or "*" for all')
    return key


Requests: TypeAlias = dict[Annotated[str, AfterValidator(_requests)], _T | None] | None
"""Requests as ``METHOD /path`` or ``*``, each with a value of one shape."""
Failures: TypeAlias = Requests[list[Failure]]


class Simulated(Shape):
    """The keys that any simulated service's state may have."""

    counters: Table[Count] = None
