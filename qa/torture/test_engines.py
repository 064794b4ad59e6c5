"""A quick version of what engines are put through."""

import random

import pytest

from qa.torture.engines import PROGRAMS, broken, documents, sent_with, wrong_verdict
from qa.torture.tally import failures


def test_a_few_odd_documents_each_come_to_a_row(tmp_path):
    assert failures(documents(tmp_path, 4, random.Random(0))) == []


@pytest.mark.parametrize(
    ("verdict", "message", "right"),
    [
        ("incorrect", None, True),
        ("crashed", "EngineFailed: it printed no JSON", True),
        ("crashed", "BoundReached: too many requests", True),
        ("crashed", "KeyError: 'nodes'", False),
        ("crashed", "RecursionError: maximum recursion depth exceeded", False),
        ("unjudged", "nothing is recorded", False),
    ],
)
def test_a_crash_is_right_only_where_the_engine_failed_or_a_bound_was_reached(verdict, message, right):
    row = {"verdict": verdict, "problem": None if message is None else {"message": message}}
    assert (wrong_verdict(row) is None) is right


def test_a_few_programs_that_come_to_nothing_are_ended_whole():
    chosen = ("leaves a stranger", "sends what is too deep")
    assert set(chosen) <= set(PROGRAMS)
    assert failures(map(broken, chosen)) == []


def test_a_client_or_two_send_what_any_other_does():
    assert failures(map(sent_with, ("Node 20 fetch", "axios 1, without a body"))) == []
