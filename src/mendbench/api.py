"""The public functions: each builds the parts that it needs and passes them down."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast, get_args

from mendbench import __version__
from mendbench.bench.case_file import CaseFile
from mendbench.bench.config import Config, Loaded, load_config
from mendbench.bench.corpus import Corpus, load_corpus, select
from mendbench.bench.executor import executor_for, run_all
from mendbench.bench.matrix import Matrix, keys_of
from mendbench.bench.parts import ENGINES, Setting, build_engine, build_parts
from mendbench.bench.proof import Proof, first_prompt, prove
from mendbench.bench.recorder import Recorder
from mendbench.bench.results import RunFolder, StoredRun, open_run, read_run
from mendbench.bench.rows import FORMAT, trial_key
from mendbench.bench.scope import Recording, open_scope
from mendbench.bench.totals import totals
from mendbench.bench.trial import run_trial
from mendbench.detectors import detector_names
from mendbench.errors import BadInput, UnknownName
from mendbench.kit.canonical import digest
from mendbench.kit.files import write_atomically
from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt
from mendbench.model.trial import JsonRow, TrialKey
from mendbench.repair.policies import policy_names
from mendbench.repairers import repairer_names
from mendbench.replay.recordings import Recordings, RecordMode, model_file
from mendbench.report.html import render_html
from mendbench.runtime.parse import WORKFLOW_SCHEMA
from mendbench.scoring.recall import Recall, context_recall, facts_of, where_is_value
from mendbench.strategies import StrategyInfo, strategies, strategy
from mendbench.strategies.frame import frame_digest

Progress = Callable[[int, int, str], None]
"""Told how many are done, of how many, and what was done last."""

SCHEMAS = ("case", "workflow", "strategy", "config", "trial")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What ``mendbench run`` was asked for. What is empty or None comes from the configuration."""

    names: tuple[str, ...] = ()
    cases: Path | None = None
    cassettes: Path | None = None
    out: Path | None = None
    engines: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    detector: str | None = None
    repairers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    samples: int | None = None
    record: str = "none"
    allow_shell: bool = False
    workers: int = 0
    """Processes; 0 for one a core. Recording uses one."""
    resume: bool = False


def run(options: RunOptions, on_progress: Progress) -> StoredRun:
    """Run the matrix, write the run's folder with its report, and return it.

    Raises:
        MendbenchError: a name, a file or an option cannot be used. The folder is then as it was; trials that were done
            by then wait beside it for ``resume``.
    """
    loaded = load_config(Path.cwd())
    setting = _setting(loaded, options)
    chosen = select(setting.corpus, options.names or _configured_cases(loaded.config, options))
    matrix = _matrix(loaded.config, options)
    keys = keys_of(matrix, chosen)
    _refuse_unknown(matrix, setting, setting.corpus.case(keys[0].case), keys)
    out = options.out or Path(loaded.config.paths.out)
    plan: JsonObject = {
        "keys": [trial_key(key) for key in keys],
        "digests": _digests(setting, chosen),
        "treatments": _treatments(setting, keys),
    }
    with open_run(out, plan, resume=options.resume) as folder:
        if setting.record == "none":
            _replay(setting, keys, folder, options.workers, on_progress)
        else:
            _record(setting, keys, folder, on_progress)
        document = _run_document(matrix, setting, chosen, folder.rows())
        html = render_html(StoredRun(folder=out, run=document, rows=folder.rows(), texts=folder.texts()))
        return folder.finish(document, {"index.html": html})



def _configured_cases(config: Config, options: RunOptions) -> tuple[str, ...]:
    """Return the cases that the configuration selects: of its own corpus, and of no other one."""
    return () if options.cases is not None else tuple(config.matrix.cases)


def report(folder: Path) -> StoredRun:
    """Write the report of a complete run again, and return the run."""
    stored = read_run(folder)
    write_atomically(folder / "index.html", render_html(stored))
    return stored


def list_cases(names: tuple[str, ...], cases: Path | None, cassettes: Path | None) -> tuple[Case, ...]:
    """Return the selected cases."""
    return select(_corpus(load_config(Path.cwd()), cases, cassettes), names)


