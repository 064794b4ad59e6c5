"""How many faults the tests find: mutants of the source are planted one by one, and tests that evaluate the mutated expression run.

    python qa/benchmarks/source_mutants.py choose [--count 100] [--seed 20]      # writes source_mutants.jsonl
    python qa/benchmarks/source_mutants.py run FOLDER [--commit HEAD] [--like FOLDER]
    python qa/benchmarks/source_mutants.py table FOLDER [FOLDER]

`run` works in FOLDER: a clone, an environment that imports it, and results.jsonl, to which an interrupted run adds the rest. First the
whole suite runs once with a probe in place of each mutant. A probe records which test evaluates it, also in programs that the test starts.
Tests that fail then are left out. Each mutant then meets at most 300 tests that reach it: those of its module's own test file, then
those of at most 40 others, near files first and then tests that reach few mutants; both for 60 s of CPU time at most. The first test that
fails, and fails again alone, catches it.

`--like` plants the same mutants in a later commit, whose tests may be renamed, merged or gone. No probes run: each mutant meets the test
that caught it in the earlier run, then that test's file, its module's test file, and the files of all tests that reached it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from source_mutants_made import CannotPlant, Mutant, chosen, planted

HERE = Path(__file__).parent
RECORD = HERE / "source_mutants.jsonl"
MOST_TESTS, MOST_FILES = 300, 40
MOST_CPU_S = 60
"""CPU time of the tests that a mutant meets in one stage, with what starting pytest takes."""
MOST_WALL_S = 900
"""Wall time after which a stage counts as one that does not end."""
SLOWEST_S = 30
"""Tests that last longer with probes are left out."""
NO_TESTS = 5
"""pytest's exit code where no test was selected."""
ENDINGS = ("caught", "survived", "not covered", "not planted")
REACHED = """
import builtins, os
known = set()
try:
    file = os.open({path!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
except OSError:
    file = -1
def reached(number):
    key = number, os.environ.get("SOURCE_MUTANTS_TEST", "")
    if key not in known:
        known.add(key)
        try:
            os.write(file, f"{{key[0]}}\\t{{key[1]}}\\n".encode())
        except OSError:
            pass
builtins.__mutant_reached__ = reached
"""
"""Is imported by every Python of the environment, so that programs record too. A program may have closed the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one mutant."""

    number: int
    ending: str
    """One of ``ENDINGS``."""
    by: str = ""
    """The test that failed, else ``collection`` or ``no end``; of a mutant that could not be planted, why."""
    tests: int = 0
    """How many tests or test files were selected."""
    ran: int = 0
    """How many tests ran before one failed, or the time was over."""


def made(folder: Path, commit: str) -> None:
    """Clone into a folder, and make an environment beside the clone that imports it, with the libraries and programs of this one."""
    copy, own, libraries = folder / "copy", folder / "venv" / "bin", sysconfig.get_path("purelib")
    folder.mkdir(parents=True)
    subprocess.run(["git", "clone", "-q", HERE.parents[1], copy], check=True)  # noqa: S607 - whichever Git there is
    subprocess.run(["git", "-C", copy, "checkout", "-q", commit], check=True)  # noqa: S607
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", own.parent], check=True)
    packages = own.parent / Path(libraries).relative_to(sys.prefix)
    (packages / "source_mutants_reached.py").write_text(REACHED.format(path=str(folder / "reached.tsv")), "utf-8")
    (packages / "tested.pth").write_text(f"{copy / 'src'}\n{libraries}\nimport source_mutants_reached\n", "utf-8")
    shutil.copy(HERE / "source_mutants_pytest.py", packages)
    for script in Path(sys.prefix, "bin").iterdir():
        if (own / script.name).exists() or not script.is_file():
            continue
        if script.read_bytes()[:2] == b"#!":
            _, _, program = script.read_text("utf-8").partition("\n")
            (own / script.name).write_text(f"#!{own / 'python'}\n{program}", "utf-8")
            (own / script.name).chmod(0o755)
        else:
            (own / script.name).symlink_to(script)


