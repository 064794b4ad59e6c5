"""Other spellings of a right request are right, and other spellings of a wrong one are wrong."""

from __future__ import annotations

import copy

import pytest

from mendbench.config.shipped import shipped_root
from mendbench.corpus.corpus import load_corpus
from mendbench.recording.recorder import Recorder
from mendbench.trial.components import build_engine
from mendbench.values.json_patch import apply_patch
from mendbench.verify.bench import ProofParts

SLACK, GITHUB = "template/display-name-field-does-not-exist", "github/issue-title-sent-as-name"


def outcome(case_id, node, change):
    """Return how a trial is judged whose response is the right fix with ``change`` made to the parameters of ``node``."""
    corpus = load_corpus(shipped_root() / "cases", shipped_root() / "cassettes")
    case, recorder = corpus.case(case_id), Recorder()
    recordings = recorder.recordings(corpus.cassettes(case))
    bench = ProofParts(case=case, engine=build_engine("mendbench", case), recordings=recordings, recorder=recorder)
    workflow = apply_patch(case.workflow, case.fix.patch)
    fixed = copy.deepcopy(workflow)
    change(next(one for one in fixed["nodes"] if one["id"] == node)["params"])
    return bench.judged(fixed).verdict.outcome


def in_the_query(params, method="POST", **more):
    params.update(method=method, params={**params.pop("body"), **more})


def as_a_form(params):
    params["headers"] = {"Content-Type": "application/x-www-form-urlencoded"}
    params["body"] = "&".join(f"{name}={value}" for name, value in params["body"].items())


@pytest.mark.parametrize(
    "change",
    [
        in_the_query,
        lambda params: in_the_query(params, "GET"),
        as_a_form,
        lambda params: params.update(url="https://www.slack.com:443/api/chat.postMessage"),
        lambda params: params["body"].update(not_read="x"),
    ],
)
def test_a_right_message_is_right_however_slack_is_asked(change):
    assert outcome(SLACK, "greet", change) == "repaired"


@pytest.mark.parametrize(
    "change",
    [
        lambda params: in_the_query(params, "GET", attachments='[{"text": "and more"}]'),
        lambda params: in_the_query(params, text="Welcome aboard!"),
        lambda params: params["body"].update(blocks=[{"type": "divider"}]),
        lambda params: params.update(url="https://slack.com/api/chat.postMessage/"),
    ],
)
def test_a_wrong_message_is_wrong_however_slack_is_asked(change):
    assert outcome(SLACK, "greet", change) not in {"repaired", None}


@pytest.mark.parametrize(
    "change",
    [
        lambda params: params.update(url="https://API.GitHub.com:443/repos/FernMoor/Intake/issues?ref=1"),
        lambda params: params["body"].update(milestone=None, not_read=1),
    ],
)
def test_a_right_issue_is_right_however_github_is_asked(change):
    assert outcome(GITHUB, "open_issue", change) == "repaired"


@pytest.mark.parametrize(
    "change",
    [
        lambda params: params["body"].update(labels=["more"]),
        lambda params: params.update(url="https://api.github.com/repos/fernmoor/intake/issues/"),
    ],
)
def test_a_wrong_issue_is_wrong_however_github_is_asked(change):
    assert outcome(GITHUB, "open_issue", change) not in {"repaired", None}
