"""Prints the use of attempts and the cost of wrong warnings. Figures are counts, not rates, and each is shown with its n."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from mendbench.cli.output import say
from mendbench.cli.tables import show_tables
from mendbench.cli.words import NOTHING, decimals, number, span
from mendbench.model.json import Json, JsonObject
from mendbench.report.table_model import Table, columns

_STOP = "stop"
"""Marks the best stopping point; with a question mark if trials without a verdict could move it."""

_WASTED = ("futile", "fruitless")

_Row: TypeAlias = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A policy, the other texts that identify the row, and its figures."""


def show_forensics(forensics: JsonObject, warnings: JsonObject) -> None:
    """Print the documents of :mod:`mendbench.scoring.forensics.attempt_use` and :mod:`mendbench.scoring.forensics.warning_cost`.

    Policies with the same figures share a row. A narrow terminal omits the last columns. Standard error gets a message for
    what is unknown and for each case whose trials disagree on the first execution.
    """
    lines, detectors = forensics["strategies"], warnings["detectors"]
    tables: list[Table] = []
    for head, own in _grouped(lines, ("part", "engine", "repairer", "model")):
        compared = [line for line in own if line["curve"] is not None]
        if compared:
            tables += [
                _labels(head, compared),
                _curves(head, compared),
                *_policies(head, compared),
                *_lost(head, compared),
            ]
    for head, own in _grouped(detectors, ("part", "engine")):
        tables += [_matrix(head, own, warnings["states"]), _rates(head, own), *_mistakes(head, own)]
        tables += [_prices(f"{head}, {solver}", prices) for solver, prices in _priced(own)]
    show_tables(tables, "Counts of one pass over the cases" if tables else "No trials")
    _say_unknown(lines, detectors, warnings["reference"])


def _say_unknown(lines: Sequence[JsonObject], detectors: Sequence[JsonObject], reference: str) -> None:
    alone = sorted({_solver(line) for line in lines if line["curve"] is None})
    if alone:
        say(f"not run under {reference}, so that there is nothing to compare with: {', '.join(alone)}")
    reasons: Counter[str] = Counter()
    for line in lines:
        for one in line["policies"] if line["curve"] is not None else ():
            reasons.update({why["reason"]: why["trials"] for why in one["unknown"]})
    for reason, trials in sorted(reasons.items()):
        say(f"not compared with {reference}: {trials} trials {reason}")
    for one in detectors:
        if one["not_executed"]:
            say(f"no first execution is known under detector {_detector(one)}: {', '.join(one['not_executed'])}")
        for fault in one["disagreements"]:
            say(f"fault of the run: {fault['case']}: node {fault['node']}: {fault['says']}")


def _labels(head: str, lines: Sequence[JsonObject]) -> Table:
    names = [label["label"] for label in lines[0]["labels"]]
    rows = []
    for line in lines:
        counts = [label["n"] for label in line["labels"]]
        repeats = sum(label["repeats"] for label in line["labels"])
        rows.append((line["strategy"], *(number(count) for count in (sum(counts), *counts, repeats))))
    return _table(f"Where attempts go under naive: {head}", ("strategy",), ("attempts", *names, "repeats"), rows)


def _curves(head: str, lines: Sequence[JsonObject]) -> Table:
    numbers = (
        "limit", "right", "gain", "lost", "best", "attempts", "else-\nwhere", "wasted", "attempts\n/repair", "attempts\nsaved",
        "tokens\n/repair", "USD\n/repair",
    )  # fmt: skip
    rows = []
    for line in lines:
        own = line["curve"]
        figures = [_step_cells(step, own["stopping"]) for step in own["steps"]]
        figures = figures or [(NOTHING, f"{NOTHING}/{own['n']}", *[NOTHING] * (len(numbers) - 2))]
        rows += [(line["strategy"] if at == 0 else "", *cells) for at, cells in enumerate(figures)]
    return _table(f"What a limit of so many attempts means under naive: {head}", ("strategy",), numbers, rows)


