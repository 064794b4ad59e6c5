import json
from pathlib import Path

import pytest

from tests.fakes import cases

SHIPPED = Path(__file__).parents[2] / "mendbench.toml"
PLAIN = ("--repairer", "rules", "--policy", "two-layer", "--strategy", "full-context", "--workers", "1")


@pytest.fixture
def accepted(after, tmp_path, monkeypatch):
    """A corpus whose run by the rule book is the baseline."""
    root = cases.copy_of(after(("run", *PLAIN), ("gate", "--update")), tmp_path / "corpus")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def modelled(after, tmp_path, monkeypatch):
    """A corpus whose run of the configured matrix is the baseline."""
    root = cases.copy_of(after(("run", "--workers", "1"), ("gate", "--update")), tmp_path / "corpus")
    monkeypatch.chdir(root)
    return root


def altered(corpus, before, after, line=cases.CLOSED):
    """Let the baseline say something else of a case."""
    path = corpus / "baseline.tsv"
    lines = path.read_text(encoding="utf-8").splitlines()
    changed = [text.replace(before, after) if text.startswith(line) else text for text in lines]
    assert changed != lines
    path.write_text("".join(f"{text}\n" for text in changed), encoding="utf-8")


def test_a_run_is_accepted_and_then_passes(corpus, mendbench):
    mendbench("run", *PLAIN)
    first = mendbench("gate", "--update")
    assert first.code == 0
    assert first.out.startswith("baseline.tsv accepted: 3 added, 0 removed, 0 changed; 3 trials, 2 of them right\n")
    again = mendbench("gate", "--update")
    assert again.code == 0
    assert again.out.startswith("baseline.tsv is unchanged: 3 trials, 2 of them right\n")
    result = mendbench("gate")
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        "passed: 3 trials no worse than in baseline.tsv\n  compared 3 of the 3 trials of baseline.tsv; 3 alike\n"
    )


def test_an_accepted_case_that_no_strategy_repairs_is_named(corpus, mendbench):
    mendbench("run", *PLAIN)
    accepted = mendbench("gate", "--update").out
    assert accepted.endswith(f"right under no strategy, so that no loss can be noticed there: {cases.RENAMED}\n")
    mendbench("run", cases.QUIET, *PLAIN)
    assert "right under no strategy" not in mendbench("gate", "--update").out


def test_a_run_whose_cases_changed_since_is_not_gated(accepted, mendbench):
    path = accepted / "cases" / cases.RENAMED / "case.yaml"
    path.write_text(path.read_text("utf-8").replace("title: ", "title: Still ", 1), "utf-8")
    result = mendbench("gate")
    assert (result.code, result.out) == (2, "")
    assert (
        result.line
        == f"reports/latest: changed since this run: {cases.RENAMED}; make the run again with `mendbench run`"
    )


def test_a_gated_run_replays_the_trials_of_the_baseline_and_no_others(accepted, mendbench):
    path = accepted / "baseline.tsv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(cases.CLOSED)), encoding="utf-8")
    result = mendbench("run", "--gated", "--workers", "1")
    assert (result.code, result.out.splitlines()[-1]) == (0, "2 trials; report: reports/latest/index.html")
    assert mendbench("gate").out.startswith("passed: 2 trials no worse than in baseline.tsv\n")
    assert mendbench("run", "--gated", cases.QUIET, "--out", "one").out.splitlines()[-1].startswith("1 trial;")
    path.write_text(
        "".join(line for line in lines if not line.startswith((cases.CLOSED, cases.QUIET))), encoding="utf-8"
    )
    assert mendbench("run", "--gated", "--workers", "1").out.splitlines()[-1].startswith("1 trial;")
    refused = mendbench("run", "--gated", "--policy", "naive")
    assert (refused.code, refused.out) == (2, "")
    assert refused.line.startswith("--gated: given with --policy naive; ")


def test_a_regression_is_reported_with_the_case_before_and_after_why_and_where_to_look(accepted, mendbench):
    altered(
        accepted, "\tincorrect\tunrepaired\tno_progress\t1\t1", "\tcorrect\trepaired\tsucceeded\t1\t0", cases.RENAMED
    )
    result = mendbench("gate")
    assert result.code == 1
    first, *lines = result.out.splitlines()
    assert first == "FAILED: 1 trial right before and wrong now"
    at = lines.index("fails the gate:")
    assert lines[at + 1] == (
        f"  lost: {cases.RENAMED} [full-context · two-layer · rules]: repaired (succeeded, 1 attempt, 0 wasted)"
        " -> unrepaired (no_progress, 1 attempt, 1 wasted)"
    )
    assert lines[at + 2] == "    the same responses; it ended otherwise (succeeded -> no_progress)"
    assert lines[-1].startswith("    reports/latest/index.html#trial=http%2Frenamed-field")


