"""Runs of the matrix, and their reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path

from mendbench.api.gated_plans import planned_for
from mendbench.api.plans import Plan, plan_of, refuse_unknown, refuse_unrecorded
from mendbench.api.replaying import Replay
from mendbench.api.resuming import resumed, stored_options
from mendbench.api.settings import Progress, RunOptions, in_silence, open_context
from mendbench.cassettes.recording_journal import RecordingJournal
from mendbench.config.config_file import Loaded, load_config
from mendbench.config.tables import ModelConfig, ReportConfig
from mendbench.corpus.corpus import file_digest, load_corpus, selected_ids
from mendbench.corpus.credentials import refuse_cases_with_credentials
from mendbench.corpus.protocol import Protocol, prompt_digests, protocol_files, read_protocols
from mendbench.corpus.split import FILE as SPLIT_FILE
from mendbench.corpus.split import cases_by_part
from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.files import write_parts_atomically
from mendbench.model.case import Case
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import SELF_REPAIR, TrialKey
from mendbench.ports.engine import VERSION as ENGINE_PORT
from mendbench.prompts.stale import RecordingsUsed, StaleFile, counted, drop_stale, stale_files
from mendbench.recording.recorder import Recorder
from mendbench.report.html import html_parts
from mendbench.results.record_index import RunInputs
from mendbench.results.reuse import KnownRows, earlier_run
from mendbench.results.row_cache import CACHE, RowCache, searched_before
from mendbench.results.run_document import totals_of_trials
from mendbench.results.store import PAGE, Note, RunFolder, StoredRun, open_run, read_run
from mendbench.results.stored_rows import StoredRows, StoredTexts
from mendbench.runs.recording import record_all
from mendbench.runs.trial_keys import TrialKeys
from mendbench.runs.trials import run_trials
from mendbench.scoring.judging.version import SCORER
from mendbench.scoring.record_table import Records
from mendbench.strategies.frame import FRAMES, frame_digest
from mendbench.strategies.interface import SUFFIX, parts_of
from mendbench.trial.components import BenchContext, models_used, prices_of
from mendbench.trial.engines import OURS, engine_digest, engines_document
from mendbench.trial.inputs import code_digest, files_digest
from mendbench.trial.long_texts import whole
from mendbench.trial.row import FORMAT, digest_of_keys
from mendbench.values.interning import Interned
from mendbench.version import __version__

HEADLINE = RunOptions()
"""Options that select the main matrix and the sweeps that are not ``only_with_all``."""


def run(
    options: RunOptions = HEADLINE, on_progress: Progress = in_silence, on_note: Note = lambda _line: None
) -> StoredRun:
    """Run the matrix, write the run's folder with its report, and return it.

    It continues an interrupted run of the same plan, and replaces one of another plan; ``on_note`` gets a line in both cases. With
    ``resume`` the options are those of the interrupted run.

    Raises:
        MendbenchError: a name, a file or an option cannot be used. The folder is then unchanged; finished trials
        are kept next to it.
    """
    loaded = load_config()
    out = options.out or loaded.out
    if options.resume:
        options = resumed(options, out)
    if options.cluster is not None and options.record != "none":
        raise BadInput(
            "--cluster", f"with --record {options.record}", "record without it, then run the recordings there"
        )
    context = open_context(loaded, options)
    made_from = _made_from(options, context, loaded)
    reuses = not options.fresh and context.record == "none"
    earlier = earlier_run(out) if reuses and not options.resume else None
    if earlier is not None and earlier.inputs is not None and _is_same(earlier.inputs, made_from):
        on_note(f"{out}: nothing changed since this run was made; --fresh executes every trial again")
        return earlier
    planned = planned_for(loaded, options, context.corpus)
    keys, chosen = planned.own_keys(), planned.cases
    refuse_unknown(planned.keys, context, loaded)
    refuse_unrecorded(context, chosen, keys)
    plan: JsonObject = {
        "options": stored_options(options),
        "trials": digest_of_keys(keys),
        "mendbench": __version__,
        "code": code_digest(),
        "digests": _digests(context, chosen, planned.keys),
        "recordings": _recordings(context, chosen, planned.keys),
        "asked": digest(_asked(context, planned.keys)),
    }
    cache_file = loaded.output(CACHE) if context.record == "none" else None
    searched = _refuse_credentials(context, keys, cache_file)
    opened: AbstractContextManager[RowCache | None] = RowCache(cache_file) if cache_file is not None else nullcontext()
    with open_run(out, plan, resume=options.resume, on_note=on_note) as folder, opened as cache:
        replay = Replay(context, keys, folder)
        if context.record == "none":
            replay.run(KnownRows(earlier, cache) if cache is not None and reuses else None, options, on_progress)
        else:
            _record(context, keys, folder, options, on_progress, on_note)
        rows, texts = folder.rows(), folder.texts()
        document = _run_document(planned, context, loaded.config.report, rows.records())
        try:
            _refuse_overtaken(out, plan, document, _recordings(context, chosen, planned.keys), context)
        except BadInput:
            folder.overtake()
            raise
        document |= _about_everything(planned, context, rows, texts)
        page = html_parts(StoredRun(folder=out, run=document, rows=rows, texts=texts))
        inputs = replay.inputs(made_from) if context.record == "none" else None
        if cache is not None:
            if reuses:
                replay.store(cache)
            cache.put_searched(code_digest(), searched)
        return folder.finish(document, {PAGE: page}, inputs)


def prune_responses(options: RunOptions, on_progress: Progress, *, delete: bool) -> tuple[StaleFile, ...]:
    """Replay everything configured and return the recorded responses that no trial uses; delete them if ``delete``.

    Only the folders and the workers of ``options`` are used.

    Raises:
        BadInput: a trial has no verdict, so its requests are not known; nothing is deleted.
    """
    loaded = load_config()
    context = open_context(loaded, RunOptions(cases=options.cases, cassettes=options.cassettes))
    planned = plan_of(loaded.config, RunOptions(all=True), context.corpus)
    used = Interned[tuple[str, str]]()
    unjudged: str | None = None
    for done, (row, own) in enumerate(run_trials(context, planned.keys, options.workers), start=1):
        used.number((row["case"], str(whole(row["used"], own))))
        if unjudged is None and row["verdict"] not in {"correct", "incorrect"}:
            unjudged = str(row["key"])
        on_progress(done, len(planned.keys), row["key"])
    if unjudged is not None:
        what = "no verdict, so it is not known what it asks for"
        raise BadInput(unjudged, what, "record what it misses; `mendbench run` says how")
    rows: Iterator[RecordingsUsed] = ({"case": case, "used": keys, "verdict": "correct"} for case, keys in used.values)
    found = _stale(planned, context, {case for case, _ in used.values}, rows, {})
    if delete:
        drop_stale(found)
    return found


def _stale(
    planned: Plan,
    context: BenchContext,
    run_here: Collection[str],
    rows: Iterable[RecordingsUsed],
    texts: Mapping[str, str],
) -> tuple[StaleFile, ...]:
    from mendbench.verify.proof import proved_with  # noqa: PLC0415  what only a run of everything needs

    cases = [case for case in planned.cases if case.id in run_here]
    models = models_used(planned.keys, context)
    return stale_files(context.cassettes_dir, cases, rows, texts, models, partial(proved_with, context))


def report(folder: Path, against: Path | None = None) -> StoredRun:
    """Write the report of a complete run again, and return the run. ``against`` is the folder of a run to compare with.

    Raises:
        BadInput: there is no complete run in one of the folders, or the report cannot be written.
    """
    stored = read_run(folder)
    other = None if against is None else read_run(against)
    page = html_parts(stored, other)
    try:
        write_parts_atomically(folder / "index.html", page)
    except OSError as error:
        hint = "make room, or make the folder writable"
        raise BadInput(str(folder / "index.html"), error.strerror or str(error), hint) from None
    return stored


def _about_everything(planned: Plan, context: BenchContext, rows: StoredRows, texts: StoredTexts) -> JsonObject:
    """Return the parts of a run's document that depend on whether it covers everything, and on its shard."""
    found: JsonObject = {}
    if protocols := read_protocols(context.cases_dir):
        strategies = _strategy_digests(context, planned.keys)
        complete = {name: planned.unnarrowed or _has_contrasts(planned.keys, one) for name, one in protocols.items()}
        found["protocols"] = {
            name: {
                **one.changed(frame_digest(), strategies, _first_prompts(one, rows) if complete[name] else {}, SCORER),
                **({"plan": _plan(one, context)} if complete[name] else {}),
            }
            for name, one in protocols.items()
        }
    if planned.shard is not None:
        found["shard"] = {"number": planned.shard.number, "of": planned.shard.of, "trials": len(planned.keys)}
    if planned.whole and context.record == "none":
        found["stale"] = counted(_stale(planned, context, rows.records().values("case"), rows, texts))
    return found