def _step_cells(step: JsonObject, stopping: JsonObject) -> tuple[str, ...]:
    return (
        str(step["number"]),
        f"{span(step['right'], step['most'])}/{step['n']}",
        *(number(step[name]) for name in ("gain", "lost")),
        _best(stopping, step["number"]),
        *(number(step[name]) for name in ("attempts", "elsewhere", "wasted", "attempts_per_repair")),
        number(step["saved"]["attempts"]),
        decimals(step["tokens_per_repair"], 0),
        _usd(step["usd_per_repair"]),
    )


def _best(stopping: JsonObject, number: int) -> str:
    if stopping["at"] != number:
        return ""
    return _STOP if stopping["settled"] else f"{_STOP}?"


def _policies(head: str, lines: Sequence[JsonObject]) -> Iterator[Table]:
    numbers = (
        "cases", "right", "lost", "gained", "saved", *_WASTED, "saved\n/lost", "not\nknown", "tokens\nsaved", "USD\nsaved",
    )  # fmt: skip
    rows = []
    for line in lines:
        own = [(one["policy"], (line["strategy"],), _policy_cells(one)) for one in line["policies"]]
        rows += [(strategy, policies, *cells) for (strategy,), policies, cells in _shared(own)]
    if rows:
        texts = ("strategy", "policy", "lost by")
        yield _table(f"What stopping early lost and saved, against naive: {head}", texts, numbers, rows)


def _policy_cells(one: JsonObject) -> tuple[str, ...]:
    return (
        ", ".join(f"{why['stop_reason']} {number(why['n'])}" for why in one["lost_by"]),
        str(one["n"]),
        f"{number(one['repairs'])}/{one['with_edit_fault']}",
        number(one["lost"] + one["lost_otherwise"]),
        number(one["gained"]),
        number(one["saved"]["attempts"]),
        *(number(one["prevented"][label]) for label in _WASTED),
        number(one["attempts_saved_per_lost"]),
        number(sum(why["trials"] for why in one["unknown"])),
        *_tokens_and_usd(one["saved"]),
    )


def _lost(head: str, lines: Sequence[JsonObject]) -> Iterator[Table]:
    """Yield the cases whose repair a policy lost or gained."""
    rows = []
    for line in lines:
        own = [
            (
                one["policy"],
                (line["strategy"],),
                tuple(", ".join(one[side]) for side in ("lost_cases", "gained_cases")),
            )
            for one in line["policies"]
        ]
        rows += [(strategy, policies, *cells) for (strategy,), policies, cells in _shared(own) if any(cells)]
    if rows:
        yield _table(f"Which repairs: {head}", ("strategy", "policy", "lost", "gained"), (), rows)


def _matrix(head: str, detectors: Sequence[JsonObject], states: Sequence[str]) -> Table:
    rows = [
        (_detector(one) if at == 0 else "", state, *(str(count) for count in counts))
        for one in detectors
        for at, (state, counts) in enumerate(zip(states, one["matrix"]["cells"], strict=True))
    ]
    numbers = [f"taken for\n{state}" for state in states]
    return _table(f"Nodes of the first execution: {head}", ("detector", "labelled"), numbers, rows)


def _rates(head: str, detectors: Sequence[JsonObject]) -> Table:
    names = [rate["name"] for rate in detectors[0]["matrix"]["rates"]]
    numbers = ("cases", "nodes", *(name.replace("_rate", "").replace("_", "\n") for name in names))
    rows = []
    for one in detectors:
        kinds = [(_detector(one), one["matrix"])]
        if one["matrix_without_adversarial"] is not None:
            kinds.append((f"{_detector(one)}, without cases chosen against it", one["matrix_without_adversarial"]))
        for name, matrix in kinds:
            rates = [f"{rate['part']}/{rate['n']}" if rate["n"] else NOTHING for rate in matrix["rates"]]
            rows.append((name, str(matrix["cases"]), str(matrix["n"]), *rates))
    return _table(f"Warning accuracy: {head}", ("detector",), numbers, rows)


def _mistakes(head: str, detectors: Sequence[JsonObject]) -> Iterator[Table]:
    """Yield the nodes that detectors classified wrongly. Without a detector every warning is wrong; these nodes are not listed."""
    rows = [
        (_detector(one) if at == 0 else "", *(wrong[name] for name in ("case", "node", "expected", "got")))
        for one in detectors
        if one["detector"] is not None
        for at, wrong in enumerate(one["mistakes"])
    ]
    if rows:
        yield _table(f"Mistaken nodes: {head}", ("detector", "case", "node", "labelled", "taken for"), (), rows)


