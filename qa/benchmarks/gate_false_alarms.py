"""How often the gate fails, or is inconclusive, where responses were recorded again: by simulation.

    python qa/benchmarks/gate_false_alarms.py [DRAWS]

A case comes out right with a chance of its own, drawn again on both sides. Cases of one group share half of their luck, and four trials of
a case, under as many policies, share their responses, as they do in a run. Of what comes out wrong a tenth does harm. Prints the table of
docs/gate.md.
"""

from __future__ import annotations

import random
import sys
from dataclasses import replace

from mendbench.model.trial import TrialKey
from mendbench.scoring.chance import ResponseDigest
from mendbench.scoring.gating.resampled import Pair, shifts
from mendbench.scoring.gating.result import BaselineEntry, Rules

POLICIES = ("naive", "loop", "warn", "two-layer")
A_GROUP = 2
"""Cases of one group."""
HARMS = 0.1
"""Share of what comes out wrong that does harm."""
RULES = Rules()


def entry(case: int, arm: int, policy: str, *, edits: bool) -> BaselineEntry:
    """Return one trial that was answered, and came out right."""
    trial = TrialKey(case=f"case-{case:04d}", strategy=f"strategy-{arm}", policy=policy, repairer="chat", model="m")
    return BaselineEntry(
        key=f"{trial.case} {trial.strategy} {policy}",
        trial=trial,
        case_digest="",
        kind="repairable" if edits else "control",
        verdict="correct",
        outcome="repaired",
        stop_reason="succeeded",
        attempts=1,
        wasted=0,
        responses=(ResponseDigest(prompt="", response="", asked=True),),
        exchanges="",
        context_tokens=None,
        facts=(),
        elapsed_ms=0,
    )


def wrong(one: BaselineEntry, *, harm: bool) -> BaselineEntry:
    """Return a trial as it is if it comes out wrong."""
    return replace(one, verdict="incorrect", outcome="harmful" if harm else "unrepaired")


def simulated(source: random.Random, cases: int, arms: int, repeatability: float, loss: float) -> tuple[bool, bool]:
    """Return whether one comparison is worse beyond noise, and else whether it is inconclusive.

    ``noise`` is the share of cases that come out otherwise by chance. ``loss`` of the cases are lost by the change besides, under the
    first strategy.
    """
    pairs: list[Pair] = []
    for arm in range(arms):
        lucky: dict[int, tuple[float, float]] = {}
        for case in range(cases):
            shared = lucky.setdefault(case // A_GROUP, (source.random(), source.random()))
            draws = [own if source.random() < 0.5 else source.random() for own in shared]  # noqa: PLR2004 - half of it
            moving = source.random() < 2 * repeatability
            settled = source.random() < 0.5  # noqa: PLR2004 - as many right as wrong
            before, after = [draw < 0.5 if moving else settled for draw in draws]  # noqa: PLR2004 - a fair coin
            if arm == 0 and source.random() < loss:
                before, after = True, False
            harm = source.random() < HARMS
            harms = [source.random() < HARMS if moving else harm for _ in draws]
            for policy in POLICIES:
                one = entry(case, arm, policy, edits=case < cases * 2 // 3)
                then, now = (
                    one if right else wrong(one, harm=does) for right, does in zip((before, after), harms, strict=True)
                )
                pairs.append(Pair(then=then, now=now))
    groups = {pair.now.trial.case: str(int(pair.now.trial.case[-4:]) // A_GROUP) for pair in pairs}
    found = shifts(pairs, groups, margin=RULES.margin, alpha=RULES.alpha)
    worse = any(shift.status == "worse" for shift in found)
    return worse, not worse and any(shift.status == "open" for shift in found)


def main() -> None:
    """Print one line for each size, number of strategies, noise and true loss."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("cases | strategies | noise | true loss | fails | inconclusive | passes")
    for loss in (0.0, 0.1, 0.2, 0.4):
        for cases, arms, repeatability in (
            (15, 1, 0.1),
            (30, 1, 0.1),
            (60, 1, 0.1),
            (60, 1, 0.2),
            (60, 5, 0.1),
            (120, 1, 0.1),
        ):
            source = random.Random(f"{loss} {cases} {arms} {repeatability}")  # noqa: S311 - a simulation
            results = [simulated(source, cases, arms, repeatability, loss) for _ in range(draws)]
            fails, unsure = (sum(one[at] for one in results) / draws for at in (0, 1))
            shares = f"{fails:.1%} | {unsure:.1%} | {abs(1 - fails - unsure):.1%}"
            print(f"{cases} | {arms} | {repeatability:.0%} | {loss:.0%} | {shares}")


if __name__ == "__main__":
    main()
