"""``mendbench compare`` on real runs of the invented corpus: what the screen says first, what it refuses, and with which code."""

import contextlib
import json
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from mendbench import api
from mendbench.scoring.scores import score_names
from tests.fakes import cases
from tests.fakes.compared import rows, write_run
from tests.fakes.tables import for_each


@pytest.fixture(scope="module")
def runs(built, tmp_path_factory):
    """The invented corpus run as configured, and its strategies on their own. Nobody may change it."""
    root = cases.copy_of(built, tmp_path_factory.mktemp("compared") / "corpus")
    with contextlib.chdir(root):
        api.run(api.RunOptions(workers=1), lambda *_: None)
        for name in ("none", "full-context"):
            api.run(api.RunOptions(workers=1, out=root / "runs" / name, strategies=(name,)), lambda *_: None)
    return root


@pytest.fixture
def there(runs, tmp_path, monkeypatch):
    """A copy of them, which is the current folder."""
    root = tmp_path / "runs"
    shutil.copytree(runs, root)
    monkeypatch.chdir(root)
    return root


LATEST = "reports/latest"
NONE, FULL = (
    f"{LATEST}:strategy=none,policy=two-layer,repairer=chat",
    f"{LATEST}:strategy=full-context,policy=two-layer",
)


def test_newly_failing_and_newly_passing_trials_come_first_and_then_the_verdict(there, mendbench):
    result = mendbench("compare", NONE, FULL)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[:2] == [
        f"A  {LATEST}, strategy none, policy two-layer, repairer chat",
        f"B  {LATEST}, strategy full-context, policy two-layer",
    ]
    assert lines[2] == "Differs: strategy none → full-context"
    assert lines[5:8] == ["", "Newly failing: none", "Newly passing: 1 trial"]
    assert lines[8].startswith(
        f"  {cases.RENAMED}: unrepaired → repaired; stopped: no_progress → succeeded; wasted 2 → 0; "
    )
    assert unquote(lines[9]).startswith(f"    {LATEST}/index.html#trial={cases.RENAMED} | mendbench | chat | ")
    verdict = next(line for line in lines if line.startswith("Repair success, under two-layer: "))
    assert "B is not significantly different from A; would need about " in verdict
    assert "(B 1/1, A 0/1; 1 won, 0 lost, 0 tied)" in verdict
    assert lines.index(verdict) < next(at for at, line in enumerate(lines) if line.startswith("score"))
    assert "All of this is exploratory: intervals and counts, no p-values." in result.out
    assert " p = " not in result.out


def test_a_link_opens_a_trial_that_the_report_has(there, mendbench):
    line = next(line for line in mendbench("compare", NONE, FULL).out.splitlines() if "#trial=" in line)
    key = unquote(line.partition("#trial=")[2])
    assert key in {json.loads(row)["key"] for row in (there / LATEST / "trials.jsonl").read_text().splitlines()}


def test_two_runs_are_compared_like_two_parts_of_one(there, mendbench):
    whole = mendbench("compare", NONE, FULL, "--format", "json")
    apart = mendbench(
        "compare",
        "runs/none:repairer=chat,policy=two-layer",
        "runs/full-context:repairer=chat,policy=two-layer",
        "--format",
        "json",
    )
    one, other = json.loads(whole.out), json.loads(apart.out)
    assert one["treatments"] == other["treatments"]
    assert [{**change, "links": None} for change in one["changes"]] == [
        {**change, "links": None} for change in other["changes"]
    ]
    assert other["changes"][0]["links"]["b"].startswith("runs/full-context/index.html#trial=")


def test_json_has_all_that_the_screen_has(there, mendbench):
    found = json.loads(
        mendbench("compare", f"{LATEST}:strategy=none", f"{LATEST}:strategy=full-context", "--format", "json").out
    )
    assert {one["main"] for one in found["treatments"]} == {True, False}
    assert found["part"] == "none"
    assert {"score", "won", "lost", "tied", "interval", "verdict", "more_cases", "p"} <= found["treatments"][0][
        "differences"
    ][0].keys()


def test_policies_that_end_alike_are_one_line(there, mendbench):
    result = mendbench("compare", f"{LATEST}:strategy=none", f"{LATEST}:strategy=full-context")
    assert "Newly passing: 3 trials" in result.out
    assert f"  {cases.RENAMED} (naive; also two-layer): unrepaired → repaired; " in result.out
    assert "Other pairs of treatments" in result.out
    assert "Not paired: " in result.out  # the bounds, which run without a strategy


@pytest.mark.parametrize(("trials", "listed", "left"), [(0, 0, True), (1, 1, True), (50, 6, False)])
def test_so_many_changed_trials_are_listed_as_asked_for(tmp_path, monkeypatch, mendbench, trials, listed, left):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "a", rows({"summary": "rrruuuu"}))
    write_run(tmp_path / "b", rows({"summary": "uuurrpu"}))
    result = mendbench("compare", "a", "b", "--trials", trials)
    assert result.out.count("b/index.html#trial=") == listed
    assert (" not listed; --trials 6 lists all" in result.out) is left
    assert "Newly failing: 3 trials" in result.out
    assert "Newly passing: 2 trials" in result.out
    assert "Otherwise ended differently: 1 trial\n" in result.out


