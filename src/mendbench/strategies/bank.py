"""Makes the placebo's bank from executions that failed."""

from __future__ import annotations

from collections.abc import Iterable

from mendbench.model.prompt import View
from mendbench.strategies.placebo import Entry, entry
from mendbench.strategies.registry import strategy

_WHOLE = 100_000
"""More tokens than any context has: an entry is never cut."""


def bank(views: Iterable[View]) -> list[Entry]:
    """Return an entry for each view that ``full-context`` says something about; each text once, ordered by length."""
    full = strategy("full-context")
    texts = {full.render(view, _WHOLE).text for view in views}
    return sorted((entry(text) for text in texts if text), key=lambda one: (one.tokens, one.text))
