"""How fast replay is, each figure as a ratio to another command of the same run.

    python qa/benchmarks/speed.py [--rounds 5] [--peers PYTHON …] [--out reports/speed.json]

Every round runs the commands one after the other, so that a slow machine is slow for all of them; a ratio is the median over the rounds,
with the least and the greatest beside it. CPU seconds are those of the whole process, from its start to its end, user and system.
The result is appended to qa/benchmarks/history.jsonl. What is measured:

- loop: the same trials executed and judged without the matrix, the rows, the cache and the report
- bare: a loop that reads the same recordings with orjson, renders the same templates with jinja2 and writes the same rows with orjson
- by hand: a pytest module with one test a trial, which replays the same requests with vcrpy through one shared HTTP client
- start: `--version` and `--help` beside `python -c 'import typer'`, and the replay of one case
- growth: CPU a trial and peak memory of N and of 10 N trials
- workers: wall seconds of one worker and of two
- peers: as many trivial echoes in other harnesses, with the Pythons that --peers names and with promptfoo if it is installed; cold, when
  every trial of ours is executed, and incremental, when all rows come from the cache and the report is written
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).parent
HISTORY = HERE / "history.jsonl"
STRATEGIES, POLICIES = ("summary", "full-context"), ("naive", "loop", "two-layer", "three-strikes")
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m"
ANSWERED = ("--repairer", "chat", "--model", MODEL)
ONE_CASE = ("github/labels-as-string", "--strategy", "summary", "--policy", "two-layer", *ANSWERED)
PEERS = {"pydantic-evals": "pydantic_evals", "deepeval": "deepeval", "inspect-ai": "inspect_ai"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process needed."""

    cpu: float
    wall: float
    peak_mib: float


@dataclass(frozen=True, slots=True)
class Ratio:
    """One command against another, over all rounds."""

    name: str
    ratio: float
    least: float
    greatest: float
    own: float
    """Median of the first command, in the unit that is compared."""
    other: float
    wanted: str
    """The target, in words."""


def cost(command: Sequence[str | Path | int]) -> Cost:
    """Run a command to its end and return what it needed.

    Raises:
        SystemExit: it failed.
    """
    program = (
        "import json, resource, subprocess, sys, time\n"
        "began = time.perf_counter()\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)\n"
        "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(json.dumps([done.returncode, done.stderr[-2000:], used.ru_utime + used.ru_stime,"
        " time.perf_counter() - began, used.ru_maxrss / 1024]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, command)], capture_output=True, text=True, check=True
    )
    code, error, cpu, wall, peak = json.loads(done.stdout)
    if code:
        sys.exit(f"{' '.join(map(str, command))}: exit {code}\n{error}")
    return Cost(cpu, wall, peak)


def compared(name: str, pairs: Sequence[tuple[float, float]], wanted: str) -> Ratio:
    """Return the ratio of each pair, summed up."""
    ratios = [own / other for own, other in pairs]
    return Ratio(
        name, statistics.median(ratios), min(ratios), max(ratios), statistics.median(own for own, _ in pairs),
        statistics.median(other for _, other in pairs), wanted,
    )  # fmt: skip


def rounds(count: int, *commands: Callable[[], Cost]) -> list[tuple[Cost, ...]]:
    """Return the costs of all commands in each round; one round before is not counted."""
    for command in commands:
        command()
    return [tuple(command() for command in commands) for _ in range(count)]


def mendbench(*words: str | Path) -> list[str]:
    """Return a command of this environment's mendbench."""
    return [str(Path(sys.executable).with_name("mendbench")), *map(str, words)]


def replay(out: Path, samples: int, workers: int, *, fresh: bool = True) -> list[str]:
    """Return the command that replays the trials which everything else is compared with."""
    treatments = [word for name in STRATEGIES for word in ("--strategy", name)]
    treatments += [word for name in POLICIES for word in ("--policy", name)]
    drawn = ["--samples", str(samples)] if samples > 1 else []
    executed = ["--fresh"] if fresh else []
    return mendbench("run", *treatments, *ANSWERED, *drawn, *executed, "--workers", str(workers), "--out", out)


def cached(out: Path) -> Cost:
    """Run the trials without an earlier run in their place: all rows come from the cache."""
    shutil.rmtree(out, ignore_errors=True)
    return cost(replay(out, 1, 1, fresh=False))


def measured(count: int, peers: Sequence[str], place: Path) -> list[Ratio]:
    """Return all ratios."""
    subprocess.run(replay(place / "run", 1, 0), check=True, stdout=subprocess.DEVNULL)
    trials = json.loads((place / "run" / "run.json").read_text(encoding="utf-8"))["trials"]
    return [
        *beside_loops(count, trials, place),
        *beside_peers(count, trials, peers, place),
        *starts(count, place),
        *growth(count, trials, place),
    ]


