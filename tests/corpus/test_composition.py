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


def test_there_are_three_hundred_cases_and_enough_of_every_kind(cases):
    kinds = Counter(case.kind for case in cases)
    assert len(cases) >= 300
    for kind, least in {"repairable": 160, "needs_user": 40, "mixed": 28, "transient": 20, "control": 25}.items():
        assert kinds[kind] >= least, kind


def test_every_family_has_three(cases):
    counts = Counter(case.family for case in cases)
    assert counts.keys() == set(FAMILIES)
    assert min(counts.values()) >= 3


def test_mixed_control_and_transient_cases_are_in_the_family_of_that_name(cases):
    own = {"mixed", "control", "transient"}
    assert [case.id for case in cases if {case.family, case.kind} & own and case.family != case.kind] == []


def test_a_case_is_named_in_three_to_six_words(cases):
    assert [case.id for case in cases if not 3 <= len(case.name.split("-")) <= 6] == []


def test_a_hundred_are_recorded_from_real_software(cases):
    assert sum("real" in case.recorded_from.values() for case in cases) >= 100


def test_every_repairable_case_has_other_data_on_which_its_fix_must_succeed(repairable):
    lacking = [case.id for case in repairable if not any(variant.final == "success" for variant in case.variants)]
    assert lacking == []


def test_thirty_five_repairable_cases_have_a_variant_that_rightly_ends_in_a_warning(repairable):
    warned = [case for case in repairable if any(variant.final == "warning" for variant in case.variants)]
    assert len(warned) >= 35


def test_most_repairable_cases_have_another_right_fix(repairable):
    assert sum(bool(case.accepts) for case in repairable) * 2 >= len(repairable)


def test_most_repairable_cases_need_a_stated_fact(repairable):
    assert sum(any(fault.facts for fault in case.faults) for case in repairable) * 2 >= len(repairable)


def test_there_are_enough_cases_of_the_failures_that_people_search_for(cases):
    tags = Counter(tag for case in cases for tag in case.tags)
    repairable = Counter(tag for case in cases if case.kind == "repairable" for tag in case.tags)
    for tag, least in {"channel_not_found": 15, "github-422": 24, "template-typo": 40, "large-payload": 30}.items():
        assert tags[tag] >= least, tag
    assert repairable["channel_not_found"] >= 10


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


@pytest.mark.slow
def test_at_most_a_third_of_the_repairable_cases_are_mended_by_our_own_suggestion(corpus, repairable):
    handed = [
        case.id
        for case in repairable
        if suggested(corpus, case) in [mended(case, fix) for fix in (case.fix, *case.accepts)]
    ]
    assert len(handed) * 3 <= len(repairable)
    assert "template/wrong-non-ascii-field-name" in handed
