import io
import re
import sys
from dataclasses import replace

import pytest
from rich.cells import cell_len

from mendbench.cli.summary_view import show_summary
from mendbench.cli.tables import bar
from mendbench.errors import BadInput, UnknownName
from tests.fakes.runs import key_of, lettered_run, repairable, repaired, row_of, small_run, stored_run, unrepaired
from tests.fakes.tables import for_each

STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def shown(monkeypatch):
    def show(run, columns=None, part=None, *, details=False):
        screen = io.StringIO() if columns is None else Terminal()
        monkeypatch.setattr(sys, "stdout", screen)
        monkeypatch.setenv("COLUMNS", str(columns or 80))
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
        show_summary(run, part, details=details)
        return screen.getvalue()

    return show


def complete(run):
    run.run["bounds"] = {"unjudged": 0, "crashed": 0}
    return run


def test_the_strategies_under_the_headline_s_policy_come_first_and_the_result_last(shown):
    lines = shown(complete(small_run())).splitlines()
    assert lines[-1].startswith("Under naive, tiny-coder repaired 2 of 2 cases with full-context, the most")
    names = [line.split()[0] for line in lines if line]
    for name in ("full-context", "summary", "none"):
        assert names.count(name) == 1
    assert not {"noop", "reference"} & set(names)
    assert "--details shows every model, policy and part" in lines[-3]


def test_the_summary_fits_a_terminal_of_24_lines(shown):
    strategies = {
        (name, "naive"): "ru" for name in ("summary", "mend", "full-context", "agent-json", "cli-text", "none")
    }
    extra = [
        row_of(case, repaired(), replace(key_of(case, policy="naive"), model=f"model-{number}"))
        for number, case in enumerate(repairable(f"other-{at}") for at in range(9))
    ]
    text = shown(complete(lettered_run(strategies, extra=extra)), 80)
    assert len(text.splitlines()) <= 22  # two more lines name the report


def test_policies_are_compared_over_strategies_without_controls(shown):
    lines = shown(complete(small_run()), details=True).splitlines()
    naive = next(line for line in lines if line.startswith("naive"))
    assert naive.split()[:3] == ["naive", "2/4", "1.33"]


def test_right_trials_of_a_policy_have_two_ends_where_some_are_not_judged(shown):
    run = complete(lettered_run({"summary": "r??", "mend": "rru"}, policies=("naive", "two-layer")))
    naive = next(line for line in shown(run, details=True).splitlines() if line.startswith("naive"))
    assert naive.split()[1] == "3–5/6"


def test_private_and_well_known_cases_stand_apart_first_response_before_last(shown):
    run = complete(lettered_run({("summary", "naive"): "ruu", ("mend", "naive"): "rr?"}))
    known = {"api": "well-known"}
    rows = tuple({**row, **(known if row["case"] == "slack/case000" else {})} for row in run.rows)
    lines = shown(replace(run, rows=rows)).splitlines()
    assert any(line.split() == ["private,", "2", "well-known,", "1", "context", "wasted"] for line in lines)
    hint = next(line for line in lines if line.startswith("mend "))
    assert hint.split()[1:7] == ["1–2", "|", "1–2", "1", "|", "1"]


def test_another_model_has_one_line(shown):
    case = repairable("other")
    extra = [row_of(case, repaired(), replace(key_of(case, policy="naive"), model="other-model"))]
    text = shown(complete(lettered_run({("mend", "naive"): "ru"}, extra=extra)))
    assert "other-model: summary 1 of 1" in text.splitlines()


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(shown, columns):
    run = complete(lettered_run({"summary": "ru", "ein-längerer-名前": "rr"}, policies=("naive", "two-layer")))
    assert max(cell_len(STYLE.sub("", line)) for line in shown(run, columns).splitlines()) <= columns


def test_a_file_gets_no_escapes_and_each_line_whole(shown):
    text = shown(complete(small_run()))
    assert "\x1b" not in text
    assert text.splitlines()[-1].endswith("without any error context 0.")


def test_everything_has_a_line_for_each_treatment(shown):
    run = complete(small_run())
    text = shown(run, details=True)
    totals = text[text.index("Repair success") :]
    assert sum("1/2" in line or "0/2" in line or "2/2" in line for line in totals.splitlines()) == len(
        run.run["totals"]
    )


def of_part(name, part):
    case = repairable(name)
    return row_of(case, repaired(), key_of(case), part=part)


def test_a_part_is_shown_by_itself(shown):
    run = complete(stored_run([of_part("a", "test"), of_part("b", "train"), of_part("c", "train")]))
    assert "1 | 1" in shown(run)
    assert "2 | 2" in shown(run, part="train")


def test_a_part_that_is_not_there_is_named(shown):
    with pytest.raises(UnknownName, match="unknown part 'half'; known: test, train"):
        shown(complete(stored_run([of_part("a", "test"), of_part("b", "train")])), part="half")
    with pytest.raises(BadInput, match="--part train: the run has no parts"):
        shown(complete(small_run()), part="train")


@for_each(("share", "text"), [(0, "    "), (1, "████"), (0.5, "██  "), (0.53125, "██▏ "), (None, ""), (1.5, "████")])
def test_a_bar_is_as_long_as_its_share(share, text):
    assert bar(share, 4) == text


def test_a_bar_in_a_poor_encoding_is_of_plain_characters(monkeypatch):
    class Poor(io.StringIO):
        encoding = "ascii"

    monkeypatch.setattr(sys, "stdout", Poor())
    assert bar(0.5, 4) == "##.."


def test_a_report_prints_every_policy_if_asked(corpus, rules, mendbench):
    rules("--policy", "naive")
    short, whole = mendbench("report"), mendbench("report", "--details")
    assert (short.code, whole.code) == (0, 0)
    assert "first | in 3" in short.out
    assert "first | in 3" not in whole.out
    assert "naive" in whole.out


def test_a_part_that_no_case_is_in_is_refused_in_one_line(corpus, rules, mendbench):
    rules()
    result = mendbench("report", "--part", "holdout")
    assert result.code == 2
    assert result.line == "--part holdout: the run has no parts, because its corpus has no split; leave --part away"


def test_a_case_that_is_right_after_the_first_response_is_not_listed_as_right_under_no_strategy(shown):
    rows = [row_of(case := repairable(name), unrepaired(), key_of(case)) for name in ("half", "hard")]
    rows[0][0]["right_after_first"] = True
    assert "Right under no strategy: slack/hard\n" in shown(stored_run(rows))
