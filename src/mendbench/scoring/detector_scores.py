"""Scores of a detector on labelled responses. Intervals resample services, because responses of one service are alike."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.model.execution import State
from mendbench.scoring.confusion import STATES, Rate, warning_rates
from mendbench.scoring.statistics.exact import Interval

DRAWS = 2_000
"""Number of resamples of services. The ends of a 95 % interval then vary by about a percentage point between seeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedResponse:
    """One labelled response with the state that a detector gave it."""

    id: str
    service: str
    truth: State
    got: State
    confidence: float | None = None

    @property
    def right(self) -> bool:
        """Whether the state is the label."""
        return self.truth == self.got


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorScore:
    """How right a detector is."""

    detector: str
    n: int
    services: int
    accuracy: float
    accuracy_interval: Interval | None
    """95 %, by service; None for fewer than two services."""
    precision: float | None
    """Of the responses given warning, the share labelled warning."""
    recall: float | None
    """Of the responses labelled warning, the share given warning."""
    f1: float | None
    f1_interval: Interval | None
    false_warnings: Rate
    """Of the repairable failures, those given warning: each would stop a repair."""
    unnoticed: Rate
    """Of the failures, those given success."""
    false_failures: Rate
    """Of the successes, those given warning or error."""
    confusion: Mapping[str, Mapping[str, int]]
    """Counts by label, then by given state."""
    mistakes: tuple[JudgedResponse, ...]
    """The worst first: those that cost a repair, then those that hide a failure; among these the most confident first."""


def assisted_score(
    own: Sequence[JudgedResponse], labelled: Sequence[JudgedResponse], unsure: float, names: tuple[str, str]
) -> DetectorScore:
    """Return the score of a detector that takes a model's label of each noticed failure of which it is less sure than ``unsure``.

    ``own`` and ``labelled`` are the states that the detector and the model give to the same responses; ``names`` are theirs.
    """
    asked = [one.confidence is not None and one.confidence < unsure for one in own]
    mixed = [label if ask else one for one, label, ask in zip(own, labelled, asked, strict=True)]
    return detector_score(f"{names[0]}, {names[1]} for {sum(asked)} below {unsure:.0%}", mixed)


def detector_score(detector: str, judged: Sequence[JudgedResponse]) -> DetectorScore:
    """Return the scores of a detector.

    Raises:
        BadInput: there are no responses.
    """
    if not judged:
        raise BadInput("responses", "none", "give at least one labelled response")
    counts = Counter[tuple[str, str]]((row.truth, row.got) for row in judged)
    rates = warning_rates(counts)
    by_service = _by_service(judged)
    return DetectorScore(
        detector=detector, n=len(judged), services=len(by_service), accuracy=_accuracy(counts) or 0.0,
        accuracy_interval=_interval("accuracy", by_service), precision=rates["precision"].value,
        recall=rates["recall"].value, f1=rates["f1"].value, f1_interval=_interval("f1", by_service),
        false_warnings=_rate("false_warnings", counts, "error", {"warning"}),
        unnoticed=rates["silent_success_rate"],
        false_failures=_rate("false_failures", counts, "success", {"warning", "error"}),
        confusion={label: {got: counts[label, got] for got in STATES} for label in STATES},
        mistakes=tuple(sorted((row for row in judged if not row.right), key=_cost)),
    )  # fmt: skip


_COSTS = (
    ("error", "warning"),
    ("warning", "success"),
    ("error", "success"),
    ("success", "warning"),
    ("success", "error"),
    ("warning", "error"),
)
"""Mistakes as (label, state given), the most expensive first: a lost repair, a hidden failure, a stopped success, a wasted attempt."""


def _cost(row: JudgedResponse) -> tuple[int, float, str]:
    return _COSTS.index((row.truth, row.got)), -(row.confidence or 0.0), row.id


def _rate(name: str, counts: Mapping[tuple[str, str], int], label: str, wrong: set[str]) -> Rate:
    part = sum(count for (truth, got), count in counts.items() if truth == label and got in wrong)
    n = sum(count for (truth, _got), count in counts.items() if truth == label)
    return Rate(name=name, part=part, n=n, value=part / n if n else None)


def _accuracy(counts: Mapping[tuple[str, str], int]) -> float | None:
    n = sum(counts.values())
    return sum(count for (truth, got), count in counts.items() if truth == got) / n if n else None


def _by_service(judged: Sequence[JudgedResponse]) -> dict[str, Counter[tuple[str, str]]]:
    found: dict[str, Counter[tuple[str, str]]] = {}
    for row in judged:
        found.setdefault(row.service, Counter())[row.truth, row.got] += 1
    return found


def _interval(score: str, by_service: Mapping[str, Counter[tuple[str, str]]]) -> Interval | None:
    """Return the 95 % percentile interval of a score, resampling services. None if a resample leaves the score undefined too often."""
    if len(by_service) < 2:  # noqa: PLR2004 (the spread of services is then unknown)
        return None
    services = [by_service[name] for name in sorted(by_service)]
    source = random.Random(int(digest([score, [sorted(map(repr, counts.items())) for counts in services]]), 16))  # noqa: S311
    values: list[float] = []
    for _ in range(DRAWS):
        drawn: Counter[tuple[str, str]] = Counter()
        for counts in source.choices(services, k=len(services)):
            drawn.update(counts)
        value = _accuracy(drawn) if score == "accuracy" else warning_rates(drawn)["f1"].value
        if value is not None:
            values.append(value)
    if len(values) < DRAWS // 2:
        return None
    values.sort()
    return Interval(low=values[int(0.025 * (len(values) - 1))], high=values[int(0.975 * (len(values) - 1))])
