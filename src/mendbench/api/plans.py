"""The plan of a run: the main matrix and its sweeps, from the configuration and the options."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

from mendbench.api.settings import RunOptions
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD, model_file
from mendbench.config.config_file import Loaded
from mendbench.config.tables import Config, SweepConfig
from mendbench.corpus.corpus import Corpus, select, selected_ids
from mendbench.corpus.split import PARTS, in_part
from mendbench.detectors import detector
from mendbench.errors import BadInput, UnknownName
from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialKey
from mendbench.runs.matrix import Matrix, keys_of
from mendbench.runs.shards import Shard, cases_of
from mendbench.runs.trial_keys import TrialKeys
from mendbench.strategies.frame import DEFAULT_FRAME
from mendbench.strategies.interface import IN_FRAME, SUFFIX, parts_of
from mendbench.trial.components import BenchContext, build_components
from mendbench.trial.engines import OURS, inexpressible, refuse_absent, self_repairing

NAIVE = "naive"
"""The policy for a strategy that is named by its file: only the limit stops it, so one policy is enough to try the strategy."""

MAIN = "matrix"
"""Name of the main matrix among the sweeps."""

_WORLDS = {Path(name).stem for name in (WORLD, TRAJECTORIES)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One matrix and the cases that it is crossed with."""

    name: str
    matrix: Matrix
    cases: tuple[Case, ...]

    def document(self) -> JsonObject:
        """Return the sweep as stored in ``run.json``."""
        own = self.matrix
        return {
            "sweep": self.name,
            "cases": [case.id for case in self.cases],
            "engines": list(own.engines),
            "strategies": list(own.strategies),
            "policies": list(own.policies),
            "repairers": list(own.repairers),
            "models": list(own.models),
            "bounds": list(own.bounds),
            "samples": own.samples,
            "detector": own.detector,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A case whose workflow an engine cannot express."""

    engine: str
    case: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All trials of a run."""

    sweeps: tuple[Sweep, ...]
    """The main matrix first."""
    keys: TrialKeys
    """Distinct keys, in the order of the run's rows. They cover the whole run, even if only a shard is run."""
    left_out: tuple[LeftOut, ...]
    """Cases that an engine cannot express: they are not trials and in no denominator."""
    shard: Shard | None
    unnarrowed: bool
    """Whether no option narrowed the plan, so that it covers the headline matrix."""
    whole: bool
    """Whether the plan covers everything configured."""

    @property
    def cases(self) -> tuple[Case, ...]:
        """The distinct cases of all sweeps, by id."""
        found = {case.id: case for sweep in self.sweeps for case in sweep.cases}
        return tuple(found[case_id] for case_id in sorted(found))

    def own_keys(self) -> TrialKeys:
        """Return the keys of the trials to run here: all, or those of the shard.

        Raises:
            BadInput: there are more shards than cases.
        """
        if self.shard is None:
            return self.keys
        own = cases_of(self.shard, Counter(key.case for key in self.keys))
        return TrialKeys(key for key in self.keys if key.case in own)


def plan_of(config: Config, options: RunOptions, corpus: Corpus) -> Plan:
    """Return the plan of a run with these options.

    Without options the plan covers the main matrix and every sweep that is not ``only_with_all``; with named cases, the same for these
    cases. If an option changes what is crossed, the plan contains only the main matrix with that change, and no further sweep.

    Raises:
        UnknownName: a case, a part, a policy or a detector does not exist.
        BadInput: nothing is selected, an option repeats a name, a repairer needs a model but none is named, or an engine's program
            cannot be run.
    """
    _refuse_repeated(options)
    sweeps = tuple(sweep for sweep in _sweeps(config, options, corpus) if sweep.cases)
    if not sweeps:
        where = f"--part {options.part}" if options.part else "matrix"
        raise BadInput(
            where, "no trial is selected, because none of the cases is in the part", "name another part or case"
        )
    left_out = tuple(_left_out(sweeps, config))
    keys = _keys(sweeps, left_out)
    if not keys:
        raise BadInput(
            f"engine {left_out[0].engine}", f"{left_out[0].case}: {left_out[0].why}", "name cases that it can run"
        )
    unnarrowed = not (_changed(options) or options.names or options.part)
    whole = unnarrowed and (options.all or not any(sweep.only_with_all for sweep in config.sweeps.values()))
    return Plan(sweeps=sweeps, keys=keys, left_out=left_out, shard=options.shard, unnarrowed=unnarrowed, whole=whole)


def _refuse_repeated(options: RunOptions) -> None:
    """Refuse an option that is given twice with the same name: one of the two is most likely another name, misspelt."""
    for option, names in (
        ("--engine", options.engines), ("--strategy", options.strategies), ("--policy", options.policies),
        ("--repairer", options.repairers), ("--model", options.models),
    ):  # fmt: skip
        if repeated := next((name for at, name in enumerate(names) if name in names[:at]), None):
            raise BadInput(option, f"{repeated!r} is given twice", "give it once")


def _crossed(sweeps: Sequence[Sweep]) -> Iterator[TrialKey]:
    """Yield the distinct keys of all sweeps, in the order of a run's rows: case by case, so that few are sorted at a time."""
    by_case: dict[str, list[tuple[Matrix, Case]]] = defaultdict(list)
    for sweep in sweeps:
        for case in sweep.cases:
            by_case[case.id].append((sweep.matrix, case))
    for case_id in sorted(by_case):
        own = {key: None for matrix, case in by_case[case_id] for key in keys_of(matrix, [case])}
        yield from sorted(own, key=TrialKey.order)


def configured_keys(config: Config, corpus: Corpus) -> TrialKeys:
    """Return the keys of all configured trials of the valid cases. Empty if no case is valid, or no model is configured.

    Raises:
        UnknownName, BadInput: as :func:`plan_of`.
    """
    sweeps = tuple(
        sweep for sweep in _sweeps(config, RunOptions(all=True), corpus) if sweep.cases and _complete(sweep.matrix)
    )
    return _keys(sweeps, tuple(_left_out(sweeps, config)))


def _complete(matrix: Matrix) -> bool:
    """Return whether a matrix names a model, if its repairer needs one."""
    return bool(matrix.models) or "chat" not in matrix.repairers


def _keys(sweeps: Sequence[Sweep], left_out: Sequence[LeftOut]) -> TrialKeys:
    absent = {(one.engine, one.case) for one in left_out}
    return TrialKeys(key for key in _crossed(sweeps) if (key.engine, key.case) not in absent)


def refuse_unrecorded(context: BenchContext, cases: Iterable[Case], keys: Iterable[TrialKey] = ()) -> None:
    """Refuse to replay without a folder of recordings, if a case's world or a trial's repairer needs them.

    Raises:
        BadInput: the folder does not exist.
    """
    if context.record != "none" or context.cassettes_dir.is_dir():
        return
    from mendbench.prompts.estimate import by_repairer_request  # noqa: PLC0415  what only this error needs

    if any({*case.recorded_from.values()} - {"simulator"} for case in cases) or any(
        by_repairer_request(context, key) for key in keys
    ):
        hint = "restore it, name another one with --cassettes, or record with --record new_episodes"
        raise BadInput(str(context.cassettes_dir), "no such folder of recordings", hint)


def refuse_unknown(keys: Sequence[TrialKey], context: BenchContext, loaded: Loaded) -> None:
    """Build the parts of one trial of each treatment, so that a wrong name is reported before anything runs.

    Raises:
        UnknownName, BadInput: something that a key names does not exist or cannot be used.
    """
    recorded = _recorded_models(context)
    for model in {key.model: None for key in keys if key.model}:
        _refuse_unknown_model(model, context, loaded, recorded)
    for name in ("main_model", "control_model"):
        model = getattr(loaded.config.report, name)
        if model is not None and not _is_known(model, context, recorded):
            hint = "name a model that is configured or recorded, or leave it out"
            raise BadInput(f"{loaded.place}: report.{name}", f"{model!r} is neither configured nor recorded", hint)
    for name in {key.engine for key in keys} & context.engines.keys():
        _refuse_elsewhere(f"engine {name}", context.engines[name].command, loaded)
    for name in {key.repairer for key in keys} & context.repairers.keys() if context.record != "none" else ():
        _refuse_elsewhere(f"repairer {name}", context.repairers[name].command, loaded)
    case = context.corpus.case(keys[0].case)
    for key in {replace(key, case=case.id, sample=0): None for key in keys}:
        build_components(key, case, context)


def refuse_unknown_model(model: str, context: BenchContext, loaded: Loaded) -> None:
    """Refuse the name of a model that is neither configured nor recorded.

    Raises:
        UnknownName: it is such a name.
    """
    _refuse_unknown_model(model, context, loaded, _recorded_models(context))


def _refuse_unknown_model(model: str, context: BenchContext, loaded: Loaded, recorded: AbstractSet[str]) -> None:
    if not _is_known(model, context, recorded):
        hint = f"to use a new one, add {_model_table(model, loaded)}"
        raise UnknownName("model", model, {*context.models, *recorded}, hint=hint)


def _is_known(model: str, context: BenchContext, recorded: AbstractSet[str]) -> bool:
    return model in context.models or Path(model_file(model)).stem in recorded


def _recorded_models(context: BenchContext) -> frozenset[str]:
    """Return the names of the files of recorded models, without the suffix."""
    return frozenset(path.stem for path in context.cassettes_dir.glob("*/*/*.yaml")) - _WORLDS


def _refuse_elsewhere(place: str, command: Sequence[str], loaded: Loaded) -> None:
    """Refuse a configured command that names a file next to the configuration: commands run in the current folder.

    Raises:
        BadInput: the current folder does not have the file.
    """
    for word in command:
        if os.path.exists(loaded.root / word) and not os.path.exists(word):  # noqa: PTH110  any word, also one that is no path
            found = f"its command names {word!r}, which is in {loaded.root}, and runs in the current folder"
            raise BadInput(place, found, f"change to {loaded.root}, or write the absolute path")


def _model_table(model: str, loaded: Loaded) -> str:
    """Return the table that configures a model, and its file."""
    if loaded.packaged:
        return f'[models."{model}"] to a mendbench.toml of your own'
    prefix = "tool.mendbench." if Path(loaded.place).name == "pyproject.toml" else ""
    return f'[{prefix}models."{model}"] to {loaded.place}'


def _left_out(sweeps: Sequence[Sweep], config: Config) -> Iterator[LeftOut]:
    """Yield the distinct cases of a run that one of its engines cannot express."""
    pairs = {(engine, case.id): case for sweep in sweeps for engine in sweep.matrix.engines for case in sweep.cases}
    for (engine, case_id), case in sorted(pairs.items(), key=lambda pair: pair[0]):
        if engine != OURS and (why := inexpressible(engine, case, config.engines)) is not None:
            yield LeftOut(engine=engine, case=case_id, why=why)


def _sweeps(config: Config, options: RunOptions, corpus: Corpus) -> Iterator[Sweep]:
    main = _main(config, options)
    configured = (
        () if options.cases is not None else tuple(config.matrix.cases)
    )  # the configured cases apply only to the configured corpus
    named = select(corpus, options.names or configured)
    of_edition = options.part not in {None, *PARTS}  # replaces the matrix's part, which may be of another edition
    part = config.matrix.part if options.cases is None and not of_edition else "all"
    yield Sweep(name=MAIN, matrix=main, cases=_confined(named, part, options, corpus))
    if _changed(options):
        return
    wanted = {case.id for case in select(corpus, options.names)}
    for name, one in config.sweeps.items():
        if one.only_with_all and not options.all:
            continue
        both = selected_ids(corpus, one.cases) & wanted
        chosen = [corpus.case(case_id) for case_id in corpus.folders if case_id in both]
        yield Sweep(name=name, matrix=_sweep(main, one), cases=_confined(chosen, one.part, options, corpus))


def _confined(cases: Sequence[Case], part: str, options: RunOptions, corpus: Corpus) -> tuple[Case, ...]:
    """Return the cases in both the configured part and the part that the options name."""
    return in_part(in_part(cases, part, corpus.cases_dir), options.part or "all", corpus.cases_dir)


def _changed(options: RunOptions) -> bool:
    """Return whether an option changes what is crossed; the configured sweeps do not apply to another corpus."""
    given = (
        options.engines, options.strategies, options.policies, options.detector, options.repairers, options.models,
        options.samples, options.cases, options.frame,
    )  # fmt: skip
    return any(given)


def _main(config: Config, options: RunOptions) -> Matrix:
    own = config.matrix
    repairers = options.repairers or tuple(own.repairers)
    engines = options.engines or tuple(own.engines)
    sweeping = tuple(name for one in config.sweeps.values() for name in one.engines or ())
    for name in dict.fromkeys((*engines, *(() if _changed(options) else sweeping))):
        refuse_absent(name, config.engines)
    itself = self_repairing((*engines, *sweeping), config.engines)
    if options.models and "chat" not in repairers and not itself.intersection(engines):
        raise BadInput("--model", f"no repairer that asks a model ({', '.join(repairers)})", "add --repairer chat")
    if options.detector is not None:
        detector(options.detector)  # refuses a wrong name even if no policy has a detector
    narrowed = bool(options.repairers or options.strategies or options.policies or options.models or options.frame)
    on_trial = any(parts_of(name).base.endswith(SUFFIX) for name in options.strategies)
    return Matrix(
        itself=itself,
        engines=engines,
        strategies=_framed(options.strategies or tuple(own.strategies), options.frame),
        policies=options.policies or ((NAIVE,) if on_trial else tuple(own.policies)),
        repairers=repairers,
        models=options.models or tuple(own.models),
        samples=options.samples or own.samples,
        bounds=() if narrowed else tuple(own.bounds),
        drawn=frozenset(config.repairers),
        detector=options.detector,
    )


def _framed(strategies: Sequence[str], name: str | None) -> tuple[str, ...]:
    """Return strategies in a frame, but for those that name their own."""
    if name in {None, DEFAULT_FRAME}:
        return tuple(strategies)
    return tuple(one if parts_of(one).frame is not None else f"{one}{IN_FRAME}{name}" for one in strategies)


def _sweep(main: Matrix, own: SweepConfig) -> Matrix:
    return Matrix(
        engines=main.engines if own.engines is None else tuple(own.engines),
        strategies=main.strategies if own.strategies is None else tuple(own.strategies),
        policies=main.policies if own.policies is None else tuple(own.policies),
        repairers=main.repairers if own.repairers is None else tuple(own.repairers),
        models=main.models if own.models is None else tuple(own.models),
        samples=main.samples if own.samples is None else own.samples,
        bounds=tuple(own.bounds),
        drawn=main.drawn,
        itself=main.itself,
        detector=main.detector,
    )