def _priced(detectors: Sequence[JsonObject]) -> Iterator[tuple[str, list[_Row]]]:
    """Yield the prices of each model, then those of all repairers without a model."""
    each = [(one, price) for one in detectors for price in one["prices"] if not price["without_adversarial"]]
    for model in sorted({price["model"] or "" for _, price in each}, key=lambda model: (not model, model)):
        rows: list[_Row] = [
            (price["policy"], (_detector(one), _strategy(price)), _price_cells(price))
            for one, price in each
            if (price["model"] or "") == model
        ]
        yield model or "repairers that ask no model", rows


def _strategy(price: JsonObject) -> str:
    return str(price["strategy"]) if price["model"] else f"{price['repairer']}, {price['strategy']}"


def _prices(head: str, prices: Sequence[_Row]) -> Table:
    numbers = (
        "false", "edit\nwas due", "repairs\nlost", "right\nlost", "nothing\nlost", "not\nknown", "attempts\nsaved", "missed",
        "futile\nattempts", "no\nverdict", "tokens\nwasted", "USD\nwasted",
    )  # fmt: skip
    rows = [(*texts, policies, *cells) for texts, policies, cells in _shared(prices)]
    return _table(f"What wrong warnings cost: {head}", ("detector", "strategy", "policy"), numbers, rows)


def _price_cells(price: JsonObject) -> tuple[str, ...]:
    false, missed = price["false"], price["missed"]
    names = ("n", "with_edit_fault", "repairs_lost", "right_lost", "nothing_lost", "unknown")
    return (
        *(number(false[name]) for name in names),
        number(false["saved"]["attempts"]),
        number(missed["n"]),
        number(missed["wasted"]["attempts"]),
        str(price["unjudged"] + price["crashed"]),
        *_tokens_and_usd(missed["wasted"]),
    )


def _shared(rows: Iterable[_Row]) -> list[tuple[tuple[str, ...], str, tuple[str, ...]]]:
    """Merge rows that differ only in the policy into one that names all policies."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for policy, texts, cells in rows:
        found.setdefault((texts, cells), []).append(policy)
    return [(texts, ", ".join(policies), cells) for (texts, cells), policies in found.items()]


def _table(caption: str, texts: Sequence[str], numbers: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """Return a table whose numbers a narrow terminal may omit."""
    shape = columns(*texts, wraps=texts, numbers=numbers)
    return Table(columns=shape, rows=rows, caption=caption, optional=len(numbers))


def _grouped(lines: Sequence[JsonObject], names: Sequence[str]) -> list[tuple[str, list[JsonObject]]]:
    """Return the lines grouped by ``names``, each group with its heading."""
    groups: dict[tuple[Json, ...], list[JsonObject]] = {}
    for line in lines:
        groups.setdefault(tuple(line[name] for name in names), []).append(line)
    engines = len({line["engine"] for line in lines}) > 1
    return [(_head(own[0], engines=engines), own) for own in groups.values()]


def _head(line: JsonObject, *, engines: bool) -> str:
    parts = [f"{line['part']} part" if line["part"] else "cases in no part"]
    parts += [line["engine"]] if engines else []
    parts += [_solver(line)] if "repairer" in line else []
    return ", ".join(parts)


def _solver(line: JsonObject) -> str:
    return str(line["model"] or line["repairer"])


def _detector(line: JsonObject) -> str:
    return str(line["detector"] or "none")


def _tokens_and_usd(spent: JsonObject) -> tuple[str, str]:
    """Return the known amounts; ``+`` means that an unknown amount was spent in addition."""
    sums = (spent["prompt_tokens"], spent["completion_tokens"])
    tokens = NOTHING if None in sums else decimals(sum(sums), 0) + ("+" if spent["tokens_unknown"] else "")
    usd = spent["cost_usd"]
    return tokens, NOTHING if usd is None else _usd(usd) + ("+" if spent["cost_unknown"] else "")


def _usd(value: float | None) -> str:
    return decimals(value, 4) if value != 0 else "0"
