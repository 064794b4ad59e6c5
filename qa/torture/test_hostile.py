"""A few of what ``make torture PARTS=hostile`` tries."""

import re
from functools import partial

import pytest

from mendbench.runtime.nodes.interface import NodeType
from mendbench.runtime.observation import run_node
from mendbench.runtime.outline import ANY_TOOL
from qa.torture.hostile import tried
from qa.torture.hostile_ends import ENDS, wrong_end
from qa.torture.hostile_responses import responses
from qa.torture.hostile_servers import SPEAKING, _api, _files, _undeclared
from qa.torture.hostile_templates import refused
from qa.torture.isolation import isolated
from qa.torture.raised import unmeant, watched
from tests.fakes import cases

SOME = (
    "asks 'https://evil.example/take'",
    "read-file '/etc/passwd'",
    "a batch over itself",
    "expression ((((((((((((((((((((((((((((((((((((((((",
    "copies into itself",
    "markup in an id",
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("hostile") / "desk")


@pytest.mark.parametrize("name", SOME)
def test_an_answer_that_means_harm_ends_in_an_outcome(desk, name):
    assert isolated(partial(tried, desk, name, dict(responses())[name])) is None


def test_every_answer_has_an_end_that_is_written_down():
    assert [name for name, _ in responses() if not any(re.match(pattern, name) for pattern, _ in ENDS)] == []


ENDED = {
    "verdict": "incorrect",
    "problem": None,
    "attempts": [{"status": "unparsable", "problem": "The response is empty."}],
}


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, None),
        ({"verdict": "unjudged"}, "it is unjudged"),
        ({"attempts": [{"status": "unchanged", "problem": None}]}, "its attempts are unchanged and not unparsable"),
        ({"attempts": [{"status": "unparsable", "problem": "No."}]}, "it does not say"),
        ({"verdict": "crashed", "problem": {"message": "KeyError: 'x'"}}, "it is crashed by no bound"),
        ({"verdict": "crashed", "problem": {"message": "GuardTripped: open"}}, "it is crashed by no bound"),
        ({"verdict": "crashed", "problem": {"message": "BoundReached: too much"}}, "a bound of the whole trial"),
    ],
    ids=["as it has to", "unjudged", "another status", "another reason", "raised", "an effect", "a bound"],
)
def test_an_end_that_is_not_the_answers_own_is_reported(changes, found):
    reported = wrong_end("nothing", {**ENDED, **changes})
    assert reported is None if found is None else reported.startswith(found)


@pytest.mark.parametrize(
    ("raised", "found"),
    [
        (ValueError("'a' must be a number"), None),
        (TypeError("Http node parameter 'url' must be a string, got a list"), None),
        (TypeError("'NoneType' object is not subscriptable"), "a node raised TypeError"),
        (KeyError("x"), "a node raised KeyError"),
        (RecursionError("maximum recursion depth exceeded"), "a node raised RecursionError"),
        (MemoryError(), "a node raised MemoryError"),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "half"), "a node raised UnicodeEncodeError"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_what_a_node_raises_by_accident_is_distinguished_from_what_it_says(raised, found):
    def broken(_params, _send, _clock):
        raise raised

    with watched() as seen:
        visit = run_node(NodeType(type="t", spec=ANY_TOOL, run=broken), {}, None, None)
    assert visit.exception == type(raised).__name__
    reported = unmeant(seen)
    assert reported is None if found is None else reported.startswith(found)


@pytest.mark.parametrize(
    "name", ["a body without an end", "headers without an end", "a redirect elsewhere", "1,000 cookies"]
)
def test_a_server_that_means_harm_is_one_fault_or_one_answer(name):
    assert isolated(partial(_api, SPEAKING[name])) is None


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__ }}",
        "{{ ''|attr('format') }}",
        "{{ 'a' * 10**10 }}",
        "{{ 'a'|indent(10**9, true) }}",
        "{% import 'os' as os %}",
    ],
)
def test_a_template_that_means_harm_is_refused(text):
    assert refused(text) is None


def test_no_spelling_of_another_host_and_no_file_outside_is_reached():
    assert (_undeclared(), _files()) == (None, None)


def test_what_takes_too_much_memory_or_raises_is_reported():
    assert "MemoryError" in (isolated(lambda: str(bytes(3_000_000_000)[0])) or "")
    assert "ValueError: at all" in (isolated(_raise) or "")


def _raise():
    raise ValueError("at all")
