"""Prints the estimate of a recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict

from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.words import counted, duration
from mendbench.prompts.estimate import Estimate, ModelEstimate

NAMED = 3
"""Trials that are listed; ``--format json`` has all."""

_CENT = 0.01


def show_estimate(found: Estimate, output: Format) -> int:
    """Print the requests, time and cost of a recording, and what is unknown."""
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
        f"{counted(found.prompts, 'prompt', ',')} would be asked now, and at most {found.later_at_most} later; "
        f"{found.answered} answered already ({counted(found.trials, 'trial', ',')}, {counted(found.cases, 'case', ',')})"
    )
    for model in found.models:
        yield from estimate_lines(model)
    for what in found.unknown:
        yield f"not known: {what}"


def estimate_lines(estimate: ModelEstimate) -> Iterable[str]:
    """Yield the estimate for one model."""
    at_once = f", {estimate.at_once} at once" if estimate.at_once > 1 else ""
    yield f"{estimate.model}: {counted(estimate.prompts, 'prompt', ',')} now, at most {estimate.later_at_most} later{at_once}"
    if not estimate.prompts:
        return
    prompts = f"{estimate.prompt_tokens_by_length:,} by their length"
    if estimate.prompt_tokens is not None:
        prompts = f"{estimate.prompt_tokens:,} ({prompts}, as {counted(estimate.recorded, 'recorded response', ',')} indicate)"
    yield f"  tokens of prompts: about {prompts}"
    tokens, most = estimate.completion_tokens, estimate.completion_tokens_at_most
    yield f"  tokens of responses: {_about(tokens, '{:,}'.format)}{_if_known(', at most {}', most, '{:,}'.format)}"
    yield f"  cost: {_cost(estimate)}"
    yield f"  time: {_time(estimate)}"
    if estimate.unreachable is not None:
        yield f"  server: {estimate.unreachable}"


def _cost(estimate: ModelEstimate) -> str:
    if estimate.price == "unknown":
        return "not known"
    if estimate.price == "free":
        return "none (free)"
    most = _if_known(", at most {}", estimate.cost_usd_at_most, _dollars)
    later = (
        _if_known("; {} with all later ones", estimate.cost_usd_with_later, _dollars) if estimate.later_at_most else ""
    )
    return f"{_about(estimate.cost_usd, _dollars)}{most}{later} (price: {estimate.price})"


def _time(estimate: ModelEstimate) -> str:
    if estimate.seconds is None or estimate.median_ms is None:
        return "not known"
    later = (
        _if_known("; {} with all later ones", estimate.seconds_with_later, duration) if estimate.later_at_most else ""
    )
    median = f"median of recorded responses: {estimate.median_ms / 1000:.1f} s"
    return f"{_about(estimate.seconds, duration)}{later} ({median})"


def _about(value: float | None, shown: Callable[[float], str]) -> str:
    return "not known" if value is None else f"about {shown(value)}"


def _if_known(text: str, value: float | None, shown: Callable[[float], str]) -> str:
    return "" if value is None else text.format(shown(value))


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= _CENT or not amount else "less than $0.01"
