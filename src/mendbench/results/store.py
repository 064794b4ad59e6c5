"""The folder of a run: rows are appended as trials finish, then sorted and swapped into place.

A run in progress writes to a hidden folder next to its place: ``reports/latest`` is written as ``reports/.latest.partial``. So a
complete run is replaced whole or not at all. The plan of a run is deleted last: while it exists, the run can be resumed, at whatever
point its process was killed. An interrupted run never blocks the next one: a run with the same plan continues it, and a run with
another plan replaces it.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mendbench.errors import BadInput, MendbenchError
from mendbench.io.canonical_json import canonical_json
from mendbench.io.files import is_left, make_folder, remove, why_unwritable, write_atomically, write_parts_atomically
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_RUN, read_text
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import TrialRow
from mendbench.results.record_index import INDEX, RunInputs, read_index, write_index
from mendbench.results.run_lines import (
    AGAIN,
    TEXTS,
    TRIALS,
    RowsRead,
    left_lines,
    object_in,
    read_texts,
    trial_of,
    wrong_text,
)
from mendbench.results.run_lock import found_again, held, put_back, take
from mendbench.results.run_schema import RUN_DOCUMENT
from mendbench.results.stored_rows import OFFSETS, GrowingFile, Lines, StoredRows, StoredTexts, indexed_lines
from mendbench.scoring.record_table import SEPARATOR, Records, records_of
from mendbench.trial.long_texts import references
from mendbench.trial.row import FORMAT
from mendbench.values.interning import Names
from mendbench.values.schema import misfit

RUN, PLAN, PAGE = "run.json", "plan.json", "index.html"

OURS = frozenset({TRIALS, TEXTS, RUN, PLAN, INDEX, PAGE})
"""Everything that a run's folder can contain."""

MERGED = "merged"
"""Key in the plan of a merged run. An interrupted merge is not resumed but started again."""

_ELSEWHERE = "choose another folder with --out"

Note: TypeAlias = Callable[[str], None]
"""Takes an informational line for the user."""

Files: TypeAlias = Mapping[str, str | Iterable[str | bytes]]
"""File names and contents: a text, or its parts, which are generated while the file is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A complete run, read back."""

    folder: Path
    run: JsonObject
    rows: Sequence[TrialRow]
    """All trials in the order of their keys. Rows of a folder are read lazily, one by one."""
    texts: Mapping[str, str]
    inputs: RunInputs | None = None
    """What the run was made from; None if that is not known."""

    @property
    def records(self) -> Records:
        """The records that scores are computed from, in the order of the rows. For a folder's rows they are computed once."""
        return self.rows.records() if isinstance(self.rows, StoredRows) else records_of(self.rows)

    def row(self, key: str) -> TrialRow | None:
        """Return the row of a trial; None if the run has no such trial."""
        if not isinstance(self.rows, StoredRows):
            return next((row for row in self.rows if row["key"] == key), None)
        keys = self.rows.records().trial_keys()
        at = bisect_left(keys, key)
        return self.rows[at] if at < len(keys) and keys[at] == key else None


