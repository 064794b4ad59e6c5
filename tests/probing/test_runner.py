import pytest

from mendbench.errors import BadInput
from mendbench.probing import runner
from mendbench.probing.calls import Call
from mendbench.probing.connection import Lost
from mendbench.probing.runner import Wish, probe
from mendbench.secrets.redaction import Redactor
from tests.fakes import probed


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The whole probe of the library. Nobody may change it."""
    return probed.probed(tmp_path_factory.mktemp("probe"))


def by_id(found):
    return {one.id: (one.findings.verdict, one.findings.heed, one.answer.text) for one in found.broken}


def test_every_refusal_is_kept_verbatim_with_its_verdict_worst_first(found):
    assert [one.findings.verdict for one in found.broken] == sorted(
        (one.findings.verdict for one in found.broken), key=["silent", "hidden", "misleads", "partly", "helps"].index
    )
    shown = by_id(found)
    assert shown["find_book/renamed/shelf_id"] == ("misleads", "refused", "KeyError")
    assert shown["find_book/enum/sort_by"] == ("hidden", "refused", "Invalid params")
    assert shown["find_book/name-for-id/shelf_id"] == ("silent", "unmarked", "Error: no shelf the quarterly report")
    assert shown["find_book/type/shelf_id"] == ("helps", "refused", "shelf_id: expected a string")
    assert (found.info.name, len(found.tools)) == ("library", 3)


def test_a_misspelt_name_that_the_tool_accepts_is_not_counted(found):
    assert "lend_book/unknown/title" not in by_id(found)
    assert "lend_book/unknown/title" in {one.what for one in found.not_run if "accepts any name" in one.why}


def test_an_argument_is_ignored_if_the_answer_is_that_of_a_call_without_it(found):
    assert by_id(found)["find_book/renamed/limit"] == ("silent", "ignored", '["Bread", "Salt"]')


def test_each_call_that_may_have_written_is_followed_by_a_fresh_folder(found):
    answers = [one.answer.text for one in found.broken if one.call.tool == "lend_book"]
    assert "lent until 2026-12-01" in answers
    assert "due: a date is written YYYY-MM-DD" in answers
    assert "somebody has it" not in answers


def test_a_destructive_tool_runs_only_if_writes_are_allowed(tmp_path, found):
    burn = Call(tool="burn_book", arguments={"title": "Bread"}, place="line 3")
    assert ("burn_book", "its destructiveHint is true: --allow-writes runs it") in {
        (one.what, one.why) for one in found.not_run
    }
    with pytest.raises(BadInput, match="none of its tools with a right call may be run: its destructiveHint is true"):
        probed.probed(tmp_path, calls=(burn,))
    assert probed.probed(tmp_path, calls=(burn,), allow_writes=True).right[0].answer.text == "ashes"


def test_a_right_call_that_fails_is_reported_and_not_broken(tmp_path):
    wrong = Call(tool="find_book", arguments={"limit": 2}, place="line 1")
    found = probed.probed(tmp_path, calls=(wrong, probed.CALLS[1]))
    assert [(one.call.place, one.answer.text) for one in found.wrong] == [("line 1", "KeyError")]
    assert {one.call.tool for one in found.broken} == {"lend_book"}
    with pytest.raises(
        BadInput, match="line 1: no right call is accepted; find_book: KeyError; give calls that succeed"
    ):
        probed.probed(tmp_path, calls=(wrong,))


def test_what_a_limit_leaves_out_is_listed(tmp_path, found):
    short = probed.probed(tmp_path, limit=2)
    assert len(short.broken) == 2
    left = {one.what for one in short.not_run if one.why == "--limit 2"}
    assert left == {*by_id(found), "lend_book/unknown/title"} - set(by_id(short))


def test_without_a_limit_calls_are_sent_until_the_time_is_over(tmp_path, found, monkeypatch):
    monkeypatch.setattr(runner, "BUDGET_S", -1.0)
    none = probed.probed(tmp_path, limit=None)
    assert none.broken == ()
    assert {one.what for one in none.not_run if "are over: --limit 20 runs all" in one.why} == {
        *by_id(found),
        "lend_book/unknown/title",
    }


def test_chosen_calls_run_alone_and_an_unknown_one_is_refused(tmp_path):
    assert list(by_id(probed.probed(tmp_path, only=frozenset({"lend_book/format/due"})))) == ["lend_book/format/due"]
    with pytest.raises(
        BadInput, match="--only: unknown broken call 'lend_book/format/do'; did you mean 'lend_book/format/due'"
    ):
        probed.probed(tmp_path, only=frozenset({"lend_book/format/do"}))


def test_a_server_that_dies_is_started_again(tmp_path):
    found = probed.probed(tmp_path, "dies")
    lost = [one for one in found.broken if one.findings.verdict == "lost"]
    assert {one.id for one in lost} == {"find_book/renamed/shelf_id", "find_book/missing/shelf_id"}
    assert lost[0].answer.text == "it ended with exit code 1; its last line on stderr: out of ink"
    assert "find_book/type/shelf_id" in by_id(found)


class _Far:
    """A target on another machine."""

    remote = True

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


def test_on_another_machine_a_tool_without_a_read_only_hint_runs_only_if_writes_are_allowed(tmp_path):
    target = _Far(probed.target(tmp_path))
    found = probe(target, Wish(calls=probed.CALLS, limit=100), probed.silence)
    assert {one.call.tool for one in (*found.right, *found.broken)} == {"find_book"}
    assert ("lend_book", "it has no readOnlyHint, and the server is remote: --allow-writes runs it") in {
        (one.what, one.why) for one in found.not_run
    }
    allowed = probe(target, Wish(calls=probed.CALLS, limit=1, allow_writes=True), probed.silence)
    assert {one.call.tool for one in allowed.right} == {"find_book", "lend_book"}


class _Once:
    """A target that starts so often, and then no more."""

    def __init__(self, inner, starts):
        self._inner, self._left = inner, starts

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def open(self):
        self._left -= 1
        if self._left < 0:
            raise Lost("the ledger is locked")
        return self._inner.open()


def test_the_calls_before_a_server_does_not_start_any_more_are_kept(tmp_path):
    target = _Once(probed.target(tmp_path, "dies"), 1)
    found = probe(target, Wish(calls=probed.CALLS[:1], limit=100), probed.silence)
    assert found.broken
    whys = {one.why for one in found.not_run if "/" in one.what}
    assert whys == {"the server does not start again: the ledger is locked"}


@pytest.mark.parametrize(
    ("mode", "calls", "message"),
    [
        (
            "exits",
            probed.CALLS,
            "exits: it does not start: it ended with exit code 1; its last line on stderr: no ledger found; start it by hand",
        ),
        ("needs-key", probed.CALLS, "LIBRARY_API_KEY is not set; pass the variable that holds its key with --env NAME"),
        (
            "no-list",
            probed.CALLS,
            "no-list: it does not list its tools (tools/list): it ended with exit code 1; its last line on stderr: the catalogue is lost",
        ),
        ("no-tools", probed.CALLS, "it has no tools; name a server with tools"),
        (
            "",
            (),
            "no right call is known for any of its tools; fill in the draft on standard output, or the one that --write-calls",
        ),
    ],
)
def test_a_server_that_cannot_be_probed_ends_in_one_line(tmp_path, mode, calls, message):
    with pytest.raises(BadInput) as caught:
        probed.probed(tmp_path, mode, calls=calls)
    assert message in str(caught.value)


def test_a_known_secret_is_taken_out_of_every_answer(tmp_path):
    found = probed.probed(tmp_path, redactor=Redactor({"KEY": "quarterly report"}))
    one = next(one for one in found.broken if one.fault.operator == "name-for-id")
    assert one.answer.text == "Error: no shelf the <secret:KEY>"
    assert one.findings.secrets
