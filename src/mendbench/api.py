"""The public functions: each builds the parts that it needs and passes them down."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast, get_args

from mendbench import __version__
from mendbench.bench.case_file import CaseFile
from mendbench.bench.case_view import CASE_FILTERS, case_document, case_row, fits
from mendbench.bench.checking import Checked, check
from mendbench.bench.config import Config, Loaded, PathsConfig, load_config
from mendbench.bench.corpus import Corpus, load_corpus, select, selected_ids
from mendbench.bench.corpus_summary import counts, summary
from mendbench.bench.executor import executor_for, run_all
from mendbench.bench.importing.engine_trace import is_engine_trace, read_engine_trace
from mendbench.bench.importing.har import read_har
from mendbench.bench.importing.interface import Dropped, Source, json_file
from mendbench.bench.importing.making import Wish
from mendbench.bench.importing.making import import_case as import_from
from mendbench.bench.importing.own_trace import read_own_trace
from mendbench.bench.importing.vcr_cassette import read_cassette
from mendbench.bench.labels import missing_labels
from mendbench.bench.matrix import Matrix, keys_of
from mendbench.bench.parts import ENGINES, Setting, build_engine, build_parts
from mendbench.bench.proof import first_prompt
from mendbench.bench.proof_store import PROOFS
from mendbench.bench.recorder import Recorder
from mendbench.bench.results import RunFolder, StoredRun, open_run, read_run
from mendbench.bench.rows import FORMAT, trial_key
from mendbench.bench.scaffold import STARTER, Draft, split_id, write_draft
from mendbench.bench.scope import Recording, open_scope
from mendbench.bench.totals import totals
from mendbench.bench.trial import run_trial
from mendbench.detectors import detector_names
from mendbench.errors import BadInput, UnknownName
from mendbench.kit.canonical import digest
from mendbench.kit.files import write_atomically
from mendbench.model.case import Case, Kind, Provenance
from mendbench.model.json import Json, JsonObject
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseList:
    """Cases as a list shows them."""

    rows: tuple[JsonObject, ...]
    """``case, group, family, kind, title, difficulty, recorded_from, tags, strength, …``, one object a case."""
    counts: JsonObject
    """How many there are of each kind, family, difficulty and provenance."""
    broken: tuple[BadInput, ...]
    """What keeps others from being read."""


def list_cases(
    names: tuple[str, ...],
    cases: Path | None,
    cassettes: Path | None,
    *,
    where: Mapping[str, Collection[str]] | None = None,
) -> CaseList:
    """Return the selected cases. ``where`` says which values a field may have; a filter that nobody passes leaves none.

    Its fields are ``family``, ``kind``, ``difficulty``, ``recorded_from`` and ``tags``; an empty collection is no filter.

    Raises:
        UnknownName: a value that no case can have.
        BadInput: there is no corpus.
    """
    setting = _looking(cases, cassettes)
    wanted = {name: frozenset(values) for name, values in (where or {}).items() if values}
    for name, values in wanted.items():
        known = CASE_FILTERS[name] or frozenset(tag for case in setting.corpus.cases for tag in case.tags)
        for value in sorted(values - frozenset(known)):
            raise UnknownName(name, value, known)
    ids = selected_ids(setting.corpus, names)
    chosen = tuple(case for case in setting.corpus.cases if case.id in ids and fits(case, wanted))
    return CaseList(
        rows=tuple(case_row(setting, case) for case in chosen),
        counts=counts(chosen),
        broken=tuple(one for name, problems in setting.corpus.broken.items() if name in ids for one in problems),
    )


def show_case(case_id: str, cases: Path | None, cassettes: Path | None) -> JsonObject:
    """Return all that there is to see of one case: its graph, failure, truth, fixes, strength and provenance.

    Raises:
        UnknownName: there is none of that id.
        BadInput: it is broken.
    """
    setting = _looking(cases, cassettes)
    return case_document(setting, setting.corpus.case(case_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCorpus:
    """What became of many cases, and what that amounts to."""

    cases: tuple[Checked, ...]
    """Sorted by id."""
    summary: JsonObject


def check_cases(
    names: tuple[str, ...],
    cases: Path | None,
    cassettes: Path | None,
    *,
    record: str = "none",
    allow_shell: bool = False,
    workers: int = 0,
    on_progress: Progress,
) -> CheckedCorpus:
    """Check the selected cases: read, look over and prove each, whatever is wrong with the others.

    Raises:
        UnknownName: a name that no case has, broken ones counted.
        BadInput: there is no corpus.
    """
    options = RunOptions(cases=cases, cassettes=cassettes, record=record, allow_shell=allow_shell)
    loaded = load_config(Path.cwd())
    setting = replace(_setting(loaded, options, tolerant=True), proofs_dir=PROOFS)
    checked = check(setting, names, workers or os.cpu_count() or 1, on_progress)
    ids = {one.case for one in checked}
    sound = [case for case in setting.corpus.cases if case.id in ids]
    return CheckedCorpus(cases=checked, summary=summary(checked, sound))


def new_case(
    case_id: str, cases: Path | None, *, kind: str = "repairable", workflow: JsonObject | None = None
) -> Written:
    """Write a new case whose labels are marked, and return what was written.

    Raises:
        BadInput, UnknownName: the id cannot be used, or the case exists.
    """
    family, name = split_id(case_id)
    draft = Draft(family=family, name=name, kind=_known_kind(kind), workflow=workflow or STARTER)
    folder, _, command = _new_folders(case_id, cases, None)
    files = write_draft(draft, folder)
    return Written(
        case=case_id,
        files=files,
        labels=len(missing_labels(folder / family / name)),
        check=f"{command} --record new_episodes",
    )


def import_case(
    case_id: str,
    cases: Path | None,
    cassettes: Path | None,
    *,
    trace: Path | None = None,
    cassette: Path | None = None,
    har: Path | None = None,
    workflow: JsonObject | None = None,
    inputs: Mapping[str, Json] | None = None,
    kind: str = "repairable",
    provenance: str = "live",
) -> Written:
    """Write a case from a trace, a vcrpy cassette or a HAR file, with its recording, and return what came of it.

    Raises:
        BadInput: the file is none of the three, the case exists, or what the workflow needs is not given.
    """
    given = [(path, read) for path, read in ((trace, _read_trace), (cassette, read_cassette), (har, read_har)) if path]
    if len(given) != 1 or given[0][0] is None:
        raise BadInput("case import", f"{len(given)} sources", "name one of --trace, --cassette and --har")
    if provenance not in get_args(Provenance):
        raise UnknownName("provenance", provenance, get_args(Provenance))
    path, read = given[0]
    wish = Wish(
        case=case_id, source=read(path), workflow=workflow, inputs=inputs or {},
        kind=_known_kind(kind), provenance=provenance,
    )  # fmt: skip
    folder, recordings, command = _new_folders(case_id, cases, cassettes)
    done = import_from(wish, folder, recordings)
    return Written(
        case=done.case, files=done.files, labels=done.labels,
        check=f"{command} --record new_episodes" if provenance == "simulator" else command,
        kept=done.kept, dropped=done.dropped, notes=done.notes,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A new case, and what was made of its source."""

    case: str
    files: tuple[Path, ...]
    labels: int
    """How many labels are missing."""
    check: str
    """The command that says which."""
    kept: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()

    def document(self) -> JsonObject:
        """Return it as JSON."""
        return {**asdict(self), "files": [str(path) for path in self.files]}