class RunFolder:
    """A run being written, from :func:`open_run`. It keeps the file offsets of rows and texts, but not their contents."""

    def __init__(self, place: Path, partial: Path) -> None:
        self._place, self._partial = place, partial
        self._keys, self._texts = Names(SEPARATOR), dict[str, int]()
        self._text_lines = GrowingFile(partial / TEXTS, self._begun_texts())
        self._row_lines = GrowingFile(partial / TRIALS, self._begun_rows())
        self._sorted: StoredRows | None = None
        self._overtaken = self._records = self._everything = False

    def __len__(self) -> int:
        """Return the number of trials so far."""
        return len(self._keys)

    @property
    def journal(self) -> Path:
        """The journal of a run that records everything. It is kept after an interrupted run, even if another run replaces that."""
        return self._place.with_name(f".{self._place.name}.recorded.jsonl")

    def record(self, *, everything: bool) -> None:
        """Mark the run as recording, and whether it records everything. A resumed run can continue from recordings without any row."""
        self._records, self._everything = True, everything

    @property
    def is_void(self) -> bool:
        """Whether there is nothing that a resumed run could continue from."""
        return self._overtaken or not (self._keys or self._records)

    def overtake(self) -> None:
        """Mark the work so far as useless for a resumed run: it is deleted with the error that ends the run."""
        self._overtaken = True

    def done(self) -> frozenset[str]:
        """Return the keys of the finished trials."""
        return frozenset(self._keys)

    def add(self, row: TrialRow, texts: Mapping[str, str]) -> None:
        """Append one trial and its texts that are new. Both are written when this returns.

        Raises:
            BadInput: they cannot be written; what was added before is kept.
        """
        self.add_line(row["key"], line_of(row), texts)

    def add_line(self, key: str, line: bytes, texts: Mapping[str, str]) -> None:
        """Append one trial as the line of its row (:func:`line_of`), like :meth:`add`.

        Raises:
            BadInput: as :meth:`add`.
        """
        fresh = {digest: text for digest, text in texts.items() if digest not in self._texts}
        with self._written():
            first = self._text_lines.append(*(_text_line(digest, text) for digest, text in fresh.items()))
            self._row_lines.append(line)
        self._texts |= {digest: first + at for at, digest in enumerate(fresh)}
        self._keys.append(key)
        self._sorted = None

    def rows(self) -> StoredRows:
        """Return all rows so far, in the order of their keys."""
        if self._sorted is None:
            self._sorted = StoredRows(self._row_lines.lines(), order=self._keys.in_order())
        return self._sorted

    def texts(self) -> StoredTexts:
        """Return all texts so far by digest."""
        return StoredTexts(self._text_lines.lines(), self._texts)

    def take(self, run: StoredRun) -> None:
        """Append all trials of a complete run."""
        for row in run.rows:
            self.add(row, {key: run.texts[key] for key in references(row) if key not in self._texts})

    def finish(self, run: JsonObject, files: Files, inputs: RunInputs | None = None) -> StoredRun:
        """Sort the rows, write ``run.json`` and the other ``files``, and swap the whole folder into its place.

        The parts of a file are generated after the rows and the document are written; their exceptions pass through.

        Raises:
            BadInput: the folder cannot be written, or its place contains files that belong to no run; all trials are kept for ``--resume``.
        """
        self.close()
        with self._written():
            rows, texts = self._write_sorted()
            write_index(self._partial, rows, texts, inputs)
            write_files(self._partial, {RUN: run_text(run), **files})
            _refuse_foreign(self._place)
            take(self._place, self._partial)
            if self._everything:
                self.journal.unlink(missing_ok=True)
            (self._place / PLAN).unlink(missing_ok=True)
        return StoredRun(folder=self._place, run=run, rows=rows, texts=texts, inputs=inputs)

    def close(self) -> None:
        """Close the files; what was added is kept for ``--resume``."""
        self._row_lines.close()
        self._text_lines.close()

    def _begun_texts(self) -> Iterator[bytes]:
        """Yield the lines of the texts that an interrupted run left."""
        left = (item for item in left_lines(self._partial / TEXTS) if wrong_text(item) is None)
        for number, item in enumerate(left):
            self._texts[item["digest"]] = number
            yield _text_line(item["digest"], item["text"])

    def _begun_rows(self) -> Iterator[bytes]:
        """Yield the lines of the trials that an interrupted run left, if all their texts exist."""
        for row in left_lines(self._partial / TRIALS):
            if not isinstance(trial_of(row, self._texts), str):
                self._keys.append(row["key"])
                yield line_of(row)

    def _write_sorted(self) -> tuple[StoredRows, StoredTexts]:
        """Write rows and texts in order, each once, and return the rows and texts of the new files."""
        rows, texts, digests = self.rows(), self.texts(), sorted(self._texts)
        trials, numbers = array(OFFSETS, [0]), array(OFFSETS, [0])
        write_parts_atomically(self._partial / TRIALS, indexed_lines(rows.raw(), trials))
        write_parts_atomically(self._partial / TEXTS, indexed_lines(map(texts.raw, digests), numbers))
        long_texts = StoredTexts(Lines(self._partial / TEXTS, numbers), {key: at for at, key in enumerate(digests)})
        return StoredRows(Lines(self._partial / TRIALS, trials), records=rows.known()), long_texts

    @contextlib.contextmanager
    def _written(self) -> Iterator[None]:
        """Turn an ``OSError`` into a one-line ``BadInput``."""
        try:
            yield
        except OSError as error:
            kept = f"make room; what was done waits for `mendbench run --resume {self._place}`"
            hint = kept if self._keys else "make room, or choose another folder with --out"
            raise BadInput(str(self._place), error.strerror or str(error), hint) from None


