"""The matrix: the trials of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from mendbench.detectors import AFTER_FIRST
from mendbench.errors import BadInput
from mendbench.model.case import Case
from mendbench.model.trial import SELF_REPAIR, TrialKey
from mendbench.repair.policies import policy

CONTROL_STRATEGY, CONTROL_POLICY = "none", "two-layer"
"""The strategy and policy of a control: it reads no context and uses the default policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """The components that are crossed with the cases."""

    engines: tuple[str, ...]
    strategies: tuple[str, ...]
    policies: tuple[str, ...]
    repairers: tuple[str, ...]
    models: tuple[str, ...]
    samples: int = 1
    bounds: tuple[str, ...] = ()
    drawn: frozenset[str] = frozenset()
    """The operator's own repairers. Like ``chat`` and functions, they may respond differently each time."""
    itself: frozenset[str] = frozenset()
    """Engines that repair by themselves: they are crossed only with models and samples."""
    detector: str | None = None
    """Replaces the detector of every policy that has one."""


def keys_of(matrix: Matrix, cases: Sequence[Case]) -> tuple[TrialKey, ...]:
    """Return the key of every trial, in the order of a run's rows.

    Raises:
        BadInput: the selection is empty, or ``chat`` is selected without a model.
    """
    ordinary = tuple(name for name in matrix.engines if name not in matrix.itself)
    if ordinary and SELF_REPAIR in {*matrix.strategies, *matrix.policies, *matrix.repairers, *matrix.bounds}:
        raise BadInput(
            "matrix", f"{SELF_REPAIR!r} for the engine {ordinary[0]!r}, which does not repair by itself", "name another"
        )
    if ordinary and "chat" in matrix.repairers and not matrix.models:
        raise BadInput("matrix.models", "no model for the repairer 'chat'", "name one with --model")
    keys = {key: None for case in cases for key in (*_crossed(matrix, case, ordinary), *_by_themselves(matrix, case))}
    if not keys:
        raise BadInput("matrix", "no trial is selected", "name at least one case, strategy, policy and repairer")
    return tuple(sorted(keys, key=TrialKey.order))


def _crossed(matrix: Matrix, case: Case, engines: Sequence[str]) -> Iterator[TrialKey]:
    """Yield the keys of a case's trials in engines that our loop repairs for."""
    for engine, repairer, strategy, name in product(engines, matrix.repairers, matrix.strategies, matrix.policies):
        for model in matrix.models if repairer == "chat" else (None,):
            for sample in range(matrix.samples if _draws(matrix, repairer) else 1):
                yield _key(matrix, case, engine, strategy, name, repairer, model, sample)
    for engine, control in product(engines, matrix.bounds):
        yield _key(matrix, case, engine, CONTROL_STRATEGY, CONTROL_POLICY, control, None, 0)


def _by_themselves(matrix: Matrix, case: Case) -> Iterator[TrialKey]:
    """Yield the keys of a case's trials in engines that repair by themselves."""
    engines = (engine for engine in matrix.engines if engine in matrix.itself)
    for engine, model, sample in product(engines, matrix.models or (None,), range(matrix.samples)):
        yield _key(matrix, case, engine, SELF_REPAIR, SELF_REPAIR, SELF_REPAIR, model, sample)


def _draws(matrix: Matrix, repairer: str) -> bool:
    """Return whether a repairer's responses to one prompt may differ, so that samples differ."""
    return repairer == "chat" or ":" in repairer or repairer in matrix.drawn


def _key(
    matrix: Matrix, case: Case, engine: str, strategy: str, name: str, repairer: str, model: str | None, sample: int
) -> TrialKey:
    own = policy(name).detector
    later = AFTER_FIRST if own is not None and own.endswith(AFTER_FIRST) else ""
    return TrialKey(
        case=case.id, engine=engine, strategy=strategy, policy=name, repairer=repairer, model=model, sample=sample,
        detector=f"{matrix.detector.removesuffix(later)}{later}" if own is not None and matrix.detector is not None else own,
    )  # fmt: skip
