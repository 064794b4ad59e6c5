"""A batch node: the same work once for each item of a list, one item after the other.

Its outputs are ``results`` (one object an item: the item and its outputs), ``count``, ``success_count``, ``error_count``, ``errors``
(null, or one object an item that failed) and ``batch_metadata``. Where an item fails, ``fail_fast`` ends the node with that item's
failure; ``continue`` goes on, and the node then ends in a warning that stops nothing, unless every item failed. Items that were
done are not done again on resume.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mendbench.model.execution import Completed, Judgement
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Batch
from mendbench.runtime.checkpoint import node_digest
from mendbench.runtime.scene import BATCH_INDEX
from mendbench.runtime.stepping import FINE, Tried, Unit, Workshop, unit_of
from mendbench.runtime.templates import ParamProblem, resolve


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A batch before it is run: one unit of work for each item."""

    batch: Batch
    values: tuple[Json, ...]
    units: tuple[Unit, ...]

    @property
    def digest(self) -> str:
        """The digest of what all items would do, in order; empty if one of them cannot be resolved."""
        digests = [unit.digest for unit in self.units]
        if not all(digests):
            return ""
        return node_digest("batch", {"items": digests, "goes_on": self.batch.goes_on}, "default")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchDone:
    """What came of a batch."""

    outputs: JsonObject
    judgement: Judgement
    failed: Tried | None
    """The unit of work whose failure is the node's, or None."""
    failed_at: int | None
    """Which item that was, from 0."""
    items: tuple[Completed, ...]
    """The items that are done, now or before."""
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """What came of one item: done now, done before, or failed."""

    done: Completed | None = None
    tried: Tried | None = None
    """None where it was done before."""

    @property
    def judgement(self) -> Judgement:
        return FINE if self.tried is None else self.tried.judgement

    @property
    def failed(self) -> bool:
        return self.judgement.state != "success"

    @property
    def outputs(self) -> JsonObject:
        if self.tried is not None:
            return self.tried.visit.output.outputs
        return self.done.outputs if self.done is not None else {}


def plan_batch(batch: Batch, whole: Unit, shop: Workshop) -> Plan | Tried:
    """Return the plan of a batch, or the failure of ``whole`` (the node as such) because there is no list to go through."""
    found = resolve(batch.items, whole.data)
    if not found.complete:
        left = (*(one.text for one in found.unresolved), *found.malformed)
        return shop.failed(whole, (ParamProblem(param="batch.items", templates=left),))
    if not isinstance(found.value, list):
        return shop.raised(whole, "TypeError", f"Batch items must be a list, got {type(found.value).__name__}")
    named = ({**whole.data, batch.name: item, BATCH_INDEX: index} for index, item in enumerate(found.value))
    units = tuple(unit_of(whole.node, data, whole.arrived) for data in named)
    return Plan(batch=batch, values=tuple(found.value), units=units)


def run_batch(plan: Plan, before: Iterable[Completed], shop: Workshop) -> BatchDone:
    """Do what the plan says, but for the items that were done ``before`` just so and whose answer still holds."""
    made = list(_made(plan, list(before), shop))
    failures = {index: item for index, item in enumerate(made) if item.failed}
    whole = bool(failures) and (not plan.batch.goes_on or len(failures) == len(plan.units))
    first = next(iter(failures), None)
    return BatchDone(
        outputs=_outputs(plan, made, failures),
        judgement=_judgement(failures, len(plan.units), whole=whole),
        failed=failures[first].tried if whole and first is not None else None,
        failed_at=first if whole else None,
        items=tuple(item.done for item in made if item.done is not None),
        duration_ms=sum(item.tried.duration_ms for item in made if item.tried is not None),
    )


def _made(plan: Plan, before: list[Completed], shop: Workshop) -> Iterator[_Item]:
    """Yield what comes of each item, up to the first that ends the batch."""
    for unit in plan.units:
        digest = unit.digest
        done = next((one for one in before if digest and one.digest == digest), None)
        if done is not None and shop.still_holds(unit.node):
            before.remove(done)
            yield _Item(done=done)
            continue
        item = _tried(plan.batch, unit, shop)
        yield item
        if item.failed and not plan.batch.goes_on:
            return


def _tried(batch: Batch, unit: Unit, shop: Workshop) -> _Item:
    """Run one item, at most so often as the batch says."""
    tried = shop.do(unit)
    for _ in range(batch.tries - 1):
        if tried.judgement.state == "success" or unit.resolved.problems:
            break
        shop.around.clock.advance(round(batch.wait_s * 1000))
        tried = shop.do(unit)
    if tried.judgement.state != "success":
        return _Item(tried=tried)
    output = tried.visit.output
    return _Item(tried=tried, done=Completed(action=output.action, digest=unit.digest, outputs=output.outputs))


def _judgement(failures: Mapping[int, _Item], count: int, *, whole: bool) -> Judgement:
    if not failures:
        return FINE
    if whole:
        return next(iter(failures.values())).judgement
    told = "; ".join(f"item {index + 1}: {item.judgement.message}" for index, item in failures.items())
    return Judgement(state="warning", message=f"{len(failures)} of {count} items failed: {told}", severity="info")


def _outputs(plan: Plan, made: list[_Item], failures: Mapping[int, _Item]) -> JsonObject:
    errors = [
        {"index": index, "item": plan.values[index], "error": item.judgement.message}
        for index, item in failures.items()
    ]
    return {
        "results": [{**item.outputs, "item": value} for item, value in zip(made, plan.values, strict=False)],
        "count": len(plan.units),
        "success_count": len(made) - len(failures),
        "error_count": len(failures),
        "errors": errors or None,
        "batch_metadata": {"parallel": False, "not_run": len(plan.units) - len(made)},
    }
