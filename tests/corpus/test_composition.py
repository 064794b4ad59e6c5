"""What the shipped corpus promises of itself as a whole."""

import json
from collections import Counter

import pytest

from mendbench.config.shipped import shipped_root
from mendbench.corpus.case_file import FAMILIES
from mendbench.corpus.corpus import load_corpus
from mendbench.recording.recorder import Recorder
from mendbench.recording.scope_recording import Recording
from mendbench.scoring.judging.fixes import mended
from mendbench.trial.components import build_engine
from mendbench.trial.scope import open_scope


@pytest.fixture(scope="module")
def corpus():
    root = shipped_root()
    return load_corpus(root / "cases", root / "cassettes")


@pytest.fixture(scope="module")
def cases(corpus):
    return corpus.cases


@pytest.fixture(scope="module")
def repairable(cases):
    return [case for case in cases if case.kind == "repairable"]


def test_there_are_a_hundred_cases_of_every_kind(cases):
    kinds = Counter(case.kind for case in cases)
    assert len(cases) >= 100
    for kind, least in {"repairable": 55, "needs_user": 20, "mixed": 7, "transient": 8, "control": 10}.items():
        assert kinds[kind] >= least


def test_every_family_has_three(cases):
    counts = Counter(case.family for case in cases)
    assert counts.keys() == set(FAMILIES)
    assert min(counts.values()) >= 3


def test_mixed_control_and_transient_cases_are_in_the_family_of_that_name(cases):
    own = {"mixed", "control", "transient"}
    assert [case.id for case in cases if {case.family, case.kind} & own and case.family != case.kind] == []


def test_a_case_is_named_in_three_to_six_words(cases):
    assert [case.id for case in cases if not 3 <= len(case.name.split("-")) <= 6] == []


def test_a_quarter_of_a_hundred_are_recorded_from_real_software(cases):
    assert sum("real" in case.recorded_from.values() for case in cases) >= 25


def test_every_repairable_case_has_other_data_on_which_its_fix_must_succeed(repairable):
    lacking = [case.id for case in repairable if not any(variant.final == "success" for variant in case.variants)]
    assert lacking == []


def test_one_repairable_case_in_three_has_a_variant_that_rightly_ends_in_a_warning(repairable):
    warned = [case for case in repairable if any(variant.final == "warning" for variant in case.variants)]
    assert len(warned) * 3 >= len(repairable)


def test_twenty_repairable_cases_have_another_right_fix(repairable):
    assert sum(bool(case.accepts) for case in repairable) >= 20


def test_forty_repairable_cases_need_a_stated_fact(repairable):
    assert sum(any(fault.facts for fault in case.faults) for case in repairable) >= 40


def test_every_case_that_an_edit_mends_has_wrong_fixes(cases):
    assert [case.id for case in cases if case.fix is not None and not case.wrong_fixes] == []


def test_workflows_are_small_and_large(cases):
    sizes = {len(case.workflow["nodes"]) for case in cases}
    assert {2, 5, 10, 25} <= sizes


def suggested(corpus, case):
    """Return what our own suggestion makes of a case's workflow; None where the first failure has none."""
    scope = open_scope(case, None, Recorder().recordings(corpus.cassettes(case)), Recording(), "")
    run = build_engine("mendbench", case).execute(
        case.workflow, scope.inputs, scope.world, checkpoint=None, detector=None, clock=scope.clock
    )
    failure = run.failures[0] if run.failures else None
    if failure is None or not failure.suggestion or not failure.unresolved:
        return None
    text = json.dumps(case.workflow)
    for template in failure.unresolved:
        text = text.replace(json.dumps(template)[1:-1], json.dumps(failure.suggestion)[1:-1])
    return json.loads(text)


def test_at_most_a_third_of_the_repairable_cases_are_mended_by_our_own_suggestion(corpus, repairable):
    handed = [
        case.id
        for case in repairable
        if suggested(corpus, case) in [mended(case, fix) for fix in (case.fix, *case.accepts)]
    ]
    assert len(handed) * 3 <= len(repairable)
    assert "template/wrong-non-ascii-field-name" in handed