def check_cases(
    names: tuple[str, ...],
    cases: Path | None,
    cassettes: Path | None,
    *,
    record: str = "none",
    allow_shell: bool = False,
    workers: int = 0,
    on_progress: Progress,
) -> tuple[Proof, ...]:
    """Prove the selected cases and return the proofs in their order."""
    loaded = load_config(Path.cwd())
    options = RunOptions(cases=cases, cassettes=cassettes, record=record, allow_shell=allow_shell)
    setting = _setting(loaded, options)
    chosen = select(setting.corpus, names)
    proofs: list[Proof] = []
    if setting.record != "none":
        with Recorder(setting.record, setting.models, allow_shell=setting.allow_shell) as recorder:
            for case in chosen:
                proofs.append(prove(setting, case.id, recorder))
                on_progress(len(proofs), len(chosen), case.id)
        return tuple(proofs)
    count = workers or os.cpu_count() or 1
    with executor_for(min(count, len(chosen))) as pool:
        for proof in run_all(pool, partial(prove, setting), [case.id for case in chosen], count):
            proofs.append(proof)
            on_progress(len(proofs), len(chosen), proof.case)
    return tuple(sorted(proofs, key=lambda proof: proof.case))


def list_strategies() -> tuple[StrategyInfo, ...]:
    """Return all strategies."""
    loaded = load_config(Path.cwd())
    return strategies(_strategy_dirs(loaded))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A strategy's prompt for a case's first execution, and what it tells."""

    case: str
    prompt: Prompt
    recall: Recall
    holds_fix: str | None
    """Where the prompt holds the fix's new value: frame, raw, state, derived or nowhere."""


def render_strategy(name: str, case_id: str, cases: Path | None, cassettes: Path | None) -> Rendering:
    """Return the prompt that a strategy makes of a case's first execution, without any model."""
    loaded = load_config(Path.cwd())
    corpus = _corpus(loaded, cases, cassettes)
    case = corpus.case(case_id)
    strategy(name, _strategy_dirs(loaded))
    engine = build_engine("mendbench", case)
    scope = open_scope(
        case, None, Recordings.open(corpus.cassettes(case)), Recording(), "mendbench case check --record new_episodes"
    )
    execution = engine.execute(
        case.workflow, scope.inputs, scope.world, checkpoint=None, detector=None, clock=scope.clock
    )
    prompt = first_prompt(engine, case, execution, name, _strategy_dirs(loaded))
    where = where_is_value(case.workflow, case.fix, prompt.frame, prompt.context.sections) if case.fix else None
    return Rendering(
        case=case.id, prompt=prompt, recall=context_recall(facts_of(case), prompt.context.text), holds_fix=where
    )


def schema(what: str) -> JsonObject:
    """Return a published JSON Schema.

    Raises:
        UnknownName: there is none of that name.
    """
    from mendbench.bench.schemas import strategy_schema, trial_schema  # noqa: PLC0415 - only this command needs them

    found: dict[str, Callable[[], JsonObject]] = {
        "case": CaseFile.model_json_schema,
        "config": Config.model_json_schema,
        "workflow": lambda: WORKFLOW_SCHEMA,
        "strategy": strategy_schema,
        "trial": trial_schema,
    }
    if what not in found:
        raise UnknownName("schema", what, found)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found[what]()}


def _replay(
    setting: Setting, keys: tuple[TrialKey, ...], folder: RunFolder, workers: int, on_progress: Progress
) -> None:
    todo = [key for key in keys if trial_key(key) not in folder.done()]
    done = len(keys) - len(todo)
    count = min(workers or os.cpu_count() or 1, max(1, len(todo)))
    with executor_for(count) as pool:
        for row, texts in run_all(pool, partial(run_trial, setting), todo, count):
            folder.add(row, texts)
            done += 1
            on_progress(done, len(keys), row["key"])


def _record(setting: Setting, keys: tuple[TrialKey, ...], folder: RunFolder, on_progress: Progress) -> None:
    """Record the matrix, first answers of all cases first, then second ones, then third ones, and run it.

    So a complete sub-matrix exists at every moment, and the prompts of one case follow one another, which a model server's prefix
    cache is good for.
    """
    with Recorder(setting.record, setting.models, trajectory=True, allow_shell=setting.allow_shell) as recorder:
        rounds = _rounds(keys)
        total = sum(len(each) for _, each in rounds) + len(keys)
        step = 0
        for limit, each in rounds:
            for key in each:
                run_trial(setting, key, recorder, limit)
                step += 1
                on_progress(step, total, f"answer {limit} of {trial_key(key)}")
        for key in keys:
            row, texts = run_trial(setting, key, recorder)
            folder.add(row, texts)
            step += 1
            on_progress(step, total, row["key"])


def _rounds(keys: tuple[TrialKey, ...]) -> list[tuple[int, list[TrialKey]]]:
    asking = [key for key in keys if key.model is not None]
    order = sorted(asking, key=lambda key: (key.case, key.model or "", key.sample, key.strategy, key.policy))
    return [(limit, order) for limit in (1, 2, 3)] if asking else []


