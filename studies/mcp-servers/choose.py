"""Choose the refusals that a model is asked about, from the probes: ``python choose.py [PROBES]`` prints a table of them.

The rule was written down before any model was asked. Eligible is each broken call that the server refused with an error. For each server:
take one eligible call of each verdict in turn, the worst verdict first, until there are five; within a verdict in the order of
the SHA-256 of ``server/id``; at most two calls of one tool and operator.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PER_SERVER = 5
PER_TOOL_AND_OPERATOR = 2
VERDICTS = ("misleads", "hidden", "partly", "helps")
"""Worst first. Silent and lost calls are not refused: there is no error to repair from."""

Broken = Mapping[str, Any]


def chosen(probes: Path) -> dict[str, list[str]]:
    """Return the ids of the chosen broken calls, by server."""
    return {
        path.stem: [one["id"] for one in _of_server(path.stem, _broken(path))] for path in sorted(probes.glob("*.json"))
    }


def _broken(path: Path) -> Sequence[Broken]:
    calls: list[Broken] = json.loads(path.read_text("utf-8"))["broken_calls"]
    return [one for one in calls if one["heed"] == "refused" and one["verdict"] in VERDICTS]


def _of_server(server: str, eligible: Sequence[Broken]) -> list[Broken]:
    left = {verdict: _in_order(server, eligible, verdict) for verdict in VERDICTS}
    taken: list[Broken] = []
    counts: Counter[tuple[str, str]] = Counter()
    while len(taken) < PER_SERVER and any(left.values()):
        for verdict in VERDICTS:
            one = _next(left[verdict], counts)
            if one is not None and len(taken) < PER_SERVER:
                counts[one["tool"], one["operator"]] += 1
                taken.append(one)
    return taken


def _in_order(server: str, eligible: Sequence[Broken], verdict: str) -> list[Broken]:
    def rank(one: Broken) -> str:
        return hashlib.sha256(f"{server}/{one['id']}".encode()).hexdigest()

    return sorted((one for one in eligible if one["verdict"] == verdict), key=rank)


def _next(left: list[Broken], counts: Mapping[tuple[str, str], int]) -> Broken | None:
    """Take the first call from a list whose tool and operator are not used up; drop those before it."""
    while left:
        one = left.pop(0)
        if counts[one["tool"], one["operator"]] < PER_TOOL_AND_OPERATOR:
            return one
    return None


def main(probes: Path) -> None:
    """Print the chosen calls as a Markdown table."""
    print("| server | tool | operator | argument | verdict |\n| --- | --- | --- | --- | --- |")
    for path in sorted(probes.glob("*.json")):
        for one in _of_server(path.stem, _broken(path)):
            print(f"| {path.stem} | {one['tool']} | {one['operator']} | {one['argument']} | {one['verdict']} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "probes")
