"""An invented corpus on disk: three small cases with a simulated service, their recordings, and a model's scripted answers."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from mendbench.config.tables import ModelConfig
from mendbench.corpus.declared_services import state_of
from mendbench.io.virtual_clock import START_MS
from mendbench.model.case import Case, Variant
from mendbench.model.exchange import Request, Response
from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialKey, TrialRow
from mendbench.recording.recorder import Recorder
from mendbench.recording.scope_recording import Recording
from mendbench.secrets.redaction import plant_canaries
from mendbench.services import simulated
from mendbench.trial.components import BenchContext
from mendbench.trial.runner import run_trial
from mendbench.values.merge_patch import merge_patch
from mendbench.verify.proof import prove
from tests.fakes.worlds import completion

HOST = "https://desk.kelpforest.example"
MODEL = "tiny-coder"
RENAMED, CLOSED, QUIET = "http/renamed-field", "http/closed-ledger", "control/quiet-greeting"
PARCEL = "http/parcel-weight"
"""A fourth case, for those that want it: :func:`add_parcel`."""
RIGHT_TEXT = "Hello ${person.response.called}!"

DESK = {
    "host": "desk.kelpforest.example",
    "auth": {"header": "Authorization", "tokens": {"${canary:desk}": {}}},
    "collections": {
        "people": {"p-1": {"id": "p-1", "called": "Runa", "town": "Vik"}, "p-2": {"id": "p-2", "called": "Leif", "town": "Bo"}}
    },
    "routes": {
        "GET /people/{id}": {"collection": "people", "action": "get"},
        "POST /notes": {
            "collection": "notes", "action": "create", "id": {"prefix": "n-", "start": 1},
            "schema": {
                "type": "object", "required": ["text"], "additionalProperties": False,
                "properties": {"text": {"type": "string"}, "tag": {"type": "string"}},
            },
        },
        "POST /ledger": {"action": "static", "status": 403, "body": {"detail": "Your plan does not include the ledger"}},
    },
}  # fmt: skip

INPUTS = {"person_id": "p-1", "token": "${canary:desk}"}


def note(text: str, **more: object) -> JsonObject:
    """Return the check that this note was accepted."""
    return {"request": {"method": "POST", "url": f"{HOST}/notes", "json": {"text": text, "tag": "hello"}, **more}}


def set_text(value: str) -> list[JsonObject]:
    """Return the JSON Patch that gives the note another text."""
    return [{"op": "replace", "path": "/nodes/note/params/body/text", "value": value}]


def workflow(text: str, path: str = "/notes") -> JsonObject:
    """Return a workflow that reads a person and then writes a note."""
    auth = {"auth_token": "${token}"}
    return {
        "ir_version": "0.1.0",
        "inputs": {"person_id": {"type": "string"}, "token": {"type": "string"}},
        "nodes": [
            {"id": "person", "type": "http", "params": {"url": f"{HOST}/people/${{person_id}}", **auth}},
            {
                "id": "note", "type": "http",
                "params": {"method": "POST", "url": f"{HOST}{path}", **auth, "body": {"text": text, "tag": "hello"}},
            },
        ],
        "edges": [{"from": "person", "to": "note"}],
    }  # fmt: skip


def _case(title: str, group: str, **truth: object) -> JsonObject:
    return {
        "title": title, "group": group, "request": "Write a note that greets the person with this id by name.",
        "recorded_from": {"json_api": "simulator"}, "inputs": dict(INPUTS), "state": {"json_api": copy.deepcopy(DESK)},
        "source": "invented", **truth,
    }  # fmt: skip


def renamed_case() -> JsonObject:
    """Return a repairable case: the workflow reads a field that the response does not have."""
    return _case(
        "The greeting reads a field that is not there", "desk-renamed-field",
        faults=[{
            "id": "wrong-field", "cause": ["note"], "surfaces": "note", "state": "error", "who": "edit",
            "category": "template_error", "facts": ["called"], "evidence": "People have called and no name.",
        }],
        expect={"first": {"person": "success", "note": "error"}, "after_fix": {"person": "success", "note": "success"}, "final": "success"},
        checks=[
            note("Hello Runa!"),
            {"kept": ["person", "note"]},
            {"unchanged": {"node": "note", "path": "/params/url"}},
            {"no_request": {"method": "POST", "json": {"text": "something else"}}},
        ],
        variants=[{"name": "another person", "inputs": {"person_id": "p-2"}, "checks": [note("Hello Leif!")]}],
        fix=set_text(RIGHT_TEXT),
        wrong_fixes=[
            {"why": "hard-codes the name", "patch": set_text("Hello Runa!")},
            {"why": "greets the town", "patch": set_text("Hello ${person.response.town}!")},
        ],
    )  # fmt: skip


def closed_case() -> JsonObject:
    """Return a case that only the user can mend."""
    says = "does not include the ledger"
    return _case(
        "The account may not use the ledger", "desk-closed-ledger",
        faults=[{
            "id": "no-plan", "surfaces": "note", "state": "warning", "who": "user", "category": "non_repairable",
            "says": says, "evidence": "Only the account's owner can change its plan.",
        }],
        expect={"first": {"person": "success", "note": "warning"}, "final": "warning"},
        checks=[{"warning": {"node": "note", "says": says}}, {"no_request": {"method": "POST", "url": "/notes$"}}],
        variants=[{"name": "another person", "inputs": {"person_id": "p-2"}, "checks": [{"no_request": {"method": "POST", "url": "/notes$"}}], "final": "warning"}],
        wrong_fixes=[
            {"why": "writes a note where a ledger entry was asked for", "patch": [{"op": "replace", "path": "/nodes/note/params/url", "value": f"{HOST}/notes"}]},
            {"why": "leaves the entry out", "patch": [{"op": "remove", "path": "/nodes/note"}, {"op": "remove", "path": "/edges/0"}]},
        ],
    )  # fmt: skip


def quiet_case() -> JsonObject:
    """Return a control: nothing is wrong."""
    return _case(
        "A greeting that works", "desk-quiet",
        expect={"first": {"person": "success", "note": "success"}, "final": "success"},
        checks=[note("Hello Runa!")],
        variants=[{"name": "another person", "inputs": {"person_id": "p-2"}, "checks": [note("Hello Leif!")]}],
        wrong_fixes=[
            {"why": "greets the town", "patch": set_text("Hello ${person.response.town}!")},
            {"why": "greets the id", "patch": set_text("Hello ${person_id}!")},
        ],
    )  # fmt: skip


def parcel_case() -> JsonObject:
    """Return a repairable case whose fix stands in the API's error alone: the rule book needs one attempt."""

    def booked(grams: int) -> JsonObject:
        return {"request": {"method": "POST", "url": f"{HOST}/parcels", "json": {"weight_grams": grams}, "only": True}}

    def set_body(body: JsonObject) -> list[JsonObject]:
        return [{"op": "replace", "path": "/nodes/parcel/params/body", "value": body}]

    schema = {
        "type": "object", "required": ["weight_grams"], "additionalProperties": False, "properties": {"weight_grams": {"type": "integer"}}
    }  # fmt: skip
    truth = _case(
        "The weight has another name", "desk-parcel",
        faults=[{
            "id": "wrong-name", "cause": ["parcel"], "surfaces": "parcel", "state": "error", "who": "edit",
            "category": "api_validation", "facts": ["weight_grams"], "evidence": "The API takes weight_grams alone.",
        }],
        expect={"first": {"parcel": "error"}, "after_fix": {"parcel": "success"}, "final": "success"},
        checks=[booked(250), {"kept": ["parcel"]}],
        variants=[{"name": "another parcel", "inputs": {"grams": 300}, "checks": [booked(300)]}],
        fix=set_body({"weight_grams": "${grams}"}),
        wrong_fixes=[
            {"why": "hard-codes the weight", "patch": set_body({"weight_grams": 250, "note": "${grams}"})},
            {"why": "books no weight", "patch": set_body({"note": "${grams}"})},
        ],
    )  # fmt: skip
    desk = {**DESK, "routes": {"POST /parcels": {"collection": "parcels", "action": "create", "schema": schema}}}
    own = {"grams": 250, "token": INPUTS["token"]}
    return {**truth, "request": "Book a parcel of this weight.", "inputs": own, "state": {"json_api": desk}}


