"""Prints what ``mendbench detectors`` finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from mendbench.api.detectors import Evaluation, Explanation
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.cli.words import counted
from mendbench.model.json import JsonObject
from mendbench.report.table_model import Table, columns
from mendbench.scoring.confusion import STATES, Rate
from mendbench.scoring.detector_scores import DetectorScore
from mendbench.scoring.statistics.exact import Interval

SHOWN = 12
"""Mistakes of the first detector that the terminal shows. JSON has all."""


def show_evaluation(found: Evaluation, output: Format) -> int:
    """Print the scores of detectors, and the worst mistakes of the first one."""
    if output is Format.json:
        write_json({"file": str(found.path), "detectors": [_score_json(score, found) for score in found.scores]})
        return Exit.DONE
    first = found.scores[0]
    rows = [
        (
            score.detector, _shown(score.accuracy), _shown(score.f1), _range(score.f1_interval), _shown(score.precision),
            _shown(score.recall), _counts(score.false_warnings), _counts(score.unnoticed), _counts(score.false_failures),
            *([str(found.tokens.get(score.detector, 0))] if found.tokens else []),
        )
        for score in found.scores
    ]  # fmt: skip
    numbers = (
        "accuracy",
        "warning\nF1",
        "95 %",
        "precision",
        "recall",
        "false\nwarnings",
        "unnoticed\nfailures",
        "successes\ncalled failures",
        *(["tokens /\nresponse"] if found.tokens else []),
    )
    tables = [Table(columns=columns("detector", numbers=numbers), rows=rows)]
    confusion = [(label, *(str(first.confusion[label][got]) for got in STATES)) for label in STATES]
    tables.append(
        Table(
            columns=columns("truth", numbers=STATES), rows=confusion, caption=f"{first.detector}: truth by given state"
        )
    )
    if first.mistakes:
        sources = {row.id: row for row in found.responses}
        mistakes = [
            (row.id, row.truth, row.got, "" if row.confidence is None else _shown(row.confidence), sources[row.id].why)
            for row in first.mistakes[:SHOWN]
        ]
        caption = f"{first.detector}: the worst of {len(first.mistakes)} mistakes"
        tables.append(
            Table(
                columns=columns("response", "truth", "given", "confidence", "why", wraps={"why"}),
                rows=mistakes,
                caption=caption,
            )
        )
    title = f"{first.n} responses of {first.services} services in {plain(str(found.path))}; intervals resample services"
    show_tables(tables, title)
    for model, unread in found.unread.items():
        if unread:
            write(f"{plain(model)}: {counted(unread, 'response')} without a readable state, counted as error\n")
    return Exit.DONE


def show_explanations(found: Sequence[Explanation], output: Format) -> int:
    """Print the evidence for each response."""
    if output is Format.json:
        write_json({"responses": [_explanation_json(one) for one in found]})
        return Exit.DONE
    for number, one in enumerate(found):
        judgement = one.judgement
        sure = "" if judgement.confidence is None else f" ({judgement.confidence:.0%} sure)"
        label = "" if one.response.truth is None else f"; labelled {one.response.truth}"
        write(f"{'' if number == 0 else chr(10)}{plain(one.response.id)}: {judgement.state}{sure}{label}\n")
        write(f"    {plain(one.noticed or 'no failure noticed')}\n")
        for piece in sorted(judgement.evidence, key=lambda piece: -abs(piece.weight)):
            write(f"    {piece.weight:+5.1f}  {plain(piece.path)}: {plain(piece.found)}\n")
    return Exit.DONE


def _score_json(score: DetectorScore, found: Evaluation) -> JsonObject:
    return {
        "detector": score.detector,
        "n": score.n,
        "services": score.services,
        "accuracy": score.accuracy,
        "accuracy_interval": _ends(score.accuracy_interval),
        "warning": {
            "precision": score.precision, "recall": score.recall, "f1": score.f1, "f1_interval": _ends(score.f1_interval),
        },
        "false_warnings": _rate_json(score.false_warnings),
        "unnoticed_failures": _rate_json(score.unnoticed),
        "successes_called_failures": _rate_json(score.false_failures),
        "confusion": {label: dict(counts) for label, counts in score.confusion.items()},
        "mistakes": [asdict(row) for row in score.mistakes],
        "tokens": found.tokens.get(score.detector, 0),
        "unread": found.unread.get(score.detector, 0),
    }  # fmt: skip


def _explanation_json(one: Explanation) -> JsonObject:
    return {
        "id": one.response.id,
        "service": one.response.service,
        "truth": one.response.truth,
        "noticed": one.noticed,
        "state": one.judgement.state,
        "message": one.judgement.message,
        "confidence": one.judgement.confidence,
        "evidence": [asdict(piece) for piece in one.judgement.evidence],
    }


def _rate_json(rate: Rate) -> JsonObject:
    return {"count": rate.part, "of": rate.n, "rate": rate.value}


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _range(interval: Interval | None) -> str:
    return "-" if interval is None else f"{interval.low:.2f} to {interval.high:.2f}"


def _counts(rate: Rate) -> str:
    return f"{rate.part} of {rate.n}"
