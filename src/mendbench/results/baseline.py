"""The baseline: what each trial came to when somebody last accepted it, as a text file that is reviewed like code.

First come header lines (``format``, ``mendbench``, ``engine``, ``scorer``, one ``price`` for each who is paid), then the names of the
columns, then one line for each trial, sorted, tab-separated. Columns are not padded: a longer name somewhere would touch every line,
and a diff shows only the trials that changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import get_args

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.case import Kind
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import JsonRow, StopReason, TrialKey
from mendbench.model.verdict import Outcome
from mendbench.results.store import StoredRun
from mendbench.scoring.chance import ResponseDigest
from mendbench.scoring.gating.result import Baseline, Digests, Entry
from mendbench.trial.row import SHORT, trial_key

FORMAT = 3
"""3: the column ``responses`` was called ``answers``. 2: the column ``exchanges`` replaces ``world``, which was one digest of
them all. 1: the first."""

COLUMNS = (
    "case", "engine", "repairer", "model", "strategy", "policy", "detector", "sample",
    "case_digest", "kind", "verdict", "outcome", "stop", "attempts", "wasted", "responses", "exchanges",
)  # fmt: skip
"""Eight that tell trials apart, in the order that a run's rows are sorted by; then what the trial came to."""

VERDICTS = ("correct", "incorrect", "crashed")
"""What can stand in a baseline. An unjudged trial has nothing to be held to."""

HEADER = ("format", "mendbench", "engine", "scorer")
"""Lines before the table that there is one of each."""

_INTRO = "# What trials came to when last accepted. `mendbench gate` holds a run against it, `mendbench gate --update` accepts one."
_ABSENT = "-"
_UNASKED = "~"
"""Stands before an attempt that nobody was asked for: a deterministic repairer answered."""
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ATTEMPT = re.compile(r"(~?)([0-9a-f]{8}):([0-9a-f]{8})")
_DIGEST = re.compile(r"[0-9a-f]{8}")
_EXCHANGES = re.compile(r"[^,:]+:[^,:]+(,[^,:]+:[^,:]+)*")
_CONFLICT = re.compile(r"<{7}|={7}|>{7}|\|{7}")
_HINT = "take it from version control, or delete the file and accept a run with `mendbench gate --update`"


def entry_of(row: JsonRow) -> Entry:
    """Return what a baseline says of a trial, from its row."""
    key = TrialKey(
        case=row["case"], engine=row["engine"], repairer=row["repairer"], model=row["model"], strategy=row["strategy"],
        policy=row["policy"], detector=row["detector"], sample=row["sample"],
    )  # fmt: skip
    return Entry(
        key=row["key"],
        trial=key,
        case_digest=row["case_digest"],
        kind=row["kind"],
        verdict=row["verdict"],
        outcome=row["outcome"],
        stop_reason=row["stop_reason"],
        attempts=len(row["attempts"]),
        wasted=row["wasted_attempts"],
        responses=responses_of(row),
        exchanges=",".join(row["evidence"]["exchanges"]),
    )


def responses_of(row: JsonRow) -> tuple[ResponseDigest, ...]:
    """Return the attempts of a trial by digest, from its row."""
    return tuple(_response(attempt) for attempt in row["attempts"])


def digests_of(run: JsonObject) -> Digests:
    """Return what a run shares with a baseline if they can be compared, from ``run.json``."""
    own = run.get("digests") or {}
    prices = own.get("prices") or {}
    return Digests(
        engine=_told(own.get("engine")),
        scorer=_told(own.get("scorer")),
        prices=tuple(sorted((name, digest(price)) for name, price in prices.items())),
    )


def baseline_of(stored: StoredRun, place: Path) -> Baseline:
    """Return the baseline that a run makes: its trials that have a verdict."""
    entries = (entry_of(row) for row in stored.rows if row["verdict"] in VERDICTS)
    return Baseline(
        place=str(place),
        version=str(stored.run.get("mendbench_version")),
        digests=digests_of(stored.run),
        entries=in_order(entries),
    )


