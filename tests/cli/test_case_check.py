"""What `mendbench case check` refuses beside a proof that does not hold: recordings that nothing asks for, and credentials in them."""

import json
import shutil
from dataclasses import replace

import pytest
import yaml

from mendbench.cassettes import cassette
from tests.fakes import cases, live_api
from tests.fakes.planted import record_credential

RESPONSES = f"{cases.RENAMED}/{cases.MODEL}.yaml"


@pytest.fixture
def check(mendbench):
    """Check the case with recorded responses, on this process."""

    def run(*words):
        return mendbench("case", "check", cases.RENAMED, "--workers", "1", *words)

    return run


def test_an_empty_recording_fails_the_check_until_it_is_recorded_again(corpus, check):
    path = corpus / "cassettes" / cases.RENAMED / "world.yaml"
    for text in ("", "version: 1\n"):
        path.write_text(text, encoding="utf-8")
        result = check()
        assert (text, result.code) == (text, 1)
        assert result.line.startswith(
            f"{path}: a recording without a whole exchange; restore it, or delete it and record"
        )
    assert check("--record", "new_episodes").code == 0
    assert check().code == 0


def test_without_the_folder_of_recordings_a_case_that_needs_one_is_not_proved(corpus, check):
    shutil.rmtree(corpus / "cassettes")
    assert check().code == 0
    cases.change_case(corpus, cases.RENAMED, lambda truth: truth.update(recorded_from={"json_api": "live"}))
    result = check()
    assert (result.code, result.out) == (2, "")
    assert result.line.startswith(f"{corpus}/cassettes: no such folder of recordings; ")


def with_leftover(root):
    """Add a response to a prompt that no strategy makes to the case's recorded ones, and return how many there are then."""
    path = root / "cassettes" / RESPONSES
    cassette.append(path, replace(cassette.load(path)[0], key="f" * 16))
    return len(cassette.load(path))


def test_an_answer_that_no_configured_strategy_asks_for_fails_the_check_and_its_file_is_named(corpus, check):
    assert check().code == 0
    entries = with_leftover(corpus)
    result = check()
    assert result.code == 1
    assert result.line.endswith(
        f"{RESPONSES}: 1 of {entries} recorded responses that nothing asks for any more; `mendbench prompts prune --delete` deletes them"
    )


def test_the_answers_to_a_strategy_that_is_configured_no_more_fail_it(corpus, check):
    path = corpus / "mendbench.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('strategies = ["none", "full-context"]', 'strategies = ["none"]'), encoding="utf-8")
    result = check()
    assert result.code == 1
    assert f"{RESPONSES}: " in result.line
    assert "recorded responses that nothing asks for any more" in result.line


def test_recordings_of_a_case_that_there_is_not_fail_the_check_of_all_and_no_other(corpus, mendbench, check):
    shutil.copytree(corpus / "cassettes" / cases.RENAMED, corpus / "cassettes" / "http" / "gone")
    result = mendbench("case", "check", "--workers", "1")
    assert result.code == 1
    assert "cassettes/http/gone: recordings of no case; delete the folder, or bring its case back" in result.err
    assert check().code == 0


def test_of_a_corpus_that_is_not_the_configurations_it_is_not_known_what_is_asked_for(corpus, check):
    with_leftover(corpus)
    (corpus / "cases").rename(corpus / "mine")
    assert check("--cases", "mine", "--cassettes", "cassettes").code == 0


@pytest.mark.parametrize("shape", ["GitHub token", "npm token"])
def test_a_credential_that_nobody_declared_fails_the_check_and_is_not_shown(corpus, check, shape):
    planted = record_credential(corpus, cases.RENAMED, shape)
    result = check()
    assert result.code == 2
    assert f"{cases.RENAMED}/world.yaml:{planted.line}: " in result.line
    assert planted.value not in result.out + result.err


def without_the_tag(truth):
    for check in (truth["checks"][0], truth["variants"][0]["checks"][0]):
        del check["request"]["json"]["tag"]


def test_a_surviving_mutant_is_reported_with_what_to_do_and_with_a_patch_to_paste(corpus, check):
    cases.change_case(corpus, cases.RENAMED, without_the_tag)
    result = check("--record", "new_episodes")
    assert result.code == 1
    lines = [line.removeprefix("mendbench: ") for line in result.err.splitlines()]
    (at,) = [number for number, line in enumerate(lines) if "mutant survives: without note's body.tag" in line]
    assert "make a check stricter, or set `only: true`" in lines[at]
    pasted = yaml.safe_load(lines[at + 1])
    cases.change_case(corpus, cases.RENAMED, lambda truth: truth.update(accepts=pasted))
    assert check("--record", "new_episodes").code == 0


def test_what_is_unproved_of_a_live_world_is_reported_and_counted_and_fails_nothing(tmp_path, mendbench, monkeypatch):
    monkeypatch.setenv(live_api.VARIABLE, live_api.TOKEN)
    monkeypatch.chdir(tmp_path)
    words = ("case", "check", live_api.CASE, "--workers", "1")
    with live_api.live_api() as api:
        live_api.write_live_case(tmp_path, api.base)
        assert mendbench(*words, "--record", "new_episodes", "--allow-writes").code == 0
    result = mendbench(*words)
    assert result.code == 0
    found = json.loads(mendbench(*words, "--format", "json").out)
    what = [one["what"] for one in found["summary"]["unproved"]]
    assert "mutant: note's write done again" in what
    assert f"\n{len(what)} unproved (live): " in result.out
    assert result.err.count(f"{live_api.CASE}: unproved (live): ") == len(what)