def test_json_has_all_of_it(accepted, mendbench):
    altered(accepted, "\tcorrect\t", "\tincorrect\t", cases.QUIET)
    result = mendbench("gate", "--format", "json")
    document = json.loads(result.out)
    assert (result.code, document["verdict"], document["exit_code"], document["tally"]["compared"]) == (0, "pass", 0, 3)
    assert [(one["change"], one["level"], one["trial"]["case"]) for one in document["findings"]] == [
        ("won", "show", cases.QUIET)
    ]
    assert json.loads(mendbench("gate", "--update", "--format", "json").out)["changed"] == 1


UNUSABLE = [
        (("--baseline", "nowhere.tsv"), "nowhere.tsv: no such baseline; make it from a run that is right with `mendbench gate --update`"),
        (("nowhere",), "nowhere: no run is in it; make one with `mendbench run`"),
        (("--partial",), "--partial: nothing to accept; give it together with --update"),
        (("--self-test", "2", "--update"), "--self-test: it makes its own baseline"),
        (("--self-test", "0"), "'0' is not an integer of at least 1"),
]  # fmt: skip


def test_what_cannot_be_used_is_reported_in_one_line(accepted, mendbench):
    results = [(words, says, mendbench("gate", *words)) for words, says in UNUSABLE]
    wrong = [(words, one) for words, says, one in results if (one.code, one.out) != (2, "") or says not in one.line]
    assert wrong == []


def test_a_run_that_shares_nothing_with_the_baseline_is_an_error(accepted, mendbench):
    mendbench("run", "--repairer", "rules", "--policy", "naive", "--strategy", "summary", "--workers", "1")
    result = mendbench("gate")
    assert result.code == 2
    assert "none of its 3 trials is among the 3 of reports/latest" in result.line


def test_a_missing_recording_is_incomplete_and_names_the_command_that_records_it(modelled, mendbench):
    (modelled / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml").unlink()
    mendbench("run", "--workers", "1")
    result = mendbench("gate")
    assert result.code == 3
    assert result.out.splitlines()[0] == "inconclusive: 4 trials miss a recording"
    assert f"record it with: mendbench run {cases.RENAMED} --strategy full-context" in result.out
    refused = mendbench("gate", "--update")
    assert refused.code == 3
    assert "4 of 18 trials miss a recording" in refused.line
    kept = mendbench("gate", "--update", "--partial")
    assert (kept.code, kept.out) == (
        0,
        "baseline.tsv is unchanged: 18 trials, 14 of them right, 4 kept although they are not in the run\n",
    )


def test_an_unjudged_trial_is_inconclusive_and_fails_where_a_limit_says_so(modelled, mendbench):
    config, own = modelled / "mendbench.toml", SHIPPED.read_text(encoding="utf-8")
    gate = own[own.index("[gate]") :]
    config.write_text(f"{config.read_text(encoding='utf-8')}\n{gate}", encoding="utf-8")
    assert (mendbench("gate", "--update").code, mendbench("gate").code) == (0, 0)
    (modelled / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml").unlink()
    mendbench("run", "--workers", "1")
    result = mendbench("gate")
    assert result.code == 3
    assert result.out.startswith("inconclusive: 4 trials miss a recording")
    config.write_text(f"{config.read_text(encoding='utf-8')}\nmax_unjudged = 0\n", encoding="utf-8")
    failed = mendbench("gate")
    assert (failed.code, failed.out.splitlines()[0]) == (1, "FAILED: max_unjudged broken 4 times")


def test_a_changed_recording_is_reported_once_a_case_with_what_changed(modelled, mendbench):
    world = modelled / "cassettes" / cases.RENAMED / "world.yaml"
    world.write_text(world.read_text(encoding="utf-8").replace('"town":"Vik"', '"town":"Vig"'), encoding="utf-8")
    mendbench("run", "--workers", "1")
    result = mendbench("gate")
    assert result.code == 3
    first, _, _, head, finding, others, why, response, _ = result.out.splitlines()
    assert (first, head) == ("inconclusive: the recordings of 6 trials changed", "inconclusive:")
    assert finding == f"  recording: {cases.RENAMED} [full-context · naive · {cases.MODEL}]"
    assert others.startswith("    also in 5: ")
    assert (
        why
        == "    the world's response to 1 request changed: accept it with `mendbench gate --update` if that is meant"
    )
    assert response.startswith(f"    changed response: GET {cases.HOST}/people/p-1, now 200, key ")


def test_a_changed_case_cannot_be_compared_until_it_is_accepted(accepted, mendbench):
    cases.change_case(accepted, cases.QUIET, lambda truth: truth.update(title="Another greeting that works"))
    mendbench("run", *PLAIN)
    result = mendbench("gate")
    assert (result.code, result.out.splitlines()[0]) == (3, "inconclusive: the cases of 1 trial are others")
    again = mendbench("gate", "--update").out
    assert again.startswith("baseline.tsv accepted: 0 added, 0 removed, 1 changed; 3 trials, 2 of them right\n")
    assert mendbench("gate").code == 0


def test_a_narrower_run_says_so_and_accepting_it_says_what_is_lost(accepted, mendbench):
    mendbench("run", cases.QUIET, *PLAIN)
    result = mendbench("gate")
    assert result.code == 0
    assert result.out.startswith("passed: 1 trial no worse than in baseline.tsv; 2 of its 3 trials not in this run\n")
    assert "2 trials of the baseline not in this run" in result.out
    update = mendbench("gate", "--update")
    assert update.out.startswith(
        "baseline.tsv accepted: 0 added, 2 removed, 0 changed; 1 trial, 1 of them right\n2 of its lines were removed"
    )


def test_new_trials_fail_only_when_asked(accepted, mendbench):
    path = accepted / "baseline.tsv"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(cases.RENAMED)), encoding="utf-8")
    assert mendbench("gate").code == 0
    result = mendbench("gate", "--new")
    assert (result.code, result.out.splitlines()[0]) == (1, "FAILED: 1 trial new and not right")


