"""The shape of the Sheets state. :mod:`mendbench.services.sheets.state` describes the keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict
from pydantic.alias_generators import to_camel

from mendbench.services.shape import Count, Failure, Flag, Limit, Shape, Simulated, Table, Text, Texts, misfit, unknown
from mendbench.services.sheets.a1 import read_cells
from mendbench.services.sheets.routes import METHODS
from mendbench.values.schema import shown


def _cell(value: Any) -> Any:
    if isinstance(value, list) or (isinstance(value, dict) and not value.keys() <= {"value", "shown"}):
        raise misfit(f"{shown(value)} is no cell", "write a text, a number, true or false, or {value, shown}")
    return value


def _cells(text: str) -> str:
    try:
        read_cells(text)
    except ValueError:
        raise misfit(f"{shown(text)} are no cells", 'write "A1:C7"') from None
    return text


def _sheet_id(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise misfit(f"{shown(value)} is no sheet's id", "write the key of the sheet")
    return value


def _failing(key: str) -> str:
    if " /" not in key and key not in _NAMES:
        raise unknown("method", key, _NAMES)
    return key


_NAMES = {"*", *(method.name for method in METHODS)}
Cells: TypeAlias = Annotated[str, AfterValidator(_cells)]
SheetId: TypeAlias = Annotated[Any, AfterValidator(_sheet_id)]


class _Camel(Shape):
    model_config = ConfigDict(alias_generator=to_camel)


class Token(Shape):
    """The account, the scopes and the status of a token."""

    email: Text = None
    scopes: Texts = None
    status: Literal["active", "expired"] | None = None


class Sheet(_Camel):
    """A sheet."""

    title: str
    index: Count = None
    row_count: Count = None
    column_count: Count = None
    hidden: Flag = None
    rows: list[list[Annotated[Any, AfterValidator(_cell)]]] | None = None


class NamedRange(_Camel):
    """A named range."""

    name: Text = None
    sheet_id: SheetId
    cells: Cells


class Protected(_Camel):
    """A protected range; without cells it is the whole sheet."""

    sheet_id: SheetId
    cells: Cells | None = None
    editors: Texts = None


class Spreadsheet(_Camel):
    """A spreadsheet."""

    title: Text = None
    locale: Text = None
    time_zone: Text = None
    sharing: Table[Literal["owner", "writer", "reader"]] = None
    sheets: Table[Sheet] = None
    named_ranges: Table[NamedRange] = None
    protected: Table[Protected] = None


class Quota(Limit):
    """An exhausted quota."""

    limit: Count = None


class Quotas(Shape):
    """Exhausted quotas."""

    read: Quota | None = None
    write: Quota | None = None


class State(Simulated):
    """The whole Sheets state."""

    me: Text = None
    tokens: Table[Token] = None
    project: Text = None
    spreadsheets: Table[Spreadsheet] = None
    rate_limited: Quotas | None = None
    failures: dict[Annotated[str, AfterValidator(_failing)], list[Failure] | None] | None = None