def parcel_workflow() -> JsonObject:
    """Return a workflow that books a parcel by a field that the API does not know."""
    params = {"method": "POST", "url": f"{HOST}/parcels", "auth_token": "${token}", "body": {"weight": "${grams}"}}
    return {
        "ir_version": "0.1.0", "inputs": {"grams": {"type": "number"}, "token": {"type": "string"}},
        "nodes": [{"id": "parcel", "type": "http", "params": params}], "edges": [],
    }  # fmt: skip


def write_case(root: Path, case_id: str, truth: JsonObject, document: JsonObject) -> Path:
    """Write one case below ``root/cases`` and return its folder."""
    folder = root / "cases" / case_id
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.yaml").write_text(yaml.safe_dump(truth, sort_keys=False, allow_unicode=True), encoding="utf-8")
    (folder / "workflow.json").write_text(json.dumps(document, indent=1), encoding="utf-8")
    return folder


def write_corpus(root: Path) -> None:
    """Write the three cases and a configuration that crosses two strategies with two policies."""
    write_case(root, RENAMED, renamed_case(), workflow("Hello ${person.response.name}!"))
    write_case(root, CLOSED, closed_case(), workflow("Hello ${person.response.called}!", "/ledger"))
    write_case(root, QUIET, quiet_case(), workflow("Hello ${person.response.called}!"))
    (root / "mendbench.toml").write_text(
        'format = 1\n[matrix]\nstrategies = ["none", "full-context"]\npolicies = ["naive", "two-layer"]\n'
        f'repairers = ["chat"]\nmodels = ["{MODEL}"]\nbounds = ["noop", "reference"]\n[models.{MODEL}]\n',
        encoding="utf-8",
    )


