"""Responses that nothing asks for any more are counted by a run, and deleted by a command of their own."""

import json
from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD
from tests.fakes.cases import MODEL, RENAMED

ONE = ("--workers", "1")


@pytest.fixture
def responses(corpus):
    """The recorded responses of one case, with one that nothing asks for."""
    path = corpus / "cassettes" / RENAMED / f"{MODEL}.yaml"
    first = cassette.load(path)[0]
    cassette.append(path, replace(first, key="f" * 16))
    return path


def keys(path):
    return [entry.key for entry in cassette.load(path)]


def stale(result):
    return [line for line in result.err.splitlines() if "stale" in line]


def test_a_run_of_all_says_how_many_there_are(mendbench, responses):
    assert stale(mendbench("run", *ONE)) == [
        "mendbench: stale: 1 recorded responses, in 1 cassettes, that nothing asks for any more; `mendbench prompts prune` lists them"
    ]


def test_a_run_of_less_cannot_know_and_says_nothing(mendbench, responses):
    assert stale(mendbench("run", RENAMED, *ONE)) == []


def test_what_a_changed_template_leaves_behind_is_reported_as_not_known_until_the_new_prompt_is_answered(
    mendbench, corpus, responses
):
    cassette.rewrite(responses, cassette.load(responses)[1:])
    ended = mendbench("run", *ONE)
    assert ended.code == 3
    left = len(cassette.load(responses)) - 1
    assert left > 0
    assert [line for line in stale(ended) if "without a verdict may ask for" in line]


def test_pruning_deletes_them_and_nothing_else(mendbench, responses):
    before = keys(responses)
    result = mendbench("prompts", "prune", "--delete", *ONE)
    assert (result.code, result.out) == (
        0, f"{RENAMED}: 1 of {len(before)} in {MODEL}.yaml\n1 recorded response that nothing asks for, deleted\n",
    )  # fmt: skip
    assert keys(responses) == before[:-1]
    assert stale(mendbench("run", *ONE)) == []


def test_unless_asked_to_it_only_lists_them(mendbench, responses):
    before = responses.read_bytes()
    result = mendbench("prompts", "prune", "--format", "json", *ONE)
    assert json.loads(result.out)["cassettes"] == [
        {"case": RENAMED, "cassette": f"{MODEL}.yaml", "stale": 1, "entries": len(keys(responses))}
    ]
    assert responses.read_bytes() == before


def test_nothing_is_deleted_while_a_trial_has_no_verdict(mendbench, responses):
    cassette.rewrite(responses, cassette.load(responses)[1:])
    before = responses.read_bytes()
    result = mendbench("prompts", "prune", "--delete", *ONE)
    assert result.code == 2
    assert "no verdict, so it is not known what it asks for; record what it misses" in result.line
    assert responses.read_bytes() == before


def test_what_a_proof_needs_is_left_where_an_edit_once_led_to_it(mendbench, corpus):
    folder = corpus / "cassettes" / RENAMED
    entries = cassette.load(folder / WORLD)
    proof_only = [entry for entry in entries if b"Vik" in entry.request.body]
    assert proof_only
    cassette.rewrite(folder / WORLD, [entry for entry in entries if entry not in proof_only])
    for entry in (*proof_only, replace(proof_only[0], key="f" * 16)):
        cassette.append(folder / TRAJECTORIES, entry)
    assert mendbench("prompts", "prune", "--delete", *ONE).out.endswith(
        "1 recorded response that nothing asks for, deleted\n"
    )
    assert keys(folder / TRAJECTORIES) == [entry.key for entry in proof_only]
