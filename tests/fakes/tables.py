"""Tests over the rows of a table: pytest's own cost for a test is a hundred times that of a row."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def for_each(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for each row, as one test. All failing rows are raised together, each with its values.

    ``names`` are arguments, and a row has their values, as for ``pytest.mark.parametrize``. The other arguments are fixtures, which all rows
    share.
    """
    table = [{names: row} if isinstance(names, str) else dict(zip(names, row, strict=True)) for row in rows]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def every(*instance: Any, **fixtures: Any) -> None:
            assert table, "the table has no rows"
            errors: list[BaseException] = []
            for values in table:
                try:
                    test(*instance, **values, **fixtures)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - it is raised below
                    error.add_note(f"in the row {values!r}")
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(table)} rows fail", errors)

        functools.update_wrapper(every, test)
        own = inspect.signature(test)
        others = [one for name, one in own.parameters.items() if name not in {*table[0]}] if table else []
        every.__signature__ = own.replace(parameters=others)  # type: ignore[attr-defined]
        return every

    return decorate
