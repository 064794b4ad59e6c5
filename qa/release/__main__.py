"""``python -m qa.release [PART ...]``: try what a release has to stand, and print a table of what was tried."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from qa.release.audit import audit
from qa.release.dependencies import lowest, newest
from qa.release.frameworks import frameworks
from qa.release.packages import claimed_pythons, packages, pythons
from qa.release.steps import Part, Step

PARTS: Mapping[str, Part] = {
    "packages": packages,
    "audit": audit,
    "lowest": lowest,
    "newest": newest,
    "frameworks": frameworks,
}


def main() -> int:
    """Return 0 if everything held, else 1."""
    parser = argparse.ArgumentParser(prog="python -m qa.release", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    steps: list[Step] = []
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="mendbench-release-") as place:
            for step in PARTS[name](Path(place)):
                steps.append(step)
                print(
                    f"{name}: {step.what}: {'held' if step.failure is None else 'FAILED'} ({step.seconds:.0f} s)",
                    file=sys.stderr,
                    flush=True,
                )
    print(table(steps))
    if len(pythons()) < len(claimed_pythons()):
        print(f"of the Pythons that are claimed ({', '.join(claimed_pythons())}) {len(pythons())} are on this machine")
    return int(any(step.failure is not None for step in steps))


def table(steps: list[Step]) -> str:
    """Return what was tried, a line each, with what went wrong below it."""
    lines = [f"{'part':9} {'':6} {'seconds':>7}  what was tried"]
    for step in steps:
        lines.append(f"{step.part:9} {'held' if step.failure is None else 'FAILED':6} {step.seconds:7.1f}  {step.what}")
        lines += [f"{'':26}{line}" for line in (step.failure or "").splitlines()]
    held = sum(step.failure is None for step in steps)
    return "\n".join([*lines, f"{held} of {len(steps)} held"])


if __name__ == "__main__":
    sys.exit(main())
