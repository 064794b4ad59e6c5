"""One step of a walk: resolves a node's parameters, reuses its earlier work or runs it, and judges failures.

This module retries a node if its warning says so, on the clock. A batch node has one unit of work per item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial

from mendbench.model.exchange import Exchange
from mendbench.model.execution import Checkpoint, Completed, Judgement, NodeRecord, Observation
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Node
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector
from mendbench.ports.world import World
from mendbench.runtime.checkpoint import completed_as, node_digest, traces_of
from mendbench.runtime.events import Listener
from mendbench.runtime.json_texts import JsonTexts
from mendbench.runtime.nodes.interface import NodeType
from mendbench.runtime.nodes.mcp import type_named
from mendbench.runtime.nodes.retries import retried
from mendbench.runtime.observation import Visit, observe, raised_visit, run_node, sent_for, unresolved_visit
from mendbench.runtime.templates import MAX_SIZE, ParamProblem, ResolvedParams, resolve_params
from mendbench.secrets.redaction import sanitise

FINE = Judgement(state="success", message="")

MAX_DATA = 50_000_000
"""Maximum total size of the resolved parameters of all nodes in one execution, see :func:`.size_of`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionContext:
    """The world, the detector and the other dependencies of an execution."""

    world: World
    detector: Detector | None
    clock: Clock
    types: Mapping[str, NodeType]
    redact: Callable[[Json], Json]
    listener: Listener | None = None
    """Called for every node event; must not raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One piece of work: a node with one set of data."""

    node: Node
    data: JsonObject
    """The data that its templates can reference."""
    arrived: str
    """The action of the edge that led to the node."""
    resolved: ResolvedParams
    digest: str
    """The digest of its work; empty if a parameter cannot be resolved."""

    @property
    def whole(self) -> bool:
        """Whether all its parameters could be resolved."""
        return bool(self.digest)


