"""The version of the scorer. Runs of different scorers are not compared; an old run can be rescored from its evidence."""

from __future__ import annotations

EVIDENCE = "3"
"""Version of the evidence: checks, workflow statuses, harm, content of prompts. Raise it when the same trial would produce
different or additional facts; older runs must then be made again. 1: the first version. 2: the clean run decides whether an attempt
reached the labelled warning; swallowed failures and mended outputs count the same for the label as for the verdict. 3: harm done in the
trial and harm that the last workflow would do are two facts; the second counts if that workflow is left applied. A shell command or a
file that the case does not declare is a missing recording, not a failure. ``only`` ignores Slack's fallback text next to blocks and
Sheets' defaults."""

RULES = "2"
"""Version of the rules for outcomes, attempt labels, progress levels and wasted attempts. Raise it when the same facts would be judged
differently; older runs can then be rescored. 1: the first version.
2: harm that the last workflow would do counts only if that workflow is left applied."""

SCORER = f"{EVIDENCE}.{RULES}"
"""The value of ``digests.scorer`` in ``run.json``."""


def evidence_version(scorer: str) -> str:
    """Return the evidence version of a ``scorer`` version."""
    return scorer.partition(".")[0]
