"""A pytest plugin of source_mutants.py: runs chosen tests in the given order, within a time, and records what each came to.

The environment names the files: SOURCE_MUTANTS_TESTS (ids of tests or test files to run, one a line; all tests if it is not set) and
SOURCE_MUTANTS_RESULTS (a line ``outcome TAB seconds TAB id`` for each test). SOURCE_MUTANTS_SECONDS bounds the CPU time: no test starts
later.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from types import FrameType

import pytest

MOST_S = float(os.environ.get("SOURCE_MUTANTS_SECONDS", "inf"))
LONGEST_S = 180
"""Wall time of one test before it counts as one that hangs: long, as the machine may be busy."""


def _hangs(_signal: int, _frame: FrameType | None) -> None:
    pytest.fail(f"it lasts longer than {LONGEST_S} s")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the chosen tests, in their order."""
    listed = os.environ.get("SOURCE_MUTANTS_TESTS")
    if listed:
        places = {name: at for at, name in enumerate(Path(listed).read_text(encoding="utf-8").splitlines())}
        found = [places.get(item.nodeid, places.get(item.nodeid.partition("::")[0])) for item in items]
        order = sorted((place, at) for at, place in enumerate(found) if place is not None)
        items[:] = [items[at] for _, at in order]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Name the test to the programs that it starts; stop in time, also within a test."""
    os.environ["SOURCE_MUTANTS_TEST"] = item.nodeid
    if sum(os.times()[:4]) > MOST_S:
        item.session.shouldstop = "the time is over"
        pytest.skip("the time is over")
    if "SOURCE_MUTANTS_TESTS" in os.environ:
        signal.signal(signal.SIGALRM, _hangs)
        signal.alarm(LONGEST_S)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Record how a test ended."""
    if report.when == "teardown":
        os.environ.pop("SOURCE_MUTANTS_TEST", None)
        signal.alarm(0)
    if report.when == "call" or report.outcome != "passed":
        with Path(os.environ["SOURCE_MUTANTS_RESULTS"]).open("a", encoding="utf-8") as file:
            file.write(f"{report.outcome}\t{report.duration:.3f}\t{report.nodeid}\n")
