"""``python -m qa.torture [PART ...] [--count N] [--seed N]``: try, and say what was tried and what survived."""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import time
from typing import TYPE_CHECKING, cast

from qa.torture.tally import Tally

if TYPE_CHECKING:
    from qa.torture.tally import Part

PARTS = ("crashes", "damaged", "misspelt", "hostile", "sealed", "shell", "secrets", "faults", "engines", "determinism")

SEEDS = 2**32
"""How many seeds are drawn from: few enough to be typed."""


def main() -> int:
    """Return 0 if all was survived, else 1."""
    parser = argparse.ArgumentParser(prog="python -m qa.torture", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--count", type=int, help="attempts of each kind, instead of each part's own number")
    parser.add_argument("--seed", type=int, help="what attempts are drawn from; left out, another one each time")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(SEEDS) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    lost = 0
    for name in options.parts or PARTS:
        part = cast("Part", importlib.import_module(f"qa.torture.{name}"))
        tally, since = Tally(), time.monotonic()
        for attempt in part.attempts(part.LONG if options.count is None else options.count, seed):
            tally.add(attempt)
            if attempt.failure is not None:
                print(f"  {attempt.kind}: {attempt.what}: {attempt.failure}", file=sys.stderr, flush=True)
        print(f"{name} ({time.monotonic() - since:.0f} s)")
        for kind, tried in tally.tried.items():
            print(f"  {tally.survived(kind):>7,} of {tried:>7,} survived: {kind}")
        lost += len(tally.failures)
    print("all was survived" if not lost else f"{lost} not survived (reported above)")
    return min(lost, 1)


if __name__ == "__main__":
    sys.exit(main())
