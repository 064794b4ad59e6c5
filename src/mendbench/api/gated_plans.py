"""The plan of ``mendbench run --gated``: the trials that the baseline has, and no others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from mendbench.api.plans import Plan, Sweep, plan_of
from mendbench.api.resuming import words
from mendbench.api.settings import RunOptions
from mendbench.config.config_file import Loaded
from mendbench.config.tables import Config, MatrixConfig, SweepConfig
from mendbench.corpus.corpus import Corpus, selected_ids
from mendbench.corpus.split import in_part
from mendbench.errors import BadInput
from mendbench.model.case import Case
from mendbench.model.trial import TrialKey
from mendbench.repair.policies import is_policy, policy
from mendbench.runs.matrix import CONTROL_POLICY, CONTROL_STRATEGY, Matrix
from mendbench.runs.trial_keys import TrialKeys
from mendbench.scoring.records import Treatment

_CONFLICTING = ("engines", "strategies", "frame", "policies", "detector", "repairers", "models", "samples", "all")
"""Options that choose trials, which the baseline does."""


def planned_for(loaded: Loaded, options: RunOptions, corpus: Corpus) -> Plan:
    """Return the plan of a run: with ``gated`` the trials of the baseline, else as :func:`plan_of`.

    Named cases and a part narrow both.

    Raises:
        BadInput: an option conflicts with ``gated``; the baseline cannot be read, has a trial of a case that the corpus does not
            have, or has no trial of the cases that are named.
        UnknownName: as :func:`plan_of`.
    """
    if not options.gated:
        return plan_of(loaded.config, options, corpus)
    from mendbench.results.baseline import read_baseline  # noqa: PLC0415  what other runs do not need

    _refuse_conflicting(options)
    place = str(loaded.baseline)
    baseline = read_baseline(loaded.baseline)
    keys = TrialKeys(entry.trial for entry in baseline.entries)
    cases = {name: _case(corpus, name, place) for name in sorted({key.case for key in keys.each_first()})}
    wanted = selected_ids(corpus, options.names)
    named = in_part([case for case in cases.values() if case.id in wanted], options.part or "all", corpus.cases_dir)
    own = {case.id: case for case in named}
    keys = TrialKeys(key for key in keys if key.case in own)
    if not keys:
        found = "no trial of the cases that are named" if baseline.entries else "a baseline without trials"
        raise BadInput(place, found, "run them without --gated")
    sweeps = tuple(_sweeps(keys, own, _controls(loaded.config)))
    return Plan(sweeps=sweeps, keys=keys, left_out=(), shard=options.shard, unnarrowed=False, whole=False)


def _refuse_conflicting(options: RunOptions) -> None:
    default = RunOptions()
    given = [name for name in _CONFLICTING if getattr(options, name) != getattr(default, name)]
    if given:
        found = f"given with {' '.join(words(options, given))}"
        raise BadInput("--gated", found, "the baseline names the trials: leave out one of the two")


def _case(corpus: Corpus, name: str, place: str) -> Case:
    if name not in corpus.folders:
        hint = "make a run without --gated, and accept it with `mendbench gate --update`"
        raise BadInput(place, f"trials of {name}, which is no case of {corpus.cases_dir}", hint)
    return corpus.case(name)


def _controls(config: Config) -> frozenset[str]:
    """Return the repairers that the configuration has only as bounds."""
    matrices: tuple[MatrixConfig | SweepConfig, ...] = (config.matrix, *config.sweeps.values())
    asked = {name for one in matrices for name in one.repairers or ()}
    return frozenset(name for one in matrices for name in one.bounds) - asked


def _sweeps(keys: Iterable[TrialKey], cases: dict[str, Case], bounds: frozenset[str]) -> Iterator[Sweep]:
    """Yield the trials as matrices: strategies that share cases and everything else are crossed in one."""
    samples: dict[Treatment, dict[str, int]] = defaultdict(dict)
    for key in keys:
        own = samples[_treatment(key)]
        own[key.case] = max(own.get(key.case, 1), key.sample + 1)
    together: dict[tuple[object, ...], list[Treatment]] = defaultdict(list)
    for treatment, own in sorted(samples.items(), key=lambda one: one[0].order()):
        others = (treatment.engine, treatment.policy, treatment.repairer, treatment.model, treatment.detector)
        together[*others, tuple(own.items())].append(treatment)
    for number, treatments in enumerate(together.values(), start=1):
        own = samples[treatments[0]]
        matrix = _matrix(treatments, max(own.values()), bounds)
        yield Sweep(name=f"gated-{number}", matrix=matrix, cases=tuple(cases[name] for name in own))


def _treatment(key: TrialKey) -> Treatment:
    return Treatment(
        engine=key.engine, repairer=key.repairer, model=key.model, strategy=key.strategy, policy=key.policy, detector=key.detector
    )  # fmt: skip


def _matrix(treatments: Sequence[Treatment], samples: int, bounds: frozenset[str]) -> Matrix:
    first = treatments[0]
    is_control = first.repairer in bounds and (first.strategy, first.policy) == (CONTROL_STRATEGY, CONTROL_POLICY)
    usual = policy(first.policy).detector if is_policy(first.policy) else first.detector
    return Matrix(
        engines=(first.engine,),
        strategies=() if is_control else tuple(one.strategy for one in treatments),
        policies=() if is_control else (first.policy,),
        repairers=() if is_control else (first.repairer,),
        models=(first.model,) if first.model else (),
        samples=samples,
        bounds=(first.repairer,) if is_control else (),
        detector=None if first.detector == usual else first.detector,
    )
