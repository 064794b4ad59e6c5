"""What `mendbench case check` refuses beside a proof that does not hold: recordings that nothing asks for, and credentials in them."""

import shutil
from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from tests.fakes import cases
from tests.fakes.planted import record_credential

RESPONSES = f"{cases.RENAMED}/{cases.MODEL}.yaml"


@pytest.fixture
def check(mendbench):
    """Check the case with recorded responses, on this process."""

    def run(*words):
        return mendbench("case", "check", cases.RENAMED, "--workers", "1", *words)

    return run


@pytest.mark.parametrize("text", ["", "version: 1\n"])
def test_an_empty_recording_fails_the_check_until_it_is_recorded_again(corpus, check, text):
    path = corpus / "cassettes" / cases.RENAMED / "world.yaml"
    path.write_text(text, encoding="utf-8")
    result = check()
    assert result.code == 1
    assert result.line.startswith(f"{path}: a recording without a whole exchange; restore it, or delete it and record")
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
