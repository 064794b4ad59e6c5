"""The catalogue of API errors: it has what is cited from it, once, and says what nobody has verified."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from mendbench import services
from mendbench.corpus.corpus import load_corpus
from tests.fakes.tables import for_each

ROOT = Path(__file__).resolve().parents[2]
SERVICES = Path(services.__file__).parent

ROW = r"[FGHILMNPQSTVX][0-9]{1,2}"
LIST = re.compile(rf"\brows?\s+({ROW}\b(?:(?:\s*(?:,|/|–)\s*|,?\s+(?:and|or|to)\s+){ROW}\b)*)")
STANDS = re.compile(rf"^\| ({ROW})([†‡]?) \|", re.MULTILINE)


def standing(page):
    """Return the rows of the page in order, with their marks."""
    return STANDS.findall(page)


def cited(text):
    """Return the rows that a text cites; with a dash or ``to`` all that lie between two."""
    found = set()
    for said in LIST.findall(text):
        found.update(re.findall(ROW, said))
        for first, last in pairwise(re.finditer(ROW, said)):
            if said[first.end() : last.start()].strip() in {"–", "to"}:
                found.update(f"{first[0][0]}{n}" for n in range(int(first[0][1:]), int(last[0][1:]) + 1))
    return found


def unlisted(texts, page):
    """Return which rows the texts cite that do not stand on the page, with who cites them."""
    have = {row for row, _ in standing(page)}
    return {(name, row) for name, text in texts.items() for row in cited(text) - have}


@pytest.fixture(scope="module")
def page():
    return (ROOT / "docs" / "catalogue.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cases():
    return load_corpus(ROOT / "cases", ROOT / "cassettes", tolerant=True).cases


@pytest.fixture(scope="module")
def evidence(cases):
    return {f"{case.id}#{fault.id}": fault.evidence for case in cases for fault in case.faults}


@for_each(
    ("text", "rows"),
    [
        ("to a name (catalogue row S10); x", {"S10"}),
        ("catalogue rows N1, N3, S33 and S43", {"N1", "N3", "S33", "S43"}),
        ("rows G64/G65 for the shape", {"G64", "G65"}),
        ("rows T1–T3, T9", {"T1", "T2", "T3", "T9"}),
        ("rows T9 to T11", {"T9", "T10", "T11"}),
        ("catalogue\n      row M8; no other (row M10)", {"M8", "M10"}),
        ("row H5, which shows a text; tank T5, throw S3", {"H5"}),
    ],
)
def test_all_ways_to_cite_rows_are_read(text, rows):
    assert cited(text) == rows


def test_a_row_that_is_cited_and_does_not_stand_is_found():
    assert unlisted({"a case": "row S9, rows G1 and G2"}, "| S9 | x |\n| G1† | x |") == {("a case", "G2")}


def test_every_row_that_evidence_cites_stands_in_the_catalogue(evidence, page):
    assert any(cited(text) for text in evidence.values())
    assert unlisted(evidence, page) == set()


def test_every_row_that_a_source_cites_stands_in_the_catalogue(cases, page):
    assert unlisted({case.id: case.source for case in cases}, page) == set()


def test_every_row_that_a_service_cites_stands_in_the_catalogue(page):
    texts = {str(path.relative_to(SERVICES)): path.read_text(encoding="utf-8") for path in SERVICES.rglob("*.py")}
    assert texts
    assert unlisted(texts, page) == set()


def test_no_row_stands_twice(page):
    assert [row for row, times in Counter(row for row, _ in standing(page)).items() if times > 1] == []


def test_no_label_rests_on_a_row_that_nobody_has_verified(evidence, page):
    unverified = {row for row, mark in standing(page) if mark == "†"}
    assert unverified
    assert {(name, row) for name, text in evidence.items() for row in cited(text) & unverified} == set()


def test_every_line_of_a_row_has_as_many_cells_as_its_head(page):
    rows = [line for line in page.splitlines() if STANDS.match(line)]
    assert {line: line.count(" | ") for line in rows if line.count(" | ") != 4} == {}
