"""Prints a try of a strategy: a line for each case, and the result on one screen."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from mendbench.cli.estimate_view import estimate_lines
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.words import counted, duration

if TYPE_CHECKING:
    from mendbench.api.trying import CasePair, Ended, Standing, TryBudget

LOOKED_AT = 3
"""Trials that the result names."""

_PERCENT, _MINUTE = 100, 60

_ENDED: dict[Ended, str] = {
    "clear": "the difference is clear",
    "budget": "the budget is spent",
    "no more groups": "every group of cases was used",
    "interrupted": "interrupted",
}


def say_no_verdict(command: str) -> None:
    """Say that prompts alone are no verdict, and how to get one."""
    say(f"this compares prompts, and is no verdict; ask a model: {command} --model NAME --budget 5min")


def show_try(standings: Generator[Standing, None, None], output: Format) -> int:
    """Print each standing as it comes, and then the result."""
    last: Standing | None = None
    try:
        for standing in standings:
            for line in _begun(standing) if last is None else _added(standing, last):
                say(line)
            last = standing
    except KeyboardInterrupt:
        standings.close()
        if last is None or not last.pairs:
            raise
        last = replace(last, ended="interrupted")
    if last is None:
        raise AssertionError
    if output is Format.json:
        write_json(_document(last))
    else:
        write("".join(f"{plain(line)}\n" for line in _result(last)))
    return Exit.DONE


def _begun(standing: Standing) -> Iterator[str]:
    """Yield what the try may do."""
    if standing.estimate is None:
        yield f"{counted(standing.groups, 'case')}, all recorded: no request will be sent"
        return
    yield f"{counted(standing.groups, 'case')}, or fewer if the difference is clear before, or {_amount(standing.budget)}"
    yield from estimate_lines(standing.estimate)


def _added(standing: Standing, before: Standing) -> Iterator[str]:
    """Yield what one case added; nothing if it was recorded."""
    if len(standing.skipped) > len(before.skipped):
        case, why = standing.skipped[-1]
        yield f"{case}: skipped, {why}"
    elif standing.spent.prompts > before.spent.prompts:
        left = standing.left
        more = "" if left is None else f"; {_left(standing)} left, enough for about {left:.0f} more"
        yield (
            f"{len(standing.pairs)}. {standing.pairs[-1].case}: {_outcome(standing.pairs[-1])}; won {len(standing.won)} : lost "
            f"{len(standing.lost)}; {counted(standing.spent.prompts, 'prompt')}, {standing.spent.tokens:,} tokens, "
            f"{duration(standing.spent.seconds)}{more}"
        )


def _left(standing: Standing) -> str:
    """Return what is left of the budget."""
    budget = standing.budget
    amount = max(0.0, budget.amount - standing.spent.of(budget.unit))
    if budget.unit == "seconds":
        return duration(amount)
    return f"${amount:.2f}" if budget.unit == "usd" else counted(round(amount), "prompt")


def _outcome(pair: CasePair) -> str:
    if pair.own == pair.other:
        return "both right" if pair.own else "neither right"
    return "won" if pair.own else "lost"


def _result(standing: Standing) -> Iterator[str]:
    own, other, cases = standing.strategy, standing.against, len(standing.pairs)
    yield f"{own} against {other}, by the first responses of {standing.model}: {_ENDED[standing.ended or 'interrupted']}"
    yield ""
    yield f"won {len(standing.won)} : lost {len(standing.lost)} of {counted(cases, 'case')} ({counted(standing.groups, 'group')} in all)"
    if cases:
        right = sum(pair.own for pair in standing.pairs), sum(pair.other for pair in standing.pairs)
        yield f"right: {right[0]} with {own}, {right[1]} with {other}"
        low, high = (f"{round(_PERCENT * end):+d}".replace("+0", "0") for end in standing.interval)
        yield f"difference: between {low} and {high} points (95 %, valid whenever you stop)"
    yield _verdict(standing)
    spent = standing.spent
    cost = f", ${spent.usd:.2f}" if spent.usd else ""
    yield f"spent: {counted(spent.prompts, 'prompt')}, {spent.tokens:,} tokens{cost}, {duration(spent.seconds)}"
    if standing.earlier.tries:
        before = standing.earlier
        yield (
            f"earlier tries of this pair: {before.tries} (won {before.won} : lost {before.lost}); "
            "of twenty tries without a difference, one may show a difference by chance"
        )
    if standing.skipped:
        yield f"skipped without a verdict: {', '.join(case for case, _ in standing.skipped[:LOOKED_AT])} ({len(standing.skipped)})"
    yield ""
    yield "look at:"
    for case in _worth_a_look(standing):
        yield f"  {shlex.join(['mendbench', 'strategy', 'diff', other, own, case])}"
    yield f"more: {_next(standing)}"


def _verdict(standing: Standing) -> str:
    low, high = standing.interval
    if low > 0:
        return f"{standing.strategy} repairs more"
    if high < 0:
        return f"{standing.against} repairs more"
    if standing.ended == "no more groups":
        return "no clear difference: there are too few cases"
    return "no clear difference: the budget is too small"


def _next(standing: Standing) -> str:
    """Return the command for more: the same with twice the budget, or three responses to each case."""
    own, other, model = standing.strategy, standing.against, standing.model
    if standing.ended in {"budget", "interrupted"}:
        return shlex.join(
            ["mendbench", "try", own, "--against", other, "--model", model, "--budget", _twice(standing.budget)]
        )
    asks = ["--policy", "naive", "--model", model, "--part", "train", "--record", "new_episodes"]
    return shlex.join(["mendbench", "run", "--strategy", own, "--strategy", other, *asks])


def _worth_a_look(standing: Standing) -> list[str]:
    """Return cases to look at: first those that were lost, then won, then those that neither repairs."""
    neither = [pair.case for pair in standing.pairs if not pair.own and not pair.other]
    return [
        *standing.lost,
        *standing.won,
        *neither,
        *(pair.case for pair in standing.pairs if pair.own and pair.other),
    ][:LOOKED_AT]


def _amount(budget: TryBudget) -> str:
    if budget.unit == "seconds":
        return f"{duration(budget.amount)} have passed"
    return f"{budget.amount:g} {'dollars' if budget.unit == 'usd' else 'prompts'} are spent"


def _twice(budget: TryBudget) -> str:
    doubled = 2 * budget.amount
    if budget.unit == "seconds":
        return f"{doubled / _MINUTE:g}min"
    return f"{doubled:g}{budget.unit}"


def _document(standing: Standing) -> dict[str, object]:
    return {
        **asdict(standing), "won": list(standing.won), "lost": list(standing.lost), "interval": list(standing.interval),
    }  # fmt: skip
