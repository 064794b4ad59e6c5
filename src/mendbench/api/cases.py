"""List, show, check, create and import cases."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import cast, get_args

from mendbench.api.plans import configured_keys, refuse_unrecorded
from mendbench.api.settings import Progress, RunOptions, open_context
from mendbench.config.config_file import Loaded, load_config
from mendbench.corpus.corpus import Corpus, select, selected_ids
from mendbench.corpus.credentials import files_with_credentials
from mendbench.corpus.labels import missing_labels
from mendbench.errors import BadInput, UnknownName
from mendbench.importing.drafting import Wish
from mendbench.importing.formats import read_source
from mendbench.importing.interface import Dropped
from mendbench.importing.making import import_case as import_from
from mendbench.importing.scaffold import STARTER, Draft, refuse_existing, split_id, write_draft
from mendbench.model.case import Kind, Provenance
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import TrialKey
from mendbench.prompts.stale import RecordingsUsed, recordings_used
from mendbench.results.reuse import KnownRows, earlier_run
from mendbench.results.row_cache import CACHE, RowCache
from mendbench.trial.components import BenchContext
from mendbench.trial.inputs import TrialInputs
from mendbench.verify.case_view import CASE_FILTERS, case_document, case_row, fits
from mendbench.verify.checking import CheckedCase, ConfiguredTrials, check, left_behind, stray_groups
from mendbench.verify.corpus_summary import counts, summary
from mendbench.verify.proof_store import PROOFS


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseList:
    """The cases of a listing."""

    rows: tuple[JsonObject, ...]
    """``case, group, family, kind, title, level, recorded_from, tags, strength, …``, one object per case."""
    counts: JsonObject
    """Number of cases of each kind, family, level and provenance."""
    broken: tuple[BadInput, ...]
    """The errors of cases that cannot be read."""


def list_cases(
    names: tuple[str, ...],
    cases: Path | None,
    cassettes: Path | None,
    *,
    where: Mapping[str, Collection[str]] | None = None,
) -> CaseList:
    """Return the selected cases, possibly none. ``where`` maps fields to their allowed values.

    The fields are ``family``, ``kind``, ``level``, ``recorded_from`` and ``tags``; an empty collection does not filter.

    Raises:
        UnknownName: a value that no case can have.
        BadInput: there is no corpus.
    """
    context = _looking(cases, cassettes)
    wanted = {name: frozenset(values) for name, values in (where or {}).items() if values}
    for name, values in wanted.items():
        known = CASE_FILTERS[name] or _in_use(context.corpus, name)
        for value in sorted(values - frozenset(known)):
            raise UnknownName(_FILTER_WORDS.get(name, name), value, known)
    ids = selected_ids(context.corpus, names)
    listed = [(case, case_row(context, case)) for case in context.corpus.cases if case.id in ids]
    chosen = [(case, row) for case, row in listed if fits(row, wanted)]
    return CaseList(
        rows=tuple(row for _, row in chosen),
        counts=counts([case for case, _ in chosen], [row["level"] for _, row in chosen]),
        broken=tuple(one for name, problems in context.corpus.broken.items() if name in ids for one in problems),
    )


_FILTER_WORDS = {"tags": "tag", "recorded_from": "provenance"}
"""The names of filters in errors, where the field has another name."""


def _in_use(corpus: Corpus, name: str) -> frozenset[str]:
    """Return the families, or the tags, of a corpus."""
    if name == "family":
        return frozenset(case_id.partition("/")[0] for case_id in corpus.folders)
    return frozenset(tag for case in corpus.cases for tag in case.tags)


def find_credentials(paths: tuple[Path, ...]) -> tuple[BadInput, ...]:
    """Return where files, or the files of folders, contain credentials, with name and shape but never the value.

    Raises:
        BadInput: a path cannot be read.
    """
    return tuple(files_with_credentials(paths))


def show_case(case_id: str, cases: Path | None, cassettes: Path | None) -> JsonObject:
    """Return the details of one case: graph, failure, truth, fixes, strength and provenance.

    Raises:
        UnknownName: there is no case with that id.
        BadInput: it is broken.
    """
    context = _looking(cases, cassettes)
    return case_document(context, context.corpus.case(case_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCorpus:
    """The check results of many cases."""

    cases: tuple[CheckedCase, ...]
    """Sorted by id."""
    summary: JsonObject
    left: tuple[BadInput, ...] = ()
    """Folders of recordings and groups of the split without a case, if all cases were checked."""

    @property
    def held(self) -> bool:
        """Whether every case holds, and no recordings or group lack a case."""
        return not self.left and all(one.held for one in self.cases)


def check_cases(
    names: tuple[str, ...],
    cases: Path | None,
    cassettes: Path | None,
    *,
    record: str = "none",
    allow_shell: bool = False,
    allow_writes: bool = False,
    workers: int = 0,
    on_progress: Progress,
) -> CheckedCorpus:
    """Read, inspect and prove each selected case, even if others are broken.

    Raises:
        UnknownName: no case has the name, including broken ones.
        BadInput: there is no corpus.
    """
    options = RunOptions(
        cases=cases, cassettes=cassettes, record=record, allow_shell=allow_shell, allow_writes=allow_writes
    )
    loaded = load_config()
    context = replace(open_context(loaded, options, tolerant=True), proofs_dir=loaded.output(PROOFS))
    refuse_unrecorded(context, select(context.corpus, names))
    trials = _configured_trials(loaded, context, selected_ids(context.corpus, names))
    checked = check(context, names, workers or os.cpu_count() or 1, on_progress, trials)
    ids = {one.case for one in checked}
    sound = [case for case in context.corpus.cases if case.id in ids]
    whole = not names and _is_configured(loaded, context)
    own = whole and context.cassettes_dir == loaded.cassettes_dir
    left = left_behind(context.corpus) if own else ()
    left += stray_groups(context) if not names else ()
    return CheckedCorpus(cases=checked, summary=summary(checked, sound), left=left)


def _is_configured(loaded: Loaded, context: BenchContext) -> bool:
    """Return whether the corpus is the configuration's."""
    return context.cases_dir == loaded.cases_dir


