"""The scorer's version names a meaning: whoever changes a table has to raise it."""

import dataclasses
from itertools import product
from typing import get_args

from mendbench.io.canonical_json import digest
from mendbench.model.case import Kind
from mendbench.model.execution import State
from mendbench.model.trial import AttemptLabel, ResponseStatus
from mendbench.model.verdict import End
from mendbench.scoring.judging.attempts import AttemptFacts, label_of, wasted
from mendbench.scoring.judging.outcomes import Facts, verdict_of
from mendbench.scoring.judging.progress import ProgressFacts, progress_of
from mendbench.scoring.judging.recall import Recall
from mendbench.scoring.judging.ruling import TrialFacts, ruling
from mendbench.scoring.judging.version import EVIDENCE, RULES, SCORER, evidence_version

MEANINGS = {"1": "0192e84508ddaa0f", "2": "aa1d85c405a2ecf7"}
"""For every version that there was of the tables, what they meant then."""

RESPONSES = {
    "kind": get_args(Kind),
    "end": get_args(End),
    "expected_final": get_args(State),
    "status": get_args(ResponseStatus),
    "gained": (0, 1, 2),
    "fixed": (0, 1, 2),
}


def everything(facts):
    """Yield every combination of facts of a class, each with its values."""
    names = [field.name for field in dataclasses.fields(facts)]
    for values in product(*(RESPONSES.get(name, (False, True)) for name in names)):
        yield facts(**dict(zip(names, values, strict=True)))


def right_after_first():
    for verdict, first, attempts in product(everything(Facts), (None, False, True), (0, 1, 2)):
        if not (verdict.harmful or verdict.edited):
            one = AttemptFacts(**{field.name: False for field in dataclasses.fields(AttemptFacts)})
            facts = TrialFacts(verdict=verdict, attempts=(one,) * attempts, levels=(), first_right=first)
            yield [[verdict.kind, verdict.end, verdict.warned, first, attempts], ruling(facts).right_after_first]


def meaning():
    """Return a digest over all that follows from all facts."""
    return digest(
        {
            "verdicts": [[dataclasses.asdict(one), dataclasses.asdict(verdict_of(one))] for one in everything(Facts)],
            "labels": [[dataclasses.asdict(one), label_of(one)] for one in everything(AttemptFacts)],
            "rungs": [[dataclasses.asdict(one), progress_of(one)] for one in everything(ProgressFacts)],
            "wasted": [[label, wasted((label,))] for label in get_args(AttemptLabel)],
            "right_after_first": list(right_after_first()),
            "context_recall": [
                [found, missing, Recall(found=("f",) * found, missing=("m",) * missing).share]
                for found, missing in product(range(3), repeat=2)
            ],
        }
    )


def test_who_changes_what_follows_from_the_facts_raises_the_version_of_the_tables():
    found = meaning()
    assert MEANINGS.get(RULES) == found, (
        f"the same facts are judged otherwise than by tables {RULES!r}: raise RULES in scoring/judging/version.py, say there what "
        f"changed, and add {found!r} for it to MEANINGS here"
    )


def test_every_version_means_something_else():
    assert len(set(MEANINGS.values())) == len(MEANINGS)


def test_a_scorer_is_named_for_its_facts_and_its_tables():
    assert f"{EVIDENCE}.{RULES}" == SCORER
    assert evidence_version(SCORER) == EVIDENCE
    assert evidence_version("12.7") == "12"
