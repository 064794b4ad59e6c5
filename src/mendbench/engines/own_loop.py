"""Engines that repair by themselves: their model requests and responses are read from the traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mendbench.engines.chat_wire import refused, texts_of
from mendbench.engines.command import CommandEngine, Job
from mendbench.engines.document import OWN, EngineExecution, NoDocument, check_document, execution_of
from mendbench.exchanges.urls import model_url
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.execution import Execution
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Context, Prompt, Reply, Section
from mendbench.model.trial import SELF_REPAIR, Attempt, ResponseStatus, StopReason, Trajectory
from mendbench.ports.clock import Clock
from mendbench.ports.world import World
from mendbench.repairers.asking import read_response
from mendbench.runtime.parse import salvaged
from mendbench.strategies.tokens import estimate

TOO_MANY = 429
NOT_REPORTED = "The engine does not report how it used this response."
NO_RESPONSE = "The engine changed the workflow without asking a model."
UNHEARD = "The engine changed the workflow without asking the trial's model; with the machine's network it may have asked another."
ANY = "unknown"
"""The name of the model if it is unknown whether one was used: the cost is unknown too. If the trial's model was used, the cost is that
of these requests; requests to other models are not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Which model an engine may use, and how often."""

    model_world: World
    model: str | None
    """The name that the model's server knows; None if no model is available."""
    sample: int = 0
    responses: int = 3


@dataclass(slots=True)
class _Tap:
    """Forwards model requests and records them. Each begins another execution of the trial."""

    asking: Asking
    world: World
    made: list[_Asked] = field(default_factory=list)

    def __call__(self, model_request: JsonObject) -> Response:
        model = self.asking.model
        if model is None:
            return refusal(404, "no model can be asked in this trial", "model_not_found")
        if len(self.made) >= self.asking.responses:
            return refusal(TOO_MANY, f"this trial has had its {self.asking.responses} answers", "insufficient_quota")
        named = {**model_request, "model": model}
        before = sum(canonical_json(call.model_request | {"draw": 0}) == canonical_json(named) for call in self.made)
        drawn = named["params"].get("temperature") != 0
        whole = {**named, "draw": [self.asking.sample, before] if drawn else 0}
        self.world.begin_execution()
        self.asking.model_world.begin_execution()
        body = canonical_json(whole).encode("utf-8", "backslashreplace")
        headers = (("content-type", "application/json"),)
        response = self.asking.model_world.send(
            Request(method="POST", url=model_url(model), headers=headers, body=body)
        )
        self.made.append(_Asked(model_request=whole, response=response, repeat=before > 0))
        return response


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    model_request: JsonObject
    response: Response
    repeat: bool

    def prompt(self) -> Prompt:
        """Return the prompt as one section: the engine's own context."""
        system, user = texts_of(self.model_request)
        section = Section(name="prompt", label="raw", text=user)
        return Prompt(
            system=system, frame="", context=Context(strategy=SELF_REPAIR, sections=(section,), tokens=estimate(user))
        )

    def reply(self) -> Reply:
        """Return the model's response."""
        return read_response(
            self.response, model=str(self.model_request["model"]), model_request=digest(self.model_request)
        )


def repair_by_itself(
    engine: CommandEngine,
    *,
    workflow: JsonObject,
    inputs: JsonObject,
    request: str,
    world: World,
    clock: Clock,
    asking: Asking,
) -> Trajectory:
    """Let an engine execute and repair a workflow, and return what happened.

    Raises:
        EngineFailed, EffectEscape, MendbenchError: as :meth:`CommandEngine.execute`.
        Incomplete: the model gave no response.
    """
    tap = _Tap(asking=asking, world=world)
    job = Job(
        task="repair", workflow=workflow, inputs=inputs, world=world, clock=clock, detector=None, model_request=tap,
        files={"MENDBENCH_REQUEST": request},
        variables={"MENDBENCH_RESPONSES": str(asking.responses), **({"MENDBENCH_MODEL": asking.model} if asking.model else {})},
    )  # fmt: skip
    document = engine.document_of(job)
    own = document.get(OWN) or {}
    candidate = own.get("workflow")
    final = candidate if isinstance(candidate, dict) else workflow
    changed = canonical_json(final) != canonical_json(workflow)
    last = _execution(document, final, world.traffic(), len(tap.made))
    first = _first(own.get("first"), workflow, world.traffic(), last, asked=bool(tap.made))
    declined = isinstance(own.get("declined"), str) and bool(own["declined"])
    attempts = tuple(
        _attempts(
            tap.made,
            _list(own.get("attempts")),
            world.traffic(),
            final,
            last,
            changed=changed,
            declined=declined,
            heard=not engine.reaches_others,
        )
    )
    return Trajectory(
        first=first,
        attempts=attempts,
        stop_reason=_stop_reason(last, declined=declined),
        end=last.outcome,
        workflow=final,
        traffic=world.traffic(),
    )


