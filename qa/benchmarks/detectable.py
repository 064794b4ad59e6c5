"""The smallest difference between two strategies that a protocol can detect, by stratum.

    python qa/benchmarks/detectable.py cases/protocol-2.yaml

Both strategies respond to the same cases, so the test is McNemar's, with the level of the protocol's contrasts (Bonferroni) and a power of
80 %. The formula is Connor's (Biometrics 43, 1987) for the difference D of two paired shares whose pairs differ with probability P:
n = (z_a √P + z_b √(P - D²))² / D². Cases of one group share a workflow: with an intra-class correlation R, n cases in groups of m on
average count as n / (1 + (m - 1) R).
"""

from __future__ import annotations

import sys
from math import sqrt
from pathlib import Path
from statistics import NormalDist

from mendbench.config.shipped import shipped_root
from mendbench.corpus.corpus import load_corpus
from mendbench.corpus.documents import read_yaml
from mendbench.scoring.statistics.exact import ALPHA, POWER

DIFFERING = (0.2, 0.3, 0.4, 0.5)
"""Shares of pairs that differ: in the first edition, 0.2 to 0.5 between neighbouring strategies."""
CORRELATION = 0.3
"""An assumption: between 0, as if groups did not matter, and 1, as if a group were one case."""


def main(path: Path) -> None:
    """Print one line for each stratum."""
    protocol = read_yaml(path, "write it")
    root = shipped_root()
    groups = {case.id: case.group for case in load_corpus(root / "cases", root / "cassettes").cases}
    level = ALPHA / len(protocol["contrasts"])
    print("stratum      cases groups  " + "  ".join(f"{share:.0%} differ" for share in DIFFERING))
    for name, cases in protocol["cases"].items():
        if name == "train":
            continue
        own = {groups[case] for case in cases}
        effective = len(cases) / (1 + (len(cases) / len(own) - 1) * CORRELATION)
        found = "  ".join(f"{smallest(effective, share, level):>9.0%}" for share in DIFFERING)
        print(f"{name:12} {len(cases):5} {len(own):6}  {found}")


def smallest(cases: float, differing: float, level: float) -> float:
    """Return the smallest difference that is detected, found by bisection."""
    low, high = 0.0, differing
    z_a, z_b = NormalDist().inv_cdf(1 - level / 2), NormalDist().inv_cdf(POWER)
    for _ in range(50):
        middle = (low + high) / 2
        needed = (z_a * sqrt(differing) + z_b * sqrt(max(0, differing - middle**2))) ** 2 / max(middle, 1e-9) ** 2
        low, high = (middle, high) if needed > cases else (low, middle)
    return high


if __name__ == "__main__":
    main(Path(sys.argv[1]))
