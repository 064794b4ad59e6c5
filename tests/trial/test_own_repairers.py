"""The operator's own programs and functions as repairers: configured or named, run while recording alone, and replayed without them."""

import json
import sys

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import model_file
from mendbench.config.config_file import load_config
from mendbench.config.tables import ModelConfig, PricesConfig, RepairerConfig
from mendbench.errors import BadInput, Incomplete, UnknownName
from mendbench.live.chat_model import ChatCaller
from mendbench.recording.recorder import Recorder
from mendbench.repairers.programs import CallableCaller, CommandCaller
from mendbench.results.json_schemas import trial_schema
from mendbench.trial.components import build_components, models_used, price_of, repairer_kinds
from mendbench.trial.long_texts import whole
from mendbench.trial.runner import run_trial
from tests.fakes.cases import MODEL, RENAMED, RIGHT_TEXT, context_of, edit_response, key
from tests.fakes.scoring import make_case

RESPONSE = edit_response(RIGHT_TEXT)
PROGRAM = RepairerConfig(command=[sys.executable, "-c", f"print({RESPONSE!r})"])
BROKEN = RepairerConfig(command=[sys.executable, "-c", "raise SystemExit('out of credit')"])
PRICES = PricesConfig(input_per_million=2, output_per_million=10)
MODULE = f"""
CALLS = []

def mend(system, user):
    CALLS.append((system, user))
    return {{"text": {RESPONSE!r}, "prompt_tokens": 1000, "completion_tokens": 100, "model": "served"}}

def fails(system, user):
    raise ConnectionError("no route")
"""


@pytest.fixture
def agent(tmp_path, monkeypatch):
    """Return the name of an importable module."""
    name = f"agent_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    sys.modules.pop(name, None)


def trial(root, repairer, *, record=False, models=None, **repairers):
    """Run a trial of the renamed field, and return its row, whole."""
    context = context_of(root, repairers=repairers)
    context.models.update(models or {})
    recorder = Recorder("new_episodes", trajectory=True, repairers=repairers) if record else None
    return whole(*run_trial(context, key(RENAMED, repairer=repairer), recorder))


def responses(root, model):
    return cassette.load(root / "cassettes" / RENAMED / model_file(model))


def untimed(row):
    return {**row, "timing": None}


def test_a_configured_program_repairs_and_is_replayed_from_its_recording(root):
    recorded = trial(root, "mine", record=True, mine=PROGRAM)
    assert (recorded["verdict"], recorded["repairer"], recorded["model"]) == ("correct", "mine", None)
    gone = RepairerConfig(command=["/nowhere/" + sys.executable.rpartition("/")[2], *PROGRAM.command[1:]])
    assert untimed(trial(root, "mine", mine=gone)) == untimed(recorded)


def test_a_configured_function_is_called_while_recording_and_never_in_replay(root, agent):
    own = RepairerConfig(callable=f"{agent}:mend")
    recorded = trial(root, "mine", record=True, mine=own)
    assert recorded["verdict"] == "correct"
    assert len(sys.modules[agent].CALLS) == 1
    assert sys.modules[agent].CALLS[0][1] == "\n\n".join(
        [recorded["attempts"][0]["frame"], *(one["text"] for one in recorded["attempts"][0]["sections"] if one["text"])]
    )
    sys.modules.pop(agent)
    assert untimed(trial(root, "mine", mine=own)) == untimed(recorded)
    assert agent not in sys.modules


def test_a_function_needs_no_configuration_and_shares_its_answers_whatever_it_is_called(root, agent):
    name = f"{agent}:mend"
    recorded = trial(root, name, record=True)
    assert (recorded["verdict"], recorded["repairer"]) == ("correct", name)
    assert len(responses(root, f"callable:{name}")) == 1
    assert trial(root, "mine", mine=RepairerConfig(callable=name))["verdict"] == "correct"


def test_without_a_recording_a_trial_is_unjudged_and_names_the_command_that_records_it(root):
    row = trial(root, "mine", mine=PROGRAM)
    assert row["verdict"] == "unjudged"
    assert "--repairer mine --record new_episodes" in row["problem"]["detail"]["record"]
    assert trial(root, "no_such_package_at_all:run")["verdict"] == "unjudged"


@pytest.mark.parametrize("kind", ["program", "function"])
def test_what_fails_is_not_recorded_and_ends_the_recording_in_one_line(root, agent, kind):
    name, own = ("mine", {"mine": BROKEN}) if kind == "program" else (f"{agent}:fails", {})
    with pytest.raises(Incomplete, match=r"out of credit|ConnectionError: no route") as caught:
        trial(root, name, record=True, **own)
    assert "\n" not in str(caught.value)
    assert not list((root / "cassettes" / RENAMED).glob("c[ao][lm]*.yaml"))
    assert trial(root, name, **own)["verdict"] == "unjudged"


def test_an_answer_once_recorded_is_not_asked_for_again(root, agent):
    for _ in range(2):
        trial(root, f"{agent}:mend", record=True)
    assert len(sys.modules[agent].CALLS) == 1