def beside_loops(count: int, trials: int, place: Path) -> list[Ratio]:
    """Return the ratios to less work on the same trials."""
    work = place / "work"
    subprocess.run([sys.executable, HERE / "speed_work.py", place / "run", work], check=True)
    pytest: list[str | Path | int] = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        work / "test_by_hand.py",
    ]
    found = rounds(
        count,
        lambda: cost(replay(place / "again", 1, 1)),
        lambda: cost([sys.executable, HERE / "speed_loop.py", place / "run", place / "verdicts.jsonl"]),
        lambda: cost([sys.executable, HERE / "speed_bare.py", work]),
        lambda: cost(pytest),
    )
    name = f"{trials} trials: CPU"
    return [
        compared(f"{name} to a loop that executes and judges", [(a.cpu, b.cpu) for a, b, _, _ in found], "near 1"),
        compared(f"{name} to the bare loop's", [(a.cpu, c.cpu) for a, _, c, _ in found], "at most 4"),
        compared(f"{name} of tests by hand to ours", [(d.cpu, a.cpu) for a, _, _, d in found], "at least 5"),
    ]


def beside_peers(count: int, trials: int, peers: Sequence[str], place: Path) -> list[Ratio]:
    """Return the ratios to as many echoes in the other harnesses that are installed."""
    echoes: list[tuple[str, list[str | Path | int]]] = [
        (peer, [python, HERE / "speed_peers.py", peer, trials])
        for python in peers
        for peer, module in PEERS.items()
        if not subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode
    ]
    if shutil.which("promptfoo"):
        echoes.append(("promptfoo", [sys.executable, HERE / "speed_peers.py", "promptfoo", trials]))
    if not echoes:
        return []
    found = rounds(
        count,
        lambda: cost(replay(place / "again", 1, 1)),
        lambda: cached(place / "cached"),
        *(lambda command=command: cost(command) for _, command in echoes),
    )
    return [
        compared(
            f"{trials} trials, {how}: CPU to {peer}", [(each[ours].cpu, each[at].cpu) for each in found], "below 1"
        )
        for at, (peer, _) in enumerate(echoes, start=2)
        for ours, how in enumerate(("cold", "incremental"))
    ]


def starts(count: int, place: Path) -> list[Ratio]:
    """Return the ratios of short commands to the import of the library that parses their arguments."""
    one = mendbench("run", *ONE_CASE, "--fresh", "--workers", "1", "--out", place / "one")
    commands = (
        ("--version", mendbench("--version"), "at most 1.3"),
        ("--help", mendbench("--help"), "at most 1.3"),
        ("one case", one, "at most 6"),
    )
    found = rounds(
        count,
        lambda: cost([sys.executable, "-c", "import typer"]),
        *(lambda command=command: cost(command) for _, command, _ in commands),
    )
    return [
        compared(f"{name}: CPU to `import typer`", [(each[at].cpu, each[0].cpu) for each in found], wanted)
        for at, (name, _, wanted) in enumerate(commands, start=1)
    ]


def growth(count: int, trials: int, place: Path) -> list[Ratio]:
    """Return the ratios of more trials to fewer, and of one worker to two."""
    many, few = cost(replay(place / "many", 10, 1)), cost(replay(place / "again", 1, 1))
    two = rounds(count, lambda: cost(replay(place / "two", 3, 1)), lambda: cost(replay(place / "two", 3, 2)))
    return [
        compared("CPU a trial, ten times as many", [(many.cpu / 10, few.cpu)], "about 1"),
        compared("peak memory, ten times as many", [(many.peak_mib, few.peak_mib)], "at most 1.3"),
        compared(f"wall of one worker to two, {3 * trials} trials", [(a.wall, b.wall) for a, b in two], "at least 1.7"),
    ]


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", action="append", default=[], metavar="PYTHON")
    parser.add_argument("--out", type=Path, default=Path("reports/speed.json"))
    given = parser.parse_args()
    began = time.time()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(given.rounds, given.peers, Path(folder))
    version = subprocess.run(mendbench("--version"), capture_output=True, text=True, check=True).stdout.strip()
    document = {
        "format": 1,
        "version": version,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "rounds": given.rounds,
        "seconds": round(time.time() - began),
        "ratios": [asdict(one) for one in found],
    }
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    with HISTORY.open("a", encoding="utf-8") as history:
        history.write(json.dumps(document) + "\n")
    for one in found:
        print(
            f"{one.name:<58} {one.ratio:7.2f}  ({one.least:.2f} to {one.greatest:.2f}; {one.own:.3g} to {one.other:.3g})  {one.wanted}"
        )


if __name__ == "__main__":
    main()