def test_where_little_room_is_left_failing_and_passing_share_it(tmp_path, monkeypatch, mendbench):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "a", rows({"summary": "rrrruuuu"}))
    write_run(tmp_path / "b", rows({"summary": "uuuurrrr"}))
    lines = mendbench("compare", "a", "b", "--trials", 4).out.splitlines()
    failing, passing = (
        next(at for at, line in enumerate(lines) if line.startswith(f"Newly {word}")) for word in ("failing", "passing")
    )
    assert passing - failing == 5  # two trials of two lines each
    assert "4 not listed; --trials 8 lists all" in lines


def test_trials_without_a_verdict_are_reported_with_what_they_could_change(tmp_path, monkeypatch, mendbench):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "a", rows({"summary": "u" * 7}))
    write_run(tmp_path / "b", rows({"summary": "rrrrr??"}))
    result = mendbench("compare", "a", "b")
    assert (
        "open: 2 cases of 7 without a verdict on a side; in the worst case not significant, in the best better"
        in result.out
    )
    assert "No verdict any more: 2 trials" in result.out
    assert "5–7/7" in result.out
    assert result.code == 0


def test_few_cases_are_reported_in_cases_and_many_in_points(tmp_path, monkeypatch, mendbench):
    monkeypatch.chdir(tmp_path)
    for n, gap in ((10, "+2 cases"), (25, "+8 points")):
        write_run(tmp_path / "a", rows({"summary": "u" * n}))
        write_run(tmp_path / "b", rows({"summary": "rr" + "u" * (n - 2)}))
        line = next(
            line for line in mendbench("compare", "a", "b").out.splitlines() if line.startswith("repair success")
        )
        assert gap in line
        assert f" 2:0:{n - 2} " in line
        assert "not significant" in line
        assert line.split()[-3:-1] == [str(n), "+"]


def test_a_run_that_is_like_another_says_so(there, mendbench):
    result = mendbench("compare", LATEST, LATEST)
    assert result.out.count(": none\n") == 2
    assert "pairs of treatments in which no trial changed" in result.out


def test_one_pair_in_which_no_case_differs_says_how_little_that_shows(tmp_path, monkeypatch, mendbench):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        write_run(tmp_path / name, rows({"summary": "u" * 10}))
    result = mendbench("compare", "a", "b")
    assert (
        "alike: no case differs (B 0/10, A 0/10; with so few, up to 26% of other groups of cases could)" in result.out
    )


def change_run(folder, **digests):
    path = folder / "run.json"
    run = json.loads(path.read_text())
    run["digests"].update(digests)
    path.write_text(json.dumps(run))


@pytest.mark.parametrize(
    ("digests", "says"),
    [
        ({"engine": "mendbench 0.0.0"}, "the digests of engine differ"),
        ({"scorer": "0.0"}, "the digests of scorer differ"),
    ],
)
def test_what_may_not_be_compared_is_refused_with_one_line_and_code_3(there, mendbench, digests, says):
    change_run(there / "runs/none", **digests)
    result = mendbench("compare", "runs/none", "runs/full-context")
    assert (result.code, result.out) == (3, "")
    assert says in result.line


def test_another_case_is_refused_with_one_line_and_code_3(there, mendbench):
    path = there / "runs/none/trials.jsonl"
    shared = [json.loads(line) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps({**row, "case_digest": "other"}) + "\n" for row in shared))
    result = mendbench("compare", "runs/none", "runs/full-context")
    assert (result.code, result.out) == (3, "")
    assert "the digests of case " in result.line


@for_each(
    ("words", "says"),
    [
        (("nowhere", LATEST), "nowhere: no run is in it; make one with `mendbench run`"),
        ((f"{LATEST}:strategy=non", LATEST), "unknown strategy 'non'; did you mean 'none'? known: full-context, none"),
        ((f"{LATEST}:strategi=none", LATEST), "unknown field 'strategi'; did you mean 'strategy'?"),
        ((LATEST, LATEST, "--part", "tests"), "unknown part 'tests'; did you mean 'test'?"),
        ((LATEST, LATEST, "--score", "waste"), "unknown score 'waste'; did you mean 'wasted'?"),
        ((LATEST, LATEST, "--trials", "-1"), "'-1' is not an integer of at least 0"),
        ((LATEST,), "no protocol.yaml; name two runs, or two parts of one, to compare"),
    ],
)
def test_what_cannot_be_used_is_one_line_and_code_2(there, mendbench, words, says):
    result = mendbench("compare", *words)
    assert (result.code, result.out) == (2, "")
    assert says in result.line


