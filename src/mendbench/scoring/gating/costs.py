"""What a trial costs more than in the baseline: facts missing from its first prompt, tokens, and time.

The first prompt follows from the case and the strategy alone, so its facts and tokens are compared whatever was responded.
"""

from __future__ import annotations

from collections.abc import Iterator

from mendbench.scoring.gating.result import BaselineEntry, Change, Level, Regime, Rules


def cost_changes(
    then: BaselineEntry, now: BaselineEntry, rules: Rules, regime: Regime
) -> Iterator[tuple[Change, Level]]:
    """Yield what a trial of one case costs more than before, and what that does to the gate.

    The times of a trial with other responses are not compared: how long a response takes is chance.
    """
    if then.context_tokens is not None and now.context_tokens is not None:
        if len(now.stated) < len(then.stated):
            yield "facts", rules.fewer_facts
        if _rose(then.context_tokens, now.context_tokens, rules.token_tolerance):
            yield "tokens", rules.more_tokens
    ended = {then.verdict, now.verdict}.isdisjoint({"crashed", "unjudged"})
    if ended and regime == "exact" and _rose(then.elapsed_ms, now.elapsed_ms, rules.time_tolerance):
        yield "slower", rules.slower


def _rose(before: int, after: int, tolerance: float) -> bool:
    return after - before > tolerance * before
