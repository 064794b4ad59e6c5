"""Runs an engine through the contract kit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from mendbench.engines.command import CommandEngine, EngineFailed
from mendbench.engines.contract.cases import CASES, ContractCase, Seen, differs_again
from mendbench.engines.contract.world import ScriptedWorld
from mendbench.engines.document import ToldExecution
from mendbench.kit.clock import VirtualClock
from mendbench.model.execution import Checkpoint
from mendbench.model.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one case says of an engine."""

    case: str
    title: str
    wrong: tuple[str, ...]
    """One sentence for each thing that it gets wrong; none if it gets all right."""


def check_engine(engine: CommandEngine) -> Iterator[Finding]:
    """Yield what each case of the kit says of an engine, in order."""
    for case in CASES:
        yield Finding(case=case.name, title=case.title, wrong=tuple(_wrong(engine, case)))


def _wrong(engine: CommandEngine, case: ContractCase) -> Iterator[str]:
    world, clock = _world(case)
    try:
        execution = _executed(engine, case.workflow, case, world, clock, None)
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
        if case is CASES[0]:
            anew, own_clock = _world(case)
            _executed(engine, case.workflow, case, anew, own_clock, None)
            said = differs_again(first, anew.traffic())
            yield from [said] if said is not None else []
    except EngineFailed as error:
        yield str(error)


def _world(case: ContractCase) -> tuple[ScriptedWorld, VirtualClock]:
    clock = VirtualClock()
    return ScriptedWorld(case.answers, clock), clock


def _executed(
    engine: CommandEngine,
    workflow: JsonObject,
    case: ContractCase,
    world: ScriptedWorld,
    clock: VirtualClock,
    checkpoint: Checkpoint | None,
) -> ToldExecution:
    done = engine.execute(workflow, case.inputs, world, checkpoint=checkpoint, detector=None, clock=clock)
    return cast("ToldExecution", done)
