"""A world that a command engine asks for is recorded and replayed like any other, whatever port it was served at."""

import sys
from dataclasses import replace

import pytest

from mendbench.config.tables import EngineConfig
from mendbench.trial.long_texts import whole
from mendbench.trial.runner import run_trial
from tests.fakes.cases import HOST, RENAMED, LiveRecorder, build, context_of, copy_of, key, make_live
from tests.fakes.engines import PLAIN


@pytest.fixture
def root(tmp_path):
    return copy_of(build(tmp_path / "built"), tmp_path / "corpus")


FETCH = "adds accept: */*\naccept-language: *\nsec-fetch-mode: cors\nuser-agent: node\naccept-encoding: gzip, deflate"
"""An engine whose HTTP client adds what Node's ``fetch`` does."""


def ran(root, recorder=None, *words):
    engine = EngineConfig(command=[sys.executable, "-S", "-E", str(PLAIN), *words], timeout_s=30)
    one = replace(key(RENAMED, strategy="none", repairer="reference"), engine="plain")
    row, texts = run_trial(replace(context_of(root), engines={"plain": engine}), one, recorder)
    return whole(row, texts)


def test_what_a_command_asks_of_a_live_world_is_recorded_and_replayed(root):
    make_live(root, RENAMED)
    assert (ran(root)["verdict"], ran(root)["stop_reason"]) == ("unjudged", "unjudged")
    recorded = ran(root, LiveRecorder(trajectory=False))
    assert (recorded["verdict"], recorded["outcome"]) == ("correct", "repaired")
    text = (root / "cassettes" / RENAMED / "world.yaml").read_text("utf-8")
    assert f"{HOST}/people/p-1" in text
    assert "127.0.0.1" not in text
    replayed = ran(root)
    assert (replayed["verdict"], replayed["outcome"], replayed["evidence"]) == (
        "correct",
        "repaired",
        recorded["evidence"],
    )


def test_what_one_client_asked_is_replayed_for_another_that_adds_headers_of_its_own(root):
    make_live(root, RENAMED)
    ran(root, LiveRecorder(trajectory=False))
    replayed = ran(root, None, FETCH)
    assert (replayed["verdict"], replayed["problem"]) == ("correct", None)


def test_a_miss_names_the_original_request(root):
    make_live(root, RENAMED)
    problem = ran(root)["problem"]
    assert problem["detail"]["request"] == f"GET {HOST}/people/p-1"
    assert "--engine plain" in problem["detail"]["record"]
