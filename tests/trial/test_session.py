"""Ways of one case with one detector begin with one execution, without a difference in results."""

import pytest

from mendbench.cassettes.recordings import Recordings
from mendbench.model.trial import TrialKey
from mendbench.recording.recorder import Recorder
from mendbench.repair import rollout
from mendbench.repair.rollout import Rollout
from mendbench.runs.trials import run_trials
from mendbench.trial import session
from mendbench.trial.components import build_components
from mendbench.trial.row import trial_key
from mendbench.trial.runner import run_trial
from mendbench.trial.session import open_session, session_for
from tests.fakes.cases import QUIET, RENAMED, context_of, key


@pytest.fixture
def begun(monkeypatch):
    """Return the workflows that are run from their start from now on, clean runs aside."""
    runs = []
    executed = Rollout._executed

    def counted(self, document, before, detector):
        if before is None:
            runs.append(document)
        return executed(self, document, before, detector)

    monkeypatch.setattr(Rollout, "_executed", counted)
    return runs


def ways_of(context, *keys):
    for one in keys:
        case = context.corpus.case(one.case)
        yield session_for(context, case, one, Recordings.open(context.corpus.cassettes(case)), Recorder())


KEYS = tuple(key(strategy=name, repairer=who) for name in ("summary", "mend") for who in ("reference", "noop"))


def test_the_first_execution_is_run_once_for_a_case_and_a_detector(root, begun):
    context = context_of(root)
    for one in (*KEYS, *KEYS):
        run_trial(context, one)
    assert len({one.detector for one in KEYS}) == len(begun) == 1
    run_trial(context, key(QUIET, repairer="reference"))
    assert len(begun) == 2


def test_a_way_is_opened_once_for_all_its_policies_however_many_samples_there_are(root, monkeypatch):
    opened = []
    made = session.open_session
    monkeypatch.setattr(session, "open_session", lambda case, one, *rest: opened.append(one) or made(case, one, *rest))
    keys = [
        key(strategy=strategy, policy=name, sample=sample)
        for strategy in ("none", "full-context")
        for name in ("naive", "loop", "two-layer")
        for sample in range(20)
    ]
    rows = [row for row, _ in run_trials(context_of(root), sorted(keys, key=TrialKey.order), 1)]
    assert sorted(row["key"] for row in rows) == sorted(map(trial_key, keys))
    assert len(opened) == len({session.session_order(one) for one in keys}) == 80


def test_a_row_is_the_same_whoever_ran_the_first_execution(root):
    context = context_of(root)
    for one in KEYS:
        shared, alone = run_trial(context, one), run_trial(context_of(root), one)
        assert {**shared[0], "timing": None} == {**alone[0], "timing": None}
        assert shared[1] == alone[1]


def test_a_way_that_takes_over_stands_where_the_other_one_stood(root):
    context = context_of(root)
    first, second = ways_of(context, *KEYS[:2])
    steps = [session.rollout.step(0) for session in (first, second)]
    assert steps[0] == steps[1]
    assert first.scope.world.traffic() == second.scope.world.traffic() != ()
    assert first.scope.clock.now_ms() == second.scope.clock.now_ms()


def test_what_one_way_does_with_its_execution_is_nothing_to_another(root):
    context = context_of(root)
    first, second, third = ways_of(context, *KEYS[:3])
    outputs = [session.rollout.step(0).execution.nodes[0].outputs for session in (first, second)]
    for mine in outputs:
        mine["spoilt"] = True
    assert "spoilt" not in third.rollout.step(0).execution.nodes[0].outputs
    traffic = third.scope.world.traffic()
    first.rollout.step(1)
    assert third.scope.world.traffic() == traffic


def test_a_way_that_is_opened_by_itself_runs_its_own(root, begun):
    context = context_of(root)
    case = context.corpus.case(RENAMED)
    for _ in range(2):
        recordings = Recordings.open(context.corpus.cassettes(case))
        open_session(case, KEYS[0], build_components(KEYS[0], case, context), recordings, Recorder()).rollout.step(0)
    assert len(begun) == 2


def test_the_first_prompt_is_rendered_once_for_all_samples_under_a_strategy_and_a_detector(root, monkeypatch):
    rendered = []
    build = rollout.build_prompt

    def counted(view, strategy, *more):
        rendered.extend([] if view.attempts else [strategy.name])
        return build(view, strategy, *more)

    monkeypatch.setattr(rollout, "build_prompt", counted)
    keys = [key(strategy=name, sample=sample) for name in ("none", "full-context") for sample in range(3)]
    context = context_of(root)
    rows = [run_trial(context, one)[0] for one in keys]
    assert rendered == ["none", "full-context"]
    for row, one in zip(rows, keys, strict=True):
        assert {**row, "timing": None} == {**run_trial(context_of(root), one)[0], "timing": None}


def test_a_repairer_other_than_chat_gets_a_prompt_of_its_own(root):
    first, second = ways_of(context_of(root), *KEYS[:2])
    prompts = [way.rollout.step(1).attempts[0].prompt for way in (first, second)]
    assert prompts[0] == prompts[1]
    assert prompts[0] is not prompts[1]
