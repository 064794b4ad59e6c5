"""A simulated world is compared with the incident that its case was imported from."""

import pytest

from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.incident import INCIDENT, incident_of, incident_text, read_incident
from mendbench.errors import BadInput
from mendbench.recording.recorder import Recorder
from mendbench.trial.components import build_engine
from mendbench.verify.bench import ProofParts
from mendbench.verify.proof import prove
from tests.fakes.cases import RENAMED, context_of

FINDING = "the world answers as in the incident"


def first_traffic(root):
    case = context_of(root).corpus.case(RENAMED)
    recordings = Recordings.open(root / "cassettes" / RENAMED)
    bench = ProofParts(case=case, engine=build_engine("mendbench", case), recordings=recordings, recorder=Recorder())
    return bench.clean(case.workflow, None).traffic


def differs(root):
    """Return what differs from the incident; None if nothing is compared."""
    return next((one.why for one in prove(context_of(root), RENAMED).findings if one.what == FINDING), None)


def test_a_case_without_an_incident_is_not_compared(root):
    assert differs(root) is None


def test_a_world_that_answers_as_was_seen_holds_and_any_difference_is_named(root):
    path = root / "cases" / RENAMED / INCIDENT
    seen = incident_of(first_traffic(root))
    path.write_text(incident_text(seen), "utf-8")
    assert differs(root) == ""
    last = seen[-1]
    for change, said in (
        ({"status": 418}, f"{last['method']} {last['url']} was answered 418 "),
        ({"response": {"detail": "busy"}}, 'was answered 200 {"detail":"busy"}, and the world answers 200 '),
        (
            {"body": {"text": "other"}},
            f'the workflow no longer sends {last["method"]} {last["url"]} {{"text":"other"}}; change state',
        ),
    ):
        path.write_text(incident_text([*seen[:-1], {**last, **change}]), "utf-8")
        assert said in differs(root)


def test_the_first_value_that_differs_is_named_however_long_the_bodies_are(root):
    path = root / "cases" / RENAMED / INCIDENT
    *rest, last = incident_of(first_traffic(root))
    path.write_text(incident_text([*rest, {**last, "response": {**last["response"], "seen": 7}}]), "utf-8")
    assert ": body /seen is 7 in the incident and absent in the world; change state" in differs(root)


@pytest.mark.parametrize("text", ["{", "{}", '[{"method": "GET"}]'])
def test_a_broken_incident_is_refused(tmp_path, text):
    (tmp_path / INCIDENT).write_text(text, "utf-8")
    with pytest.raises(BadInput, match=INCIDENT):
        read_incident(tmp_path)
