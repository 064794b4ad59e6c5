"""Runs of the matrix, and their reports."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from mendbench import __version__
from mendbench.api.settings import Progress, RunOptions, open_setting
from mendbench.bench.config import Config, load_config
from mendbench.bench.corpus import select
from mendbench.bench.executor import executor_for, run_all
from mendbench.bench.matrix import Matrix, keys_of
from mendbench.bench.parts import ENGINES, Setting, build_parts
from mendbench.bench.recorder import Recorder
from mendbench.bench.results import RunFolder, StoredRun, open_run, read_run
from mendbench.bench.rows import FORMAT, trial_key
from mendbench.bench.totals import totals
from mendbench.bench.trial import run_trial
from mendbench.detectors import detector_names
from mendbench.errors import BadInput, UnknownName
from mendbench.kit.canonical import digest
from mendbench.kit.files import write_atomically
from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow, TrialKey
from mendbench.repair.policies import policy_names
from mendbench.repairers import repairer_names
from mendbench.replay.recordings import model_file
from mendbench.report.html import render_html
from mendbench.strategies import strategies
from mendbench.strategies.frame import frame_digest


def run(options: RunOptions, on_progress: Progress) -> StoredRun:
    """Run the matrix, write the run's folder with its report, and return it.

    Raises:
        MendbenchError: a name, a file or an option cannot be used. The folder is then as it was; trials that were done
            by then wait beside it for ``resume``.
    """
    loaded = load_config(Path.cwd())
    setting = open_setting(loaded, options)
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


def report(folder: Path) -> StoredRun:
    """Write the report of a complete run again, and return the run."""
    stored = read_run(folder)
    write_atomically(folder / "index.html", render_html(stored))
    return stored


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


def _configured_cases(config: Config, options: RunOptions) -> tuple[str, ...]:
    """Return the cases that the configuration selects: of its own corpus, and of no other one."""
    return () if options.cases is not None else tuple(config.matrix.cases)