def context_of(root: Path, **more: object) -> BenchContext:
    """Return where the trials of a corpus come from."""
    return BenchContext(
        cases_dir=root / "cases", cassettes_dir=root / "cassettes", models={MODEL: ModelConfig()}, **more
    )


def key(
    case_id: str = RENAMED,
    strategy: str = "full-context",
    policy: str = "two-layer",
    repairer: str = "chat",
    **more: object,
) -> TrialKey:
    """Return the key of one trial."""
    detector = {"two-layer": "structural", "seed": "minimal"}.get(policy)
    model = MODEL if repairer == "chat" else None
    return TrialKey(
        **{
            "case": case_id,
            "strategy": strategy,
            "policy": policy,
            "repairer": repairer,
            "detector": detector,
            "model": model,
            **more,
        }
    )


def edit_response(value: str) -> str:
    """Return the response that gives the note another text."""
    return json.dumps({"edits": [{"node": "note", "path": "params.body.text", "value": value}]})


def reading_model(model_request: JsonObject) -> str:
    """Answer as a model does that mends what its prompt states and guesses otherwise."""
    prompt = model_request["messages"][-1]["content"]
    if "include the ledger" in prompt:
        return json.dumps({"cannot_fix": "the owner has to change the plan"})
    return edit_response(RIGHT_TEXT if "called" in prompt else "Hello ${person.response.nick}!")