def _refuse_credentials(context: BenchContext, keys: TrialKeys, cache_file: Path | None) -> set[str]:
    """Refuse cases with a credential, and return the marks of the files that were searched now. Files without one are not searched again.

    Raises:
        BadInput: a case contains a credential.
    """
    known = searched_before(cache_file, code_digest()) if cache_file is not None else set()
    searched = set(known)
    refuse_cases_with_credentials(context.corpus, {key.case for key in keys.each_first()}, context.record, searched)
    return searched - known


def _asked(context: BenchContext, keys: TrialKeys) -> JsonObject:
    """Return how each model was sampled and asked: rows say so, although no request depends on it."""
    models = {name: context.model(name) for name in sorted({key.model for key in keys.each_first() if key.model})}
    return {name: [model.sampling, model.asked] for name, model in models.items()}


def _made_from(options: RunOptions, context: BenchContext, loaded: Loaded) -> str:
    """Return a digest of everything that a run's folder can depend on, the code of the report included. No case is parsed for it.

    It covers all cases, so a run of some counts as changed if any case did, but the recordings of those that are named alone.
    """
    corpus, selected = context.corpus, selected_ids(context.corpus, options.names)
    declared = [file_digest(path) for path in (*protocol_files(context.cases_dir), context.cases_dir / SPLIT_FILE)]
    declared += [file_digest(loaded.baseline)] if options.gated else []
    places = [place for folder in context.strategy_dirs for place in (folder, folder / FRAMES.name)]
    templates = [path for place in places for path in sorted(place.glob(f"*{SUFFIX}"))]
    templates += [Path(parts_of(name).base) for name in options.strategies if SUFFIX in name]
    recordings = [
        {f"{name}/{path.name}": file_digest(path) for name in selected for path in (folder / name).glob("*.yaml")}
        for folder in (corpus.cassettes_dir, loaded.private_dir)
    ]
    parts = [
        stored_options(options), code_digest(), files_digest(), loaded.config.model_dump(mode="json"), corpus.digest, recordings, declared,
        [[path.name, file_digest(path)] for path in templates],
    ]  # fmt: skip
    return digest(parts, 64)