def render_baseline(baseline: Baseline) -> str:
    """Return the text of a baseline."""
    own = baseline.digests
    head: list[tuple[str, ...]] = [("format", str(FORMAT)), ("mendbench", baseline.version)]
    head += [("engine", own.engine), ("scorer", own.scorer), *(("price", name, told) for name, told in own.prices)]
    lines = [_INTRO, *("\t".join(map(_written, line)) for line in head), "\t".join(COLUMNS)]
    lines += ["\t".join(map(_written, _cells(entry))) for entry in in_order(baseline.entries)]
    return "".join(f"{line}\n" for line in lines)


def read_baseline(path: Path) -> Baseline:
    """Return the baseline in a file.

    Raises:
        BadInput: there is none, or a line of it cannot be read; names the line, what is wrong and what to do.
    """
    lines = _lines(path)
    head: dict[str, str] = {}
    prices: dict[str, str] = {}
    entries: dict[str, tuple[int, Entry]] = {}
    columns: Sequence[str] = ()
    for number, line in enumerate(lines, start=1):
        place = f"{path}:{number}"
        if _CONFLICT.match(line):
            raise BadInput(
                place,
                "a merge conflict",
                "resolve it, or accept a run of the merged code with `mendbench gate --update`",
            )
        if line.startswith("#") or not line:
            continue
        cells = [_read(cell) for cell in line.split("\t")]
        if columns:
            _add(entries, _entry(place, columns, cells), number, place)
        elif tuple(cells) == COLUMNS:
            columns = cells
        else:
            _head(place, cells, head, prices)
    for name in HEADER:
        if name not in head:
            raise BadInput(str(path), f"no line that tells {name!r}", _HINT)
    if not columns:
        raise BadInput(str(path), "no line that names the columns", _HINT)
    digests = Digests(engine=head["engine"], scorer=head["scorer"], prices=tuple(sorted(prices.items())))
    own = in_order(entry for _, entry in entries.values())
    return Baseline(place=str(path), version=head["mendbench"], digests=digests, entries=own)


def is_baseline(path: Path) -> bool:
    """Return whether a file that is there was meant as a baseline: it is empty, or has a line that one begins with."""
    try:
        lines = path.read_bytes().decode("utf-8-sig", "replace").splitlines()
    except OSError:
        return False
    return not any(lines) or any(line == _INTRO or line.startswith("format\t") for line in lines)


def _response(attempt: JsonObject) -> ResponseDigest:
    """Return the digests of an attempt: a model request's own, as misses and reports show it, or the prompt's where nobody was asked."""
    model_request, sections = attempt["model_request"], [[one["text"], one["cut"]] for one in attempt["sections"]]
    prompt = model_request if model_request is not None else digest([attempt["system"], attempt["frame"], sections])
    return ResponseDigest(
        prompt=prompt[:SHORT] if _DIGEST.match(prompt) else digest(prompt, SHORT),
        response=digest([attempt["response"], attempt["reply"]], SHORT),
        asked=model_request is not None,
    )