def plant(folder: Path, edits: Sequence[tuple[Mutant, str]]) -> None:
    """Put new texts in the places of mutants, in a clean clone.

    Raises:
        CannotPlant: the source no longer has one of the lines.
    """
    subprocess.run(["git", "-C", folder / "copy", "checkout", "-q", "--", "src"], check=True)  # noqa: S607
    for mutant, new in edits:
        file, text = planted(folder / "copy", mutant, new)
        file.write_text(text, "utf-8")
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink()  # it would still count where the size and the second are the same


def tested(
    folder: Path, name: str, tests: Sequence[str] | None, *words: str
) -> tuple[int | None, list[tuple[str, float, str]]]:
    """Run tests, or all; return pytest's exit code (None: they did not end) and each test's outcome, seconds and id."""
    results, listed, python = folder / name, folder / "selected.txt", folder / "venv" / "bin" / "python"
    results.write_text("", "utf-8")
    environ = {
        **os.environ,
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder / "copy" / "src"),
        "SOURCE_MUTANTS_RESULTS": str(results),
    }
    files = ["tests"]
    if tests is not None:
        listed.write_text("\n".join(tests), "utf-8")
        environ |= {"SOURCE_MUTANTS_TESTS": str(listed), "SOURCE_MUTANTS_SECONDS": str(MOST_CPU_S)}
        files = [file for file in dict.fromkeys(map(file_of, tests)) if (folder / "copy" / file).is_file()]
    if not files:
        return 0, []
    options = ("-q", "-n0", "-p", "source_mutants_pytest", "-p", "no:cacheprovider", "--hypothesis-seed=0", *words)
    with (folder / "pytest.log").open("w", encoding="utf-8") as log:
        running = subprocess.Popen(
            [str(python), "-m", "pytest", *options, *files],
            cwd=folder / "copy", env=environ, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            code = running.wait(None if tests is None else MOST_WALL_S)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            code = None
    return code, outcomes(results)


def outcomes(results: Path) -> list[tuple[str, float, str]]:
    """Return the outcome, the seconds and the id of each test that ran."""
    lines = [line.split("\t", 2) for line in results.read_text("utf-8").splitlines()]
    return [(outcome, float(seconds), test) for outcome, seconds, test in lines]


def file_of(test: str) -> str:
    """Return the file of a test."""
    return test.partition("::")[0]


def own_file(mutant: Mutant) -> str:
    """Return the test file of a mutant's module."""
    path = Path(mutant.file.replace("src/mendbench", "tests", 1))
    return str(path.with_name(f"test_{path.name}"))


def reached_by(folder: Path) -> dict[int, list[str]]:
    """Return the passing tests that reach each mutant, first those that reach few; ``""`` stands for imports."""
    ran = outcomes(folder / "all.tsv")
    failed = {test for outcome, _, test in ran if outcome != "passed"}
    seconds = {test: took for _, took, test in ran if test not in failed and took <= SLOWEST_S}
    found: dict[int, set[str]] = {}
    for line in (folder / "reached.tsv").read_text("utf-8").splitlines():
        number, _, test = line.partition("\t")
        if not test or test in seconds:
            found.setdefault(int(number), set()).add(test)
    often = Counter(test for tests in found.values() for test in tests)
    order = sorted(often, key=lambda test: (often[test], seconds.get(test, 0), test))
    return {number: [test for test in order if test in tests] for number, tests in found.items()}


def stages(mutant: Mutant, tests: Sequence[str]) -> list[list[str]]:
    """Return the tests of the module's own test file, then others, those of the same folder first."""
    file = own_file(mutant)
    own = [test for test in tests if file_of(test) == file] + [file] * ("" in tests)
    others = [test for test in tests if file_of(test) not in ("", file)]
    near = sorted(others, key=lambda test: Path(file_of(test)).parent != Path(file).parent)
    files = list(dict.fromkeys(map(file_of, near)))[:MOST_FILES]
    return [own[:MOST_TESTS], [test for test in near if file_of(test) in files][: MOST_TESTS - len(own[:MOST_TESTS])]]


def stages_like(mutant: Mutant, tests: Sequence[str], before: Result) -> list[list[str]]:
    """Return the test that caught a mutant before, its file, the module's own, and the files of all that reached it."""
    caught = [[before.by], [file_of(before.by)]] if before.ending == "caught" else []
    return [
        *caught,
        [own_file(mutant)],
        list(dict.fromkeys(file_of(test) for stage in stages(mutant, tests) for test in stage)),
    ]


def failing(folder: Path, tests: Sequence[str]) -> tuple[str, int]:
    """Run tests; return the first that fails, else why pytest did, else an empty text; and how many passed."""
    code, ran = tested(folder, "one.tsv", tests, "-x") if tests else (0, [])
    failed = next((test for outcome, _, test in ran if outcome == "failed"), "")
    if not failed and code is None:
        failed = "no end"
    elif not failed and code not in {0, NO_TESTS} and not ran:
        failed = "collection"
    return failed, sum(outcome == "passed" for outcome, _, _ in ran)


def tried(folder: Path, mutant: Mutant, met: Sequence[Sequence[str]]) -> Result:
    """Plant one mutant, and run stages of tests until one test of them fails, twice."""
    try:
        plant(folder, [(mutant, mutant.after)])
    except CannotPlant as error:
        return Result(number=mutant.number, ending="not planted", by=str(error))
    count, passed = sum(map(len, met)), 0
    for tests in met:
        by, more = failing(folder, tests)
        passed += more
        if by and ("::" not in by or failing(folder, [by])[0] == by):
            return Result(number=mutant.number, ending="caught", by=by, tests=count, ran=passed)
    return Result(number=mutant.number, ending="survived" if count else "not covered", tests=count, ran=passed)


def results_of(folder: Path) -> dict[int, Result]:
    """Return the results so far."""
    file = folder / "results.jsonl"
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return {result.number: result for result in (Result(**json.loads(line)) for line in lines)}


def run(folder: Path, mutants: Sequence[Mutant], commit: str, like: Path | None) -> None:
    """Try the mutants that have no result yet, then the tests that caught one without any mutant."""
    if not folder.exists():
        made(folder, commit)
    if like is None and not (folder / "probed").is_file():
        (folder / "reached.tsv").unlink(missing_ok=True)
        plant(folder, [(mutant, mutant.probe) for mutant in mutants])
        tested(folder, "all.tsv", None)
        (folder / "probed").touch()
    reached, before = reached_by(like or folder), results_of(like) if like else {}
    for mutant in mutants:
        if mutant.number not in results_of(folder):
            tests = reached.get(mutant.number, [])
            met = stages_like(mutant, tests, before[mutant.number]) if like else stages(mutant, tests)
            result = tried(folder, mutant, met)
            with (folder / "results.jsonl").open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(result)) + "\n")
            print(*asdict(result).values(), mutant.file, mutant.function, sep="\t", flush=True)
    plant(folder, [])
    catching = sorted(
        {result.by for result in results_of(folder).values() if result.ending == "caught" and "::" in result.by}
    )
    for at in range(0, len(catching), 10):
        for outcome, _, test in tested(folder, "clean.tsv", catching[at : at + 10])[1]:
            if outcome == "failed":
                print(f"{test} fails without a mutant: what it caught does not count")


