"""One scope of a case: a fresh world with the case's data, inputs, secrets and clock."""

import json
from dataclasses import replace

import pytest

from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.declared_services import models_of, redactor_of, state_of
from mendbench.errors import BadInput
from mendbench.io.virtual_clock import START_MS
from mendbench.model.exchange import Request
from mendbench.recording.scope_recording import Recording
from mendbench.secrets.redaction import canary
from mendbench.services import simulated
from mendbench.trial.scope import open_scope
from tests.fakes.cases import HOST, RENAMED, ScriptedRecorder, context_of


@pytest.fixture
def case(built):
    return context_of(built).corpus.case(RENAMED)


@pytest.fixture
def recordings(tmp_path):
    return Recordings.open(tmp_path)


def scope_of(case, recordings, variant=None):
    return open_scope(case, variant, recordings, Recording(), "mendbench case check")


def get(scope, path):
    headers = (("Authorization", f"Bearer {scope.inputs['token']}"),)
    response = scope.world.send(Request(method="GET", url=f"{HOST}{path}", headers=headers))
    return response.status or response.fault, json.loads(response.body) if response.body else None


def test_a_variants_inputs_lie_over_the_cases(case, recordings):
    assert scope_of(case, recordings).inputs["person_id"] == "p-1"
    assert scope_of(case, recordings, case.variants[0]).inputs["person_id"] == "p-2"


def test_secrets_are_planted_in_inputs_and_states_and_known_to_the_redactor(case, recordings):
    scope = scope_of(case, recordings)
    secret = canary(case.id, "desk")
    assert scope.inputs["token"] == secret
    assert get(scope, "/people/p-1")[0] == 200
    assert scope.redactor.text(f"Bearer {secret}") == "Bearer <secret:desk>"
    assert secret not in repr(scope.world.traffic())


def test_the_secrets_of_a_variant_are_known_too(case):
    variant = replace(case.variants[0], inputs={"token": "${canary:other}"})
    assert redactor_of(replace(case, variants=(variant,))).text(canary(case.id, "other")) == "<secret:other>"


def test_each_scope_has_a_world_and_a_clock_of_its_own(case, recordings):
    one, other = scope_of(case, recordings), scope_of(case, recordings)
    get(one, "/people/p-1")
    assert one.clock.now_ms() > other.clock.now_ms() == START_MS
    assert other.world.traffic() == ()


def test_a_variants_state_lies_over_the_cases_and_the_cases_over_the_seed(case, recordings):
    variant = replace(case.variants[0], state={"json_api": {"collections": {"people": {"p-2": {"called": "Solveig"}}}}})
    scope = scope_of(case, recordings, variant)
    assert get(scope, "/people/p-2")[1] == {"id": "p-2", "called": "Solveig", "town": "Bo"}
    assert get(scope, "/people/p-1")[1]["called"] == "Runa"


def test_a_null_in_a_variants_state_takes_away_what_the_case_has(case, recordings):
    variant = replace(case.variants[0], state={"json_api": {"collections": {"people": {"p-1": None}}}})
    assert get(scope_of(case, recordings, variant), "/people/p-1")[0] == 404
    assert get(scope_of(case, recordings), "/people/p-1")[0] == 200


def test_a_null_in_a_variants_state_takes_away_what_the_seed_data_has(case, recordings):
    channel = next(iter(simulated("slack").seed()["channels"]))
    variant = replace(case.variants[0], state={"slack": {"channels": {channel: None}}})
    slack = replace(
        case, recorded_from={"slack": "simulator"}, state={"slack": {"channels": {"C0MINE": {"name": "mine"}}}}
    )
    assert state_of(slack, variant, "slack") == {"channels": {"C0MINE": {"name": "mine"}, channel: None}}

    def ok(scope):
        url, headers = f"https://slack.com/api/conversations.info?channel={channel}", (("Authorization", "Bearer any"),)
        return json.loads(scope.world.send(Request(method="GET", url=url, headers=headers)).body)["ok"]

    assert ok(scope_of(slack, recordings)) is True
    assert ok(scope_of(slack, recordings, variant)) is False


def test_a_host_that_the_case_does_not_declare_does_not_exist(case, recordings):
    scope = scope_of(case, recordings)
    response = scope.world.send(Request(method="GET", url="https://elsewhere.example/"))
    assert (response.status, response.fault) == (0, "dns")


def test_a_service_that_is_not_simulated_is_reported_with_the_cases_file(case, recordings):
    with pytest.raises(BadInput, match=r"renamed-field/case\.yaml: .*unknown simulated service 'datasette'"):
        scope_of(replace(case, recorded_from={"datasette": "simulator"}, state={}), recordings)


def declaring(case, state):
    return replace(case, recorded_from={**case.recorded_from, "model": "real"}, state={**case.state, "model": state})


def huge(case, recordings, recording=None):
    """Return what a node of the case receives that asks the model ``huge``."""
    model_request = json.dumps({"model": "huge", "messages": []}).encode()
    scope = open_scope(case, None, recordings, recording or Recording(), "mendbench case check")
    response = scope.world.send(Request(method="POST", url="model://huge/chat", body=model_request))
    return response.status, json.loads(response.body)["error"]["message"]


def test_a_case_that_declares_models_has_only_those(case, recordings):
    declared = declaring(case, {"names": ["small"]})
    assert models_of(declared, None) == ("small",)
    other = replace(case.variants[0], state={"model": {"names": ["large"]}})
    assert models_of(declared, other) == ("large",)
    assert huge(declared, recordings) == (404, "The model `huge` does not exist. Available models: small")


def test_a_case_that_declares_no_model_has_none_while_recording_and_in_replay_alike(case, recordings):
    assert models_of(case, None) == ()
    reply = (404, "The model `huge` does not exist. Available models: none")
    recording = Recording(mode="new_episodes", caller=ScriptedRecorder())
    assert huge(case, recordings) == huge(case, recordings, recording) == reply
    assert recording.caller.model_requests == []
