"""The folder of a run: rows as they finish, sorted and swapped into place when all are there.

While a run goes on it writes to a hidden folder beside its place: ``reports/latest`` is written as ``reports/.latest.partial``. So a
complete run is replaced whole or not at all, and an interrupted one can be finished with ``--resume``. The plan of a run goes
last of all: as long as it is there, the run can be resumed, wherever whoever wrote it was killed.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from mendbench.bench.place import found_again, held, put_back, take
from mendbench.bench.row_shapes import RUN_DOCUMENT, TEXT_LINE, TRIAL
from mendbench.bench.rows import FORMAT, REQUIRED, references, trial_key
from mendbench.errors import BadInput, MendbenchError
from mendbench.kit.canonical import canonical_json
from mendbench.kit.files import Appended, is_left, make_folder, remove, write_atomically
from mendbench.kit.json_documents import parse_json
from mendbench.kit.reading import MAX_RUN, read_bytes, read_text
from mendbench.kit.shapes import misfit
from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow, TrialKey
from mendbench.model.verdict import VerdictName
from mendbench.scoring.records import record_of

TRIALS, TEXTS, RUN, PLAN, ANEW = "trials.jsonl", "texts.jsonl", "run.json", "plan.json", "anew.jsonl"

OURS = frozenset({TRIALS, TEXTS, RUN, PLAN, ANEW, "index.html"})
"""Everything that a run's folder can hold."""

VERDICTS = frozenset(get_args(VerdictName))
"""All that a trial's verdict can be."""

MERGED = "merged"
"""What the plan of a run has that is put together of others: it is lost for nobody, and begun again."""