class ScriptedRecorder(Recorder):
    """Records simulated worlds, and the responses of a function instead of a model's server."""

    def __init__(self, model: Callable[[JsonObject], str] = reading_model, mode: str = "new_episodes") -> None:
        super().__init__(mode, {}, trajectory=True)
        self.model, self.model_requests = model, []

    def caller(self, model: str | None = None) -> ScriptedRecorder:
        return self

    def send(self, model_request: JsonObject) -> Response:
        self.model_requests.append(model_request)
        return completion(self.model(model_request))


class LiveDesk:
    """The desk as a live server: it answers over no wire, and keeps what one scope did to it."""

    def __init__(self, case: Case, variant: Variant | None) -> None:
        self.service = simulated("json_api")
        state, _ = plant_canaries(state_of(case, variant, "json_api"), case.id)
        self.state = merge_patch(self.service.seed(), state)

    def serves(self, request: Request) -> bool:
        return request.url.startswith(HOST)

    def resets(self, request: Request) -> bool:
        return False

    def send(self, request: Request) -> Response:
        self.state, response = self.service.response(self.state, request, START_MS)
        return response


class LiveRecorder(ScriptedRecorder):
    """Records the desk as a live world; ``trajectory`` as ``mendbench run`` does, without it as ``case check`` does."""

    def __init__(self, model: Callable[[JsonObject], str] = reading_model, *, trajectory: bool) -> None:
        super().__init__(model)
        self.trajectory = trajectory

    def for_trial(self, case: Case, variant: Variant | None) -> Recording:
        return Recording(mode=self.mode, live=LiveDesk(case, variant), caller=self, trajectory=self.trajectory)


def make_live(root: Path, case_id: str) -> None:
    """Let a case's world be a live one, with nothing recorded of it yet."""
    shutil.rmtree(root / "cassettes" / case_id, ignore_errors=True)
    change_case(root, case_id, lambda truth: truth.update(recorded_from={"json_api": "live"}))


def record_worlds(root: Path) -> None:
    """Record what the proofs of all cases need."""
    context = context_of(root)
    for case in context.corpus.cases:
        prove(context, case.id, Recorder("new_episodes"))


def record_responses(
    root: Path, keys: Iterable[TrialKey], model: Callable[[JsonObject], str] = reading_model
) -> list[TrialRow]:
    """Record the responses that these trials ask for and return their rows."""
    recorder = ScriptedRecorder(model)
    return [run_trial(context_of(root), one, recorder)[0] for one in keys]


MATRIX = tuple(
    key(case, strategy, policy)
    for case in (RENAMED, CLOSED, QUIET)
    for strategy in ("none", "full-context")
    for policy in ("naive", "two-layer")
)


def build(root: Path) -> Path:
    """Write the whole corpus with all its recordings, and return its folder."""
    for name, content in _recorded().items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


@cache
def _recorded() -> dict[str, bytes]:
    """Return every file of the corpus: to record it takes seconds, so a process does that once."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        write_corpus(root)
        record_worlds(root)
        record_responses(root, MATRIX)
        files = [path for path in sorted(root.rglob("*")) if path.is_file()]
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def add_parcel(root: Path) -> Path:
    """Add the case of the parcel to a corpus, with its recorded world, and return that recording."""
    write_case(root, PARCEL, parcel_case(), parcel_workflow())
    prove(context_of(root), PARCEL, Recorder("new_episodes"))
    return root / "cassettes" / PARCEL / "world.yaml"


def copy_of(built: Path, to: Path) -> Path:
    """Return a copy of a built corpus, to be changed."""
    shutil.copytree(built, to, dirs_exist_ok=True)
    return to


def change_case(root: Path, case_id: str, change: Callable[[JsonObject], object]) -> None:
    """Change a case's truth on disk."""
    path = root / "cases" / case_id / "case.yaml"
    truth = yaml.safe_load(path.read_text(encoding="utf-8"))
    change(truth)
    path.write_text(yaml.safe_dump(truth, sort_keys=False, allow_unicode=True), encoding="utf-8")
