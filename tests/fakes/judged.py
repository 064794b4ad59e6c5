"""Runs for what is written of a run: odd texts in them, and what a gate says of one."""

from __future__ import annotations

from dataclasses import replace

from mendbench.report.findings import RunFinding, RunJudgement
from tests.fakes.runs import (
    crashed,
    key_of,
    plausible,
    repairable,
    repaired,
    row_of,
    stored_run,
    unjudged,
    unrepaired,
)

ODD = "| pipe `tick` <script>alert(1)</script> @someone #12 \x1b[31m\x00 https://evil.example =1+1 ]]> \ufffe \\| &amp; _a_ *b*\n# head"
"""What a model, an API or a file may say."""


def mixed_run(says="ValueError: boom"):
    """Return one right trial, one that is plausible, one unrepaired, one unjudged and one crashed; ``says`` is the crash's message."""
    cases = [repairable(name) for name in ("right", "looks-right", "wrong", "missing", "broken")]
    made = [
        row_of(cases[0], repaired(), key_of(cases[0])),
        row_of(cases[1], plausible(), key_of(cases[1])),
        row_of(cases[2], unrepaired(), key_of(cases[2])),
        row_of(cases[3], unrepaired(), key_of(cases[3]), problem=unjudged()),
        row_of(cases[4], unrepaired(), key_of(cases[4]), problem=crashed(says)),
    ]
    return stored_run(made)


def odd_run(text=ODD):
    """Return a run in which everything that may be any text is that text."""
    case = repairable("odd", request=text)
    key = replace(key_of(case, strategy=f"{text}.md.j2"), model=text)
    said = [row_of(case, plausible(response=text, context=text), key)]
    said.append(
        row_of(case, unrepaired(response=text, context=text), replace(key, strategy="summary"), problem=crashed(text))
    )
    return stored_run(said, digests={"cases": text})


def row(run, name):
    """Return the row of the case of that name."""
    return next(one for one in run.rows if one["case"].endswith(f"/{name}"))


def gate_says(run, *, status="failed", words="2 trials got worse", extra=()):
    """Return a judgement: the plausible trial got worse, a limit broke, and a trial is gone."""
    worse = row(run, "looks-right")
    return RunJudgement(
        status=status,
        verdict=words,
        notes=("compared 5 of the 6 trials of baseline.tsv",),
        findings=(
            RunFinding(
                level="error", title="lost", message="repaired -> plausible", key=worse["key"], case=worse["case"]
            ),
            RunFinding(level="error", title="limit broken", message="max_wasted: 2 is too high"),
            RunFinding(level="error", title="gone", message="repaired -> not in the run", key="slack/gone | x"),
            RunFinding(level="notice", title="new", message="not in the baseline", key=row(run, "wrong")["key"]),
            *extra,
        ),
    )
