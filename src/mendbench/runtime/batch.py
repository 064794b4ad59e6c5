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
from mendbench.runtime.scene import BATCH_INDEX
from mendbench.runtime.stepping import FINE, StepRunner, Tried, Unit
from mendbench.runtime.templates import ParamProblem, resolve

MAX_ITEMS = 10_000
"""Maximum number of items in one batch."""

MAX_TOLD = 5
"""Maximum number of failed items that a partial failure's message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
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
class BatchDone:
    """The result of a batch."""

    outputs: JsonObject
    judgement: Judgement
    noticed: str | None
    """What was observed at the items, regardless of the detector's judgement."""
    error: str | None
    """What was observed at the item whose failure is the node's failure; None if the node did not fail."""
    failed: Tried | None
    """The unit of work whose failure is the node's failure, or None."""
    failed_at: int | None
    """The index of that item, from 0."""
    items: tuple[Completed, ...]
    """All completed items, from this run or earlier, including items no longer in the list."""
    exchanges: int
    """Number of exchanges with the world so far."""
    changed_at: int | None
    only_read: bool
    duration_ms: int
    tries: int
    """The maximum number of tries for one item."""

    def completed(self, digest: str, outputs: JsonObject) -> Completed:
        """Return the checkpoint entry of the node."""
        return Completed(
            action="default",
            digest=digest,
            outputs=outputs,
            state=self.judgement.state,
            message=self.judgement.message or None,
            severity=self.judgement.severity,
            noticed=self.noticed,
            sent_by=self.exchanges,
            changed_at=self.changed_at,
            only_read=self.only_read,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """The result of one item, from this run or earlier."""

    value: Json
    done: Completed
    tried: Tried | None = None
    """None if it completed earlier."""
    duration_ms: int = 0
    tries: int = 0

    @property
    def judgement(self) -> Judgement:
        return Judgement(state=self.done.state, message=self.done.message or "", severity=self.done.severity)

    @property
    def failed(self) -> bool:
        """Whether it ends a batch. A warning that does not stop the run does not end a batch."""
        return self.done.state == "error" or (self.done.state == "warning" and self.done.severity != "info")


def plan_batch(batch: Batch, whole: Unit, shop: StepRunner) -> Plan | Tried:
    """Return the plan of a batch, or the failure of ``whole`` (the node itself) if there is no list to iterate over."""
    found = resolve(batch.items, whole.data, texts=shop.texts)
    if not found.complete:
        left = (*(one.text for one in found.unresolved), *found.malformed)
        return shop.failed(whole, (ParamProblem(param="batch.items", templates=left),))
    if not isinstance(found.value, list):
        return shop.raised(whole, "TypeError", f"Batch items must be a list, got {type(found.value).__name__}")
    if len(found.value) > MAX_ITEMS:
        return shop.raised(
            whole, "ValueError", f"Batch has {len(found.value):,} items, and at most {MAX_ITEMS:,} are run"
        )
    named = ({**whole.data, batch.name: item, BATCH_INDEX: index} for index, item in enumerate(found.value))
    units = tuple(shop.unit(whole.node, data, whole.arrived) for data in named)
    return Plan(batch=batch, values=tuple(found.value), units=units)


def run_batch(plan: Plan, before: list[Completed], shop: StepRunner) -> BatchDone:
    """Execute the plan, except for items in ``before`` that did the same work and whose response is still valid."""
    left = list(before)
    made = list(_made(plan, left, shop))
    failures = {index: item for index, item in enumerate(made) if item.failed}
    whole = bool(failures) and (not plan.batch.goes_on or len(failures) == len(plan.units))
    failed_at = _gravest(failures) if whole else None
    failed = failures[failed_at] if failed_at is not None else None
    kept = [item.done for item in made if item.done.digest and item.done.state != "error"]
    changed = [done.changed_at for done in kept if done.changed_at is not None]
    return BatchDone(
        outputs=_outputs(plan, made),
        judgement=failed.judgement if failed is not None else _partial(made),
        noticed=_told(made, lambda item: item.done.noticed),
        error=failed.done.noticed if failed is not None else None,
        failed=failed.tried if failed is not None else None,
        failed_at=failed_at,
        items=(*kept, *left),
        exchanges=len(shop.around.world.traffic()),
        changed_at=max(changed, default=None),
        only_read=bool(kept) and all(done.only_read for done in kept),
        duration_ms=sum(item.duration_ms for item in made),
        tries=max((item.tries for item in made), default=1) or 1,
    )


def _made(plan: Plan, before: list[Completed], shop: StepRunner) -> Iterator[_Item]:
    """Yield the result of each item, up to the first that ends the batch. Remove items with the same work from ``before``."""
    for unit, value in zip(plan.units, plan.values, strict=True):
        digest = unit.digest
        done = next((one for one in before if digest and one.digest == digest), None)
        if done is not None:
            before.remove(done)
        reused = done if done is not None and shop.still_holds(done) else None
        item = _tried(plan.batch, unit, value, shop) if reused is None else _Item(value=value, done=reused)
        yield item
        if item.failed and not plan.batch.goes_on:
            return


def _tried(batch: Batch, unit: Unit, value: Json, shop: StepRunner) -> _Item:
    """Run one item, at most as often as the batch allows. Do not retry if that could repeat an effect."""
    clock = shop.around.clock
    started = clock.now_ms()
    tried = shop.do(unit)
    tries = tried.tries
    for _ in range(batch.tries - 1):
        if tried.judgement.state == "success" or not unit.whole or not tried.harmless_again:
            break
        clock.advance(round(batch.wait_s * 1000))
        tried = shop.do(unit)
        tries += tried.tries
    took = clock.now_ms() - started
    return _Item(value=value, done=tried.completed(), tried=tried, duration_ms=took, tries=tries)


def _gravest(failures: Mapping[int, _Item]) -> int:
    """Return the first item whose failure is fixable, else the first that failed: a fixable batch may be repaired."""
    fixable = (index for index, item in failures.items() if item.done.state == "error")
    return next(fixable, next(iter(failures)))


def _partial(made: list[_Item]) -> Judgement:
    told = _told(made, lambda item: item.done.message)
    return FINE if told is None else Judgement(state="warning", message=told, severity="info")


def _told(made: list[_Item], words: Callable[[_Item], str | None]) -> str | None:
    """Return a message about the items that failed, or None if all succeeded."""
    said = [(index, words(item) or "failed") for index, item in enumerate(made) if item.done.state != "success"]
    if not said:
        return None
    shown = "; ".join(f"item {index + 1}: {text}" for index, text in said[:MAX_TOLD])
    more = f"; and {len(said) - MAX_TOLD} more" if len(said) > MAX_TOLD else ""
    return f"{len(said)} of {len(made)} items failed: {shown}{more}"


def _outputs(plan: Plan, made: list[_Item]) -> JsonObject:
    """Return the node's outputs. They report failures as observed: data must not depend on a detector."""
    failed = [(index, item) for index, item in enumerate(made) if item.done.noticed is not None and item.failed]
    errors = [{"index": index, "item": item.value, "error": item.done.noticed} for index, item in failed]
    return {
        "results": [{**item.done.outputs, "item": item.value} for item in made],
        "count": len(plan.units),
        "success_count": len(made) - len(failed),
        "error_count": len(failed),
        "errors": errors or None,
        "batch_metadata": {"parallel": False, "not_run": len(plan.units) - len(made)},
    }