def _is_same(inputs: RunInputs, made_from: str) -> bool:
    """Return whether a run was made from the same, and each of its trials would give the same row again."""
    return inputs.plan == made_from and inputs.is_whole()


def _record(
    context: BenchContext, keys: TrialKeys, folder: RunFolder, options: RunOptions, on_progress: Progress, on_note: Note
) -> None:
    everything = context.record == "all"
    journal = RecordingJournal(folder.journal) if everything else None
    if journal:
        kept = f"{len(journal)} responses that an interrupted --record all recorded are kept"
        on_note(f"{folder.journal}: {kept}; delete the file to request them again")
    with Recorder(
        context.record, context.models, trajectory=True, allow_shell=context.allow_shell,
        allow_writes=context.allow_writes, repairers=context.repairers, queued=True, concurrency=options.concurrency,
        journal=journal, config_file=context.config_file,
    ) as recorder:  # fmt: skip
        for model in sorted({key.model for key in keys.each_first() if key.model}) if everything else ():
            if recorder.model_caller(model) is not None:
                recorder.caller(model)  # refuses a model without a server before a trial is recorded
        folder.record(everything=everything)
        for step in record_all(context, keys, recorder):
            if step.row is not None:
                folder.add(*step.row)
            on_progress(step.done, step.total, step.label)
    if any(context.private_recordings(key) is not None for key in keys.each_first()):
        why = "it is for experiments: parts that no matrix of the configuration names"
        on_note(f"recorded in the private layer: {why}; `mendbench recordings list` shows it")


