"""The locked versions against what is known of vulnerabilities. What could not be looked up is a failure, and no silence."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from qa.release.steps import ROOT, SHOWN, Step, environment, timed

LOCKED = ("run.txt", "test.txt", "record.txt")


def audit(place: Path) -> Iterator[Step]:
    """Audit every lock file."""
    installed = timed("audit", "pip-audit installed", lambda: environment(place / "env", sys.executable, "pip-audit"))
    yield installed
    if installed.failure is not None:
        return
    for name in LOCKED:
        yield timed("audit", f"requirements/{name}", lambda name=name: _audited(place / "env" / "bin" / "python", name))


def _audited(python: Path, name: str) -> str | None:
    asked = [
        python,
        "-m",
        "pip_audit",
        "--require-hashes",
        "--disable-pip",
        "--format",
        "json",
        "--progress-spinner",
        "off",
    ]
    done = subprocess.run(
        [*asked, "-r", ROOT / "requirements" / name], cwd=ROOT, text=True, capture_output=True, check=False
    )
    try:
        found = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return f"no audit: {done.stderr[-SHOWN:].strip()}"
    return judged(found)


def judged(found: list[dict[str, Any]]) -> str | None:
    """Return what is wrong by an audit's own account of each package."""
    skipped = [each["name"] for each in found if "skip_reason" in each]
    known = [
        f"{each['name']} {each['version']}: {', '.join(one['id'] for one in each['vulns'])}"
        for each in found
        if each.get("vulns")
    ]
    if known:
        return f"{len(known)} of {len(found)} have known vulnerabilities: {'; '.join(known)}"
    if skipped:
        return f"{len(skipped)} of {len(found)} could not be looked up, such as {skipped[0]}: the service that knows is not reached from here"
    return None if found else "nothing was audited"
