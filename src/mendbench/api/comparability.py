"""Whether two runs may be compared: by the digests of their cases, their engine and their scorer."""

from __future__ import annotations

from collections.abc import Iterable

from mendbench.errors import Incomplete
from mendbench.model.json import Json
from mendbench.results.store import StoredRun
from mendbench.scoring.comparing.pairing import TrialPair
from mendbench.scoring.judging.version import SCORER, evidence_version

UNKNOWN = "unknown"
"""The scorer of a run that does not name one."""


class Incomparable(Incomplete):
    """Two runs may not be compared. The message is one line: which digest differs, and what to do."""


def refuse_other_judgement(a: StoredRun, b: StoredRun) -> None:
    """Refuse runs of different engines or different scorers.

    Raises:
        Incomparable: the engines or the scorers differ.
    """
    engines = _digest(a, "engine"), _digest(b, "engine")
    if engines[0] != engines[1]:
        raise _refused(a, b, "engine", engines, "make both with one version of mendbench: `mendbench run`")
    scorers = _digest(a, "scorer"), _digest(b, "scorer")
    if scorers[0] != scorers[1]:
        raise _refused(a, b, "scorer", scorers, _how_to_judge_alike((a, b), scorers))


def refuse_other_cases(a: StoredRun, b: StoredRun, pairs: Iterable[TrialPair]) -> None:
    """Refuse runs in which a shared case differs.

    Raises:
        Incomparable: a shared case differs.
    """
    differ = {pair.a.case: (pair.a.case_digest, pair.b.case_digest) for pair in pairs if _other_case(pair)}
    if not differ:
        return
    first = min(differ)
    more = f" (and {len(differ) - 1} more)" if len(differ) > 1 else ""
    names = " ".join(sorted(differ)) if len(differ) <= 3 else "CASE…"  # noqa: PLR2004 - as many as a line holds
    hint = f"run both on the same cases: `mendbench run {names}`"
    raise _refused(a, b, f"case {first}{more}", differ[first], hint)


def prices_differ(a: StoredRun, b: StoredRun) -> tuple[str, ...]:
    """Return what both runs price differently: then costs are not comparable."""
    ours, theirs = ((run.run.get("digests") or {}).get("prices") or {} for run in (a, b))
    return tuple(sorted(name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]))


def _other_case(pair: TrialPair) -> bool:
    return pair.a.case_digest != pair.b.case_digest


def _digest(run: StoredRun, name: str) -> str:
    found: Json = (run.run.get("digests") or {}).get(name)
    return UNKNOWN if found is None else str(found)


def _how_to_judge_alike(runs: tuple[StoredRun, StoredRun], scorers: tuple[str, str]) -> str:
    """Return how to get both runs judged by the same scorer."""
    old = [(run, own) for run, own in zip(runs, scorers, strict=True) if own != SCORER]
    if any(own == UNKNOWN or evidence_version(own) != evidence_version(SCORER) for _, own in old):
        return f"run again, with `mendbench run`, what this mendbench (scorer {SCORER}) did not judge"
    commands = " and ".join(f"`mendbench report {run.folder} --rescore`" for run, _ in old)
    return f"judge both alike with {commands}"


def _refused(a: StoredRun, b: StoredRun, what: str, digests: tuple[str, str], hint: str) -> Incomparable:
    found = f"the digests of {what} differ ({digests[0]} and {digests[1]})"
    return Incomparable(f"{a.folder} and {b.folder} cannot be compared: {found}; {hint}")