def test_the_self_test_prints_the_false_alarm_rate(accepted, mendbench):
    result = mendbench("gate", "--self-test", "2", "--workers", "1")
    assert (result.code, result.err) == (0, "")
    assert result.out == "0 false alarms in 2 gates over 3 of 3 trials: 0.0%\n"
    assert json.loads(mendbench("gate", "--self-test", "1", "--workers", "1", "--format", "json").out)["rate"] == 0.0


def test_names_in_the_baseline_never_steer_a_terminal(accepted, mendbench):
    altered(accepted, "\tcorrect\t", "\tincorrect\t", cases.QUIET)
    path = accepted / "baseline.tsv"
    path.write_text(
        path.read_text(encoding="utf-8")
        + "\x1b[31mred\t"
        + "\t".join(path.read_text(encoding="utf-8").splitlines()[-1].split("\t")[1:])
        + "\n",
        encoding="utf-8",
    )
    assert "\x1b" not in mendbench("gate").out


def test_many_findings_are_cut_and_counted(accepted, mendbench):
    path = accepted / "baseline.tsv"
    *_, last = path.read_text(encoding="utf-8").splitlines()
    more = "".join(f"zoo/{number:02d}\t" + last.split("\t", 1)[1] + "\n" for number in range(15))
    path.write_text(path.read_text(encoding="utf-8") + more, encoding="utf-8")
    result = mendbench("gate")
    assert "  and 5 more; --format json has them all\n" in result.out


@pytest.mark.parametrize("line", ["<<<<<<< ours", "a\tb"])
def test_a_broken_baseline_is_reported_with_its_line(accepted, mendbench, line):
    path = accepted / "baseline.tsv"
    count = len(path.read_text(encoding="utf-8").splitlines())
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    for words in ((), ("--update", "--partial")):
        result = mendbench("gate", *words)
        assert result.code == 2
        assert result.line.startswith(f"baseline.tsv:{count + 1}: ")
    update = mendbench("gate", "--update")
    assert update.code == 0
    assert f"the whole old file was replaced, because it could not be read: baseline.tsv:{count + 1}: " in update.out
    assert mendbench("gate").code == 0


def test_one_shard_of_a_run_says_that_it_is_one(accepted, mendbench):
    mendbench("run", *PLAIN, "--shard", "1/2")
    result = mendbench("gate")
    assert result.code == 0
    assert (
        "  shard 1 of 2 alone: the rest of the run is not gated; `mendbench merge` puts the shards together\n"
        in result.out
    )


def test_a_limit_that_holds_everywhere_is_reported_once_at_its_nearest(corpus, mendbench):
    mendbench("run", *PLAIN, "--strategy", "none", "--policy", "naive")
    config = corpus / "mendbench.toml"
    config.write_text(config.read_text(encoding="utf-8") + "\n[gate.limits]\nmax_crashed = 0\n", encoding="utf-8")
    assert mendbench("gate", "--update").code == 0
    lines = mendbench("gate").out.split("limits that hold:\n")[1].splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("  max_crashed: crashed is 0, ")
    assert lines[0].endswith("; also for 3 other treatments")


def test_in_ci_a_run_that_took_trials_from_an_earlier_one_is_refused_unless_that_is_accepted(
    accepted, mendbench, monkeypatch
):
    monkeypatch.setenv("CI", "true")
    assert mendbench("gate").code == 0
    mendbench("run", *PLAIN, "--out", "again")
    result = mendbench("gate", "again")
    assert (result.code, result.line) == (
        2, "again: 3 of its 3 trials were executed by earlier runs; make the run with --fresh, or accept them with --reuse"
    )  # fmt: skip
    assert mendbench("gate", "again", "--reuse").code == 0
