import io
import re
import sys

import pytest

from mendbench.cli.summary_view import show_totals
from mendbench.cli.tables import show_tables
from mendbench.report.table_model import Table, columns

STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def measured(numerator, denominator, *, bounds=None, interval=None):
    value = numerator / denominator if denominator else None
    return {"numerator": numerator, "denominator": denominator, "value": value, "bounds": bounds, "interval": interval}


def total(strategy, policy, model=None, repairer="chat", part=None, **scores):
    return {
        "engine": "mendbench", "repairer": repairer, "model": model, "strategy": strategy, "policy": policy, "detector": None, "part": part,
        "scores": {
            "repair_success": measured(12, 41, bounds={"low": 12 / 41, "high": 31 / 41}, interval={"low": 0.17, "high": 0.45}),
            "attempt1_success": measured(9, 41), "plausible": measured(3, 52), "harmful": measured(1, 60),
            "wasted": measured(75, 40), "context_tokens": measured(2325, 4), "context_recall": measured(4.3, 10), **scores,
        },
    }  # fmt: skip


TOTALS = [
    *(
        total(s, p, "qwen2.5-coder-1.5b-instruct-q4_k_m")
        for s in ("agent-json", "full-context")
        for p in ("naive", "two-layer")
    ),
    total("none", "two-layer", repairer="reference"),
]


def drawn(monkeypatch, columns, totals=TOTALS):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    show_totals(totals)
    return STYLE.sub("", screen.getvalue())


@pytest.mark.parametrize("columns", [60, 80, 100, 160])
def test_the_totals_fit_the_terminal_and_each_is_one_line(monkeypatch, columns):
    text = drawn(monkeypatch, columns)
    lines = text.splitlines()
    assert max(map(len, lines)) <= columns
    assert sum("two-layer" in line and "12–31/41" in line for line in lines) == 3


def test_a_hundred_columns_hold_every_measure(monkeypatch):
    text = drawn(monkeypatch, 100)
    for word in (
        "right",
        "95 %",
        "first",
        "wasted",
        "1.88",
        "plausible",
        "harmful",
        "tokens",
        "facts",
        "12–31/41",
        "0.17–0.45",
        "581",
        "0.43",
    ):
        assert word in text


def test_a_narrow_terminal_drops_the_last_measures_and_keeps_the_first(monkeypatch):
    text = drawn(monkeypatch, 60)
    assert "right" in text
    assert "facts" not in text


def test_the_model_is_named_once_and_repairers_without_one_by_line(monkeypatch):
    text = drawn(monkeypatch, 100)
    assert text.count("qwen2.5-coder-1.5b-instruct-q4_k_m") == 1
    assert re.search(r"^reference +none ", text, re.MULTILINE)


def test_what_was_not_measured_is_a_dash(monkeypatch):
    nothing = measured(0, 0)
    bare = total(
        "none",
        "seed",
        "m",
        repair_success=measured(0.5, 41),
        context_tokens=nothing,
        context_recall=nothing,
        wasted=nothing,
    )
    row = next(line for line in drawn(monkeypatch, 100, [bare]).splitlines() if line.startswith("none"))
    assert row.split() == ["none", "seed", "0.50/41", "-", "9", "-", "3", "1", "-", "-"]


def test_a_table_in_a_file_is_not_wrapped_and_has_no_escapes(capsys):
    show_tables([Table(columns=columns("name", "title", wraps=("title",)), rows=[("a", "word " * 60)])])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"a     {'word ' * 60}".rstrip()
    assert "\x1b" not in "".join(lines)


def test_brackets_and_colons_in_a_cell_are_text(capsys):
    show_tables([Table(columns=columns("name"), rows=[("[bold]x[/nope] :warning:",)])])
    assert "[bold]x[/nope] :warning:" in capsys.readouterr().out


def test_a_table_has_no_colours(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    show_tables([Table(columns=columns("name"), rows=[("a",)], caption="caption")])
    assert "caption" in STYLE.sub("", screen.getvalue())
    assert not re.search(r"\x1b\[[0-9;]*[349][0-7]m", screen.getvalue())


def test_a_column_that_wraps_breaks_between_words_and_optional_columns_are_omitted(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.setenv("NO_COLOR", "1")
    shape = columns("name", wraps=("name",), numbers=("first", "second"))
    show_tables([Table(columns=shape, rows=[("several words here", "1", "2")], optional=1)])
    lines = STYLE.sub("", screen.getvalue()).splitlines()
    assert [line.split() for line in lines[:1] + lines[2:]] == [["name", "first"], ["several", "words", "1"], ["here"]]


def test_parts_of_the_corpus_have_tables_of_their_own(capsys):
    show_totals([total("summary", "naive", "m", part="test"), total("summary", "naive", "m", part="train")])
    result = capsys.readouterr().out
    assert result.index("m, test part") < result.index("m, train part")
