"""Which scorer judged a run: runs of different scorers are not compared, and an old one can be judged anew by its evidence."""

from __future__ import annotations

FACTS = "3"
"""How facts are gathered from what happened: checks, workflow_statuses, harm, what a prompt told. Raise it when the same trial would leave
other facts, or more of them; runs from before then have to be made again. 1: the first. 2: whether an attempt came to the labelled warning
is read off its clean run, and neither a swallowed failure nor a mended output counts otherwise for its label than for the verdict.
3: harm done in the trial and harm that the last workflow would do are two facts; the second counts where that workflow is left applied.
A shell command or a file of a case that declares none is a missing recording and no failure, and ``only`` ignores Slack's fallback text
beside blocks and Sheets' defaults."""

TABLES = "2"
"""What follows from the facts: the rules of outcomes, of attempt labels and of the progress levels, and what is wasted. Raise it when the
same facts would be judged otherwise; runs from before then can be rescored. 1: the first.
2: harm that the last workflow would do counts only where that workflow is left applied."""

SCORER = f"{FACTS}.{TABLES}"
"""As ``digests.scorer`` in ``run.json`` holds it."""


def facts_version(scorer: str) -> str:
    """Return how the facts of a run were gathered that ``scorer`` judged."""
    return scorer.partition(".")[0]
