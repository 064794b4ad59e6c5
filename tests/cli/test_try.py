"""``mendbench try``: a strategy against another one, within a budget."""

import json

import pytest

from mendbench.cassettes import cassette
from mendbench.strategies.template import TEMPLATES
from tests.cli.test_recording import files_of, served
from tests.fakes.cases import MODEL, RENAMED

__all__ = ["served"]


@pytest.fixture
def mine(corpus):
    """A strategy that says less than ``full-context``."""
    path = corpus / "mine.md.j2"
    path.write_text((TEMPLATES / "none.md.j2").read_text("utf-8"), encoding="utf-8")
    return path


def tried(mendbench, *words, against="full-context", budget="200prompts"):
    return mendbench("try", "./mine.md.j2", "--against", against, "--model", MODEL, "--budget", budget, *words)


def test_a_try_asks_both_and_says_who_won_how_sure_that_is_and_what_to_look_at(mendbench, served, mine):
    result = tried(mendbench)
    lines = result.out.splitlines()
    assert (result.code, len(served)) == (0, 2)
    assert lines[0] == (
        f"./mine.md.j2 against full-context, by the first responses of {MODEL}: every group of cases was used"
    )
    assert "won 0 : lost 1 of 1 case (1 group in all)" in lines
    assert "no clear difference: there are too few cases" in lines
    assert f"  mendbench strategy diff full-context ./mine.md.j2 {RENAMED}" in lines
    assert f"1. {RENAMED}: lost; won 0 : lost 1; 2 prompts" in result.err


def test_the_responses_go_to_the_private_layer_which_git_ignores(corpus, mendbench, served, mine):
    before = {path for path in files_of(corpus) if ".mendbench" not in path.parts}
    tried(mendbench)
    private = corpus / ".mendbench" / "recordings"
    assert {path for path in files_of(corpus) if ".mendbench" not in path.parts} == before
    assert sum(len(cassette.load(path)) for path in private.rglob("*.yaml")) == 2
    assert (private / ".gitignore").read_text("utf-8") == "*\n"


def test_a_second_try_replays_and_is_not_counted_as_another_one(corpus, mendbench, served, mine):
    tried(mendbench)
    again = tried(mendbench)
    assert len(served) == 2
    assert "earlier tries of this pair: 1 (won 0 : lost 1)" in again.out
    assert len((corpus / ".mendbench" / "tries.jsonl").read_text("utf-8").splitlines()) == 1


def test_without_a_model_the_prompts_are_compared_and_no_verdict_is_given(mendbench, served, mine):
    result = mendbench("try", "./mine.md.j2", "--against", "full-context")
    assert "facts in prompt" in result.out
    assert "this compares prompts, and is no verdict; ask a model: mendbench try ./mine.md.j2" in result.err
    assert served == []


def test_its_json_has_the_pairs_and_the_interval(mendbench, served, mine):
    document = json.loads(tried(mendbench, "--format", "json").out)
    assert document["lost"] == [RENAMED]
    assert document["interval"][0] < 0 < document["interval"][1]
    assert document["ended"] == "no more groups"


@pytest.mark.parametrize("budget", ["5", "min", "0prompts", "3 euros"])
def test_a_budget_without_amount_or_unit_is_one_line(mendbench, served, mine, budget):
    result = tried(mendbench, budget=budget)
    assert (result.code, result.line) == (
        2,
        f"--budget: {budget!r}; write an amount above 0 and a unit: 5min, 2usd or 200prompts",
    )


def test_dollars_need_a_price(mendbench, served, mine):
    result = tried(mendbench, budget="2usd")
    assert result.line == (f"--budget: the price of {MODEL} is not known; configure prices, or give minutes or prompts")
    assert served == []


def test_a_strategy_is_not_tried_against_itself(mendbench, served, mine):
    assert tried(mendbench, against="./mine.md.j2").line == (
        "--against: './mine.md.j2' is the strategy itself; name another one"
    )
