"""The labels of the second reader against the cases'."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from mendbench.corpus.corpus import load_corpus

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def cases():
    return {case.id: case for case in load_corpus(ROOT / "cases", ROOT / "cassettes").cases}


@pytest.fixture(scope="module")
def readings():
    lines = (ROOT / "docs" / "second-reading.jsonl").read_text().splitlines()
    return {reading["case"]: reading for reading in map(json.loads, lines)}


def first_fault(case):
    """Return the fault that shows first; of one that no node's state shows, what it would be."""
    order = list(case.first)
    shown = [fault for fault in case.faults if case.first.get(fault.surfaces) in ("error", "warning")]
    found = sorted(shown, key=lambda fault: order.index(fault.surfaces)) or list(case.faults)
    return found[0] if found else None


def labels(case):
    """Return state, who can help, and the node where it shows."""
    fault = first_fault(case)
    if fault is None:
        return "none", "none", None
    state = case.first.get(fault.surfaces, "not_run")
    if state not in ("error", "warning"):
        state = fault.state if fault.who == "edit" else "none"
    return state, fault.who, None if state == "none" else fault.surfaces


def helper(state, who):
    """Return who can help. Nobody has to where a retry has already overcome the failure: some readers said ``retry``, some ``none``."""
    return "none" if state == "none" and who == "retry" else who


def figures(cases, readings):
    pairs = [(labels(cases[name]), (one["state"], one["who"], one["surfaces"])) for name, one in readings.items()]
    classes = [tuple((one[0], helper(one[0], one[1])) for one in pair) for pair in pairs]
    agree = sum(mine == theirs for mine, theirs in classes)
    mine, theirs = Counter(one for one, _ in classes), Counter(other for _, other in classes)
    chance = sum(mine[one] * theirs[one] for one in mine) / len(classes) ** 2
    kappa = (agree / len(classes) - chance) / (1 - chance)
    places = sum(one[2] == other[2] for one, other in pairs)
    edits = [name for name, one in readings.items() if labels(cases[name])[1] == "edit" == one["who"]]
    causes = [(set(first_fault(cases[name]).cause), set(readings[name]["cause"])) for name in edits]
    within = sum(one <= other or other <= one for one, other in causes)
    return len(pairs), agree, f"{kappa:.2f}", places, len(edits), within


def test_every_case_was_read_twice(cases, readings):
    assert set(cases) == set(readings)


def test_the_page_has_the_measured_figures(cases, readings):
    read, agree, kappa, places, edits, within = figures(cases, readings)
    page = (ROOT / "docs" / "second-reading.md").read_text()
    assert f"| {read} of {len(cases)} cases | {agree} | {kappa} |" in page
    assert f"| {read} | {places} | |" in page
    assert f"| {edits} with an edit fault in sight | {within} | |" in page


def test_doubts_are_counted(readings):
    stated = re.search(r"unsure \(2 of 3\) in (\d+) cases", (ROOT / "docs" / "second-reading.md").read_text())
    assert int(stated.group(1)) == sum(reading["sure"] < 3 for reading in readings.values())