def _configured_trials(loaded: Loaded, context: BenchContext, cases: Collection[str]) -> Mapping[str, ConfiguredTrials]:
    """Return the configured trials of each of the cases; none if recording, or for a corpus that is not the configuration's."""
    if not _is_configured(loaded, context) or context.record != "none":
        return {}
    keys: dict[str, list[TrialKey]] = defaultdict(list)
    for key in configured_keys(loaded.config, context.corpus):
        if key.case in cases:
            keys[key.case].append(key)
    with RowCache(loaded.output(CACHE)) as cache:
        inputs, known = TrialInputs(context), KnownRows(earlier_run(loaded.out), cache)
        return {
            case: ConfiguredTrials(keys=tuple(own), known=dict(_known(own, inputs, known)))
            for case, own in keys.items()
        }


def _known(
    keys: Iterable[TrialKey], inputs: TrialInputs, known: KnownRows
) -> Iterator[tuple[TrialKey, RecordingsUsed]]:
    """Yield the trials that an earlier run executed with the same inputs, and what each used."""
    for key in keys:
        fingerprints = inputs.fingerprints(key)
        found = known.get(fingerprints) if fingerprints else None
        if found is not None:
            yield key, recordings_used(json.loads(found.line), found.texts)


def new_case(
    case_id: str, cases: Path | None, *, kind: str = "repairable", workflow: JsonObject | None = None
) -> Written:
    """Write a new case with placeholders for its labels, and return what was written.

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
        check=command,
    )


def import_case(
    case_id: str,
    cases: Path | None,
    cassettes: Path | None,
    *,
    recording: Path,
    workflow: JsonObject | None = None,
    inputs: Mapping[str, Json] | None = None,
    kind: str = "repairable",
    provenance: str = "simulator",
) -> Written:
    """Write a case from the file that recorded its failure, and return what was written.

    Raises:
        BadInput: the file has an unknown format, the case exists, or something that the workflow needs is not given.
    """
    if provenance not in get_args(Provenance):
        raise UnknownName("provenance", provenance, get_args(Provenance))
    known_kind, (family, name) = _known_kind(kind), split_id(case_id)
    folder, recordings, command = _new_folders(case_id, cases, cassettes)
    refuse_existing(folder / family / name)
    wish = Wish(
        case=case_id, source=read_source(recording), workflow=workflow, inputs=inputs or {}, kind=known_kind, provenance=provenance,
    )  # fmt: skip
    done = import_from(wish, folder, recordings)
    return Written(
        case=done.case, files=done.files, labels=done.labels,
        check=command,
        kept=done.kept, dropped=done.dropped, notes=done.notes,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A new case, and what was created from its source."""

    case: str
    files: tuple[Path, ...]
    labels: int
    """Number of missing labels."""
    check: str
    """The command that lists the missing labels."""
    kept: tuple[str, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()

    def document(self) -> JsonObject:
        """Return it as JSON."""
        return {**asdict(self), "files": [str(path) for path in self.files]}


def _known_kind(kind: str) -> Kind:
    if kind not in get_args(Kind):
        raise UnknownName("kind", kind, get_args(Kind))
    return cast("Kind", kind)


def _new_folders(case_id: str, cases: Path | None, cassettes: Path | None) -> tuple[Path, Path, str]:
    """Return the folders for a new case and its recordings, never in the packaged corpus, and the command that checks the case."""
    loaded = load_config()
    paths = loaded.config.paths
    folders = cases or loaded.output(paths.cases), cassettes or loaded.output(paths.cassettes)
    named = f" --cases {folders[0]} --cassettes {folders[1]}" if cases or cassettes or loaded.packaged else ""
    return *folders, f"mendbench case check {case_id}{named}"


def _looking(cases: Path | None, cassettes: Path | None) -> BenchContext:
    """Return a read-only context: broken cases are skipped, and stored proofs are read."""
    loaded = load_config()
    context = open_context(loaded, RunOptions(cases=cases, cassettes=cassettes), tolerant=True)
    return replace(context, proofs_dir=loaded.output(PROOFS))
