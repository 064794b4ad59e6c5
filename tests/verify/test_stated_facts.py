"""Whether something states what the fix needs."""

from dataclasses import replace

from mendbench.cassettes.recordings import Recordings
from mendbench.recording.recorder import Recorder
from mendbench.trial.components import build_engine
from mendbench.values.json_patch import apply_patch
from mendbench.verify.bench import ProofParts
from mendbench.verify.proof import prove
from mendbench.verify.stated_facts import unstated_facts
from tests.fakes.cases import PARCEL, RENAMED, add_parcel, change_case, context_of, set_text


def bench_of(root, *facts, case_id=RENAMED, faults=1):
    corpus = context_of(root).corpus
    case = corpus.case(case_id)
    labelled = tuple(replace(case.faults[0], id=str(number), facts=facts) for number in range(faults))
    case = replace(case, faults=labelled)
    recordings = Recordings.open(corpus.cassettes(case))
    return ProofParts(case=case, engine=build_engine("mendbench", case), recordings=recordings, recorder=Recorder())


def test_a_fact_may_stand_in_a_response_an_output_or_a_failure(root):
    add_parcel(root)
    for case_id, fact in ((RENAMED, "called"), (RENAMED, "Runa"), (PARCEL, "weight_grams"), (PARCEL, "422")):
        assert unstated_facts(bench_of(root, fact, case_id=case_id), ()) == ()


def test_a_fact_that_nothing_states_is_named_with_what_was_said_instead(root):
    (found,) = unstated_facts(bench_of(root, "called", "lbs_pound"), ("some context",))
    assert found.startswith(
        "fact 'lbs_pound' stands in nothing that the first execution returned; it said: note failed "
    )


def test_a_strategys_context_may_state_it_and_is_made_only_if_it_is_needed(root):
    made = []
    contexts = (made.append(one) or one for one in ("a knot", "the nick"))
    assert unstated_facts(bench_of(root, "called"), contexts) == ()
    assert made == []
    assert unstated_facts(bench_of(root, "nick"), contexts) == ()


def test_what_a_partial_fix_meets_counts_only_if_several_faults_wait_for_each_other(root):
    broken = set_text("Hello ${person.response.town} of ${person.response.harbour}!")
    for faults, found in ((1, 1), (2, 0)):
        bench = bench_of(root, "harbour", faults=faults)
        bench.clean(apply_patch(bench.case.workflow, broken), None)
        assert len(unstated_facts(bench, ())) == found


def test_a_case_with_such_a_fact_is_not_proved(root):
    change_case(root, RENAMED, lambda truth: truth["faults"][0].update(facts=["lbs_pound"]))
    (off,) = [finding for finding in prove(context_of(root), RENAMED).findings if not finding.held]
    assert off.what == "every fact is stated"
    assert off.why.endswith(
        "; a fact is what the error report has to state: correct it, or the state that should yield it"
    )
