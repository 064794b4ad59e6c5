"""The strategies of trials: the registered ones, and ``oracle-hint``, which reads the truth.

``oracle-hint`` is a control. It shows the labelled facts among as many distractors of the same type, and nothing else. So it bounds what a
repairer can do with the facts alone. It is not in the registry, because a strategy cannot read the truth, and it is never ranked.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.model.case import Case
from mendbench.strategies import TemplateStrategy, strategy
from mendbench.strategies.interface import SectionSpec, parts_of
from mendbench.strategies.registry import varied

ORACLE_HINT = "oracle-hint"
"""The name of the control that shows the facts."""

DISTRACTORS = Path(__file__).parent / "oracle_distractors.tsv"
"""What is mixed with the facts."""

FactType: TypeAlias = Literal["text", "path", "code", "name"]

_LEAD = (
    "Some of these names, values and messages are needed for the repair. The others are not. The order is alphabetical."
)


def trial_strategy(name: str, strategy_dirs: Iterable[Path] = (), case: Case | None = None) -> TemplateStrategy:
    """Return the strategy with that name, as :func:`mendbench.strategies.strategy`, or ``oracle-hint`` for a case.

    Without a case, ``oracle-hint`` has no facts: its digest then covers what is the same for all cases.

    Raises:
        UnknownName, BadInput: as :func:`mendbench.strategies.strategy`.
    """
    if parts_of(name).base != ORACLE_HINT:
        return strategy(name, strategy_dirs)
    return varied(_oracle_hint(case), name, strategy_dirs)


def hints_for(case: Case) -> tuple[str, ...]:
    """Return the facts of a case and as many distractors, in alphabetical order; empty if it has no facts."""
    facts = [text for fault in case.faults for text in fault.fact_texts]
    seen = "\n".join([case.request, json.dumps(case.workflow, ensure_ascii=False), *facts]).lower()
    found = list(dict.fromkeys(facts))
    for fact in found[:]:
        free = [one for one in _distractors()[fact_type(fact)] if one not in found and one.lower() not in seen]
        found.append(min(free, key=lambda one: (abs(len(one) - len(fact)) // 4, _draw(case, one))))
    return tuple(sorted(found, key=lambda one: (one.lower(), one)))


def fact_type(text: str) -> FactType:
    """Return what a fact looks like: a text of several words, a path, a code with digits or capitals, or a name."""
    if " " in text:
        return "text"
    if any(mark in text for mark in "/\\") or ("." in text and any(part.isalpha() for part in text.split("."))):
        return "path"
    return "name" if text.replace("_", "").replace("-", "").isalpha() and text == text.lower() else "code"


def _oracle_hint(case: Case | None) -> TemplateStrategy:
    hints = hints_for(case) if case is not None else tuple(one for kind in _distractors().values() for one in kind)
    lines = "\n".join([_LEAD, *(f"- {one}" for one in hints)]) if hints else ""
    return TemplateStrategy(
        name=ORACLE_HINT,
        title="The labelled facts among as many distractors: a control that reads the truth",
        source="mendbench",
        path=DISTRACTORS,
        sections=(SectionSpec(name="hints", label="derived", keep=1),),
        body=f"{{% block hints %}}\n{{% raw %}}{lines}{{% endraw %}}\n{{% endblock %}}",
    )


@cache
def _distractors() -> dict[str, tuple[str, ...]]:
    lines = (line for line in DISTRACTORS.read_text("utf-8").splitlines() if not line.startswith("#"))
    rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {
        kind: tuple(row["text"] for row in rows if row["type"] == kind) for kind in ("text", "path", "code", "name")
    }


def _draw(case: Case, text: str) -> str:
    return hashlib.sha256(f"{case.id}\n{text}".encode()).hexdigest()
