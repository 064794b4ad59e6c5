from dataclasses import replace

import pytest

from mendbench.errors import BadInput, CheckFailed, Incomplete
from mendbench.results.acceptance import accept
from mendbench.results.baseline import read_baseline
from mendbench.secrets.redaction import canary
from tests.fakes.runs import crashed, key_of, plausible, repairable, repaired, row_of, stored_run, unjudged

DIGESTS = {"engine": "mendbench 1", "scorer": "1.1", "prices": {}}
FIRST, SECOND, THIRD = (repairable(name) for name in ("first", "second", "third"))


def run_of(*trials, **digests):
    """Return a run of cases, how each came out, and what kept it from a verdict."""
    made = [
        row_of(case, happened, key_of(case), problem=next(iter(problem), None)) for case, happened, *problem in trials
    ]
    return stored_run(made, digests={**DIGESTS, **digests})


def counts(update):
    return (update.added, update.removed, update.changed, update.kept, update.written)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "baseline.tsv"


def test_an_accepted_run_is_reported_line_by_line(path):
    assert counts(accept(path, run_of((FIRST, repaired()), (SECOND, repaired())), partial=False)) == (2, 0, 0, 0, True)
    assert counts(accept(path, run_of((FIRST, plausible()), (THIRD, repaired())), partial=False)) == (1, 1, 1, 0, True)
    assert [entry.verdict for entry in read_baseline(path).entries] == ["incorrect", "correct"]


def test_the_file_is_written_only_if_it_differs(path):
    run = run_of((FIRST, repaired()))
    accept(path, run, partial=False)
    before = path.stat().st_mtime_ns
    assert counts(accept(path, run, partial=False)) == (0, 0, 0, 0, False)
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("problem", "says"), [(unjudged(), "1 of 2 trials miss a recording"), (crashed(), "1 of 2 trials crashed")]
)
def test_a_run_with_trials_without_a_verdict_is_accepted_only_in_part(path, problem, says):
    run = run_of((FIRST, repaired()), (SECOND, repaired(), problem))
    with pytest.raises(
        Incomplete, match=f"{says}, the first of them .*second.* accept the others with --update --partial"
    ):
        accept(path, run, partial=False)
    assert not path.exists()
    accept(path, run, partial=True)
    assert [entry.verdict for entry in read_baseline(path).entries] == [
        "correct",
        *(["crashed"] if problem.kind == "crashed" else []),
    ]


def test_in_part_means_that_lines_stay_that_the_run_does_not_cover(path):
    accept(path, run_of((FIRST, repaired()), (SECOND, repaired()), (THIRD, plausible())), partial=False)
    update = accept(path, run_of((FIRST, plausible()), (SECOND, repaired(), unjudged())), partial=True)
    assert counts(update) == (0, 0, 1, 2, True)
    assert [entry.verdict for entry in read_baseline(path).entries] == ["incorrect", "correct", "incorrect"]


def test_lines_of_another_scorer_are_not_kept(path):
    accept(path, run_of((FIRST, repaired()), (SECOND, repaired())), partial=False)
    with pytest.raises(BadInput, match="1 lines would be kept that are of another scorer"):
        accept(path, run_of((FIRST, repaired()), scorer="1.2"), partial=True)
    assert accept(path, run_of((FIRST, repaired()), scorer="1.2"), partial=False).removed == 1


def test_a_run_without_any_verdict_makes_no_baseline(path):
    with pytest.raises(BadInput, match="no trial that has a verdict"):
        accept(path, run_of((FIRST, repaired(), unjudged())), partial=True)
    with pytest.raises(BadInput, match="no trial that has a verdict"):
        accept(path, replace(run_of(), rows=()), partial=False)


def test_a_place_that_cannot_be_written_is_reported(tmp_path):
    (tmp_path / "plain").write_text("")
    with pytest.raises(BadInput, match="choose another file with --baseline"):
        accept(tmp_path / "plain" / "baseline.tsv", run_of((FIRST, repaired())), partial=False)


def test_a_run_with_a_secret_in_the_clear_is_never_accepted(path):
    leaking = run_of((FIRST, repaired()), (SECOND, repaired(frame=f"the token is {canary(SECOND.id, 'slack')}")))
    for partial in (False, True):
        with pytest.raises(CheckFailed, match=r"not accepted.*second.*attempts\[1\].frame holds a secret") as caught:
            accept(path, leaking, partial=partial)
    assert caught.value.exit_code == 1
    assert not path.exists()


def test_a_link_to_a_baseline_stays_a_link(path, tmp_path):
    accept(path, run_of((FIRST, repaired())), partial=False)
    link = tmp_path / "linked.tsv"
    link.symlink_to(path)
    accept(link, run_of((FIRST, repaired()), (SECOND, repaired())), partial=False)
    assert link.is_symlink()
    assert len(read_baseline(path).entries) == 2


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [("format\t4", "format\t9", "format '9'"), ("\ncase\t", "\n<<<<<<< ours\ncase\t", "a merge conflict")],
)
def test_a_baseline_that_cannot_be_read_is_replaced_but_not_kept_in_part(path, before, after, says):
    run = run_of((FIRST, repaired()))
    accept(path, run, partial=False)
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(BadInput, match=says):
        accept(path, run, partial=True)
    update = accept(path, run, partial=False)
    assert says in update.replaced
    assert counts(update) == (1, 0, 0, 0, True)
    assert path.read_text(encoding="utf-8") == text
    assert accept(path, run, partial=False).replaced is None


def test_a_file_that_is_no_baseline_is_never_replaced(tmp_path):
    notes = tmp_path / "notes.md"
    notes.write_text("# What we know\n", encoding="utf-8")
    with pytest.raises(BadInput, match="no line that states 'format'"):
        accept(notes, run_of((FIRST, repaired())), partial=False)
    assert notes.read_text(encoding="utf-8") == "# What we know\n"
