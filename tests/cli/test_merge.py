"""``mendbench run --shard`` and ``mendbench merge``: what several machines make is what one would have made."""

import contextlib
import json
import shutil

import pytest

from mendbench import api
from mendbench.runs.shards import Shard
from tests.fakes import cases


def files_of(folder):
    """Return a run's files, without what depends on the moment."""
    rows = [json.loads(line) for line in (folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()]
    whole = {name: (folder / name).read_bytes() for name in ("run.json", "texts.jsonl", "index.html")}
    return whole, [{name: value for name, value in row.items() if name != "timing"} for row in rows]


@pytest.fixture(scope="module")
def runs(built, tmp_path_factory):
    """The invented corpus run as a whole and in three shards, one of each case. Nobody may change it."""
    root = cases.copy_of(built, tmp_path_factory.mktemp("runs") / "corpus")
    with contextlib.chdir(root):
        for name, shard in (("whole", None), *((f"shard-{k}", Shard(number=k, of=3)) for k in (1, 2, 3))):
            api.run(api.RunOptions(workers=1, out=root / name, shard=shard), lambda *_: None)
    return root


@pytest.fixture
def sharded(runs, tmp_path, monkeypatch):
    """A copy of them, which is the current folder."""
    root = tmp_path / "runs"
    shutil.copytree(runs, root)
    monkeypatch.chdir(root)
    return root


def change(path, **fields):
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, **fields}), encoding="utf-8")


def test_merged_shards_are_the_undivided_run_byte_for_byte(sharded, mendbench):
    result = mendbench("merge", "shard-2", "shard-3", "shard-1", "--out", "merged")
    assert (result.code, result.err) == (0, "")
    assert files_of(sharded / "merged") == files_of(sharded / "whole")


def test_shards_share_no_case(sharded):
    own = [{row["case"] for row in files_of(sharded / f"shard-{number}")[1]} for number in (1, 2, 3)]
    assert [len(found) for found in own] == [1, 1, 1]
    assert len(set().union(*own)) == 3


def test_a_missing_shard_is_named(sharded, mendbench):
    result = mendbench("merge", "shard-1", "shard-3", "--out", "merged")
    assert result.code == 3
    assert result.line == "merge: shard 2/3 is missing; run it with `--shard 2/3`, and name it"
    assert not (sharded / "merged").exists()


def test_a_shard_that_is_named_twice_is_refused(sharded, mendbench):
    result = mendbench("merge", "shard-1", "shard-2", "shard-2", "--out", "merged")
    assert result.code == 2
    assert result.line == "shard-2: shard 2 once more, as in shard-2; name each shard once"


def test_a_run_that_is_no_shard_is_refused(sharded, mendbench):
    result = mendbench("merge", "whole", "--out", "merged")
    assert result.code == 2
    assert result.line == "whole: a run that is no shard; merge what `mendbench run --shard K/N` wrote"


@pytest.mark.parametrize(
    ("part", "value", "place"),
    [("digests", {"engine": "another"}, "digests.cases"), ("mendbench_version", "9", "mendbench_version")],
)
def test_shards_of_different_runs_are_refused_with_what_differs(sharded, mendbench, part, value, place):
    change(sharded / "shard-2/run.json", **{part: value})
    result = mendbench("merge", "shard-1", "shard-2", "shard-3", "--out", "merged")
    assert result.code == 2
    assert result.line.startswith(f"shard-2: {place} differs from that of shard-1; merge shards of one run")


@pytest.mark.parametrize("stored_shard", ["2/3", {}, {"number": "2", "of": 3, "trials": 9}])
def test_a_shard_that_does_not_say_which_it_is_is_refused(sharded, mendbench, stored_shard):
    change(sharded / "shard-2/run.json", shard=stored_shard)
    result = mendbench("merge", "shard-1", "shard-2", "shard-3", "--out", "merged")
    assert result.code == 2
    assert result.line.startswith("shard-2/run.json: shard")


def test_a_shard_that_was_made_of_another_template_is_refused(sharded, mendbench):
    digests = json.loads((sharded / "shard-2/run.json").read_text(encoding="utf-8"))["digests"]
    assert "treatments" in digests
    change(sharded / "shard-2/run.json", digests={**digests, "treatments": "another"})
    result = mendbench("merge", "shard-1", "shard-2", "shard-3", "--out", "merged")
    assert result.code == 2
    assert result.line.startswith("shard-2: digests.treatments differs from that of shard-1; merge shards of one run")


def test_a_trial_that_two_shards_have_is_refused(sharded, mendbench):
    shutil.copy(sharded / "shard-1/trials.jsonl", sharded / "shard-2/trials.jsonl")
    shutil.copy(sharded / "shard-1/texts.jsonl", sharded / "shard-2/texts.jsonl")
    result = mendbench("merge", "shard-1", "shard-2", "shard-3", "--out", "merged")
    assert result.code == 2
    assert result.line.startswith("shard-2: the trial ")
    assert result.line.endswith("once more, as in shard-1; merge shards of one run")


def test_a_shard_that_lost_trials_is_incomplete(sharded, mendbench):
    path = sharded / "shard-2/trials.jsonl"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[1:]), encoding="utf-8")
    result = mendbench("merge", "shard-1", "shard-2", "shard-3", "--out", "merged")
    assert result.code == 2
    assert result.line == "shard-2/trials.jsonl: 5 lines of 6 trials; make the run again with `mendbench run`"
    change(sharded / "shard-2/run.json", trials=5)
    result = mendbench("merge", "shard-1", "shard-2", "shard-3", "--out", "merged")
    assert result.code == 3
    assert result.line.endswith("trials are there; run the shards again")


def test_more_shards_than_cases_are_refused_before_anything_runs(corpus, mendbench):
    result = mendbench("run", "--shard", "4/4", "--out", "mine")
    assert result.code == 2
    assert result.line == "--shard: 4 shards of 3 cases; use 3 shards at most"
    assert not (corpus / "mine").exists()


def test_what_names_no_shard_is_refused(corpus, mendbench):
    result = mendbench("run", "--shard", "5/4")
    assert (result.code, result.line) == (2, "--shard: '5/4'; give K/N with K from 1 to N, such as 2/4")
