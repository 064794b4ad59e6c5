"""The two additional workflows for an engine that repairs by itself; their model does not help."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mendbench.engines.command import CommandEngine, EngineFailed, Job
from mendbench.engines.contract.cases import CRATE, HOST, NOTE, TAKEN, chain, http
from mendbench.engines.contract.finding import Finding
from mendbench.engines.contract.world import ScriptedWorld, said
from mendbench.engines.document import OWN
from mendbench.engines.own_loop import TOO_MANY, refusal
from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Response
from mendbench.model.json import JsonObject

ASKED, NOT_ASKED = "model-asked", "model-not-needed"
_TITLES = {
    ASKED: "after a failure the model is asked, and its refusal is the end",
    NOT_ASKED: "a workflow that succeeds is left as it is, and nobody is asked",
}
_PATIENCE = 5
"""This many more requests after the refusal count as an adapter's own retries."""
_MODEL = "contract-model"
_READS = http("crate", "/crates/7")
_FAILS = chain(_READS, NOTE)
_WORKS = chain(_READS, http("note", "/notes", method="POST", body={"text": "${crate.response.id}"}))


@dataclass(slots=True)
class _Model:
    """Gives one response that repairs nothing, and then refuses."""

    model_requests: list[JsonObject] = field(default_factory=list)

    def __call__(self, model_request: JsonObject) -> Response:
        self.model_requests.append(model_request)
        if len(self.model_requests) > 1:
            return refusal(TOO_MANY, "this trial has had its 1 answers", "insufficient_quota")
        message = {"role": "assistant", "content": "I do not know what to do about it."}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return said({"id": "c-1", "object": "chat.completion", "model": _MODEL, "choices": [choice]})


def check_repairs(engine: CommandEngine) -> Iterator[Finding]:
    """Yield the findings of the two cases about an engine."""
    for name, judged, workflow in ((ASKED, _after_a_failure, _FAILS), (NOT_ASKED, _after_a_success, _WORKS)):
        try:
            model, document = _repaired(engine, workflow)
        except EngineFailed as error:
            yield Finding(case=name, title=_TITLES[name], wrong=(str(error),))
            continue
        yield Finding(case=name, title=_TITLES[name], wrong=tuple(judged(model, document)), documents=(document,))


def _after_a_failure(model: _Model, document: JsonObject) -> Iterator[str]:
    own = document.get(OWN) or {}
    if not model.model_requests:
        yield "it did not ask the model after a failure: POST to MENDBENCH_MODEL_URL/chat/completions"
    if len(model.model_requests) > 2 + _PATIENCE:
        more = len(model.model_requests) - 2
        yield f"it asked {more} times more after it was refused with 429: MENDBENCH_RESPONSES says how many responses there are"
    if not isinstance(own.get("workflow"), dict):
        yield "it reports no mendbench.workflow: the workflow as it is now, changed or not; without it nothing that it mended counts"
    if document["success"] and own.get("workflow") == _FAILS:
        yield "it says success of the workflow as it was, whose node 'note' names a field that there is not"


def _after_a_success(model: _Model, document: JsonObject) -> Iterator[str]:
    if model.model_requests:
        yield "it asked the model, and nothing had failed"
    if not document["success"]:
        yield "it says that it failed; the world answered everything, and nothing in the workflow fails"
    changed = (document.get(OWN) or {}).get("workflow")
    if isinstance(changed, dict) and changed != _WORKS:
        yield "it changed a workflow in which nothing had failed: print it as mendbench.workflow as it was, URLs included"


def _repaired(engine: CommandEngine, workflow: JsonObject) -> tuple[_Model, JsonObject]:
    """Let the engine repair a workflow. Return the model that it could use, and its output."""
    model, clock = _Model(), VirtualClock()
    responses = {f"GET {HOST}/crates/7": [CRATE], f"POST {HOST}/notes": [TAKEN]}
    job = Job(
        task="repair", workflow=workflow, inputs={}, world=ScriptedWorld(responses, clock), clock=clock, detector=None, model_request=model,
        files={"MENDBENCH_REQUEST": "Write down what colour crate 7 has."},
        variables={"MENDBENCH_RESPONSES": "1", "MENDBENCH_MODEL": _MODEL},
    )  # fmt: skip
    return model, engine.document_of(job)
