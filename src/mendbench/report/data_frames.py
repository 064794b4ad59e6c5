"""A run as flat tables for analysts: pandas data frames, and the CSV and Parquet files made of them.

A table has one row per trial, per attempt, per node of an execution, or per score of a treatment. Values that depend on the time of the run
are left out, so two replays of one commit give the same tables: ``elapsed_ms`` is time on the virtual clock.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args, get_origin

from mendbench.errors import BadInput
from mendbench.model.field_types import FieldType, Mark, field_types
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial_row import AttemptRow, BatchRow, NodeRow, TrialRow
from mendbench.report.scores import score_lines
from mendbench.results.baseline import elapsed_ms
from mendbench.results.store import StoredRun
from mendbench.scoring.scores import score
from mendbench.trial.long_texts import whole

if TYPE_CHECKING:
    import pandas as pd

Dtype: TypeAlias = Literal["string", "category", "Int64", "Float64", "boolean"]
"""All are nullable: an unknown value is missing, never 0 or false."""

Columns: TypeAlias = Mapping[str, Dtype]

_DTYPES: Mapping[Any, Dtype] = {bool: "boolean", int: "Int64", float: "Float64", str: "string"}


def _columns(definition: type) -> dict[str, Dtype]:
    """Return the fields of one of a row's objects that are columns: all but lists and objects, with their types."""
    found = {
        name: _dtype(field) for name, field in field_types(definition).items() if Mark.NO_COLUMN not in field.notes
    }
    return {name: dtype for name, dtype in found.items() if dtype is not None}


def _dtype(field: FieldType) -> Dtype | None:
    listed = get_args(field.kind) if get_origin(field.kind) is Literal else ()
    kind = type(listed[0]) if listed else field.kind
    if Mark.CATEGORY in field.notes or (listed and kind is str):
        return "category"
    return "string" if Mark.LONG in field.notes else _DTYPES.get(kind)


_TRIAL = _columns(TrialRow)
_TREATMENT = {name: _TRIAL[name] for name in ("engine", "repairer", "model", "strategy", "policy", "detector")}
_WHICH = {**{name: _TRIAL[name] for name in ("key", "case", "kind", "part")}, **_TREATMENT, "sample": _TRIAL["sample"]}
"""The first columns of every row of a trial."""

TABLES: Mapping[str, Columns] = MappingProxyType({
    "trials": {
        **_WHICH, **_TRIAL, "attempts": "Int64", "repeated_side_effects": "Int64", "collateral_edits": "Int64",
        "edits": "string", "requests": "Int64", "checks_failed": "Int64", "elapsed_ms": "Int64", "problem": "string",
    },
    "attempts": {
        **_WHICH, **_columns(AttemptRow), **_WHICH, "outcome": "category", "facts_found": "Int64", "facts_missing": "Int64",
        "edits": "string", "batch": "string", "batch_position": "Int64", "batch_size": "Int64",
    },
    "nodes": {**_WHICH, "execution": "Int64", **_columns(NodeRow), "expected": "category", "elapsed_ms": "Int64"},
    "scores": {
        "part": "category", **_TREATMENT, "score": "category", "title": "category", "unit": "category", "better": "category",
        "numerator": "Float64", "denominator": "Float64", "value": "Float64", "low": "Float64", "high": "Float64",
        "lower_bound": "Float64", "upper_bound": "Float64", "cases": "Int64", "method": "string",
    },
})  # fmt: skip
"""The tables, and the columns of each with their types."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")  # noqa: RUF001 - spreadsheets take the wide ones too
"""Prefixes of cells that a spreadsheet may execute (OWASP, "CSV Injection")."""

_CONTROLS = {
    code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(0x7F, 0xA0)) if chr(code) not in "\t\n\r"
}
"""Replacements for control characters, which could affect a terminal that prints the CSV file."""

_GUARD = "'"


def data_frame(run: StoredRun, table: str) -> pd.DataFrame:
    """Return one of the :data:`TABLES` of a run as a data frame. Texts are complete and unchanged."""
    import pandas as pd  # noqa: PLC0415 - replay does not pay for it

    rows = list(_ROWS[table](run))
    return pd.DataFrame({name: _column([row[name] for row in rows], kind) for name, kind in TABLES[table].items()})


def _column(values: Sequence[Json], kind: Dtype) -> pd.Series[Any]:
    """Return a column. Categories are texts even if no value is known; otherwise Parquet would store them as numbers."""
    import pandas as pd  # noqa: PLC0415 - as in frame

    if kind != "category":
        return pd.Series(values, dtype=kind)
    known = pd.array(sorted({value for value in values if value is not None}), dtype="str")
    return pd.Series(pd.Categorical(values, categories=known))


def data_frames(run: StoredRun) -> dict[str, pd.DataFrame]:
    """Return all tables of a run by their names: trials, attempts, nodes and scores."""
    return {table: data_frame(run, table) for table in TABLES}


def csv_files(run: StoredRun) -> dict[str, bytes]:
    """Return the tables as CSV (RFC 4180, UTF-8), by the names of their files.

    Some texts come from models, APIs and files, and a spreadsheet executes text that begins like a formula. Such a text, or one that
    begins with an apostrophe, gets an apostrophe as a prefix; other readers of the file remove it. Numbers are unchanged.
    """
    return {f"{table}.csv": _csv(found) for table, found in data_frames(run).items()}


def parquet_files(run: StoredRun) -> dict[str, bytes]:
    """Return the tables as Parquet, by the names of their files. Texts are unchanged.

    Raises:
        BadInput: pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        hint = "install it with `pip install 'mendbench[parquet]'`, or write CSV"
        raise BadInput("Parquet", "pyarrow is not installed", hint)
    return {f"{table}.parquet": _parquet(found) for table, found in data_frames(run).items()}


