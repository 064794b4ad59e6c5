"""Summary of a check of many cases: counts by kind, the strength of their checks, and surviving mutants."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from mendbench.corpus.labels import is_missing_label
from mendbench.model.case import Case, Level
from mendbench.model.json import JsonObject
from mendbench.verify.checking import CheckedCase
from mendbench.verify.proof import UNPROVED, Fate, MutantFate

FORMAT = 1
"""1: the first."""

UNJUDGED = frozenset({"missed", "invalid", UNPROVED})
"""Fates of mutants that show nothing about a case's checks: a needed recording or answer is missing, or no engine runs them."""


def summary(checked: Sequence[CheckedCase], cases: Iterable[Case]) -> JsonObject:
    """Return the summary of a check. ``cases`` are the sound ones among the checked cases."""
    sound = tuple(cases)
    proofs = [one.proof for one in checked if one.proof is not None]
    fates = [(proof.case, mutant) for proof in proofs for mutant in proof.valid_mutants]
    kinds = sorted({mutant.kind for _, mutant in fates})
    seconds = [proof.seconds for proof in proofs]
    return {
        "format": FORMAT,
        "cases": len(checked),
        "held": sum(one.held for one in checked),
        "unread": sum(not one.read for one in checked),
        "missing_labels": sum(is_missing_label(problem) for one in checked for problem in one.problems),
        "without_facts": sum(fault.who == "edit" and not fault.facts for case in sound for fault in case.faults),
        "unchecked_fixes": sum(proof.unchecked_fixes for proof in proofs),
        "counts": counts(sound, [proof.level for proof in proofs]),
        "mutation_score": mutation_score(mutant for _, mutant in fates),
        "by_mutant": {kind: mutation_score(mutant for _, mutant in fates if mutant.kind == kind) for kind in kinds},
        "survivors": _listed(fates, frozenset({"survived"})),
        "accepted": _listed(fates, frozenset({"accepted"})),
        "unjudged": _listed(fates, UNJUDGED),
        "unproved": [{"case": one.case, "what": what, "why": why} for one in checked for what, why in one.unproved],
        "seconds": {
            "median": round(statistics.median(seconds), 3) if seconds else None,
            "sum": round(sum(seconds), 3),
        },
    }


def counts(cases: Sequence[Case], levels: Iterable[Level | None]) -> JsonObject:
    """Return how many cases there are of each kind, family, known level and API, and how many use which provenance."""
    sources = Counter(source for case in cases for source in set(case.recorded_from.values()))
    return {
        "cases": len(cases),
        "kind": dict(sorted(Counter(case.kind for case in cases).items())),
        "family": dict(sorted(Counter(case.family for case in cases).items())),
        "level": dict(sorted(Counter(str(level) for level in levels if level is not None).items())),
        "api": dict(sorted(Counter(case.api for case in cases).items())),
        "recorded_from": dict(sorted(sources.items())),
    }


def mutation_score(mutants: Iterable[MutantFate]) -> JsonObject:
    """Return the counts of mutants by fate, and the killed share of those that were killed or survived."""
    fates = Counter(str(mutant.fate) for mutant in mutants)
    judged = fates["killed"] + fates["survived"]
    named = {fate: fates[fate] for fate in get_args(Fate)}
    return {**named, "share": round(fates["killed"] / judged, 4) if judged else None}


def _listed(fates: Iterable[tuple[str, MutantFate]], wanted: frozenset[str]) -> list[JsonObject]:
    return [
        {"case": case, "kind": mutant.kind, "what": mutant.what, "fate": mutant.fate, "why": mutant.why}
        for case, mutant in fates
        if mutant.fate in wanted
    ]