def table(mutants: Sequence[Mutant], folders: Sequence[Path]) -> str:
    """Return the endings by package as a table in Markdown, those of each folder beside one another."""
    found = [results_of(folder) for folder in folders]
    lines = [
        f"| package | mutants | {' | '.join(ENDINGS * len(found))} |",
        "| --- |" + " --- |" * (1 + len(ENDINGS * len(found))),
    ]
    for package in [*sorted({mutant.package for mutant in mutants}), "all"]:
        own = [mutant.number for mutant in mutants if package in (mutant.package, "all")]
        counts = [Counter(results[number].ending for number in own if number in results) for results in found]
        cells = [str(count[ending]) for count in counts for ending in ENDINGS]
        lines.append(f"| {package} | {len(own)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Choose, run, or show."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("choose", "run", "table"))
    parser.add_argument("folders", type=Path, nargs="*", metavar="FOLDER")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--like", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    if given.command == "choose":
        lines = [json.dumps(asdict(mutant)) + "\n" for mutant in chosen(HERE.parents[1], given.count, given.seed)]
        RECORD.write_text("".join(lines), "utf-8")
        return
    mutants = [Mutant(**json.loads(line)) for line in RECORD.read_text("utf-8").splitlines()]
    if given.command == "table":
        print(table(mutants, given.folders))
    for folder in given.folders if given.command == "run" else ():
        run(folder.resolve(), mutants, given.commit, given.like)


if __name__ == "__main__":
    main()
