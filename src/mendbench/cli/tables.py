"""Tables of the terminal: they fit its width, and stand unwrapped in a file or a pipe."""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from mendbench.cli.output import plain, write
from mendbench.model.json import JsonObject

UNBOUNDED = 1000
"""Columns of a table that is not shown on a terminal: more than any has, so that a row is a line."""

_SHORT = 12
"""Columns that a text has at least, if it is as long."""

_MEASURES = (
    "right",
    "95 %",
    "first\nattempt",
    "wasted\n/trial",
    "plausible",
    "harmful",
    "context\ntokens",
    "facts\ntold",
)
"""What is not read first stands last: a narrow terminal drops it."""

_TO = "\N{EN DASH}"


class _Page(io.StringIO):
    """What is drawn on before it goes to standard output as one text, in its encoding."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(sys.stdout, "encoding", None) or "utf-8"


def table(*texts: str, wraps: Collection[str] = (), numbers: Sequence[str] = (), tight: bool = False) -> Table:
    """Return an empty table: columns of texts, of which those in ``wraps`` give way, then of numbers."""
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=0 if tight else (0, 1, 0, 0), title_justify="left")
    for name in texts:
        made.add_column(name, overflow="fold", no_wrap=name not in wraps)
    for name in numbers:
        made.add_column(name, justify="right", no_wrap=True)
    return made


def show_tables(tables: Iterable[Table], title: str = "") -> None:
    """Print tables, one under the other, under a title."""
    _show(_console(), tables, title)


def show_whole_words(tables: Iterable[Table], title: str = "") -> None:
    """Print tables as :func:`show_tables` does; columns that give way break between words, the last of them first."""
    console, found = _console(), list(tables)
    for each in found:
        _give_way(each, console)
    _show(console, found, title)


def fits(made: Table) -> bool:
    """Return whether a table is no wider than the terminal once its columns give way as far as whole words allow."""
    console = _console()
    return _whole(made, console) - sum(_room(column) for column in _giving(made)) <= console.width


def _give_way(made: Table, console: Console) -> None:
    spare = console.width - _whole(made, console) + sum(_room(column) for column in _giving(made))
    for column in _giving(made):
        granted = max(0, min(_room(column), spare))
        column.width = _least(column) + granted
        spare -= granted


def _whole(made: Table, console: Console) -> int:
    """Return how wide a table is where nothing gives way."""
    return console.measure(made, options=console.options.update(width=10 * UNBOUNDED)).maximum


def _giving(made: Table) -> list[Column]:
    return [column for column in made.columns if not column.no_wrap]


def _room(column: Column) -> int:
    """Return by how much a column can give way."""
    return _longest(column) - _least(column)


def _longest(column: Column) -> int:
    return max(cell_len(line) for text in _texts(column) for line in text.split("\n"))


def _least(column: Column) -> int:
    """Return how wide a column stays: it holds its longest word, and what is short is not broken."""
    words = max(cell_len(word) for text in _texts(column) for word in text.split() or [""])
    return max(words, min(_longest(column), _SHORT))


def _texts(column: Column) -> list[str]:
    return [str(column.header), *map(str, column.cells)]


def bar(share: float | None, width: int) -> str:
    """Return a share as a bar of characters, in eighths of one where standard output has such; nothing where it is not known."""
    if share is None:
        return ""
    utf = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    eighths = round(min(1.0, max(0.0, share)) * width * 8)
    if not utf:
        return ("#" * round(eighths / 8)).ljust(width, ".")
    part = chr(0x2590 - eighths % 8) if eighths % 8 else ""
    return ("\N{FULL BLOCK}" * (eighths // 8) + part).ljust(width)


def paragraph(text: str) -> str:
    """Return one line of words as lines that the terminal has room for; in a file or a pipe it stays one."""
    console = _console()
    return "\n".join(line.plain.rstrip() for line in Text(text).wrap(console, console.width))


def show_totals(totals: Sequence[JsonObject], title: str) -> None:
    """Print a run's totals: by part of the corpus one table for each model, then one for all repairers that ask none."""
    console, tables = _console(), []
    for part in dict.fromkeys(total["part"] for total in totals):
        of_part = [total for total in totals if total["part"] == part]
        models = sorted({total["model"] or "" for total in of_part}, key=lambda model: (not model, model))
        own = ([total for total in of_part if (total["model"] or "") == model] for model in models)
        tables += [_fitting(console, each) for each in own]
    _show(console, tables, title)


def _console() -> Console:
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return Console(
        file=_Page(), force_terminal=terminal, width=None if terminal else UNBOUNDED,
        markup=False, highlight=False, emoji=False,
    )  # fmt: skip


def _show(console: Console, tables: Iterable[Table], title: str) -> None:
    for at, each in enumerate(tables):
        console.print(*([] if at == 0 else [""]), each, sep="\n")
    drawn = console.file
    text = "\n".join(line.rstrip() for line in drawn.getvalue().splitlines()) if isinstance(drawn, _Page) else ""
    write(f"{title}\n\n{text}\n" if title else f"{text}\n")


def _fitting(console: Console, totals: Sequence[JsonObject]) -> Table:
    """Return the table of some totals with as many measures as the console is wide."""
    unbounded = console.options.update(width=UNBOUNDED)
    for count in range(len(_MEASURES), 1, -1):
        made = _totals_table(totals, count)
        if console.measure(made, options=unbounded).maximum <= console.width:
            return made
    return _totals_table(totals, 1)


def _totals_table(totals: Sequence[JsonObject], count: int) -> Table:
    model = totals[0]["model"]
    several = len({total["engine"] for total in totals}) > 1
    leads = (*(["engine"] if several else []), *([] if model else ["repairer"]), "strategy", "policy")
    made = table(*leads, wraps=leads, numbers=_MEASURES[:count], tight=not model)
    part = totals[0]["part"]
    made.title = ", ".join([*([plain(model)] if model else []), *([f"{part} part"] if part else [])]) or None
    for total in totals:
        made.add_row(*(plain(str(total[lead])) for lead in leads), *_measures(total)[:count])
    return made


def _measures(total: JsonObject) -> tuple[str, ...]:
    scores = total["scores"]
    success, tokens, wasted = scores["repair_success"], scores["context_tokens"]["value"], scores["wasted"]["value"]
    interval, bounds, right = success["interval"], success["bounds"], _number(success["numerator"])
    if bounds:
        right += f"{_TO}{_number(round(bounds['high'] * success['denominator'], 6))}"
    return (
        f"{right}/{success['denominator']}",
        f"{interval['low']:.2f}{_TO}{interval['high']:.2f}" if interval else "-",
        _number(scores["attempt1_success"]["numerator"]),
        "-" if wasted is None else f"{wasted:.2f}",
        _number(scores["plausible"]["numerator"]),
        _number(scores["harmful"]["numerator"]),
        "-" if tokens is None else f"{tokens:.0f}",
        _number(scores["context_recall"]["value"]),
    )


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(int(value)) if float(value).is_integer() else f"{value:.2f}"