def _setting(loaded: Loaded, options: RunOptions) -> Setting:
    if options.record not in get_args(RecordMode):
        raise UnknownName("record mode", options.record, get_args(RecordMode))
    corpus = _corpus(loaded, options.cases, options.cassettes)
    return Setting(
        cases_dir=corpus.cases_dir,
        cassettes_dir=corpus.cassettes_dir,
        strategy_dirs=_strategy_dirs(loaded),
        models=dict(loaded.config.models),
        record=cast("RecordMode", options.record),
        allow_shell=options.allow_shell,
    )


def _corpus(loaded: Loaded, cases: Path | None, cassettes: Path | None) -> Corpus:
    paths = loaded.config.paths
    return load_corpus(cases or loaded.root / paths.cases, cassettes or loaded.root / paths.cassettes)


def _strategy_dirs(loaded: Loaded) -> tuple[Path, ...]:
    return tuple(loaded.root / folder for folder in loaded.config.paths.strategies)


def _matrix(config: Config, options: RunOptions) -> Matrix:
    own = config.matrix
    repairers = options.repairers or tuple(own.repairers)
    if options.models and "chat" not in repairers:
        raise BadInput("--model", f"no repairer that asks a model ({', '.join(repairers)})", "add --repairer chat")
    narrowed = bool(options.repairers or options.strategies or options.policies or options.models)
    return Matrix(
        engines=options.engines or tuple(own.engines),
        strategies=options.strategies or tuple(own.strategies),
        policies=options.policies or tuple(own.policies),
        repairers=repairers,
        models=options.models or tuple(own.models),
        samples=options.samples or own.samples,
        controls=() if narrowed else tuple(own.controls),
        detector=options.detector,
    )


def _refuse_unknown(matrix: Matrix, setting: Setting, case: Case, keys: Iterable[TrialKey]) -> None:
    """Build the parts of one trial of each treatment, so that a wrong name ends the run before it has begun."""
    for kind, names, known in (
        ("engine", matrix.engines, tuple(ENGINES)),
        ("policy", matrix.policies, policy_names()),
        ("repairer", matrix.repairers, repairer_names()),
        ("detector", (matrix.detector,) if matrix.detector else (), detector_names()),
    ):
        for name in names:
            if name not in known:
                raise UnknownName(kind, name, known)
    recorded = {path.stem for path in setting.cassettes_dir.glob("*/*/*.yaml")}
    for model in matrix.models:
        if model not in setting.models and Path(model_file(model)).stem not in recorded:
            raise UnknownName("model", model, setting.models)
    for key in {replace(key, case=case.id): None for key in keys}:
        build_parts(key, case, setting)


def _digests(setting: Setting, chosen: Iterable[Case]) -> JsonObject:
    """Return what two runs must share to be compared, and what they may differ in."""
    return {
        "cases": digest({case.id: case.digest for case in chosen}),
        "corpus": setting.corpus.digest,
        "engine": f"mendbench {__version__}",
        "frame": frame_digest(),
    }


def _treatments(setting: Setting, keys: Iterable[TrialKey]) -> JsonObject:
    """Return what the two halves of a resumed run must share too: the templates' bytes and what models are sent."""
    paths = {info.strategy: info.path for info in strategies(setting.strategy_dirs)}
    named = {key.strategy: paths.get(key.strategy, Path(key.strategy)) for key in keys}
    return {
        "strategies": {name: digest(path.read_bytes()) for name, path in sorted(named.items())},
        "models": {
            name: digest([model.parameters, model.response_format, model.window])
            for name in sorted({key.model for key in keys if key.model})
            for model in (setting.model(name),)
        },
    }


def _run_document(matrix: Matrix, setting: Setting, chosen: tuple[Case, ...], rows: tuple[JsonRow, ...]) -> JsonObject:
    provenance: dict[str, int] = {}
    for case in chosen:
        for source in sorted(set(case.recorded_from.values())):
            provenance[source] = provenance.get(source, 0) + 1
    kinds: dict[str, int] = {}
    for case in chosen:
        kinds[case.kind] = kinds.get(case.kind, 0) + 1
    found = totals(rows)
    return {
        "format": FORMAT,
        "mendbench_version": __version__,
        "digests": _digests(setting, chosen),
        "matrix": {
            "cases": [case.id for case in chosen],
            "engines": list(matrix.engines),
            "strategies": list(matrix.strategies),
            "policies": list(matrix.policies),
            "repairers": list(matrix.repairers),
            "models": list(matrix.models),
            "controls": list(matrix.controls),
            "samples": matrix.samples,
            "detector": matrix.detector,
        },
        "corpus": {"cases": len(chosen), "kinds": dict(sorted(kinds.items())), "recorded_from": provenance},
        "trials": len(rows),
        "totals": found,
        "bounds": {
            "unjudged": sum(row["verdict"] == "unjudged" for row in rows),
            "crashed": sum(row["verdict"] == "crashed" for row in rows),
        },
    }