def _has_contrasts(keys: TrialKeys, protocol: Protocol) -> bool:
    """Return whether a run of some trials has all those of a protocol's contrasts, and its strategies on all listed cases or none."""
    listed, pinned = set(protocol.counted()), protocol.frozen.prompts.keys() if protocol.frozen else ()
    asked: dict[tuple[str | None, str], set[str]] = {}
    for key in keys:
        if key.model == protocol.model and key.case in listed:
            asked.setdefault((key.strategy, key.policy), set()).add(key.case)
    sides = {(side.strategy, side.policy) for one in protocol.contrasts for side in (one.treatment, one.against)}
    counted = sides | {one for one in asked if one[0] in pinned}
    return all(asked.get(one) == listed for one in counted)


def _first_prompts(protocol: Protocol, rows: StoredRows) -> dict[str, str]:
    """Return the digests of the prompts that a protocol covers, as rendered by a run that has them all."""
    first: dict[tuple[str, str], int] = {}  # policies share first prompts
    listed = protocol.counted()
    for at, record in enumerate(rows.records()):
        counts = not listed or record.case in listed
        if record.treatment.model == protocol.model and record.part == protocol.part and record.attempts and counts:
            first.setdefault((record.case, record.treatment.strategy), at)
    return prompt_digests(rows[at] for at in first.values())


def _plan(protocol: Protocol, context: BenchContext) -> JsonObject:
    """Return the plan of primary contrasts, with the cases that count: a run that has all their trials contains their results."""
    plan = protocol.model_dump(mode="json", exclude_none=True)
    parts = cases_by_part(context.split, context.corpus.cases)
    return {**plan, "cases": protocol.cases or {part: list(cases) for part, cases in parts.items()}}


def _digests(context: BenchContext, chosen: Iterable[Case], keys: TrialKeys) -> JsonObject:
    """Return what two runs must share for a comparison, and what they may differ in."""
    return {
        "cases": digest({case.id: case.digest for case in chosen}),
        "corpus": context.corpus.digest,
        "engine": f"port {ENGINE_PORT}",
        "frame": frame_digest(),
        "prices": prices_of(keys, context),
        "scorer": SCORER,
        "treatments": digest(_treatments(context, keys.each_first())),
    }


def _recordings(context: BenchContext, chosen: Iterable[Case], keys: TrialKeys) -> str | None:
    """Return the digest of what a replay reads; None if recording changes it."""
    if context.record != "none":
        return None
    places = {case.id: context.corpus.cassettes(case) for case in chosen}
    files = {name: {path.name: file_digest(path) for path in place.glob("*.yaml")} for name, place in places.items()}
    read = sorted({place for key in keys.each_first() if (place := context.private_recordings(key)) is not None})
    return digest([files, *([str(path), file_digest(path)] for place in read for path in sorted(place.glob("*.yaml")))])