def refusal(status: int, words: str, code: str) -> Response:
    """Return an error response in place of the model's response."""
    body = canonical_json(refused(words, code)).encode()
    return Response(status=status, headers=(("content-type", "application/json"),), body=body)


def _execution(document: JsonObject, workflow: JsonObject, traffic: Sequence[Exchange], phase: int) -> EngineExecution:
    seen = frozenset(exchange.node for exchange in traffic if exchange.node is not None and exchange.phase == phase)
    return execution_of(document, salvaged(workflow), seen=seen)


def _first(
    value: Json, workflow: JsonObject, traffic: Sequence[Exchange], last: EngineExecution, *, asked: bool
) -> Execution:
    """Return the first execution: the reported one; the only one; else the one that the traffic before the first model request shows."""
    document = _document(value)
    if document is not None:
        return _execution(document, workflow, traffic, 0)
    if not asked:
        return last
    before = [exchange for exchange in traffic if exchange.phase == 0]
    stuck = before[-1].node if before and not before[-1].accepted else None
    error = {"node_id": stuck, "message": "The engine does not report its first execution, but asked for a repair."}
    return _execution({"success": False, "errors": [error]}, workflow, traffic, 0)


def _attempts(
    made: Sequence[_Asked], entries: Sequence[Json], traffic: Sequence[Exchange], final: JsonObject, last: EngineExecution,
    *, changed: bool, declined: bool, heard: bool,
) -> list[Attempt]:  # fmt: skip
    """Return one attempt for each model request: the last led to the final workflow, the others to the reported ones."""
    found = []
    for at, call in enumerate(made):
        reply = call.reply()
        status, candidate, execution = _read(at, entries, traffic, reply)
        if at == len(made) - 1:
            end: ResponseStatus = "declined" if declined else "edited" if changed else "unchanged"
            whole = reply.status == "answered"
            status = end if whole or changed else status
            candidate, execution = (final, last) if status == "edited" else (None, None)
        problem = NOT_REPORTED if status == "unparsable" else None
        found.append(
            Attempt(
                number=at + 1, prompt=call.prompt(), reply=reply, status=status, repeat=call.repeat, problem=problem,
                candidate=candidate, execution=execution,
            )
        )  # fmt: skip
    return found or ([_unasked(final, last, heard=heard)] if changed else [])


def _unasked(final: JsonObject, last: EngineExecution, *, heard: bool) -> Attempt:
    nothing = Prompt(system="", frame="", context=Context(strategy=SELF_REPAIR, sections=(), tokens=0))
    return Attempt(
        number=1,
        prompt=nothing,
        reply=Reply(text="", model=None if heard else ANY),
        status="edited",
        problem=NO_RESPONSE if heard else UNHEARD,
        candidate=final,
        execution=last,
    )


def _read(
    at: int, entries: Sequence[Json], traffic: Sequence[Exchange], reply: Reply
) -> tuple[ResponseStatus, JsonObject | None, Execution | None]:
    """Return the outcome of a response, as far as the engine reports it."""
    if reply.status != "answered":
        return reply.status, None, None
    own = entries[at] if at < len(entries) and isinstance(entries[at], dict) else {}
    workflow, document = own.get("workflow"), _document(own.get("execution"))
    if isinstance(workflow, dict) and document is not None:
        return "edited", workflow, _execution(document, workflow, traffic, at + 1)
    return ("invalid" if isinstance(workflow, dict) else "unparsable"), None, None


def _document(value: Json) -> JsonObject | None:
    """Return a document in the agent error format, None if it is not one."""
    if not isinstance(value, Mapping):
        return None
    try:
        return check_document(dict(value))
    except NoDocument:
        return None


def _stop_reason(last: Execution, *, declined: bool) -> StopReason:
    if declined:
        return "declined"
    reasons: dict[str, StopReason] = {"success": "succeeded", "warning": "warned"}
    return reasons.get(last.outcome, "attempts_exhausted")


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
