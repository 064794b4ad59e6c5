"""Streaming the lines of a run's files: each line is checked, and none is kept in memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, cast

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.json_documents import load_json, parse_json
from mendbench.io.reading import BOM, MAX_RUN, too_large
from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialRow
from mendbench.results.run_schema import TEXT_LINE
from mendbench.results.stored_rows import OFFSETS, Lines, StoredTexts
from mendbench.scoring.records import TrialRecord, record_of
from mendbench.trial.long_texts import references
from mendbench.trial.row import key_of, trial_key
from mendbench.values.schema import misfit

TRIALS, TEXTS = "trials.jsonl", "texts.jsonl"

AGAIN = "make the run again with `mendbench run`"
_CHECK = "check the file and its permissions"


class RowsRead:
    """The rows of a file, read once from its first line to its last."""

    def __init__(self, path: Path, texts: Mapping[str, str]) -> None:
        """Open the file. ``texts`` are the long texts that rows may refer to.

        Raises:
            BadInput: the file cannot be read.
        """
        self._path, self._texts = path, texts
        self._starts = array(OFFSETS, [0])
        self.lines = _opened(path, self._starts)
        self.count = 0
        self.wrong: BadInput | None = None
        """The error of the first row that is not a trial, or is out of order."""

    def records(self) -> Iterator[TrialRecord]:
        """Yield the record of each row before the first invalid one.

        Raises:
            BadInput: the file cannot be read, or a line is not a JSON object.
        """
        before = ""
        for number, row in enumerate(_whole_lines(self._path, self.lines, self._starts), start=1):
            self.count = number
            if self.wrong is not None:
                continue
            found = trial_of(row, self._texts)
            wrong = found if isinstance(found, str) else _out_of_order(before, row)
            if wrong is not None:
                self.wrong = BadInput(f"{self._path}:{number}", wrong, AGAIN)
            elif isinstance(found, TrialRecord):
                before = row["key"]
                yield found


def read_texts(path: Path) -> StoredTexts:
    """Return the long texts of a complete run.

    Raises:
        BadInput: the file cannot be read, or a line is not a text.
    """
    starts, numbers = array(OFFSETS, [0]), dict[str, int]()
    lines = _opened(path, starts)
    wrong: BadInput | None = None
    for at, item in enumerate(_whole_lines(path, lines, starts)):
        if wrong is None and (message := wrong_text(item)):
            wrong = BadInput(f"{path}:{at + 1}", message, AGAIN)
        elif wrong is None:
            numbers[item["digest"]] = at
    if wrong is not None:
        raise wrong
    return StoredTexts(lines, numbers)


def wrong_text(item: JsonObject) -> str | None:
    """Return why a line is not a long text, or does not match its digest; None if it is valid."""
    message = misfit(item, TEXT_LINE)
    if message is None and digest(item["text"].encode()) != item["digest"]:
        return "a text other than that of its digest"
    return message


def trial_of(line: JsonObject, texts: Mapping[str, object]) -> TrialRecord | str:
    """Return the record of a line, or why it is not a trial. ``texts`` are the long texts that it may refer to, by digest."""
    from mendbench.results.row_schema import TRIAL  # noqa: PLC0415 - a run with an index does not need it

    if wrong := misfit(line, TRIAL):
        return wrong
    row = cast("TrialRow", line)
    try:
        lost = {one for one in references(row) if one not in texts}
    except ValueError as error:
        return str(error)
    if lost:
        return f"the text {min(lost)} is not in {TEXTS}"
    if row["key"] != trial_key(key_of(row)):
        return f"the key {row['key']!r} of another trial than its fields"
    return record_of(row)


def left_lines(path: Path) -> Iterator[JsonObject]:
    """Yield the JSON objects of the whole lines of a file whose last line may be torn; nothing if there is no file.

    Raises:
        BadInput: the file cannot be read, or is larger than a file of a run may be.
    """
    if not path.is_file():
        return
    starts = array(OFFSETS, [0])
    lines = _opened(path, starts, _CHECK)
    for raw in _raw_lines(path, lines, starts, _CHECK):
        try:
            item = parse_json(raw.decode("utf-8", "replace"))
        except ValueError:
            return
        if isinstance(item, dict):
            yield item


def object_in(text: str, place: str, line: int | None = None) -> JsonObject:
    """Return the JSON object in a text. ``place`` names the file in errors, ``line`` is the line that the text is, if it is one of several.

    Raises:
        BadInput: the text is not a JSON object.
    """
    found = load_json(text, place, AGAIN, line=line)
    if not isinstance(found, dict):
        raise BadInput(place if line is None else f"{place}:{line}", "no JSON object", AGAIN)
    return found


def _opened(path: Path, starts: array[int], hint: str = AGAIN) -> Lines:
    """Open a file once for all reads, so that replacing it meanwhile has no effect here."""
    try:
        lines = Lines(path, starts)
        size = lines.size()
    except FileNotFoundError:
        raise BadInput(str(path), "no such file", AGAIN) from None
    except OSError as error:
        raise BadInput(str(path), error.strerror or "cannot be read", hint) from None
    if size > MAX_RUN:
        raise too_large(path, MAX_RUN)
    return lines


def _whole_lines(path: Path, lines: Lines, starts: array[int]) -> Iterator[JsonObject]:
    """Yield the JSON objects of a file's lines, and append the end offset of each line to ``starts``."""
    for number, raw in enumerate(_raw_lines(path, lines, starts, AGAIN), start=1):
        yield _parsed(path, number, raw, starts)


def _raw_lines(path: Path, lines: Lines, starts: array[int], hint: str) -> Iterator[bytes]:
    """Yield a file's lines without line ends, and append the end offset of each to ``starts``. A byte order mark is skipped."""
    try:
        with lines.whole() as file:
            yield from _bounded(path, file, starts)
    except OSError as error:
        raise BadInput(str(path), error.strerror or "cannot be read", hint) from None


def _bounded(path: Path, file: BinaryIO, starts: array[int]) -> Iterator[bytes]:
    starts[0] = len(BOM) if file.read(len(BOM)) == BOM else 0
    file.seek(starts[0])
    while raw := file.readline(MAX_RUN + 1 - starts[-1]):
        starts.append(starts[-1] + len(raw))
        if starts[-1] > MAX_RUN:
            raise too_large(path, MAX_RUN)
        yield raw.removesuffix(b"\n")


def _parsed(path: Path, number: int, raw: bytes, starts: array[int]) -> JsonObject:
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        found = f"byte {starts[number - 1] - starts[0] + error.start} is not UTF-8"
        raise BadInput(str(path), found, AGAIN) from None
    return object_in(text, str(path), number)


def _out_of_order(before: str, row: JsonObject) -> str | None:
    if row["key"] > before:
        return None
    return "the same trial once more" if row["key"] == before else "a trial before one that it comes after"