_ELSEWHERE = "choose another folder with --out"
_AGAIN = "make the run again with `mendbench run`"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A complete run, read back."""

    folder: Path
    run: JsonObject
    rows: tuple[JsonRow, ...]
    texts: Mapping[str, str]


class RunFolder:
    """A run being written. Made by :func:`open_run`."""

    def __init__(self, place: Path, partial: Path) -> None:
        self._place, self._partial = place, partial
        self._texts: dict[str, str] = {
            item["digest"]: item["text"] for item in _torn(partial / TEXTS) if misfit(item, TEXT_LINE) is None
        }
        told = _torn(partial / TRIALS)
        self._rows: dict[str, JsonRow] = {row["key"]: row for row in told if _no_trial(row, self._texts) is None}
        self._trials_file = _rewrite(partial / TRIALS, self._rows.values())
        self._texts_file = _rewrite(partial / TEXTS, _text_lines(self._texts))

    @property
    def anew(self) -> Path:
        """Where to write down what was recorded anew, for who resumes."""
        return self._partial / ANEW

    def done(self) -> frozenset[str]:
        """Return the keys of the trials that are already there."""
        return frozenset(self._rows)

    def add(self, row: JsonRow, texts: Mapping[str, str]) -> None:
        """Append one trial and the texts that only it has so far: both are written before the next one is begun.

        Raises:
            BadInput: they cannot be written; what was added before stays.
        """
        fresh = {key: text for key, text in texts.items() if key not in self._texts}
        with self._written():
            self._texts_file.add(_lines(_text_lines(fresh)))
            self._trials_file.add(_lines([row]))
        self._texts |= fresh
        self._rows[row["key"]] = row

    def rows(self) -> tuple[JsonRow, ...]:
        """Return all rows so far, in the order of their keys."""
        return tuple(self._rows[key] for key in sorted(self._rows))

    def texts(self) -> Mapping[str, str]:
        """Return all texts so far by digest."""
        return self._texts

    def take(self, run: StoredRun) -> None:
        """Append all trials of a complete run."""
        for row in run.rows:
            self.add(row, {key: run.texts[key] for key in references(row)})

    def finish(self, run: JsonObject, files: Mapping[str, str]) -> StoredRun:
        """Sort the rows, write ``run.json`` and the other ``files``, and swap the whole folder into its place.

        Raises:
            BadInput: it cannot be written, or something that is of no run was put into its place; all trials wait for ``--resume``.
        """
        self.close()
        rows = self.rows()
        texts = _lines(_text_lines(dict(sorted(self._texts.items()))))
        with self._written():
            for name, text in {TRIALS: trials_text(rows), TEXTS: texts, RUN: run_text(run), **files}.items():
                write_atomically(self._partial / name, text)
            _refuse_foreign(self._place)
            take(self._place, self._partial)
            for name in (PLAN, ANEW):
                (self._place / name).unlink(missing_ok=True)
        return StoredRun(folder=self._place, run=run, rows=rows, texts=self._texts)

    def close(self) -> None:
        """Let go of the files; what was added stays for ``--resume``."""
        self._trials_file.close()
        self._texts_file.close()

    @contextlib.contextmanager
    def _written(self) -> Iterator[None]:
        """Say in one line what the disk refuses."""
        try:
            yield
        except OSError as error:
            kept = f"make room; what was done waits for `mendbench run --resume {self._place}`"
            mend = kept if self._rows else "make room, or choose another folder with --out"
            raise BadInput(str(self._place), error.strerror or str(error), mend) from None


@contextlib.contextmanager
def open_run(place: Path, plan: JsonObject, *, resume: bool) -> Iterator[RunFolder]:
    """Yield the folder of a run, locked against a second writer.

    ``plan`` says what the run consists of; one can be resumed only with the plan that it began with. A run that ends
    in an error of ours before its first trial leaves nothing behind.

    Raises:
        BadInput: the folder cannot be written, is in use, holds an unfinished run and ``resume`` is false, or the other way
            round, or holds something that is no run.
    """
    if place.name in {"", ".."}:
        raise BadInput(str(place), "not a folder that a run can replace", "name another one with --out")
    partial = place.with_name(f".{place.name}.partial")
    with held(place, busy="wait for it, or choose another --out", unwritable=_ELSEWHERE):
        try:
            put_back(place)
            _refuse_foreign(place)
            _begin(place, partial, plan, resume=resume)
            folder = RunFolder(place, partial)
        except OSError as error:
            raise BadInput(str(place), error.strerror or "cannot be written", _ELSEWHERE) from None
        try:
            yield folder
        except MendbenchError:
            if not folder.done():
                remove(partial)
            raise
        finally:
            folder.close()


def trials_text(rows: Iterable[JsonRow]) -> str:
    """Return what ``trials.jsonl`` holds of these rows."""
    return _lines(rows)


def run_text(run: JsonObject) -> str:
    """Return what ``run.json`` holds of this document."""
    return json.dumps(run, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def read_run(folder: Path) -> StoredRun:
    """Return the complete run in ``folder``.

    Raises:
        BadInput: there is none, or a file of it is broken.
    """
    if not (folder / RUN).is_file() and not (found_again(folder) and (folder / RUN).is_file()):
        raise BadInput(str(folder), "no run is in it", "make one with `mendbench run`")
    run = _whole_lines(folder / RUN, one=True)[0]
    if run.get("format") != FORMAT:
        mend = f"this mendbench reads format {FORMAT}: {_AGAIN}"
        raise BadInput(f"{folder / RUN}: format", repr(run.get("format")), mend)
    rows = tuple(_whole_lines(folder / TRIALS))
    found = _whole_lines(folder / TEXTS)
    for number, item in enumerate(found, start=1):
        if wrong := misfit(item, TEXT_LINE):
            raise BadInput(f"{folder / TEXTS}:{number}", wrong, _AGAIN)
    texts = {item["digest"]: item["text"] for item in found}
    if wrong := misfit(run, RUN_DOCUMENT):
        raise BadInput(f"{folder / RUN}", wrong, _AGAIN)
    if run.get("trials") != len(rows):
        raise BadInput(str(folder / TRIALS), f"{len(rows)} lines of {run.get('trials')!r} trials", _AGAIN)
    before = ""
    for number, row in enumerate(rows, start=1):
        if wrong := _no_trial(row, texts) or _out_of_order(before, row):
            raise BadInput(f"{folder / TRIALS}:{number}", wrong, _AGAIN)
        before = row["key"]
    return StoredRun(folder=folder, run=run, rows=rows, texts=texts)


def _no_trial(row: JsonRow, texts: Mapping[str, str]) -> str | None:
    """Return why a line is no trial, None if it is one."""
    if not row.keys() >= REQUIRED:
        return f"a line without {min(REQUIRED - row.keys())!r}"
    if wrong := misfit(row, TRIAL):
        return wrong
    try:
        if lost := references(row) - texts.keys():
            return f"the text {min(lost)} is not in {TEXTS}"
        record = record_of(row)
        key = trial_key(TrialKey(**{part.name: row[part.name] for part in dataclasses.fields(TrialKey)}))
    except KeyError as error:
        return f"a trial without {error}"
    except (AttributeError, TypeError, ValueError) as error:
        return f"no trial ({error})"
    if record.key != key:
        return f"the key {record.key!r} of another trial than its fields tell"
    return None if record.verdict in VERDICTS else f"the verdict {record.verdict!r}"


def _out_of_order(before: str, row: JsonRow) -> str | None:
    if row["key"] > before:
        return None
    return "the same trial once more" if row["key"] == before else "a trial before one that it comes after"


def _refuse_foreign(place: Path) -> None:
    """Refuse a folder that holds anything but a run: a run replaces its folder whole."""
    if not place.exists():
        return
    names = {path.name for path in place.iterdir() if not is_left(path.name)} if place.is_dir() else {place.name}
    foreign = sorted(names - OURS)
    if foreign:
        raise BadInput(str(place), f"it holds {foreign[0]!r}, which is of no run", _ELSEWHERE)


def _begin(place: Path, partial: Path, plan: JsonObject, *, resume: bool) -> None:
    """Make the folder of a run that is begun or resumed, with its plan in it."""
    unfinished = (partial / PLAN).is_file() and MERGED not in (_read_plan(partial) or {})
    ended = not unfinished and (place / PLAN).is_file()  # killed after the swap: all is there but the last step
    if resume and not unfinished and not ended:
        raise BadInput(str(place), "there is no unfinished run to resume", "start one without --resume")
    if unfinished and not resume:
        mend = f"finish it with `mendbench run --resume {place}`, or delete {partial}"
        raise BadInput(str(place), "a run was begun here and not finished", mend)
    begun = place if ended else partial
    if resume and _read_plan(begun) != json.loads(canonical_json(plan)):
        mend = "run it with the options and the corpus it began with, or delete the folder"
        raise BadInput(str(begun), "the unfinished run there was begun with another plan", mend)
    if not unfinished:
        remove(partial)
        make_folder(partial)
    if resume and ended:
        for name in {TRIALS, TEXTS, ANEW} & {path.name for path in place.iterdir()}:
            shutil.copyfile(place / name, partial / name)
    write_atomically(partial / PLAN, canonical_json(plan) + "\n")


def _read_plan(partial: Path) -> JsonObject | None:
    try:
        found = parse_json(read_text(partial / PLAN, MAX_RUN, _AGAIN))
    except (BadInput, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _whole_lines(path: Path, *, one: bool = False) -> list[JsonObject]:
    """Return the JSON objects of a file's lines, or the one that the whole file is."""
    text = read_text(path, MAX_RUN, _AGAIN, _AGAIN, _AGAIN)
    found = []
    for number, line in enumerate([text] if one else text.removesuffix("\n").split("\n") if text else [], start=1):
        try:
            item = parse_json(line)
        except ValueError as error:
            raise BadInput(f"{path}:{number}", str(error), _AGAIN) from None
        if not isinstance(item, dict):
            raise BadInput(f"{path}:{number}", "no JSON object", _AGAIN)
        found.append(item)
    return found


def _torn(path: Path) -> list[JsonObject]:
    """Return the whole lines of a file whose last line may be torn."""
    if not path.is_file():
        return []
    found = []
    for line in read_bytes(path, MAX_RUN, _AGAIN).decode("utf-8", "replace").split("\n"):
        try:
            item = parse_json(line)
        except ValueError:
            break
        if isinstance(item, dict):
            found.append(item)
    return found


def _rewrite(path: Path, lines: Iterable[JsonObject]) -> Appended:
    write_atomically(path, _lines(lines))
    return Appended(path)


def _lines(items: Iterable[JsonObject]) -> str:
    return "".join(canonical_json(item) + "\n" for item in items)


def _text_lines(texts: Mapping[str, str]) -> list[JsonObject]:
    return [{"digest": key, "text": text} for key, text in texts.items()]
