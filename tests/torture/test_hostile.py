"""A few of what ``make torture PARTS=hostile`` tries."""

from functools import partial

import pytest

from tests.fakes import cases
from tests.torture.hostile import _tried
from tests.torture.hostile_answers import answers
from tests.torture.hostile_servers import SPEAKING, _api, _files, _undeclared
from tests.torture.hostile_templates import refused
from tests.torture.isolation import isolated

SOME = (
    "asks 'https://evil.example/take'",
    "read-file '/etc/passwd'",
    "60 nodes that hold twice",
    "copies into itself",
    "markup in an id",
)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("hostile") / "desk")


@pytest.mark.parametrize("name", SOME)
def test_an_answer_that_means_harm_ends_in_an_outcome(desk, name):
    assert isolated(partial(_tried, desk, dict(answers())[name])) is None


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


def test_what_takes_too_much_memory_or_raises_is_told():
    assert "MemoryError" in (isolated(lambda: str(bytes(3_000_000_000)[0])) or "")
    assert "ValueError: at all" in (isolated(_raise) or "")


def _raise():
    raise ValueError("at all")