def _refuse_overtaken(
    out: Path, plan: JsonObject, document: JsonObject, recordings: str | None, context: BenchContext
) -> None:
    """Refuse a run whose inputs changed while it ran, so that its trials do not share them.

    Raises:
        BadInput: the inputs changed.
    """
    treatments = plan["digests"]["treatments"], document["digests"]["treatments"]
    corpus = context.corpus
    read_again = {
        "a template, or what else a treatment is made of,": treatments, "a recording": (plan["recordings"], recordings),
        "a case": (corpus.digest, load_corpus(corpus.cases_dir, corpus.cassettes_dir, tolerant=True).digest),
    }  # fmt: skip
    changed = [name for name, (before, after) in read_again.items() if before != after]
    if changed:
        what = f"{' and '.join(changed)} changed while the run went on, so that some trials are of before and some of after"
        raise BadInput(str(out), what, "make the run again")


def _strategy_digests(context: BenchContext, keys: Iterable[TrialKey]) -> dict[str, str]:
    names = sorted({key.strategy for key in keys} - {SELF_REPAIR})
    return {name: context.strategy(name).digest for name in names}


def _treatments(context: BenchContext, keys: Iterable[TrialKey]) -> JsonObject:
    """Return what resumed or sharded parts of one run must also share: the templates' bytes and what is sent to models."""
    return {
        "strategies": _strategy_digests(context, keys),
        "repairers": {
            name: digest([list(own.command), own.callable, own.window])
            for name in sorted({key.repairer for key in keys})
            if (own := context.repairers.get(name)) is not None
        },
        "parts": digest(sorted({f"{key.case} {context.part_of(context.corpus.case(key.case))}" for key in keys})),
        **_engine_digests(context, keys),
        "models": {
            name: digest(_sent(model))
            for name in sorted({key.model for key in keys if key.model})
            for model in (context.model(name),)
        },
    }


def _engine_digests(context: BenchContext, keys: Iterable[TrialKey]) -> JsonObject:
    """Return what determines the behaviour of external engines; empty if there are none."""
    names = sorted({key.engine for key in keys} - {OURS})
    digests = {name: digest([engine_digest(name, context.engines), _configured(context, name)]) for name in names}
    return {"engines": digests} if digests else {}


def _configured(context: BenchContext, name: str) -> Json:
    own = context.engines.get(name)
    return own.model_dump(mode="json") if own is not None else None


def _sent(model: ModelConfig) -> list[Json]:
    """Return the parts of a model's configuration that determine its requests and responses."""
    return [model.parameters, model.response_format, model.window, model.seed, model.served_as, model.recording]


def _models(context: BenchContext, records: Records) -> JsonObject:
    """Return how each model was sampled and queried, and where its imported responses come from."""
    found: dict[str, set[str]] = {}
    for treatment, attempts in records.counted("treatment", "attempts"):
        if treatment.model is not None:
            found.setdefault(treatment.model, set()).update(one.provenance for one in attempts if one.provenance)
    return {
        name: {
            "sampling": context.model(name).sampling, "asked": context.model(name).asked, "provenance": sorted(sources)
        }
        for name, sources in sorted(found.items())
    }  # fmt: skip


def _run_document(planned: Plan, context: BenchContext, report: ReportConfig, records: Records) -> JsonObject:
    provenance = Counter(source for case in planned.cases for source in set(case.recorded_from.values()))
    kinds = Counter(case.kind for case in planned.cases)
    return {
        "format": FORMAT,
        "mendbench_version": __version__,
        "digests": _digests(context, planned.cases, planned.keys),
        "engines": engines_document((key.engine for key in planned.keys), context.engines),
        "left_out": [asdict(one) for one in planned.left_out],
        "matrix": [sweep.document() for sweep in planned.sweeps],
        "models": _models(context, records),
        "report": report.model_dump(mode="json"),
        "corpus": {
            "cases": len(planned.cases),
            "kinds": dict(sorted(kinds.items())),
            "recorded_from": dict(sorted(provenance.items())),
        },
        **totals_of_trials(records),
    }
