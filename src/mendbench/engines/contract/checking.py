"""Runs an engine through the contract kit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from mendbench.engines.command import CommandEngine, EngineFailed
from mendbench.engines.contract.cases import CASES, ContractCase, Seen, differs_again
from mendbench.engines.contract.finding import Finding
from mendbench.engines.contract.headers import wrong_headers
from mendbench.engines.contract.repairing import ASKED, NOT_ASKED, check_repairs
from mendbench.engines.contract.world import ScriptedWorld
from mendbench.engines.declared import Declared
from mendbench.engines.document import OWN, EngineExecution
from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.execution import Checkpoint
from mendbench.model.json import JsonObject


def cases_for(declared: Declared) -> tuple[str, ...]:
    """Return the names of the cases that are run on an engine, in order."""
    return (*(case.name for case in CASES), *((ASKED, NOT_ASKED) if declared.repairs else ()))


def check_engine(engine: CommandEngine, misdeclared: Sequence[str] = ()) -> Iterator[Finding]:
    """Yield the findings of each case about an engine, in order; first the errors in its declaration, if any."""
    if misdeclared:
        yield Finding(case="describe", title="what it says of itself can be understood", wrong=tuple(misdeclared))
    headers: set[str] = set()
    for case in CASES:
        documents: list[JsonObject] = []
        wrong = tuple(_wrong(engine, case, headers, documents))
        yield Finding(case=case.name, title=case.title, wrong=wrong, documents=tuple(documents))
    if engine.declared.repairs:
        yield from check_repairs(engine)


def _wrong(engine: CommandEngine, case: ContractCase, headers: set[str], documents: list[JsonObject]) -> Iterator[str]:
    """Yield the errors of an engine in a case, and add what it prints to ``documents``.

    ``headers`` are those that were reported before: each is reported once.
    """
    world, clock = _world(case)
    try:
        execution = _executed(engine, case.workflow, case, world, clock, None)
        documents.append({**execution.agent, OWN: execution.own})
        first = world.traffic()
        again = None
        if case.then is not None:
            world.begin_execution()
            again = _executed(engine, case.then, case, world, clock, execution.checkpoint)
        seen = Seen(
            execution=execution, traffic=first, again=again, again_traffic=world.traffic()[len(first) :],
            resumes=engine.declared.resume,
        )  # fmt: skip
        yield from case.judge(seen)
        for name, words in wrong_headers(case.workflow, world.traffic()):
            if name not in headers:
                headers.add(name)
                yield words
        if case is CASES[0]:
            fresh, own_clock = _world(case)
            _executed(engine, case.workflow, case, fresh, own_clock, None)
            message = differs_again(first, fresh.traffic())
            yield from [message] if message is not None else []
    except EngineFailed as error:
        yield str(error)


def _world(case: ContractCase) -> tuple[ScriptedWorld, VirtualClock]:
    clock = VirtualClock()
    return ScriptedWorld(case.responses, clock), clock


def _executed(
    engine: CommandEngine,
    workflow: JsonObject,
    case: ContractCase,
    world: ScriptedWorld,
    clock: VirtualClock,
    checkpoint: Checkpoint | None,
) -> EngineExecution:
    done = engine.execute(workflow, case.inputs, world, checkpoint=checkpoint, detector=None, clock=clock)
    return cast("EngineExecution", done)