@contextlib.contextmanager
def open_run(place: Path, plan: JsonObject, *, resume: bool, on_note: Note = lambda _line: None) -> Iterator[RunFolder]:
    """Yield the folder of a run, locked against a second writer.

    ``plan`` describes what the run consists of. Rows of an interrupted run with the same plan are kept. An interrupted run with another
    plan is replaced, unless ``resume`` is set. ``on_note`` gets a line about either. A run that ends in a ``MendbenchError`` with nothing
    to resume leaves nothing behind.

    Raises:
        BadInput: the folder cannot be written, is in use, or contains files that belong to no run; or ``resume`` is set, and there is no
            interrupted run, or it has another plan.
    """
    if place.name in {"", ".."}:
        raise BadInput(str(place), "not a folder that a run can replace", "name another one with --out")
    partial = _partial(place)
    with held(place, busy="wait for it, or choose another --out", unwritable=_ELSEWHERE):
        try:
            put_back(place)
            _refuse_foreign(place)
            goes_on = _begin(place, partial, json.loads(canonical_json(plan)), resume=resume, on_note=on_note)
            folder = RunFolder(place, partial)
        except OSError as error:
            raise BadInput(str(place), why_unwritable(error), _ELSEWHERE) from None
        if goes_on and not resume and len(folder):
            done = f"goes on from an interrupted run (trials done: {len(folder)})"
            on_note(f"{place}: {done}; delete {partial} to begin again")
        try:
            yield folder
        except MendbenchError:
            if folder.is_void:
                folder.close()
                remove(partial)
            raise
        finally:
            folder.close()


def interrupted_plan(place: Path) -> JsonObject | None:
    """Return the plan of the unfinished run for ``place``; None if there is none."""
    return _interrupted(place)[1]


def no_interrupted_run(place: Path) -> BadInput:
    """Return the error for resuming when there is no unfinished run."""
    return BadInput(str(place), "there is no unfinished run to resume", "start one without --resume")


def write_files(folder: Path, files: Files) -> None:
    """Write files of a run into a folder, each whole or not at all.

    Raises:
        OSError: a file cannot be written. Exceptions from generating a part pass through.
    """
    for name, text in files.items():
        write_parts_atomically(folder / name, (text,) if isinstance(text, str) else text)


def line_of(row: Json) -> bytes:
    """Return a row's line in ``trials.jsonl``."""
    return f"{canonical_json(row)}\n".encode()


