"""Shards: a run split over machines by case, so that shared computations of a case are done only once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """One part of a split run."""

    number: int
    """From 1."""
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def read_shard(text: str) -> Shard:
    """Return the shard that ``K/N`` names.

    Raises:
        BadInput: it does not name a shard.
    """
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise BadInput("--shard", repr(text), "give K/N with K from 1 to N, such as 2/4")
    return Shard(number=int(number), of=int(of))


def cases_of(shard: Shard, weights: Mapping[str, int]) -> frozenset[str]:
    """Return the cases of a shard, given all cases with their numbers of trials.

    Every case is in one shard. Each goes to the shard that it prefers by digest, as long as there is room, so that a new case moves
    few others. Cases without room go to the least loaded shard.

    Raises:
        BadInput: there are more shards than cases, so that one would be empty.
    """
    if shard.of > len(weights):
        raise BadInput("--shard", f"{shard.of} shards of {len(weights)} cases", f"use {len(weights)} shards at most")
    room = max(math.ceil(sum(weights.values()) / shard.of), *weights.values())
    members: list[list[str]] = [[] for _ in range(shard.of)]
    load = [0] * shard.of
    for case in sorted(weights, key=lambda one: (digest(one), one)):
        wanted = sorted(range(shard.of), key=lambda at: digest([case, at]))
        at = next((at for at in wanted if load[at] + weights[case] <= room), None)
        at = min(wanted, key=lambda at: load[at]) if at is None else at
        members[at].append(case)
        load[at] += weights[case]
    while not all(members):
        giving = max(range(shard.of), key=lambda at: (len(members[at]), load[at]))
        members[members.index([])].append(members[giving].pop())
    return frozenset(members[shard.number - 1])