def _read_trace(path: Path) -> Source:
    return read_engine_trace(path) if is_engine_trace(json_file(path)) else read_own_trace(path)


def _known_kind(kind: str) -> Kind:
    if kind not in get_args(Kind):
        raise UnknownName("kind", kind, get_args(Kind))
    return cast("Kind", kind)


def _new_folders(case_id: str, cases: Path | None, cassettes: Path | None) -> tuple[Path, Path, str]:
    """Return where a new case and its recordings belong, never the shipped corpus, and the command that checks it."""
    loaded = load_config(Path.cwd())
    own = loaded.root.resolve() == Path.cwd().resolve()
    paths = loaded.config.paths if own else PathsConfig()
    folders = cases or Path(paths.cases), cassettes or Path(paths.cassettes)
    named = f" --cases {folders[0]} --cassettes {folders[1]}" if cases or cassettes or not own else ""
    return *folders, f"mendbench case check {case_id}{named}"


def _looking(cases: Path | None, cassettes: Path | None) -> Setting:
    """Return a setting that only looks: broken cases stand aside, and kept proofs are read."""
    loaded = load_config(Path.cwd())
    setting = _setting(loaded, RunOptions(cases=cases, cassettes=cassettes), tolerant=True)
    return replace(setting, proofs_dir=PROOFS)


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
    corpus = _corpus(loaded, cases, cassettes, tolerant=True)
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


def _setting(loaded: Loaded, options: RunOptions, *, tolerant: bool = False) -> Setting:
    if options.record not in get_args(RecordMode):
        raise UnknownName("record mode", options.record, get_args(RecordMode))
    corpus = _corpus(loaded, options.cases, options.cassettes, tolerant=tolerant)
    return Setting(
        tolerant=tolerant,
        cases_dir=corpus.cases_dir,
        cassettes_dir=corpus.cassettes_dir,
        strategy_dirs=_strategy_dirs(loaded),
        models=dict(loaded.config.models),
        record=cast("RecordMode", options.record),
        allow_shell=options.allow_shell,
    )


def _corpus(loaded: Loaded, cases: Path | None, cassettes: Path | None, *, tolerant: bool = False) -> Corpus:
    paths = loaded.config.paths
    cases_dir, cassettes_dir = cases or loaded.root / paths.cases, cassettes or loaded.root / paths.cassettes
    return load_corpus(cases_dir, cassettes_dir, tolerant=tolerant)


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