def run_text(run: JsonObject) -> str:
    """Return the text of ``run.json`` for this document."""
    return json.dumps(run, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def read_run(folder: Path) -> StoredRun:
    """Return the complete run in ``folder``.

    Raises:
        BadInput: there is none, or one of its files is invalid.
    """
    if not (folder / RUN).is_file() and not (found_again(folder) and (folder / RUN).is_file()):
        raise BadInput(str(folder), "no run is in it", "make one with `mendbench run`")
    run = object_in(read_text(folder / RUN, MAX_RUN, AGAIN, AGAIN, AGAIN), str(folder / RUN))
    if run.get("format") != FORMAT:
        hint = f"this mendbench reads format {FORMAT}: {AGAIN}"
        raise BadInput(f"{folder / RUN}: format", repr(run.get("format")), hint)
    rows, texts, inputs = read_index(folder, folder / TRIALS, folder / TEXTS) or (*_read_lines(folder), None)
    if wrong := misfit(run, RUN_DOCUMENT):
        raise BadInput(f"{folder / RUN}", wrong, AGAIN)
    if run.get("trials") != len(rows):
        raise BadInput(str(folder / TRIALS), f"{len(rows)} lines of {run.get('trials')!r} trials", AGAIN)
    return StoredRun(folder=folder, run=run, rows=rows, texts=texts, inputs=inputs)


def _read_lines(folder: Path) -> tuple[StoredRows, StoredTexts]:
    """Return the rows and texts of a run, with the records, from its lines.

    Raises:
        BadInput: a file cannot be read, or a line is invalid.
    """
    texts: StoredTexts | BadInput
    try:
        texts = read_texts(folder / TEXTS)
    except BadInput as error:  # errors in the rows' lines are reported first
        texts = error
    rows = RowsRead(folder / TRIALS, {} if isinstance(texts, BadInput) else texts)
    records = Records(rows.records())
    if isinstance(texts, BadInput):
        raise texts
    if rows.wrong is not None:
        raise rows.wrong
    return StoredRows(rows.lines, records=records), texts


def _refuse_foreign(place: Path) -> None:
    """Refuse a file, and a folder that contains anything but a run: a run replaces its folder whole."""
    if not place.exists():
        return
    if not place.is_dir():
        raise BadInput(str(place), "a file, and a run needs a folder", _ELSEWHERE)
    foreign = sorted({path.name for path in place.iterdir() if not is_left(path.name)} - OURS)
    if foreign:
        raise BadInput(str(place), f"it holds {foreign[0]!r}, which is of no run", _ELSEWHERE)


def _begin(place: Path, partial: Path, plan: JsonObject, *, resume: bool, on_note: Note) -> bool:
    """Create the folder of a run with its plan, and return whether it has rows of an interrupted run."""
    left, begun = _interrupted(place)
    if resume and begun is None:
        raise no_interrupted_run(place)
    changed = "" if begun is None else _changed(begun, plan)
    if resume and changed:
        hint = "give the command without --resume to begin again"
        raise BadInput(str(place), f"changed since the interrupted run began: {changed}", hint)
    if changed and left == partial and (partial / TRIALS).is_file() and (partial / TRIALS).stat().st_size:
        on_note(f"{place}: replaces an interrupted run; changed since that began: {changed}")
    goes_on = (
        begun is not None and not changed and (resume or left == partial)
    )  # otherwise the run in its place is complete
    if not (goes_on and left == partial):
        remove(partial)
        make_folder(partial)
    if goes_on and left == place:
        for name in {TRIALS, TEXTS} & {path.name for path in place.iterdir()}:
            shutil.copyfile(place / name, partial / name)
    write_atomically(partial / PLAN, canonical_json(plan) + "\n")
    return goes_on


def _interrupted(place: Path) -> tuple[Path, JsonObject | None]:
    """Return the folder and the plan of the unfinished run for ``place``; None for the plan if there is none."""
    partial = _partial(place)
    for folder in (partial, place):  # it is already in its place if the process was killed after the swap
        plan = _read_plan(folder)
        if plan is not None and MERGED not in plan:
            return folder, plan
    return partial, None


def _changed(begun: JsonObject, plan: JsonObject) -> str:
    """Return the names of the parts that differ between two plans."""
    before, now = _parts(begun), _parts(plan)
    return ", ".join(sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name)))


def _parts(plan: JsonObject) -> JsonObject:
    digests = plan.get("digests")
    return {**plan, **digests, "digests": None} if isinstance(digests, dict) else plan


def _partial(place: Path) -> Path:
    return place.with_name(f".{place.name}.partial")


def _read_plan(folder: Path) -> JsonObject | None:
    try:
        found = parse_json(read_text(folder / PLAN, MAX_RUN, AGAIN))
    except (BadInput, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _text_line(digest: str, text: str) -> bytes:
    return f"{canonical_json({'digest': digest, 'text': text})}\n".encode()
