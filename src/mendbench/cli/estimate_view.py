"""What the terminal shows of a recording that has not begun."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.prompts.estimate import Estimate, ModelEstimate

NAMED = 3
"""Trials that are named one by one; ``--format json`` names all."""

_MINUTE, _HOUR = 60, 3600
_CENT = 0.01


def show_estimate(found: Estimate, output: Format) -> int:
    """Print what would be asked, what it takes and costs, and what is not known."""
    if output is Format.json:
        write_json({**asdict(found), "later_at_most": found.later_at_most})
        return Exit.DONE
    write("".join(f"{plain(line)}\n" for line in _lines(found)))
    for name, why in found.stopped[:NAMED]:
        say(f"stopped: {name}: {why}")
    if len(found.stopped) > NAMED:
        say(f"stopped: {len(found.stopped) - NAMED} more trials; --format json names them")
    return Exit.DONE


def _lines(found: Estimate) -> Iterable[str]:
    yield (
        f"{_many(found.prompts, 'prompt')} would be asked now, and at most {found.later_at_most} later; "
        f"{found.answered} answered already ({_many(found.trials, 'trial')}, {_many(found.cases, 'case')})"
    )
    for one in found.models:
        yield from _model_lines(one)
    for what in found.unknown:
        yield f"not known: {what}"


def _model_lines(one: ModelEstimate) -> Iterable[str]:
    at_once = f", {one.at_once} at once" if one.at_once > 1 else ""
    yield f"{one.model}: {_many(one.prompts, 'prompt')} now, at most {one.later_at_most} later{at_once}"
    if not one.prompts:
        return
    by_length = f"{one.prompt_tokens_by_length:,} by their length"
    sent = (
        by_length
        if one.prompt_tokens is None
        else f"{one.prompt_tokens:,} ({by_length}, as {_many(one.recorded, 'recorded response')} tell)"
    )
    yield f"  tokens of prompts: about {sent}"
    got = "not known" if one.completion_tokens is None else f"about {one.completion_tokens:,}"
    most = "" if one.completion_tokens_at_most is None else f", at most {one.completion_tokens_at_most:,}"
    yield f"  tokens of responses: {got}{most}"
    yield f"  cost: {_cost(one)}"
    yield f"  time: {_time(one)}"


def _cost(one: ModelEstimate) -> str:
    if one.price == "unknown":
        return "not known"
    if one.price == "free":
        return "none (free)"
    about = "not known" if one.cost_usd is None else f"about {_dollars(one.cost_usd)}"
    most = "" if one.cost_usd_at_most is None else f", at most {_dollars(one.cost_usd_at_most)}"
    later = (
        ""
        if not one.later_at_most or one.cost_usd_with_later is None
        else f"; {_dollars(one.cost_usd_with_later)} with all later ones"
    )
    return f"{about}{most}{later} (price: {one.price})"


def _time(one: ModelEstimate) -> str:
    if one.seconds is None or one.median_ms is None:
        return "not known"
    later = (
        ""
        if not one.later_at_most or one.seconds_with_later is None
        else f"; {_span(one.seconds_with_later)} with all later ones"
    )
    return f"about {_span(one.seconds)}{later} (median of recorded responses: {one.median_ms / 1000:.1f} s)"


def _span(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds // _HOUR:.0f} h {seconds % _HOUR / _MINUTE:.0f} min"


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= _CENT or not amount else "less than $0.01"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
