"""Recording a case from a live API: real tokens go out alone, writes need leave, wrong fixes and mutants send nothing."""

import json

import pytest

from mendbench.errors import LiveRefused
from mendbench.recording.recorder import Recorder
from mendbench.trial.runner import run_trial
from mendbench.verify.proof import prove
from tests.fakes import cases
from tests.fakes.live_api import CASE, TOKEN, UNRECORDED, VARIABLE, live_api, write_live_case

RIGHT = ['{"text": "Hello Runa!", "tag": "hello"}', '{"text": "Hello Leif!", "tag": "hello"}']
"""What the reference fix writes, on the case's own data and on its variant's."""
READS = [("GET", "/people/p-1", ""), ("GET", "/people/p-2", "")]


@pytest.fixture
def api(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, TOKEN)
    with live_api() as found:
        write_live_case(tmp_path, found.base)
        yield found


def proved(root, mode="none", *, allow_writes=True):
    with Recorder(mode, allow_writes=allow_writes) as recorder:
        return prove(cases.context_of(root), CASE, recorder)


def open_(proof):
    return {finding.what: finding.why for finding in proof.findings if not finding.held}


@pytest.mark.parametrize("mode", ["new_episodes", "all"])
def test_the_api_gets_what_the_broken_and_the_right_workflows_send_each_once_and_nothing_else(
    tmp_path, api, mode, capsys
):
    assert open_(proved(tmp_path, mode)) == {}
    assert [one for one in api.received if one[0] == "GET"] == READS
    assert api.writes == RIGHT
    assert all(api.authorized)
    lines = [f"mendbench: live write: POST {api.base}/notes {body} (node note, the fix" for body in RIGHT]
    assert capsys.readouterr().err == f"{lines[0]})\n{lines[1]}, variant 'another person')\n"


def test_without_leave_every_write_is_listed_and_none_is_sent(tmp_path, api):
    with pytest.raises(LiveRefused) as refused:
        proved(tmp_path, "new_episodes", allow_writes=False)
    writes = [f"POST {api.base}/notes {body} (node note, the fix" for body in RIGHT]
    assert refused.value.writes == (f"{writes[0]})", f"{writes[1]}, variant 'another person')")
    assert api.received == READS


def test_what_is_recorded_replays_without_the_variable_and_is_not_sent_again(tmp_path, api, monkeypatch):
    recorded = proved(tmp_path, "new_episodes")
    sent = len(api.received)
    monkeypatch.delenv(VARIABLE)
    replayed = proved(tmp_path, "new_episodes", allow_writes=False)
    assert (replayed.findings, replayed.mutants) == (recorded.findings, recorded.mutants)
    assert open_(proved(tmp_path)) == {}
    assert len(api.received) == sent


def test_a_missing_variable_is_named_before_anything_is_sent(tmp_path, api, monkeypatch):
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(LiveRefused, match=f"secrets.desk: the environment variable {VARIABLE} is not set"):
        proved(tmp_path, "new_episodes")
    assert api.received == []


def test_a_case_that_names_no_variable_sends_no_made_up_token(tmp_path, api):
    write_live_case(tmp_path, api.base, secrets={})
    with pytest.raises(LiveRefused, match=r"made-up value of \$\{canary:desk\}"):
        proved(tmp_path, "new_episodes")
    assert api.received == []


@pytest.mark.parametrize("mode", ["new_episodes", "all", "none"])
def test_a_wrong_fix_that_some_answer_might_let_pass_is_unproved_and_not_sent(tmp_path, api, mode):
    asks = {"op": "replace", "path": "/nodes/person/params/url", "value": f"{api.base}/people/${{person_id}}?full=1"}
    unknown = {"why": "asks for more", "patch": [asks, *cases.set_text(cases.RIGHT_TEXT)]}
    write_live_case(tmp_path, api.base, wrong_fixes=[UNRECORDED, unknown])
    found = proved(tmp_path, "new_episodes" if mode == "none" else mode)
    found = proved(tmp_path) if mode == "none" else found
    (one,) = (finding for finding in found.findings if not finding.held)
    assert (one.what, one.held, found.held) == ("the wrong fix fails: asks for more", None, True)
    assert one.why.startswith(f"unproved (live): no recording answers GET {api.base}/people/p-1?full=1, and a wrong")
    assert api.writes == RIGHT
    assert [one for one in api.received if one[0] == "GET"] == READS


def test_mutants_are_refuted_or_unproved_and_not_sent(tmp_path, api):
    fates = {mutant.what: mutant.fate for mutant in proved(tmp_path, "new_episodes").mutants}
    assert fates["without note's body.tag"] == "killed"
    assert fates["note's write done with other words"] == "killed"
    assert fates["note's write done again"] == "unproved (live)"
    assert api.writes == RIGHT


class Editing(cases.ScriptedRecorder):
    """Records the live API, and a model that answers as a function says."""

    def __init__(self, text, *, allow_writes):
        Recorder.__init__(self, "new_episodes", {}, trajectory=True, allow_writes=allow_writes)
        self.model, self.model_requests = (lambda _ask: cases.edit_response(text)), []


def test_an_edit_may_read_and_without_leave_its_write_leaves_the_trial_without_a_verdict(tmp_path, api):
    proved(tmp_path, "new_episodes")
    sent = len(api.received)
    key = cases.key(CASE, "full-context", "naive")
    row, _ = run_trial(cases.context_of(tmp_path), key, Editing("Hi ${person.response.town}", allow_writes=False))
    body = '{"text": "Hi Vik", "tag": "hello"}'
    prefix = f"{CASE}: 1 live write was not sent: POST {api.base}/notes {body} (node note, an edit by {cases.MODEL})"
    assert row["problem"]["kind"] == "unjudged"
    assert row["problem"]["message"] == f"{prefix}; pass --allow-writes to send them"
    assert len(api.received) == sent


def test_with_leave_an_edits_write_is_listed_and_sent(tmp_path, api, capsys):
    proved(tmp_path, "new_episodes")
    key = cases.key(CASE, "full-context", "naive")
    row, _ = run_trial(cases.context_of(tmp_path), key, Editing("Hi ${person.response.town}", allow_writes=True))
    assert row["problem"] is None
    assert {json.loads(body)["text"] for body in api.writes[2:]} == {"Hi Vik", "Hi Bo"}
    assert capsys.readouterr().err.count("live write: ") == len(api.writes)
