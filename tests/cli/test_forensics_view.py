import io
import re
import sys
from dataclasses import replace

import pytest

from mendbench.cli.forensics_view import show_forensics
from mendbench.scoring.forensics import attempt_use as forensics
from mendbench.scoring.forensics import warning_cost
from tests.fakes.forensics import cut, false_warning, trial, unjudged

STYLE = re.compile(r"\x1b\[[0-9;]*m")

NAIVE = (
    trial("a", "p", right=True, part="test"),
    trial("b", "xp", right=True, part="test"),
    trial("c", "xxx", part="test"),
    trial("user", "fff", kind="needs_user", part="test"),
)
RECORDS = [
    *NAIVE,
    *(cut(one, "loop", 1) for one in NAIVE),
    *(cut(one, "three-strikes", 3) for one in NAIVE),
    cut(NAIVE[0], "two-layer", 1),
    false_warning("b", nodes=(("greet", "error", "warning"),), part="test", adversarial_to=("structural",)),
    unjudged("c", "?", policy="two-layer", part="test"),
    trial("a", "p", right=True, policy="two-layer", repairer="reference", model=None, part="test"),
]


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def show(records):
    show_forensics(forensics.document(records), warning_cost.document(records))


def table(text, title):
    """Return the rows of the table with that title, cells by white space of two and more."""
    lines = text.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(title))
    rule = next(number for number in range(at, len(lines)) if set(lines[number]) == {"─"})
    rows = []
    for line in lines[rule + 1 :]:
        if not line:
            break
        rows.append(re.split(r" {2,}", line.strip()))
    return rows


def test_each_question_has_a_table(capsys):
    show(RECORDS)
    out, err = capsys.readouterr()
    assert out.startswith("Counts of one pass over the cases\n")
    assert table(out, "Where attempts go under naive: test part, tiny") == [
        ["summary", "9", "2", "0", "0", "0", "3", "4", "0", "0"],
    ]  # fmt: skip
    assert table(out, "What a limit of so many attempts means") == [
        ["summary", "1", "1/3", "1", "1", "3", "1", "3", "4", "5", "440", "2.0000"],
        ["2", "2/3", "1", "0", "stop", "2", "1", "2", "3", "2", "330", "1.5000"],
        ["3", "2/3", "0", "0", "1", "1", "2", "-", "0", "-", "-"],
    ]
    stops = table(out, "What stopping early lost and saved")
    assert ["summary", "loop", "no_progress 1", "4", "1/3", "1", "0", "5", "2", "2", "5", "0", "550", "2.5000"] in stops
    assert ["summary", "two-layer", "warned 1", "2", "1/2", "1", "0", "2", "0", "1", "2", "2", "220", "1.0000"] in stops
    assert table(out, "Which repairs") == [["summary", "loop, two-layer", "b"]]
    assert table(out, "Mistaken nodes") == [["structural", "b", "greet", "error", "warning"]]
    assert ["structural, without cases chosen against it", "2", "2", "-", "0/2", "0/2", "-", "-"] in table(
        out, "Warning accuracy"
    )
    assert "not compared with naive: 1 trials unjudged under the policy" in err
    assert "not compared with naive: 1 trials not run under the policy" in err
    assert "not run under naive, so that there is nothing to compare with: reference" in err


def test_policies_with_the_same_figures_share_a_line(capsys):
    show(RECORDS)
    rows = table(capsys.readouterr().out, "What wrong warnings cost: test part, tiny")
    assert [row[:3] for row in rows] == [
        ["none", "summary", "loop"],
        ["none", "summary", "naive, three-strikes"],
        ["structural", "summary", "two-layer"],
    ]
    assert rows[2][3:] == ["1", "1", "1", "0", "0", "0", "2", "0", "0", "1", "0", "0"]


def test_what_is_not_known_is_marked(capsys):
    unpriced = {"usd": None, "prompt": None, "response": None}
    show([trial("a", "xp", right=True), unjudged("b", "?"), trial("user", "f", kind="needs_user", prices=unpriced)])
    out = capsys.readouterr().out
    steps = table(out, "What a limit of so many attempts means")
    assert [row[1] for row in steps] == ["1", "1–2/2"]
    assert steps[0][2] == "0–1/2"
    assert "stop?" in steps[1]
    (price,) = table(out, "What wrong warnings cost")
    assert price[-2:] == ["-", "-"]


def test_a_strategy_that_never_got_to_an_attempt_is_not_left_out(capsys):
    show([unjudged("a"), unjudged("b")])
    assert table(capsys.readouterr().out, "What a limit of so many attempts means")[0][:3] == ["summary", "-", "-/2"]


def test_a_disagreement_is_said_as_a_fault_of_the_run(capsys):
    show([false_warning("a", nodes=(("greet", "error", "warning"),)), false_warning("a", sample=1)])
    assert "fault of the run: a: node greet: the first execution gave" in capsys.readouterr().err


def test_cases_that_never_ran_are_named(capsys):
    show([unjudged("a", end=None, nodes=())])
    assert "no first execution is known under detector none: a" in capsys.readouterr().err


def test_a_run_without_trials_says_so(capsys):
    show([])
    assert capsys.readouterr().out.startswith("No trials\n")


def test_several_engines_are_distinguished(capsys):
    show([NAIVE[0], replace(NAIVE[0], treatment=replace(NAIVE[0].treatment, engine="other"))])
    out = capsys.readouterr().out
    assert "Warning accuracy: test part, mendbench\n" in out
    assert "Warning accuracy: test part, other\n" in out


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(monkeypatch, columns):
    screen = Terminal()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    show(RECORDS)
    text = STYLE.sub("", screen.getvalue())
    assert max(map(len, text.splitlines())) <= columns
    assert "…" not in text
    assert "two-layer" in text


def test_what_a_file_says_never_steers_the_terminal(capsys):
    show(
        [
            trial("a\x1b[31m", "x", strategy="s\nx", nodes=(("n\x07", "error", "success"),), policy="warn"),
            trial("a\x1b[31m", strategy="s\nx"),
        ]
    )
    out, _ = capsys.readouterr()
    assert "\x1b" not in out
    assert "\x07" not in out
