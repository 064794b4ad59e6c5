"""What became of earlier attempts, as a strategy may show it."""

import dataclasses

from mendbench.model.prompt import Context, Prompt, Reply
from mendbench.model.trial import Attempt
from mendbench.repair.earlier_attempts import earlier_attempts
from tests.strategies import invented

PROMPT = Prompt(system="", frame="", context=Context(strategy="", sections=(), tokens=0))
FIRST = invented.renamed_field().execution
OTHER = invented.wrong_path().execution


def attempt(number, status, execution=None, problem=None):
    reply = Reply(text=f"answer {number}")
    return Attempt(number=number, prompt=PROMPT, reply=reply, status=status, execution=execution, problem=problem)


def test_a_run_is_compared_with_the_run_before_it():
    same = dataclasses.replace(FIRST)
    found = earlier_attempts(
        FIRST, [attempt(1, "edited", same), attempt(2, "edited", OTHER), attempt(3, "edited", OTHER)]
    )
    assert [one.result for one in found] == ["same_failure", "other_failure", "same_failure"]
    assert [(one.number, one.reply) for one in found] == [(1, "answer 1"), (2, "answer 2"), (3, "answer 3")]


def test_an_answer_that_did_not_run_says_why():
    attempts = [
        attempt(1, "unchanged"), attempt(2, "invalid", problem="No such node."), attempt(3, "unparsable", problem="No JSON."),
        attempt(4, "cut", problem="Cut."), attempt(5, "edited", OTHER),
    ]  # fmt: skip
    found = earlier_attempts(FIRST, attempts)
    assert [one.result for one in found] == ["unchanged", "invalid", "unusable", "unusable", "other_failure"]
    assert found[1].problem == "No such node."
