"""The test names and markers of trials."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import get_args

from mendbench.corpus.case_file import FAMILIES
from mendbench.io.canonical_json import digest
from mendbench.model.case import Api, Case, Kind
from mendbench.model.trial import TrialKey
from mendbench.repair.policies import policy
from mendbench.strategies.interface import SUFFIX

ENGINE = "mendbench"
"""The default engine, which a name leaves out."""

PARTS = ("train", "test")

RECORDED = "recorded"
"""Marker of cases whose world was recorded from real software instead of a simulated service."""

_REAL = frozenset({"real", "live"})


def item_names(keys: Sequence[TrialKey], default_model: str | None) -> dict[TrialKey, str]:
    """Return the names of one case's trials: ``summary-two-layer-chat``, and further parts only if they are not defaults.

    So a name does not depend on which other trials are selected. Trials with equal names get a digest.
    """
    plain = {key: _name(key, default_model) for key in keys}
    times = Counter(plain.values())
    return {key: name if times[name] == 1 else f"{name}-{_digest(key)}" for key, name in plain.items()}


def marker_names(case: Case, part: str | None) -> tuple[str, ...]:
    """Return the markers of a case's tests, each a word that ``-m`` accepts."""
    real = RECORDED if _REAL.intersection(case.recorded_from.values()) else None
    found = (case.family, case.kind, case.api, part, real)
    return tuple(dict.fromkeys(_word(name) for name in found if name))


def family_line(family: str) -> str:
    """Return the line that registers a family's marker."""
    kind = f" or the kind {family}" if family in get_args(Kind) else ""
    return f"{_word(family)}: trials of the family {family}{kind}"


def marker_lines() -> Iterable[str]:
    """Yield the lines that register the markers: names and meanings."""
    own = "case, family, kind, part, api, strategy, policy, repairer, model, detector, sample"
    yield f"mendbench({own}): a trial of mendbench, with the values that distinguish it from others"
    kinds = get_args(Kind)
    yield from map(family_line, FAMILIES)
    yield from (f"{_word(kind)}: trials of the kind {kind}" for kind in kinds if kind not in FAMILIES)
    yield from (f"{_word(api)}: trials of cases on {api} APIs" for api in get_args(Api))
    yield from (f"{part}: trials of the part {part} of the split" for part in PARTS)
    yield f"{RECORDED}: trials of cases whose world was recorded from real software"


def _name(key: TrialKey, default_model: str | None) -> str:
    own_detector = policy(key.policy).detector
    parts = (
        key.engine if key.engine != ENGINE else None,
        _short(key.strategy),
        key.policy,
        key.repairer,
        key.model if key.model != default_model else None,
        key.detector if key.detector != own_detector else None,
        f"sample{key.sample}" if key.sample else None,
    )
    return re.sub(r"[^\w.~+-]+", "-", "-".join(part for part in parts if part))


def _short(strategy: str) -> str:
    """Return a strategy's name; for a template file, without its folder."""
    return strategy.rpartition("/")[2].replace(SUFFIX, "")


def _digest(key: TrialKey) -> str:
    return digest(list(key.order()), 6)


def _word(name: str) -> str:
    return name.replace("-", "_")
