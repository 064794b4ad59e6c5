"""The wheel and the source distribution: what is in them, and whether they run in empty environments, from elsewhere."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from qa.release.steps import A_FEW, ROOT, Step, environment, ran, timed

MAX_MEGABYTES = 20

OWN = {"reports", ".mendbench"}
"""What commands write in the working folder: runs, and the proofs that `case check` keeps."""

CHECKED = ("slack/channel-id-does-not-exist", "shell/jq-object-instead-of-number", "control/*")
"""Cases whose proofs are made from the installed wheel."""


def packages(place: Path) -> Iterator[Step]:
    """Build both, look into them, and run the wheel on each Python that is here and claimed."""
    built = timed("packages", "wheel and sdist built", lambda: _built(ROOT, place / "dist"))
    yield built
    if built.failure is not None:
        return
    wheel, sdist = next((place / "dist").glob("*.whl")), next((place / "dist").glob("*.tar.gz"))
    size = wheel.stat().st_size / 1e6
    yield timed("packages", f"wheel of {size:.1f} MB: what it must hold and nothing else", lambda: _holds(wheel))
    yield timed("packages", "sdist builds the same wheel", lambda: _same(wheel, sdist, place))
    for python in pythons():
        yield from _installed(wheel, python, place)
    runs = sorted(place.glob("Python-*/elsewhere/reports/latest"))
    if len(pythons()) > 1:
        yield timed("packages", f"the same trials on {len(pythons())} Pythons", lambda: _fewer(runs) or unlike(runs))


def _built(source: Path, to: Path) -> str | None:
    kinds = ["-t", "wheel", "-t", "sdist"] if source == ROOT else ["-t", "wheel"]
    return ran([sys.executable, "-m", "hatchling", "build", "-d", to, *kinds], source)


def wanted_in_wheel() -> dict[str, str]:
    """Return what the wheel must hold, by its name there: the checkout's own files."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "src", "cases", "cassettes", "mendbench.toml"], cwd=ROOT, text=True, capture_output=True, check=True
    )  # fmt: skip
    files = [each for each in listed.stdout.split("\0") if each]
    return {
        each.removeprefix("src/") if each.startswith("src/") else f"mendbench/_corpus/{each}": each for each in files
    }


def _holds(wheel: Path) -> str | None:
    wanted = wanted_in_wheel()
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = {name for name in names if re.match(r"mendbench-[^/]+\.dist-info/", name)}
        missing, more = sorted(wanted.keys() - names), sorted(names - about - wanted.keys())
        other = [name for name in wanted if name in names and archive.read(name) != (ROOT / wanted[name]).read_bytes()]
    kinds = {name.rpartition("/")[2] for name in about}
    faults = {
        "missing": missing,
        "more than there must be": more,
        "other than in the checkout": other,
        "missing of its description": sorted({"METADATA", "RECORD", "WHEEL", "entry_points.txt", "LICENSE"} - kinds),
        "megabytes": [f"{wheel.stat().st_size / 1e6:.1f}"] if wheel.stat().st_size > MAX_MEGABYTES * 1e6 else [],
    }
    problems = [f"{len(names)} {what}: {', '.join(names[:5])}" for what, names in faults.items() if names]
    return "; ".join(problems) or None


def _same(wheel: Path, sdist: Path, place: Path) -> str | None:
    with tarfile.open(sdist) as archive:
        archive.extractall(place / "unpacked", filter="data")
    (unpacked,) = (place / "unpacked").iterdir()
    failure = _built(unpacked, place / "again")
    if failure is not None:
        return failure
    again = next((place / "again").glob("*.whl"))
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        names = sorted(set(first.namelist()) ^ set(second.namelist()))
        other = [name for name in first.namelist() if not names and first.read(name) != second.read(name)]
    return f"differs in {', '.join((names or other)[:5])}" if names or other else None


def _fewer(runs: Sequence[Path]) -> str | None:
    return None if len(runs) == len(pythons()) else f"only {len(runs)} of them made a run"


def unlike(runs: Sequence[Path]) -> str | None:
    """Return the first trial that is not the same in all these runs, but for the time that it took; None if all are."""
    tables = []
    for run in runs:
        lines = (run / "trials.jsonl").read_text(encoding="utf-8").splitlines()
        tables.append({row["key"]: {**row, "timing": None} for row in map(json.loads, lines)})
    for run, table in zip(runs[1:], tables[1:], strict=True):
        keys = sorted({*table, *tables[0]})
        other = next((key for key in keys if table.get(key) != tables[0].get(key)), None)
        if other is not None:
            return f"{run.parents[2].name} differs from {runs[0].parents[2].name}, first in {other}"
    return None


def pythons() -> tuple[str, ...]:
    """Return the Pythons of this machine that pyproject.toml claims: those named by its classifiers, one of each."""
    found: dict[str, str] = {}
    for version in claimed_pythons():
        kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
        named = shutil.which(f"python{version}")
        ours = sys.executable if version == f"{sys.version_info[0]}.{sys.version_info[1]}" else None
        one = ours or (str(kept[-1]) if kept else named)
        if one is not None:
            found[version] = one
    return tuple(found.values())


def claimed_pythons() -> tuple[str, ...]:
    """Return the versions that pyproject.toml claims."""
    return tuple(
        re.findall(r'"Programming Language :: Python :: (3\.\d+)"', (ROOT / "pyproject.toml").read_text("utf-8"))
    )


def _installed(wheel: Path, python: str, place: Path) -> Iterator[Step]:
    asked = subprocess.run([python, "-V"], text=True, capture_output=True, check=True)
    version = asked.stdout.strip()
    folder = place / version.replace(" ", "-")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(parents=True)
    made = timed("packages", f"{version}: installed", lambda: environment(folder / "env", python, wheel, cwd=elsewhere))
    yield made
    if made.failure is not None:
        return
    command = folder / "env" / "bin" / "mendbench"
    for what, words in (
        ("--help", ["--help"]),
        ("case list", ["case", "list"]),
        ("run, a few cases", ["run", *A_FEW]),
        ("case check, a few cases", ["case", "check", *CHECKED]),
        ("report", ["report"]),
    ):
        yield timed("packages", f"{version}: mendbench {what}", lambda words=words: ran([command, *words], elsewhere))
    left = sorted(str(each.relative_to(elsewhere)) for each in elsewhere.iterdir() if each.name not in OWN)
    yield Step(
        part="packages",
        what=f"{version}: nothing left but reports and proofs",
        failure=f"left {', '.join(left)}" if left else None,
    )
