"""The input of scores: a trial as in its row in ``trials.jsonl``, without texts and traffic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mendbench.model.trial import JsonRow

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
    """One attempt of a trial."""

    number: int
    """From 1."""
    label: str | None
    """As defined in :mod:`mendbench.scoring.judging.attempts`; None if the trial was not judged."""
    progress: int | None
    """Level of :mod:`mendbench.scoring.judging.progress`; None if no edit is right, or the trial was not judged."""
    status: str
    """How the response was processed."""
    repeat: bool
    """Whether the identical prompt was sent before in this trial."""
    context_tokens: int
    truncated: bool
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    """None: not known."""
    leaks: str | None
    """Where the prompt contains the fix's new value: frame, raw, state, derived or nowhere; None without a fix."""
    facts_found: int
    facts_missing: int
    provenance: str | None = None
    """The source of an imported response."""
    asked: bool = True
    """Whether the response took a model request. False for a repairer that sends none, and for a response that was already given
    earlier in the trial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRecord:
    """One trial. Fields have the names and meanings of its row, see :mod:`mendbench.trial.row`."""

    key: str
    case: str
    group: str
    family: str
    kind: str
    part: str | None
    difficulty: str
    api: str
    """``well-known`` or ``private``: whether an engineer who knows the public API could name the fix without seeing the error."""
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
    """Digest of the model responses that the trial used."""
    world: str
    """Digest of the exchanges with the world that the trial used."""
    sampling: str | None = None
    """``unknown`` if the sampling parameters of the model's responses are not known."""
    tokens_estimated: bool = False
    """Whether the prompt and response tokens are estimates."""
    recorded_from: tuple[tuple[str, str], ...] = ()
    """Each service of the case, and the source of its responses."""

    @property
    def judged(self) -> bool:
        """Whether the trial was judged."""
        return self.verdict in JUDGED

    @property
    def right(self) -> bool:
        """Whether the verdict is ``correct``."""
        return self.verdict == "correct"


def record_of(row: JsonRow) -> TrialRecord:
    """Return the record of a row."""
    return TrialRecord(
        key=row["key"],
        case=row["case"],
        group=row["group"],
        family=row["family"],
        kind=row["kind"],
        part=row["part"],
        difficulty=row["difficulty"],
        api=row["api"],
        case_digest=row["case_digest"],
        adversarial_to=tuple(row["adversarial_to"]),
        treatment=Treatment(
            engine=row["engine"],
            repairer=row["repairer"],
            model=row["model"],
            strategy=row["strategy"],
            policy=row["policy"],
            detector=row["detector"],
        ),
        sample=row["sample"],
        verdict=row["verdict"],
        outcome=row["outcome"],
        stop_reason=row["stop_reason"],
        end=row["end"],
        right_after_first=row["right_after_first"],
        attempts=tuple(_attempts(row["attempts"])),
        wasted_attempts=row["wasted_attempts"],
        prompt_tokens=row["prompt_tokens"],
        completion_tokens=row["completion_tokens"],
        cost_usd=row["cost_usd"],
        context_recall=row["context_recall"],
        leaks=row["leaks"],
        progress=row["progress"],
        nodes=tuple(_nodes(row)),
        repeated_side_effects=len(row["repeated_side_effects"]),
        collateral_edits=len(row["collateral_edits"]),
        edited=row["edited"],
        harmful=row["harmful"],
        said=row["said"],
        derived=row["derived"],
        model_requests=row["evidence"]["model_requests"],
        world=row["evidence"]["world"],
        sampling=row["sampling"],
        tokens_estimated=row["tokens_estimated"],
        recorded_from=tuple((row["recorded_from"] or {}).items()),
    )


def _attempts(attempts: Iterable[JsonRow]) -> Iterator[AttemptRecord]:
    given: set[str | None] = {None}
    for attempt in attempts:
        yield _attempt(attempt, asked=attempt["model_request"] not in given)
        given.add(attempt["model_request"])


def _attempt(attempt: JsonRow, *, asked: bool) -> AttemptRecord:
    return AttemptRecord(
        number=attempt["number"],
        label=attempt["label"],
        progress=attempt["progress"],
        status=attempt["status"],
        repeat=attempt["repeat"],
        context_tokens=attempt["context_tokens"],
        truncated=attempt["truncated"],
        prompt_tokens=attempt["prompt_tokens"],
        completion_tokens=attempt["completion_tokens"],
        cost_usd=attempt["cost_usd"],
        leaks=attempt["leaks"],
        facts_found=len(attempt["facts"]["found"]),
        facts_missing=len(attempt["facts"]["missing"]),
        provenance=attempt["provenance"],
        asked=asked,
    )


def _nodes(row: JsonRow) -> Iterable[tuple[str, str, str]]:
    for name, states in sorted(row["nodes"].items()):
        expected, got = states["expected"], states["got"] or "not_run"
        if "not_run" not in {expected, got}:
            yield name, expected, got
