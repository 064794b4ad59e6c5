"""The input of scores: a trial as in its row in ``trials.jsonl``, without texts and traffic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from operator import itemgetter
from typing import Any

from mendbench.model.trial import TrialRow

EDIT_KINDS = frozenset({"repairable", "mixed"})
"""Kinds of case with a fault that an edit mends. Repair success is counted over these."""

USER_KINDS = frozenset({"needs_user", "mixed"})
"""Kinds of case with a fault that only the user can mend."""

JUDGED = frozenset({"correct", "incorrect"})
"""Verdicts of judged trials. Trials with other verdicts were not judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """What distinguishes trials besides case and sample: the conditions that are compared."""

    engine: str
    repairer: str
    model: str | None
    strategy: str
    policy: str
    detector: str | None

    def order(self) -> tuple[str, ...]:
        """Return the sort key of the treatment."""
        parts = (self.engine, self.repairer, self.model, self.strategy, self.policy, self.detector)
        return tuple(part or "" for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
    """One attempt of a trial. Fields have the names and meanings of :class:`mendbench.model.trial_row.AttemptRow`."""

    number: int
    label: str | None
    progress: int | None
    status: str
    repeat: bool
    context_tokens: int
    truncated: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    leaks: str | None
    facts_found: int
    facts_missing: int
    provenance: str | None = None
    asked: bool = True
    """Whether the response took a model request. False for a repairer that sends none, and for a response that was already given
    earlier in the trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """One trial. Fields have the names and meanings of :class:`mendbench.model.trial_row.TrialRow`."""

    key: str
    case: str
    group: str
    family: str
    kind: str
    part: str | None
    level: int | None
    api: str
    case_digest: str
    adversarial_to: tuple[str, ...]
    treatment: Treatment
    sample: int
    verdict: str
    outcome: str | None
    stop_reason: str
    end: str | None
    right_after_first: bool | None
    attempts: tuple[AttemptRecord, ...]
    wasted_attempts: int | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    context_recall: float | None
    leaks: str | None
    progress: int | None
    nodes: tuple[tuple[str, str, str], ...]
    """Name, labelled state and given state of each labelled node of the first execution, if it ran and was expected to run."""
    repeated_side_effects: int
    collateral_edits: int
    edited: bool
    harmful: bool
    said: bool
    derived: int
    model_requests: str
    world: str
    sampling: str | None = None
    tokens_estimated: bool = False
    recorded_from: tuple[tuple[str, str], ...] = ()

    @property
    def judged(self) -> bool:
        """Whether the trial was judged."""
        return self.verdict in JUDGED

    @property
    def right(self) -> bool:
        """Whether the verdict is ``correct``."""
        return self.verdict == "correct"


def treatment_of(row: TrialRow) -> Treatment:
    """Return the treatment of a row's trial."""
    return Treatment(**_of_treatment(row))


def record_of(row: TrialRow) -> TrialRecord:
    """Return the record of a row."""
    return TrialRecord(
        **_of_trial(row),
        adversarial_to=tuple(row["adversarial_to"]),
        treatment=treatment_of(row),
        attempts=tuple(_attempts(row)),
        nodes=tuple(_nodes(row)),
        repeated_side_effects=len(row["repeated_side_effects"]),
        collateral_edits=len(row["collateral_edits"]),
        model_requests=row["evidence"]["model_requests"],
        world=row["evidence"]["world"],
        recorded_from=tuple(row["recorded_from"].items()),
    )


def _copied(kind: type[Any], *otherwise: str) -> Callable[[Any], dict[str, Any]]:
    """Return a function that returns the fields of a class as they are in a row, but for some."""
    names = [field.name for field in fields(kind) if field.name not in otherwise]
    values = itemgetter(*names)
    return lambda row: dict(zip(names, values(row), strict=True))


_of_treatment = _copied(Treatment)
_of_trial = _copied(
    TrialRecord,
    "adversarial_to", "treatment", "attempts", "nodes", "repeated_side_effects", "collateral_edits", "model_requests", "world",
    "recorded_from",
)  # fmt: skip
_of_attempt = _copied(AttemptRecord, "facts_found", "facts_missing", "asked")


def _attempts(row: TrialRow) -> Iterator[AttemptRecord]:
    given: set[str | None] = {None}
    for attempt in row["attempts"]:
        found, missing = attempt["facts"]["found"], attempt["facts"]["missing"]
        yield AttemptRecord(
            **_of_attempt(attempt),
            facts_found=len(found),
            facts_missing=len(missing),
            asked=attempt["model_request"] not in given,
        )
        given.add(attempt["model_request"])


def _nodes(row: TrialRow) -> Iterable[tuple[str, str, str]]:
    for name, states in sorted(row["nodes"].items()):
        expected, got = states["expected"], states["got"] or "not_run"
        if "not_run" not in {expected, got}:
            yield name, expected, got