def unit_of(node: Node, data: JsonObject, arrived: str, most: int = MAX_SIZE, texts: JsonTexts | None = None) -> Unit:
    """Return the work of a node on ``data``, with ``most`` as the maximum size of its parameters."""
    resolved = resolve_params(node.params, data, most, texts)
    whole = not resolved.problems and not resolved.too_large
    return Unit(
        node=node, data=data, arrived=arrived, resolved=resolved,
        digest=node_digest(node.type, resolved.params, arrived) if whole else "",
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitResult:
    """The result of a unit of work that ran."""

    unit: Unit
    visit: Visit
    observation: Observation | None
    judgement: Judgement
    exchanges: tuple[Exchange, ...] = ()
    """Its requests and their responses."""
    first: int = 0
    """The index of the first exchange in the world's traffic."""
    duration_ms: int = 0
    tries: int = 1

    @property
    def harmless_again(self) -> bool:
        """Whether a retry cannot repeat an effect: it changed nothing, and no request of it may have taken effect."""
        return all(_harmless_again(exchange) for exchange in self.exchanges)

    def completed(self, shown_digest: str = "") -> Completed:
        """Return its checkpoint entry."""
        changed_at, only_read = traces_of(self.exchanges, self.first)
        judgement = self.judgement
        return Completed(
            action=self.visit.output.action,
            digest=self.unit.digest,
            shown_digest=shown_digest,
            outputs=self.visit.output.outputs,
            state=judgement.state,
            message=judgement.message or None,
            severity=judgement.severity,
            noticed=self.observation.message if self.observation is not None else None,
            sent_by=self.first + len(self.exchanges),
            changed_at=changed_at,
            only_read=only_read,
        )


class StepRunner:
    """Runs the units of work of one execution, and tracks their changes to the world."""

    def __init__(self, context: ExecutionContext, before: Checkpoint | None, node_ids: AbstractSet[str]) -> None:
        self.context, self._before, self._ids = context, before, node_ids
        self._changed_at = -1
        self._taken: set[str] = set()
        self._room = MAX_DATA
        self.texts = JsonTexts()
        earlier = enumerate(context.world.traffic() if before is not None else ())
        self._changed_by = {exchange.node: place for place, exchange in earlier if exchange.changed}

    def unit(self, node: Node, data: JsonObject, arrived: str) -> Unit:
        """Return the work of a node on ``data``, within the execution's remaining size limit."""
        unit = unit_of(node, data, arrived, min(MAX_SIZE, self._room), self.texts)
        if not unit.resolved.too_large:
            self._room -= unit.resolved.size
        return unit

    def reusable(self, node: Node, digest: str) -> Completed | None:
        """Return the node's earlier result, if its work is the same and its response is still valid."""
        found = completed_as(self._before, node.id, digest, self._ids | self._taken)
        if found is None or not self.still_holds(found[1]):
            return None
        self._taken.add(found[0])
        return found[1]

    def shown_digest(self, unit: Unit) -> str:
        """Return the unit's digest over redacted parameters, which may be shown."""
        shown = self.context.redact(unit.resolved.params)
        return unit.digest if shown == unit.resolved.params else node_digest(unit.node.type, shown, unit.arrived)

    def items_done(self, node: Node) -> dict[str, tuple[Completed, ...]]:
        """Return the items that a batch node completed earlier, by its id at that time."""
        items = self._before.items if self._before is not None else {}
        return {name: done for name, done in items.items() if name == node.id or name not in self._ids}

    def went_past(self, node_id: str, changed_at: int | None) -> None:
        """Record where a node on the path last changed the world: earlier reads may be stale now."""
        places = (changed_at, self._changed_by.get(node_id))
        self._changed_at = max(self._changed_at, *(-1 if place is None else place for place in places))

    def still_holds(self, done: Completed) -> bool:
        """Return whether an earlier response is still valid: a read is stale once a node before it has changed something."""
        return not done.only_read or self._changed_at < done.sent_by

    def run(self, unit: Unit) -> UnitResult:
        """Run the unit; repeat it while its warning says so, at most :data:`~.retries.TRIES` times. A retry beyond that stops."""
        clock = self.context.clock
        started, tries = clock.now_ms(), 0

        def once() -> UnitResult:
            nonlocal tries
            tries += 1
            return self._once(unit)

        last = retried(once, clock, again=_to_be_repeated, header=_header, seed=unit.node.id)
        duration_ms = last.duration_ms if tries == 1 else clock.now_ms() - started
        severity = "critical" if last.judgement.severity == "retry" else last.judgement.severity
        return replace(last, judgement=replace(last.judgement, severity=severity), tries=tries, duration_ms=duration_ms)

    def failed(self, unit: Unit, problems: tuple[ParamProblem, ...]) -> UnitResult:
        """Return the result of a unit that cannot run because of unresolved references."""
        return self._judged(unit, unresolved_visit(problems, self.context.redact(unit.data)))

    def raised(self, unit: Unit, name: str, message: str) -> UnitResult:
        """Return the result of a unit that cannot run because of an invalid value."""
        return self._judged(unit, raised_visit(name, message))

    def _judgement(self, observation: Observation | None) -> Judgement:
        """Return the detector's judgement of an observation; without a detector it is an error."""
        if observation is None:
            return FINE
        if self.context.detector is None:
            return Judgement(state="error", message=observation.message)
        judgement = self.context.detector.judge(observation)
        if judgement.state == "success":
            return FINE
        return replace(judgement, message=sanitise(self.context.redact(judgement.message)))

    def _once(self, unit: Unit) -> UnitResult:
        node, context = unit.node, self.context
        if unit.resolved.too_large:
            message = f"{node.type} node parameters hold more than {MAX_SIZE:,} characters, or all nodes' more than {MAX_DATA:,}"
            return self.raised(unit, "ValueError", message)
        if unit.resolved.problems:
            return self.failed(unit, unit.resolved.problems)
        started, first = context.clock.now_ms(), len(context.world.traffic())
        node_type = type_named(context.types, node.type) or context.types[node.type]
        visit = run_node(node_type, unit.resolved.params, partial(context.world.send, node=node.id), context.clock)
        return replace(
            self._judged(unit, visit),
            exchanges=context.world.traffic()[first:],
            first=first,
            duration_ms=context.clock.now_ms() - started,
        )

    def _judged(self, unit: Unit, visit: Visit) -> UnitResult:
        sent = sent_for(self.context.detector, unit.resolved.params, unit.data)
        observation = observe(unit.node, visit, self.context.redact, sent)
        return UnitResult(unit=unit, visit=visit, observation=observation, judgement=self._judgement(observation))


def stops(ended: Completed | NodeRecord) -> bool:
    """Return whether a node's or an item's end stops the run if no edge continues: an error, or a warning that is not ``info``."""
    return ended.state == "error" or (ended.state == "warning" and ended.severity != "info")


def _to_be_repeated(result: UnitResult) -> bool:
    """Return whether a warning asks for a retry that cannot repeat an effect."""
    judgement = result.judgement
    return judgement.state == "warning" and judgement.severity == "retry" and result.harmless_again


def _harmless_again(exchange: Exchange) -> bool:
    """Return whether sending it again cannot repeat its effect."""
    if exchange.changed:
        return False
    refused = exchange.response.fault in (None, "refused") and not exchange.accepted
    return exchange.request.safe or exchange.only_read or refused


def _header(result: UnitResult, name: str) -> str | None:
    value = result.observation.headers.get(name) if result.observation is not None else None
    return value if isinstance(value, str) else None
