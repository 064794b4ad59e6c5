"""Single trials, for front ends such as a test item or a notebook."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self, cast

from mendbench.api.plans import Plan, plan_of, refuse_unknown, refuse_unrecorded
from mendbench.api.settings import RunOptions, open_context
from mendbench.config.config_file import Loaded, load_config
from mendbench.corpus.credentials import refuse_cases_with_credentials
from mendbench.detectors import detector
from mendbench.errors import BadInput, UnknownName
from mendbench.model.case import Case
from mendbench.model.trial import TrialKey, TrialRow
from mendbench.recording.recorder import Recorder
from mendbench.repair.policies import policy
from mendbench.repairers import is_repairer
from mendbench.runs.matrix import CONTROL_POLICY
from mendbench.scoring.records import AttemptRecord, TrialRecord, record_of
from mendbench.trial.components import BenchContext, repairer_kinds
from mendbench.trial.engines import command_of
from mendbench.trial.long_texts import whole
from mendbench.trial.record_hint import treatment_words
from mendbench.trial.runner import run_trial
from mendbench.trial.strategies import trial_strategy


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RanTrial:
    """One executed trial, with its verdict."""

    key: TrialKey
    case: Case
    row: TrialRow
    """The row as in ``trials.jsonl``, with all texts inserted."""

    @property
    def verdict(self) -> str:
        """``correct``, ``incorrect``, ``unjudged`` or ``crashed``."""
        return str(self.row["verdict"])

    @property
    def right(self) -> bool:
        """Whether the trial is right."""
        return self.verdict == "correct"

    @property
    def judged(self) -> bool:
        """Whether there is a verdict: no recording was missing, and nothing crashed."""
        return self.verdict in {"correct", "incorrect"}

    @property
    def outcome(self) -> str | None:
        """The outcome; None if the trial was not judged."""
        return cast("str | None", self.row["outcome"])

    @property
    def stop_reason(self) -> str:
        """Why there was no further attempt."""
        return str(self.row["stop_reason"])

    @property
    def record(self) -> TrialRecord:
        """The record from which scores are computed."""
        return record_of(self.row)

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        """The attempts, each with its label."""
        return self.record.attempts

    def __repr__(self) -> str:
        """Return a summary in one line: a row is too long."""
        return f"<trial {self.row['key']}: {self.outcome or self.verdict}>"


class Bench:
    """The trials that options select, opened once and run one at a time. Created by :func:`open_bench`."""

    def __init__(self, start: Path, loaded: Loaded, options: RunOptions, context: BenchContext) -> None:
        self.start, self.loaded, self.options, self.context = start, loaded, options, context
        self._ending = ExitStack()
        self._searched: set[str] = set()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_raised: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Stop everything that recording started."""
        self._ending.close()

    @property
    def default_model(self) -> str | None:
        """The first model in the configuration; None if there is none."""
        return next(iter(self.loaded.config.matrix.models), None)

    @cached_property
    def planned(self) -> Mapping[str, tuple[TrialKey, ...]]:
        """The keys of all trials that the options select, by case, in the order of a run's rows.

        Bounds are left out: they exist for comparison and need not be right.
        """
        return self._by_case(self.options)

    @cached_property
    def planned_if_named(self) -> Mapping[str, tuple[TrialKey, ...]]:
        """The same as if every case were named: includes cases that the configuration leaves out."""
        return self._by_case(replace(self.options, names=("*",)))

    def case(self, case_id: str) -> Case:
        """Return one case.

        Raises:
            UnknownName: there is no case with that id.
            BadInput: it is broken.
        """
        return self.context.corpus.case(case_id)

    def refuse_credentials(self, case_id: str) -> None:
        """Refuse a case with a credential in its files or recordings; each case is searched once.

        Raises:
            BadInput: they contain a credential.
        """
        if case_id not in self._searched:
            refuse_cases_with_credentials(self.context.corpus, (case_id,), self.context.record)
            self._searched.add(case_id)

    def key(
        self,
        case_id: str,
        *,
        strategy: str | None = None,
        policy: str | None = None,
        repairer: str | None = None,
        model: str | None = None,
        detector: str | None = None,
        sample: int = 0,
    ) -> TrialKey:
        """Return the key of one trial. Defaults are what the options, or else the configuration, name first.

        The default policy is ``two-layer``, if the options name none.

        Raises:
            UnknownName: the case or a part of the trial does not exist.
            BadInput: the parts cannot be combined.
        """
        self.case(case_id)
        own, matrix = self.options, self.loaded.config.matrix
        answering = repairer or ("chat" if model else _first(own.repairers, matrix.repairers))
        asked = model or (_first(own.models, matrix.models) if answering == "chat" else None)
        wanted = RunOptions(
            names=(case_id,), cases=self.context.cases_dir, cassettes=self.context.cassettes_dir, samples=sample + 1,
            strategies=_one(strategy or _first(own.strategies, matrix.strategies)),
            policies=_one(policy or _first(own.policies, (CONTROL_POLICY,))), engines=(own.engines or tuple(matrix.engines))[:1],
            repairers=_one(answering), models=_one(asked), detector=detector or own.detector,
        )  # fmt: skip
        keys = plan_of(self.loaded.config, wanted, self.context.corpus).keys
        refuse_unknown(keys, self.context, self.loaded)
        return next((key for key in keys if key.sample == sample), keys[0])

    def run(self, key: TrialKey) -> RanTrial:
        """Run one trial. An error in foreign code becomes its verdict. Nothing is written unless it records.

        Raises:
            MendbenchError: a name or a file that it needs cannot be used, or contains a credential.
        """
        self.refuse_credentials(key.case)
        row, texts = run_trial(self.context, key, self._recorder)
        return RanTrial(key=key, case=self.case(key.case), row=cast("TrialRow", whole(row, texts)))

    def command(self, key: TrialKey, *more: str) -> tuple[str, ...]:
        """Return the words of the command that runs this trial alone, followed by ``more``."""
        words = ["mendbench", "run", key.case, *treatment_words(key)]
        words += ["--detector", key.detector] if key.detector and key.detector != policy(key.policy).detector else []
        words += ["--samples", str(key.sample + 1)] if key.sample else []
        folders = (("--cases", self.options.cases), ("--cassettes", self.options.cassettes))
        words += [word for option, folder in folders if folder is not None for word in (option, shown(folder))]
        return (*words, *more)

    @cached_property
    def _recorder(self) -> Recorder | None:
        own = self.context
        if own.record == "none":
            return None
        recorder = Recorder(
            own.record, own.models, trajectory=True, allow_shell=own.allow_shell, allow_writes=own.allow_writes,
            repairers=own.repairers, config_file=own.config_file,
        )  # fmt: skip
        return self._ending.enter_context(recorder)

    def _by_case(self, options: RunOptions) -> dict[str, tuple[TrialKey, ...]]:
        corpus = self.context.corpus
        if not corpus.cases:
            return {}
        planned = plan_of(self.loaded.config, options, corpus)
        refuse_unknown(planned.keys, self.context, self.loaded)
        refuse_unrecorded(self.context, planned.cases, planned.keys)
        found: defaultdict[str, list[TrialKey]] = defaultdict(list)
        for key in planned.own_keys():
            if key.repairer in _asked_for(planned):
                found[key.case].append(key)
        return {case: tuple(keys) for case, keys in found.items()}


