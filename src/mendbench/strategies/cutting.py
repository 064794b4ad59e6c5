"""Cutting a context to its budget: whole sections first, then the last one at a line end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mendbench.model.prompt import Context, Section
from mendbench.strategies.interface import SectionSpec
from mendbench.strategies.tokens import estimate

CUT_MARK = "… (cut)"
"""Marks, on its own line, where a section was shortened."""

_FENCE = re.compile(r"^(`{3,})")


def fit(strategy: str, specs: Sequence[SectionSpec], texts: Sequence[str], budget: int) -> Context:
    """Return the context of these sections, at most ``budget`` tokens of it.

    Sections are removed in the order of their ``keep``, the lowest first. The last of these is shortened at a line end and marked, or
    removed if no line fits. The rest of a section is always a prefix.
    """
    sections = [Section(name=s.name, label=s.label, text=text) for s, text in zip(specs, texts, strict=True)]
    for index in sorted(range(len(specs)), key=lambda index: (specs[index].keep, -index)):
        if _tokens(strategy, sections) <= budget:
            break
        if not sections[index].text:
            continue
        whole, sections[index] = sections[index], replace(sections[index], text="", cut=True)
        if _tokens(strategy, sections) < budget:
            sections[index] = _shortened(strategy, sections, index, whole, budget)
    return Context(strategy=strategy, sections=tuple(sections), tokens=_tokens(strategy, sections))


def _tokens(strategy: str, sections: Sequence[Section]) -> int:
    return estimate(Context(strategy=strategy, sections=tuple(sections), tokens=0).text)


def _shortened(strategy: str, sections: list[Section], index: int, whole: Section, budget: int) -> Section:
    """Return ``whole`` with as many of its first lines as fit, or the empty section that is now at ``index``."""
    lines = whole.text.split("\n")
    fewest, most = 0, len(lines) - 1
    best = sections[index]
    while fewest < most:
        count = (fewest + most + 1) // 2
        tried = replace(whole, text=_first_lines(lines, count), cut=True)
        if _tokens(strategy, [*sections[:index], tried, *sections[index + 1 :]]) <= budget:
            fewest, best = count, tried
        else:
            most = count - 1
    return best


def _first_lines(lines: Sequence[str], count: int) -> str:
    """Return the first lines and the mark. A code fence that the cut leaves open is closed after it."""
    kept = list(lines[:count])
    fence: str | None = None
    for line in kept:
        if found := _FENCE.match(line):
            fence = found.group(1) if fence is None else None if line.strip() == fence else fence
    return "\n".join([*kept, CUT_MARK, *([fence] if fence else [])])
