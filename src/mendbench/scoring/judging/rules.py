"""Tables of rules about facts: the first rule that fits decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseRule:
    """One row of a table. Each field with the default None is a condition on the fact of the same name."""

    because: str
    """The reason, for reports."""


Rule = TypeVar("Rule", bound=BaseRule)


def first_fitting(rules: Sequence[Rule], facts: object) -> Rule:
    """Return the first rule of a table whose conditions all hold. Tables are total: some rule fits any facts.

    A condition of None holds for any fact, a tuple for each of its values, and a truth value also for a number that is (not) 0.
    """
    conditions = [field.name for field in fields(rules[0]) if field.default is None]
    return next(rule for rule in rules if all(_holds(getattr(rule, name), getattr(facts, name)) for name in conditions))


def _holds(wanted: object, fact: object) -> bool:
    if isinstance(wanted, tuple):
        return fact in wanted
    if isinstance(wanted, bool):
        return wanted == bool(fact)
    return wanted is None or wanted == fact