def with_protocol(there):
    shutil.copy(Path(__file__).parents[2] / "cases/protocol.yaml", there / "cases/protocol.yaml")


def test_a_run_alone_is_compared_as_the_protocol_says_and_exits_3_without_a_result(there, mendbench):
    with_protocol(there)
    result = mendbench("compare", LATEST)
    assert result.code == 3
    assert [line.split(":")[:2] for line in result.out.splitlines()] == [
        ["Primary contrast 'full context against summary'", " no result"],
        ['Primary contrast "mend against the specification\'s best"', " no result"],
        ["Primary contrast 'two-layer against naive'", " no result"],
    ]
    document = json.loads(mendbench("compare", LATEST, "--format", "json").out)
    assert [one["score"] for one in document] == ["repair_success", "repair_success", "futile"]


def test_a_frame_that_was_changed_after_the_test_is_reported_on_the_screen_and_as_json(there, mendbench):
    with_protocol(there)
    path = there / f"{LATEST}/run.json"
    path.write_text(
        json.dumps({**json.loads(path.read_text()), "protocols": {"protocol": {"frame": True, "strategies": []}}})
    )
    why = "the frame around every prompt was changed after the test part was recorded"
    result = mendbench("compare", LATEST)
    assert (result.code, {line.rpartition(": ")[2] for line in result.out.splitlines()}) == (3, {why})
    document = json.loads(mendbench("compare", LATEST, "--format", "json").out)
    assert {one["undefined"] for one in document} == {why}


def test_a_run_of_another_corpus_has_no_primary_contrasts(there, mendbench):
    with_protocol(there)
    change_run(there / "runs/none", corpus="other")
    result = mendbench("compare", "runs/none")
    assert (result.code, result.out) == (3, "")
    assert result.line == "runs/none: a run of another corpus (digests.corpus); make it again with `mendbench run`"


def test_what_a_file_says_never_steers_the_terminal(tmp_path, monkeypatch, mendbench):
    monkeypatch.chdir(tmp_path)
    evil = "evil\x1b[31m"
    for name, letters in (("a", "ur"), ("b", "ru")):
        write_run(
            tmp_path / name,
            [
                ({**row, "outcome": evil if row["outcome"] == "unrepaired" else row["outcome"]}, texts)
                for row, texts in rows({"summary": letters})
            ],
        )
        (tmp_path / name / "trials.index").unlink()  # so that the rows are checked
    result = mendbench("compare", "a", "b")
    assert "\x1b" not in result.out + result.err
    assert "evil\\x1b[31m" in result.line


def test_what_newly_fails_in_another_part_is_not_passed_over(tmp_path, monkeypatch, mendbench):
    monkeypatch.chdir(tmp_path)
    for name, letters in (("a", "ruu"), ("b", "urr")):
        training = rows({"summary": letters}, part="train", cases=["x", "y", "z"])
        write_run(tmp_path / name, [*rows({"summary": "ur"}), *training])
    lines = mendbench("compare", "a", "b").out.splitlines()
    assert "Newly failing: none" in lines
    assert (
        "Not shown: 1 trial of the train part newly fails, 2 trials of the train part newly pass; --part train" in lines
    )
    assert "Not shown" not in mendbench("compare", "a", "b", "--part", "all").out


def test_a_narrow_terminal_keeps_the_names_of_rows_and_drops_the_last_columns(tmp_path, monkeypatch, mendbench):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "a", rows({"summary": "u" * 30, "none": "u" * 30}))
    write_run(tmp_path / "b", rows({"summary": "r" * 3 + "u" * 27, "none": "r" + "u" * 29}))
    monkeypatch.setattr("mendbench.cli.tables.UNBOUNDED", 60)
    one = mendbench("compare", "a:strategy=summary", "b:strategy=summary").out
    row = next(line for line in one.splitlines() if line.startswith("repair success"))
    assert row.split()[:3] == ["repair", "success", "not"]
    assert "+10 points" in row
    assert "+ needed" not in one
    several = mendbench("compare", "a", "b").out
    assert several.count("strategy") >= 2
    assert several.count("summary  ") >= 2


def test_many_scores_of_several_pairs_have_a_table_each(tmp_path, monkeypatch, mendbench):
    monkeypatch.chdir(tmp_path)
    write_run(tmp_path / "a", rows({"summary": "uuu", "none": "uuu"}))
    write_run(tmp_path / "b", rows({"summary": "ruu", "none": "uur"}))
    result = mendbench("compare", "a", "b", "--score", "all").out
    assert max(len(line) for line in result.splitlines() if " → " in line and not line.startswith("  ")) < 120
    still = next(line for line in result.splitlines() if line.startswith("Alike or undefined in all of them: "))
    tables = sum(line.startswith("summary ") for line in result.splitlines())
    assert 1 < tables < len(score_names())
    assert "cost a trial" in still
    assert "right after the first response" not in still
