"""The baseline: the last accepted result of each trial, as a text file that is reviewed like code.

The file starts with header lines (``format``, ``mendbench``, ``engine``, ``scorer``, one ``price`` for each priced model, program or
function). The column names follow, then one tab-separated line for each trial, sorted. Columns are not padded, so a diff shows only the
trials that changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.case import Kind
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import StopReason, TrialKey, TrialRow
from mendbench.model.verdict import Outcome
from mendbench.results.store import StoredRun
from mendbench.scoring.chance import ResponseDigest
from mendbench.scoring.gating.result import Baseline, BaselineEntry, Digests, FactDigest
from mendbench.trial.row import SHORT, trial_key

if TYPE_CHECKING:
    from mendbench.model.trial_row import AttemptRow

FORMAT = 4
"""4: the columns ``context_tokens``, ``facts`` and ``elapsed_ms`` are added.
3: the column ``answers`` is renamed ``responses``. 2: the column ``exchanges`` replaces ``world``, a single digest of all
exchanges. 1: the first version."""

COLUMNS = (
    "case", "engine", "repairer", "model", "strategy", "policy", "detector", "sample",
    "case_digest", "kind", "verdict", "outcome", "stop", "attempts", "wasted", "responses", "exchanges",
    "context_tokens", "facts", "elapsed_ms",
)  # fmt: skip
"""The eight columns that identify a trial, in the sort order of a run's rows; then the columns of its result."""

VERDICTS = ("correct", "incorrect", "crashed")
"""Verdicts that a baseline can contain. An unjudged trial has no result to compare with."""

HEADER = ("format", "mendbench", "engine", "scorer")
"""Header lines that must occur exactly once."""

_INTRO = "# What trials came to when last accepted. `mendbench gate` holds a run against it, `mendbench gate --update` accepts one."
_ABSENT = "-"
_UNASKED = "~"
"""Prefix of an attempt without a model request: its response is from a deterministic repairer."""
_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_ATTEMPT = re.compile(r"(~?)([0-9a-f]{8}):([0-9a-f]{8})")
_DIGEST = re.compile(r"[0-9a-f]{8}")
_EXCHANGES = re.compile(r"[^,:]+:[^,:]+(,[^,:]+:[^,:]+)*")
_FACTS = re.compile(r"[+-][0-9a-f]{8}(,[+-][0-9a-f]{8})*")
"""``+``: the first prompt states it. ``-``: it does not."""
_CONFLICT = re.compile(r"<{7}|={7}|>{7}|\|{7}")
_HINT = "take it from version control, or delete the file and accept a run with `mendbench gate --update`"


def entry_of(row: TrialRow) -> BaselineEntry:
    """Return the baseline entry of a trial, from its row."""
    key = TrialKey(
        case=row["case"], engine=row["engine"], repairer=row["repairer"], model=row["model"], strategy=row["strategy"],
        policy=row["policy"], detector=row["detector"], sample=row["sample"],
    )  # fmt: skip
    return BaselineEntry(
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
        context_tokens=row["attempts"][0]["context_tokens"] if row["attempts"] else None,
        facts=_facts_of(row),
        elapsed_ms=elapsed_ms(row),
    )


def elapsed_ms(row: TrialRow) -> int:
    """Return how long a trial took on the virtual clock: its executions and the recorded responses to its prompts."""
    executions = [row["first"], *(attempt["execution"] for attempt in row["attempts"])]
    ran = sum(execution["duration_ms"] for execution in executions if execution is not None)
    return int(ran + sum(attempt["elapsed_ms"] for attempt in row["attempts"]))


def fact_digest(fact: Json) -> str:
    """Return the digest by which a baseline names a fact, from the fact in a row."""
    return digest(fact, SHORT)


def responses_of(row: TrialRow) -> tuple[ResponseDigest, ...]:
    """Return the digests of a trial's attempts, from its row."""
    return tuple(_response(attempt) for attempt in row["attempts"])


def digests_of(run: JsonObject) -> Digests:
    """Return the digests that a run and a baseline must share to be comparable, from ``run.json``."""
    own = run.get("digests") or {}
    prices = own.get("prices") or {}
    return Digests(
        engine=_text_of(own.get("engine")),
        scorer=_text_of(own.get("scorer")),
        prices=tuple(sorted((name, digest(price)) for name, price in prices.items())),
    )


def baseline_of(stored: StoredRun, place: Path) -> Baseline:
    """Return the baseline of a run: its trials that have a verdict."""
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
    head += [("engine", own.engine), ("scorer", own.scorer), *(("price", name, stated) for name, stated in own.prices)]
    lines = [_INTRO, *("\t".join(map(_written, line)) for line in head), "\t".join(COLUMNS)]
    lines += ["\t".join(map(_written, _cells(entry))) for entry in in_order(baseline.entries)]
    return "".join(f"{line}\n" for line in lines)


