"""What a recording would ask, before it begins."""

from __future__ import annotations

import pytest

from mendbench import api
from mendbench.api.estimating import estimate_recording
from mendbench.cassettes.recordings import model_file
from mendbench.errors import BadInput, UnknownName
from tests.fakes import cases
from tests.fakes.cases import MODEL, QUIET, RENAMED

ONE = api.RunOptions(names=(RENAMED,), strategies=("full-context",), policies=("naive",), workers=1)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("built"))


@pytest.fixture
def root(built, tmp_path, monkeypatch):
    root = cases.copy_of(built, tmp_path / "corpus")
    monkeypatch.chdir(root)
    return root


def test_each_trial_that_asks_is_reported_and_the_controls_are_not_run(root):
    (root / "cassettes" / RENAMED / model_file(MODEL)).unlink()
    progress = []
    found = estimate_recording(api.RunOptions(workers=1), lambda *words: progress.append(words))
    assert (found.trials, found.cases, found.prompts) == (12, 3, 2)
    assert [(done, total) for done, total, _ in progress] == [(at, 12) for at in range(1, 13)]


def test_a_selection_that_asks_nothing_is_an_estimate_of_nothing(root):
    quiet = api.RunOptions(names=(QUIET,), repairers=("noop",), workers=1)
    assert (estimate_recording(quiet).trials, estimate_recording(quiet).models) == (0, ())


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ({"record": "later"}, UnknownName),
        ({"strategies": ("nothing",)}, UnknownName),
        ({"names": ("nowhere",)}, BadInput),
    ],
)
def test_what_a_recording_would_refuse_is_refused(root, words, kind):
    with pytest.raises(kind):
        estimate_recording(api.RunOptions(**{"names": (RENAMED,), "workers": 1, **words}))


def test_an_answer_that_is_there_is_asked_only_where_all_is_recorded_again(root):
    fresh = api.RunOptions(names=(RENAMED,), strategies=("full-context",), policies=("naive",), workers=1, record="all")
    assert estimate_recording(ONE).prompts == 0
    assert estimate_recording(fresh).prompts >= 1
