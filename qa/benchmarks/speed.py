"""How fast replay is, each figure as a ratio to another command of the same run.

    python qa/benchmarks/speed.py [--rounds 5] [--peers PYTHON …] [--out reports/speed.json]

Every round runs the commands one after the other, so that a slow machine is slow for all of them; a ratio is the median over the rounds,
with the least and the greatest beside it. CPU seconds are those of the whole process, from its start to its end, user and system.
The result is appended to qa/benchmarks/history.jsonl. What is measured:

- bare: a loop that reads the same recordings with orjson, renders the same templates with jinja2 and writes the same rows with orjson
- by hand: a pytest module with one test a trial, which replays the same requests with vcrpy through one shared HTTP client
- start: `--version` and `--help` beside `python -c 'import typer'`, and the replay of one case
- growth: CPU a trial and peak memory of N and of 10 N trials
- workers: wall seconds of one worker and of two
- peers: as many trivial echoes in other harnesses, with the Pythons that --peers names
"""

from __future__ import annotations

import argparse
import json
import os
import platform
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


def cost(command: Sequence[str | Path]) -> Cost:
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


def replay(out: Path, samples: int, workers: int, *cases: str) -> list[str]:
    """Return the command that replays the trials which everything else is compared with."""
    strategies = [word for name in STRATEGIES for word in ("--strategy", name)]
    stopped = [word for name in POLICIES for word in ("--policy", name)]
    drawn = ["--samples", str(samples)] if samples > 1 else []
    return mendbench(
        "run", *cases, *strategies, *stopped, *ANSWERED, *drawn, "--fresh", "--workers", str(workers), "--out", out
    )


def measured(count: int, peers: Sequence[str], place: Path) -> list[Ratio]:
    """Return all ratios."""
    work, found = place / "work", []
    subprocess.run(replay(place / "run", 1, 0), check=True, stdout=subprocess.DEVNULL)
    trials = json.loads((place / "run" / "run.json").read_text(encoding="utf-8"))["trials"]
    subprocess.run([sys.executable, HERE / "speed_work.py", place / "run", work], check=True)
    ours = lambda: cost(replay(place / "again", 1, 1))  # noqa: E731
    bare = lambda: cost([sys.executable, HERE / "speed_bare.py", work])  # noqa: E731
    hand = lambda: cost([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", work / "test_by_hand.py"])  # noqa: E731
    measured = rounds(count, ours, bare, hand)
    name = f"{trials} trials"
    found.append(compared(f"{name}: CPU to the bare loop's", [(a.cpu, b.cpu) for a, b, _ in measured], "at most 4"))
    found.append(
        compared(f"{name}: CPU of tests by hand to ours", [(c.cpu, a.cpu) for a, _, c in measured], "at least 5")
    )
    typer = lambda: cost([sys.executable, "-c", "import typer"])  # noqa: E731
    for words, wanted in ((["--version"], "at most 1.3"), (["--help"], "at most 1.3")):
        pairs = rounds(count, lambda words=words: cost(mendbench(*words)), typer)
        found.append(compared(f"{words[0]}: CPU to `import typer`", [(a.cpu, b.cpu) for a, b in pairs], wanted))
    pairs = rounds(
        count, lambda: cost(mendbench("run", *ONE_CASE, "--fresh", "--workers", "1", "--out", place / "one")), typer
    )
    found.append(compared("one case: CPU to `import typer`", [(a.cpu, b.cpu) for a, b in pairs], "at most 3"))
    many = [(cost(replay(place / "many", 10, 1)), ours())]
    found.append(compared("CPU a trial, ten times as many", [(a.cpu / 10, b.cpu) for a, b in many], "about 1"))
    found.append(compared("peak memory, ten times as many", [(a.peak_mib, b.peak_mib) for a, b in many], "at most 1.3"))
    two = rounds(count, lambda: cost(replay(place / "two", 3, 1)), lambda: cost(replay(place / "two", 3, 2)))
    found.append(
        compared(f"wall of one worker to two, {3 * trials} trials", [(a.wall, b.wall) for a, b in two], "at least 1.7")
    )
    for python in peers:
        for peer, module in PEERS.items():
            if subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode:
                continue
            echo = lambda python=python, peer=peer: cost([python, HERE / "speed_peers.py", peer, str(trials)])  # noqa: E731
            pairs = rounds(count, ours, echo)
            found.append(
                compared(f"{name}: CPU to as many echoes in {peer}", [(a.cpu, b.cpu) for a, b in pairs], "below 1")
            )
    return found


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