def test_tokens_and_prices_of_a_function_stand_in_the_row(root, agent):
    name = f"{agent}:mend"
    unknown = trial(root, name, record=True)
    assert (unknown["prompt_tokens"], unknown["completion_tokens"]) == (1000, 100)
    own = RepairerConfig(callable=name, prices=PRICES)
    assert price_of("mine", None, context_of(root, repairers={"mine": own})).source == "configuration"
    priced = trial(root, "mine", mine=own)
    assert (priced["cost_usd"], priced["attempts"][0]["cost_usd"]) == (0.003, 0.003)
    named = price_of(name, None, context_of(root))
    assert named == price_of("mine", None, context_of(root, repairers={"mine": RepairerConfig(callable=name)}))


def test_the_parts_of_a_chat_trial_have_the_price_and_the_seed_of_its_model(root):
    model = ModelConfig(prices=PRICES, seed=1000, parameters={"temperature": 0.8})
    context = context_of(root)
    context.models[MODEL] = model
    parts = build_components(key(), context.corpus.case(RENAMED), context)
    assert parts.price.per_million == ("2.0", "10.0")
    assert parts.repairer.base_seed == 1000


def test_a_control_costs_nothing(root):
    row = trial(root, "reference")
    assert (row["verdict"], row["cost_usd"], row["attempts"][0]["cost_usd"]) == ("correct", 0, 0)


def test_the_published_schema_knows_the_cost():
    assert "cost_usd" in trial_schema()["properties"]


def test_our_own_suggestion_repairs_where_it_is_right_and_edits_nothing_where_there_is_none(root):
    workflow = root / "cases" / RENAMED / "workflow.json"
    document = json.loads(workflow.read_text(encoding="utf-8"))
    assert trial(root, "suggestion-only")["attempts"][0]["status"] == "unchanged"
    for node in document["nodes"]:
        if node["id"] == "note":
            node["params"]["body"]["text"] = "Hello ${person.response.calld}!"
    workflow.write_text(json.dumps(document), encoding="utf-8")
    row = trial(root, "suggestion-only")
    assert json.loads(row["attempts"][0]["response"])["edits"] == [
        {"node": "note", "path": "params.body.text", "value": RIGHT_TEXT}
    ]
    assert row["attempts"][0]["execution"]["outcome"] == "success"


def test_an_unknown_name_lists_the_operators_own_ones_too(root):
    with pytest.raises(
        UnknownName, match=r"unknown repairer 'mne'; did you mean 'mine'\?.*callable, chat, command, mine"
    ):
        trial(root, "mne", mine=PROGRAM)
    assert "mine" in repairer_kinds(context_of(root, repairers={"mine": PROGRAM}))


@pytest.mark.parametrize("name", ["chat", "suggestion-only", "a.b:c"])
def test_a_name_that_stands_for_another_repairer_is_refused(root, name):
    with pytest.raises(BadInput, match=f"repairers.{name}: a name that stands for another repairer; choose another"):
        trial(root, name, **{name: PROGRAM})


def test_only_a_repairer_runs_a_program_and_a_workflows_node_never_does():
    recorder = Recorder(
        "new_episodes", {MODEL: ModelConfig(base_url="http://127.0.0.1:1/v1")}, repairers={"x": PROGRAM}
    )
    nodes = recorder.for_trial(make_case(), None).caller
    program = next(iter(recorder._programs))
    for model in (program, "callable:os:system"):
        assert recorder.program(model) is not None
        with pytest.raises(BadInput, match="no base_url"):
            nodes.send({"model": model, "messages": []})
    assert recorder.program(MODEL) is None


def test_what_runs_an_ask_gets_the_name_of_its_model():
    slow = RepairerConfig(command=["/opt/mender", "--fast"], timeout_s=7)
    recorder = Recorder("new_episodes", {MODEL: ModelConfig(base_url="http://x/v1")}, repairers={"s": slow})
    assert recorder.program("command:mender --fast") == CommandCaller(argv=("/opt/mender", "--fast"), timeout_s=7)
    assert recorder.program("callable:a.b:c") == CallableCaller(function="a.b:c")
    assert recorder.program("command:unknown") is None
    assert isinstance(recorder.caller(MODEL), ChatCaller)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("", "give either 'command' or 'callable'"),
        ('command = ["x"]\ncallable = "a:b"', "give either 'command' or 'callable'"),
        ('callable = "a.b"', "callable"),
        ("command = []", "give either 'command' or 'callable'"),
        ('argv = ["x"]', "unknown key 'argv'"),
        ('command = ["x"]\ntimeout_s = 0', "timeout_s"),
    ],
)
def test_a_table_that_names_no_repairer_is_reported(tmp_path, table, said):
    text = f'[matrix]\nstrategies = ["none"]\npolicies = ["naive"]\n[repairers.mine]\n{table}\n'
    (tmp_path / "mendbench.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said) as caught:
        load_config(tmp_path)
    assert "repairers.mine" in str(caught.value)


def test_programs_and_functions_are_among_those_who_are_asked(tmp_path):
    own = {"mine": PROGRAM, "made": RepairerConfig(callable="pkg.module:function")}
    context = context_of(tmp_path, repairers=own)
    keys = [key(RENAMED, repairer=name) for name in ("mine", "made", "other.module:mend", "noop", "chat")]
    asked = models_used(keys, context)
    assert {name.partition(":")[0] for name in asked} == {"command", "callable", MODEL}
    assert {"callable:pkg.module:function", "callable:other.module:mend", MODEL} < asked
