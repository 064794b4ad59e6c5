"""Trials of two treatments made by hand, and a plan of contrasts over them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.corpus.protocol import Contrast, Protocol, Side
from mendbench.results.run_document import totals_of_trials
from mendbench.results.store import open_run
from mendbench.scoring.chance import ResponseDigest
from mendbench.scoring.comparing.pairing import pair_trials
from mendbench.scoring.judging.version import SCORER
from tests.fakes.runs import key_of, plausible, repairable, repaired, row_of, stored_run, unjudged, unrepaired
from tests.fakes.scored import TREATMENT, attempt, record

OURS, THEIRS = replace(TREATMENT, strategy="summary"), replace(TREATMENT, strategy="mend")
VERDICTS = {"1": "correct", "0": "incorrect", "?": "unjudged", "!": "crashed"}


def trial(case, treatment=OURS, sample=0, **changes):
    """Return a trial whose key is as a run's."""
    key = " | ".join((case, *(part or "-" for part in treatment.order()), f"{sample:06d}"))
    return record(case, sample, key=key, treatment=treatment, **changes)


def trials(verdicts, treatment=OURS, *, groups=None, **changes):
    """Return one trial a case: ``1`` right, ``0`` wrong, ``?`` unjudged, ``!`` crashed. Each case is a group, or ``groups`` names it."""
    return [
        trial(f"c{at:03}", treatment, verdict=VERDICTS[one], group=groups[at] if groups else f"g{at:03}", **changes)
        for at, one in enumerate(verdicts)
    ]


def pair(a, b, ours=OURS, theirs=THEIRS, **changes):
    """Return the pair of treatments that two strings of verdicts are."""
    return pair_trials(trials(a, ours, **changes), trials(b, theirs, **changes)).pairs[0]


def wasting(counts, treatment=OURS, *, groups=None, **changes):
    """Return one trial a case that wasted so many attempts."""
    return [
        trial(
            f"c{at:03}", treatment, verdict="incorrect", wasted_attempts=one, group=groups[at] if groups else f"g{at:03}",
            attempts=tuple(attempt(number, label="futile") for number in range(1, one + 1)), **changes,
        )
        for at, one in enumerate(counts)
    ]  # fmt: skip


def plan(*contrasts, model="m"):
    return Protocol(format=1, model=model, part="test", contrasts=list(contrasts))


def contrast(
    name="one",
    measure="repair_success",
    treatment="mend",
    against="summary",
    policies=("two-layer", "two-layer"),
    **more,
):
    """Return a planned contrast; a list of strategies means the best of them."""
    sides = [
        Side(policy=policy, best_of=side) if isinstance(side, list) else Side(policy=policy, strategy=side)
        for side, policy in ((treatment, policies[0]), (against, policies[1]))
    ]
    return Contrast(name=name, measure=measure, treatment=sides[0], against=sides[1], **more)


@dataclass(frozen=True)
class Responses:
    """Responses to every key: the same ones."""

    said: tuple[ResponseDigest, ...] = (ResponseDigest(prompt="p", response="a", asked=True),)

    def __getitem__(self, key):
        return self.said


def write_run(place, rows_and_texts, *, report=None, **digests):
    """Write a run of these rows to a folder."""
    run = stored_run(rows_and_texts, report=report)
    document = {
        **run.run,
        "digests": {"engine": "mendbench 1", "scorer": SCORER, "frame": "f", "prices": {}, **digests},
        **totals_of_trials(run.records),
    }
    with open_run(place, {}, resume=False) as folder:
        for row in run.rows:
            folder.add(row, run.texts)
        folder.finish({name: value for name, value in document.items() if value is not None}, {})
    return place


def rows(strategies, *, policies=("two-layer",), part="test", cases=None, groups=None):
    """Return rows of several strategies: by strategy a string, one letter a case.

    ``r`` repaired, ``p`` plausible, ``u`` unrepaired, ``?`` without a verdict.
    """
    happened = {"r": repaired, "p": plausible, "u": unrepaired, "?": unrepaired}
    made = []
    for strategy, letters in strategies.items():
        for at, letter in enumerate(letters):
            name = cases[at] if cases else f"case-{at}"
            case = repairable(name, group=groups[at] if groups else f"group-{at}")
            for policy in policies:
                problem = unjudged() if letter == "?" else None
                key = key_of(case, strategy, policy)
                made.append(row_of(case, happened[letter](response=letter), key, problem=problem, part=part))
    return made
