"""Prints tables. On a terminal they fit its width; in a file or a pipe each row is one line."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Column as RichColumn
from rich.table import Table as RichTable
from rich.text import Text

from mendbench.cli.output import plain, stdout_encoding, write
from mendbench.report.table_model import Table

UNBOUNDED = 1000
"""Width of a table outside a terminal, in characters: enough for every row to be one line."""

_SHORT = 12
"""A text of at most this width is not broken into lines."""


class _Page(io.StringIO):
    """Collects output, so that it goes to standard output as one text in its encoding."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return stdout_encoding()


def show_tables(tables: Iterable[Table], title: str = "") -> None:
    """Print tables, one below the other, under a title.

    A table that is too wide for the terminal breaks its wrapping columns between words, the last of them first. If it is
    still too wide, it loses optional columns.
    """
    console = _console()
    for number, table in enumerate(tables):
        caption = [Text(plain(table.caption), style="italic")] if table.caption else []
        console.print(*([""] if number else []), *caption, _fitted(table, console), sep="\n")
    drawn = console.file
    text = "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) if isinstance(drawn, _Page) else ""
    write(f"{title}\n\n{text}\n" if title else f"{text}\n")


def fits(table: Table) -> bool:
    """Return whether the terminal has room for all columns of a table."""
    console = _console()
    return _least_width(_rendered(table, 0), console) <= console.width


def paragraph(text: str) -> str:
    """Return a line of words as lines that fit the terminal; in a file or a pipe it stays one line."""
    console = _console()
    return "\n".join(line.plain.rstrip() for line in Text(text).wrap(console, console.width))


def bar(share: float | None, width: int) -> str:
    """Return a share as a bar of characters: in eighths of a character, or in ``#`` if the encoding has no such characters."""
    if share is None:
        return ""
    eighths = round(min(1.0, max(0.0, share)) * width * 8)
    if not stdout_encoding().lower().startswith("utf"):
        return ("#" * round(eighths / 8)).ljust(width, ".")
    part = chr(0x2590 - eighths % 8) if eighths % 8 else ""
    return ("\N{FULL BLOCK}" * (eighths // 8) + part).ljust(width)


def _console() -> Console:
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return Console(
        file=_Page(), force_terminal=terminal, width=None if terminal else UNBOUNDED,
        markup=False, highlight=False, emoji=False,
    )  # fmt: skip


def _fitted(table: Table, console: Console) -> RichTable:
    for omitted in range(table.optional + 1):
        rendered = _rendered(table, omitted)
        spare = console.width - _least_width(rendered, console)
        if spare >= 0:
            for column in _wrapping(rendered):
                longest, least = _widths(column)
                column.width = min(longest, least + spare)
                spare -= column.width - least
            break
    return rendered


def _rendered(table: Table, omitted: int) -> RichTable:
    """Return a table without so many of its last columns."""
    shown = table.columns[: len(table.columns) - omitted]
    rendered = RichTable(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for column in shown:
        heading = "\n".join(plain(line) for line in column.heading.split("\n"))
        rendered.add_column(heading, justify=column.align, overflow="fold", no_wrap=not column.wraps)
    for number, row in enumerate(table.rows):
        rendered.add_row(*map(plain, row[: len(shown)]), end_section=number in table.gaps)
    return rendered


def _least_width(rendered: RichTable, console: Console) -> int:
    """Return the width of a table whose wrapping columns are as narrow as whole words allow."""
    full = console.measure(rendered, options=console.options.update(width=10 * UNBOUNDED)).maximum
    return full - sum(longest - least for longest, least in map(_widths, _wrapping(rendered)))


def _wrapping(rendered: RichTable) -> list[RichColumn]:
    return [column for column in rendered.columns if not column.no_wrap]


def _widths(column: RichColumn) -> tuple[int, int]:
    """Return the widths of a column's longest line, and of its longest part that is not broken."""
    texts = [str(column.header), *map(str, column.cells)]
    longest = max(cell_len(line) for text in texts for line in text.split("\n"))
    words = max(cell_len(word) for text in texts for word in text.split() or [""])
    return longest, max(words, min(longest, _SHORT))