def _told(value: Json) -> str:
    if value is None:
        return _ABSENT
    return value if isinstance(value, str) else digest(value)


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return entries in the order of a baseline's lines, which is that of a run's rows."""
    return tuple(sorted(entries, key=lambda entry: entry.trial.order()))


def _cells(entry: Entry) -> tuple[str, ...]:
    own = entry.trial
    responses = ",".join(f"{'' if one.asked else _UNASKED}{one.prompt}:{one.response}" for one in entry.responses)
    return (
        own.case, own.engine, own.repairer, own.model or _ABSENT, own.strategy, own.policy, own.detector or _ABSENT, str(own.sample),
        entry.case_digest, entry.kind, entry.verdict, entry.outcome or _ABSENT, entry.stop_reason, str(entry.attempts),
        _ABSENT if entry.wasted is None else str(entry.wasted), responses or _ABSENT, entry.exchanges or _ABSENT,
    )  # fmt: skip


def _written(cell: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in cell)


def _read(cell: str) -> str:
    back = {escape[1]: char for char, escape in _ESCAPES.items()}
    return re.sub(r"\\([\\tnr])", lambda found: back[found.group(1)], cell)


def _lines(path: Path) -> list[str]:
    if not path.exists():
        hint = "make it from a run that is right with `mendbench gate --update`"
        raise BadInput(str(path), "no such baseline", hint)
    text = read_text(path, MAX_RECORDING, _HINT, "name the file with --baseline", _HINT)
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def _head(place: str, cells: Sequence[str], head: dict[str, str], prices: dict[str, str]) -> None:
    """Take one line before the table."""
    name, *values = cells
    if name == "price" and len(values) == 2:  # noqa: PLR2004 - who is paid, and the digest
        prices[values[0]] = values[1]
    elif name in HEADER and len(values) == 1 and name not in head:
        head[name] = values[0]
        if name == "format" and values[0] != str(FORMAT):
            hint = f"this mendbench reads format {FORMAT}; accept a run again with `mendbench gate --update`"
            raise BadInput(place, f"format {values[0]!r}", hint)
    else:
        raise BadInput(
            place, f"a line that begins with {name[:40]!r} where the header or the columns' names are due", _HINT
        )


def _entry(place: str, columns: Sequence[str], cells: Sequence[str]) -> Entry:
    if len(cells) != len(columns):
        raise BadInput(place, f"{len(cells)} columns where {len(columns)} are due", _HINT)
    cell = dict(zip(columns, cells, strict=True))
    one_of = {
        "kind": get_args(Kind),
        "verdict": VERDICTS,
        "outcome": (*get_args(Outcome), _ABSENT),
        "stop": get_args(StopReason),
    }
    for column, known in one_of.items():
        if cell[column] not in known:
            raise BadInput(place, f"{column} {cell[column]!r}", f"one of {', '.join(known)} is due; {_HINT}")
    crashed = cell["verdict"] == "crashed"
    if crashed != (cell["outcome"] == _ABSENT) or crashed != (cell["wasted"] == _ABSENT):
        raise BadInput(
            place,
            f"{cell['verdict']} with outcome {cell['outcome']!r} and wasted {cell['wasted']!r}",
            f"only what crashed has neither; {_HINT}",
        )
    key = TrialKey(
        case=cell["case"], engine=cell["engine"], repairer=cell["repairer"], model=_maybe(cell["model"]), strategy=cell["strategy"],
        policy=cell["policy"], detector=_maybe(cell["detector"]), sample=_count(place, "sample", cell["sample"]),
    )  # fmt: skip
    responses = _responses(place, cell["responses"])
    attempts = _count(place, "attempts", cell["attempts"])
    if len(responses) != attempts:
        raise BadInput(place, f"{attempts} attempts and {len(responses)} answers", f"each attempt has one; {_HINT}")
    return Entry(
        key=trial_key(key), trial=key, case_digest=cell["case_digest"], kind=cell["kind"], verdict=cell["verdict"],
        outcome=_maybe(cell["outcome"]), stop_reason=cell["stop"], attempts=attempts,
        wasted=None if crashed else _count(place, "wasted", cell["wasted"]), responses=responses,
        exchanges=_exchanges(place, cell["exchanges"]),
    )  # fmt: skip


def _maybe(cell: str) -> str | None:
    return None if cell == _ABSENT else cell


def _count(place: str, column: str, cell: str) -> int:
    if not (cell.isascii() and cell.isdecimal()):
        raise BadInput(place, f"{column} {cell!r}", f"a whole number is due; {_HINT}")
    return int(cell)


def _responses(place: str, cell: str) -> tuple[ResponseDigest, ...]:
    found = []
    for part in () if cell == _ABSENT else cell.split(","):
        match = _ATTEMPT.fullmatch(part)
        if match is None:
            raise BadInput(place, f"responses {part!r}", f"PROMPT:RESPONSE is due, each 8 hexadecimal digits; {_HINT}")
        found.append(ResponseDigest(prompt=match.group(2), response=match.group(3), asked=not match.group(1)))
    return tuple(found)


def _exchanges(place: str, cell: str) -> str:
    if cell == _ABSENT:
        return ""
    if _EXCHANGES.fullmatch(cell) is None:
        raise BadInput(place, f"exchanges {cell[:40]!r}", f"REQUEST:RESPONSE is due, with commas between; {_HINT}")
    return cell


def _add(entries: dict[str, tuple[int, Entry]], entry: Entry, number: int, place: str) -> None:
    if entry.key in entries:
        raise BadInput(place, f"the trial of line {entries[entry.key][0]} again", "keep one of the two lines")
    entries[entry.key] = (number, entry)