def open_bench(options: RunOptions, start: Path) -> Bench:
    """Return the bench of the configuration that applies in ``start``; the options override it.

    Broken cases do not affect the others: see ``bench.context.corpus.broken``.

    Raises:
        UnknownName: the options name something that does not exist.
        BadInput: the configuration or the folder of the cases cannot be used.
    """
    loaded = load_config(start)
    refuse_unknown_names(loaded, options)
    return Bench(start, loaded, options, open_context(loaded, options, tolerant=True))


def refuse_unknown_names(loaded: Loaded, options: RunOptions) -> None:
    """Look up every name in the options, regardless of the cases.

    Raises:
        UnknownName: a name is not registered.
        BadInput: the template or module of a name cannot be used.
    """
    context = BenchContext(cases_dir=Path(), cassettes_dir=Path(), repairers=dict(loaded.config.repairers))
    for name in options.engines:
        command_of(name, loaded.config.engines)
    for name in options.strategies:
        trial_strategy(name, loaded.strategy_dirs)
    for name in options.policies:
        policy(name)
    for name in (options.detector,) if options.detector is not None else ():
        detector(name)
    for name in options.repairers:
        if ":" not in name and not is_repairer(name) and name not in context.repairers:
            raise UnknownName("repairer", name, repairer_kinds(context))
    if options.samples is not None and options.samples < 1:
        raise BadInput("samples", str(options.samples), "give a whole number from 1 on")


def shown(folder: Path) -> str:
    """Return a folder as a command names it: relative to the working folder if it is below that."""
    here = Path.cwd()
    return (folder.relative_to(here) if folder.is_relative_to(here) else folder).as_posix()


def _asked_for(planned: Plan) -> frozenset[str]:
    """Return the repairers that are crossed with the strategies, without those that run only once per case."""
    return frozenset(name for sweep in planned.sweeps for name in sweep.matrix.repairers)


def _first(given: tuple[str, ...], configured: tuple[str, ...] | list[str]) -> str | None:
    return next(iter(given or configured), None)


def _one(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)