def guarded(text: str) -> str:
    """Return ``text`` so that no spreadsheet evaluates it as a formula and no terminal interprets it as a control sequence."""
    text = text.translate(_CONTROLS)
    return _GUARD + text if text.startswith((*_FORMULA, _GUARD)) else text


def _csv(table: pd.DataFrame) -> bytes:
    safe = table.copy()
    for name in table.columns:
        if str(table[name].dtype) in {"string", "category"}:
            safe[name] = table[name].astype("string").map(guarded, na_action="ignore")
    return bytes(safe.to_csv(index=False, lineterminator="\r\n").encode("utf-8", "replace"))


def _parquet(table: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    table.to_parquet(out, engine="pyarrow", index=False)
    return out.getvalue()


def _trials(run: StoredRun) -> Iterator[JsonObject]:
    for row in run.rows:
        problem = whole(row["problem"], run.texts) or {}
        yield {
            **whole({name: row.get(name) for name in _TRIAL}, run.texts),
            "attempts": len(row["attempts"]),
            "repeated_side_effects": len(row["repeated_side_effects"]),
            "collateral_edits": len(row["collateral_edits"]),
            "edits": _listed(whole(row["edits"], run.texts)),
            "requests": len(row["requests"]),
            "checks_failed": sum(not check["held"] for check in row["checks"]),
            "elapsed_ms": elapsed_ms(row),
            "problem": problem.get("message"),
        }


def _attempts(run: StoredRun) -> Iterator[JsonObject]:
    for row in run.rows:
        for attempt in row["attempts"]:
            yield {
                **whole({name: attempt.get(name) for name in TABLES["attempts"]}, run.texts),
                **_which(row),
                "edits": _listed(whole(attempt["edits"], run.texts)),
                "outcome": attempt["execution"]["outcome"] if attempt["execution"] else None,
                "facts_found": len(attempt["facts"]["found"]),
                "facts_missing": len(attempt["facts"]["missing"]),
                **_batch(attempt["batch"]),
            }


def _batch(batch: BatchRow | None) -> JsonObject:
    return {
        "batch": batch and batch["name"],
        "batch_position": batch and batch["position"],
        "batch_size": batch and batch["size"],
    }


def _nodes(run: StoredRun) -> Iterator[JsonObject]:
    for row in run.rows:
        executions = [(0, row["first"]), *((attempt["number"], attempt["execution"]) for attempt in row["attempts"])]
        for number, execution in executions:
            for node in whole(execution["nodes"] if execution else [], run.texts):
                label = row["nodes"].get(node["node"]) if number == 0 else None
                yield {
                    **{name: node.get(name) for name in TABLES["nodes"]},
                    **_which(row),
                    "execution": number,
                    "expected": label["expected"] if label else None,
                    "elapsed_ms": node["ms"],
                }


def _scores(run: StoredRun) -> Iterator[JsonObject]:
    for line in score_lines(run.records):
        own, measured = score(line.score), line.measure
        interval, bounds = measured.interval, measured.bounds
        yield {
            **{name: getattr(line.treatment, name) for name in _TREATMENT},
            "part": line.part, "score": line.score, "title": own.title, "unit": own.unit, "better": own.better,
            "numerator": measured.numerator, "denominator": measured.denominator, "value": measured.value,
            "low": interval.low if interval else None, "high": interval.high if interval else None,
            "lower_bound": bounds.low if bounds else measured.value, "upper_bound": bounds.high if bounds else measured.value,
            "cases": measured.cases, "method": measured.method,
        }  # fmt: skip


_ROWS: Mapping[str, Callable[[StoredRun], Iterable[JsonObject]]] = MappingProxyType(
    {"trials": _trials, "attempts": _attempts, "nodes": _nodes, "scores": _scores}
)


def _which(row: TrialRow) -> JsonObject:
    return {name: row.get(name) for name in _WHICH}


def _listed(items: Sequence[Json]) -> str | None:
    """Return the items, one per line; None if there are none."""
    return "\n".join(str(item) for item in items) or None
