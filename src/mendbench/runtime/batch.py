"""A batch node: runs the same work for each item of a list, in sequence.

Its outputs are ``results`` (one object per item: the item and its outputs), ``count``, ``success_count``, ``error_count``, ``errors``
(null, or one object per failed item) and ``batch_metadata``. When an item fails, ``fail_fast`` ends the node with that item's
failure. ``continue`` runs the remaining items; the node then ends in a warning that does not stop the run, unless every item
failed. A resume does not repeat completed items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mendbench.model.execution import Completed, Judgement
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Batch
from mendbench.runtime.checkpoint import node_digest
from mendbench.runtime.outline import BATCH_INDEX
from mendbench.runtime.stepping import FINE, StepRunner, Unit, UnitResult, stops
from mendbench.runtime.templates import ParamProblem, resolve

MAX_ITEMS = 10_000
"""Maximum number of items in one batch."""

MAX_LISTED = 5
"""Maximum number of failed items that a partial failure's message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlan:
    """A batch before it runs: one unit of work per item."""

    batch: Batch
    values: tuple[Json, ...]
    units: tuple[Unit, ...]

    @property
    def digest(self) -> str:
        """The digest of the work of all items, in order; empty if an item cannot be resolved."""
        digests = [unit.digest for unit in self.units]
        if not all(digests):
            return ""
        return node_digest("batch", {"items": digests, "goes_on": self.batch.goes_on}, "default")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """The result of a batch."""

    completed: Completed
    """The checkpoint entry of the node. Its outputs hold what was observed, regardless of the detector's judgement."""
    failed: UnitResult | None
    """The unit of work whose failure is the node's failure, or None."""
    failed_at: int | None
    """The index of that item, from 0."""
    items: tuple[Completed, ...]
    """All completed items, from this run or earlier, including items no longer in the list."""
    duration_ms: int
    tries: int
    """The maximum number of tries for one item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """The result of one item, from this run or earlier."""

    value: Json
    done: Completed
    result: UnitResult | None = None
    """None if it completed earlier."""
    duration_ms: int = 0
    tries: int = 0


def plan_batch(batch: Batch, whole: Unit, runner: StepRunner) -> BatchPlan | UnitResult:
    """Return the plan of a batch, or the failure of ``whole`` (the node itself) if there is no list to iterate over."""
    found = resolve(batch.items, whole.data, texts=runner.texts)
    if not found.complete:
        left = (*(template.text for template in found.unresolved), *found.malformed)
        return runner.failed(whole, (ParamProblem(param="batch.items", templates=left),))
    if not isinstance(found.value, list):
        return runner.raised(whole, "TypeError", f"Batch items must be a list, got {type(found.value).__name__}")
    if len(found.value) > MAX_ITEMS:
        return runner.raised(
            whole, "ValueError", f"Batch has {len(found.value):,} items, and at most {MAX_ITEMS:,} are run"
        )
    named = ({**whole.data, batch.name: item, BATCH_INDEX: index} for index, item in enumerate(found.value))
    units = tuple(runner.unit(whole.node, data, whole.arrived) for data in named)
    return BatchPlan(batch=batch, values=tuple(found.value), units=units)


def run_batch(plan: BatchPlan, before: list[Completed], runner: StepRunner) -> BatchResult:
    """Execute the plan, except for items in ``before`` that did the same work and whose response is still valid."""
    left = list(before)
    items = list(_run_items(plan, left, runner))
    failures = {index: item for index, item in enumerate(items) if stops(item.done)}
    failed_at: int | None = None
    failed: UnitResult | None = None
    outputs, judgement = _outputs(plan, items), _partial(items)
    if failures and (not plan.batch.goes_on or len(failures) == len(plan.units)):
        failed_at = _gravest(failures)
        failed, done = failures[failed_at].result, failures[failed_at].done
        judgement = Judgement(state=done.state, message=done.message or "", severity=done.severity)
        if done.noticed is not None:
            outputs["error"] = done.noticed
    kept = [item.done for item in items if item.done.digest and item.done.state != "error"]
    changed = [done.changed_at for done in kept if done.changed_at is not None]
    completed = Completed(
        action="default",
        digest=plan.digest,
        outputs=outputs,
        state=judgement.state,
        message=judgement.message or None,
        severity=judgement.severity,
        noticed=_summary(items, lambda item: item.done.noticed),
        sent_by=len(runner.context.world.traffic()),
        changed_at=max(changed, default=None),
        only_read=bool(kept) and all(done.only_read for done in kept),
    )
    return BatchResult(
        completed=completed,
        failed=failed,
        failed_at=failed_at,
        items=(*kept, *left),
        duration_ms=sum(item.duration_ms for item in items),
        tries=max((item.tries for item in items), default=1) or 1,
    )


def _run_items(plan: BatchPlan, before: list[Completed], runner: StepRunner) -> Iterator[_Item]:
    """Yield the result of each item, up to the first that ends the batch. Remove items with the same work from ``before``."""
    for unit, value in zip(plan.units, plan.values, strict=True):
        digest = unit.digest
        done = next((earlier for earlier in before if digest and earlier.digest == digest), None)
        if done is not None:
            before.remove(done)
        reused = done if done is not None and runner.still_holds(done) else None
        item = _run_item(plan.batch, unit, value, runner) if reused is None else _Item(value=value, done=reused)
        yield item
        if stops(item.done) and not plan.batch.goes_on:
            return


def _run_item(batch: Batch, unit: Unit, value: Json, runner: StepRunner) -> _Item:
    """Run one item, at most as often as the batch allows. Do not retry if that could repeat an effect."""
    clock = runner.context.clock
    started = clock.now_ms()
    result = runner.run(unit)
    tries = result.tries
    for _ in range(batch.tries - 1):
        if result.judgement.state == "success" or not unit.whole or not result.harmless_again:
            break
        clock.advance(round(batch.wait_s * 1000))
        result = runner.run(unit)
        tries += result.tries
    duration_ms = clock.now_ms() - started
    return _Item(value=value, done=result.completed(), result=result, duration_ms=duration_ms, tries=tries)


def _gravest(failures: Mapping[int, _Item]) -> int:
    """Return the first item whose failure is fixable, else the first that failed: a fixable batch may be repaired."""
    fixable = (index for index, item in failures.items() if item.done.state == "error")
    return next(fixable, next(iter(failures)))


def _partial(items: list[_Item]) -> Judgement:
    message = _summary(items, lambda item: item.done.message)
    return FINE if message is None else Judgement(state="warning", message=message, severity="info")


def _summary(items: list[_Item], message_of: Callable[[_Item], str | None]) -> str | None:
    """Return a message about the items that failed, or None if all succeeded."""
    lines = [
        f"item {number}: {message_of(item) or 'failed'}"
        for number, item in enumerate(items, start=1)
        if item.done.state != "success"
    ]
    if not lines:
        return None
    more = f"; and {len(lines) - MAX_LISTED} more" if len(lines) > MAX_LISTED else ""
    return f"{len(lines)} of {len(items)} items failed: {'; '.join(lines[:MAX_LISTED])}{more}"


def _outputs(plan: BatchPlan, items: list[_Item]) -> JsonObject:
    """Return the node's outputs. They report failures as observed: data must not depend on a detector."""
    failed = [(index, item) for index, item in enumerate(items) if item.done.noticed is not None and stops(item.done)]
    errors = [{"index": index, "item": item.value, "error": item.done.noticed} for index, item in failed]
    return {
        "results": [{**item.done.outputs, "item": item.value} for item in items],
        "count": len(plan.units),
        "success_count": len(items) - len(failed),
        "error_count": len(failed),
        "errors": errors or None,
        "batch_metadata": {"parallel": False, "not_run": len(plan.units) - len(items)},
    }