def read_baseline(path: Path) -> Baseline:
    """Return the baseline in a file.

    Raises:
        BadInput: the file does not exist, or a line is invalid; names the line, the error and what to do.
    """
    lines = _lines(path)
    head: dict[str, str] = {}
    prices: dict[str, str] = {}
    entries: dict[str, tuple[int, BaselineEntry]] = {}
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
            raise BadInput(str(path), f"no line that states {name!r}", _HINT)
    if not columns:
        raise BadInput(str(path), "no line that names the columns", _HINT)
    digests = Digests(engine=head["engine"], scorer=head["scorer"], prices=tuple(sorted(prices.items())))
    own = in_order(entry for _, entry in entries.values())
    return Baseline(place=str(path), version=head["mendbench"], digests=digests, entries=own)


def is_baseline(path: Path) -> bool:
    """Return whether an existing file was meant as a baseline: it is empty, or has a first line of a baseline."""
    try:
        lines = path.read_bytes().decode("utf-8-sig", "replace").splitlines()
    except OSError:
        return False
    return not any(lines) or any(line == _INTRO or line.startswith("format\t") for line in lines)


def _response(attempt: AttemptRow) -> ResponseDigest:
    """Return the digests of an attempt.

    The prompt's is that of the model request, as misses and reports show it. Without a model request it is computed from the prompt.
    """
    model_request, sections = attempt["model_request"], [[one["text"], one["cut"]] for one in attempt["sections"]]
    prompt = model_request if model_request is not None else digest([attempt["system"], attempt["frame"], sections])
    return ResponseDigest(
        prompt=prompt[:SHORT] if _DIGEST.match(prompt) else digest(prompt, SHORT),
        response=digest([attempt["response"], attempt["reply"]], SHORT),
        asked=model_request is not None,
    )


def _facts_of(row: TrialRow) -> tuple[FactDigest, ...]:
    """Return the facts of a case by whether the first prompt states them, sorted: a change of one is a change of one sign."""
    if not row["attempts"]:
        return ()
    own = row["attempts"][0]["facts"]
    found = {
        fact_digest(fact): stated for facts, stated in ((own["missing"], False), (own["found"], True)) for fact in facts
    }
    return tuple(FactDigest(digest=one, stated=stated) for one, stated in sorted(found.items()))


def _text_of(value: Json) -> str:
    if value is None:
        return _ABSENT
    return value if isinstance(value, str) else digest(value)


def in_order(entries: Iterable[BaselineEntry]) -> tuple[BaselineEntry, ...]:
    """Return entries in the order of a baseline's lines, which is the order of a run's rows."""
    return tuple(sorted(entries, key=lambda entry: entry.trial.order()))


def _cells(entry: BaselineEntry) -> tuple[str, ...]:
    own = entry.trial
    responses = ",".join(f"{'' if one.asked else _UNASKED}{one.prompt}:{one.response}" for one in entry.responses)
    return (
        own.case, own.engine, own.repairer, own.model or _ABSENT, own.strategy, own.policy, own.detector or _ABSENT, str(own.sample),
        entry.case_digest, entry.kind, entry.verdict, entry.outcome or _ABSENT, entry.stop_reason, str(entry.attempts),
        _ABSENT if entry.wasted is None else str(entry.wasted), responses or _ABSENT, entry.exchanges or _ABSENT,
        _ABSENT if entry.context_tokens is None else str(entry.context_tokens),
        ",".join(f"{'+' if one.stated else '-'}{one.digest}" for one in entry.facts) or _ABSENT, str(entry.elapsed_ms),
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
    """Parse one header line."""
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


def _entry(place: str, columns: Sequence[str], cells: Sequence[str]) -> BaselineEntry:
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
    return BaselineEntry(
        key=trial_key(key), trial=key, case_digest=cell["case_digest"], kind=cell["kind"], verdict=cell["verdict"],
        outcome=_maybe(cell["outcome"]), stop_reason=cell["stop"], attempts=attempts,
        wasted=None if crashed else _count(place, "wasted", cell["wasted"]), responses=responses,
        exchanges=_exchanges(place, cell["exchanges"]),
        context_tokens=None if cell["context_tokens"] == _ABSENT else _count(place, "context_tokens", cell["context_tokens"]),
        facts=_facts(place, cell["facts"]), elapsed_ms=_count(place, "elapsed_ms", cell["elapsed_ms"]),
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


def _facts(place: str, cell: str) -> tuple[FactDigest, ...]:
    if cell == _ABSENT:
        return ()
    if _FACTS.fullmatch(cell) is None:
        raise BadInput(place, f"facts {cell[:40]!r}", f"+ or - and 8 hexadecimal digits are due for each; {_HINT}")
    return tuple(FactDigest(digest=one[1:], stated=one[0] == "+") for one in cell.split(","))


def _add(entries: dict[str, tuple[int, BaselineEntry]], entry: BaselineEntry, number: int, place: str) -> None:
    if entry.key in entries:
        raise BadInput(place, f"the trial of line {entries[entry.key][0]} again", "keep one of the two lines")
    entries[entry.key] = (number, entry)
