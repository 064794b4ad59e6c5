"""docs/mcp-servers.md names what the probe knows."""

import re
from pathlib import Path

from mendbench.probing.faults import OPERATORS
from mendbench.probing.findings import VERDICTS
from mendbench.report.probe_page import MEANINGS

PAGE = (Path(__file__).parents[2] / "docs" / "mcp-servers.md").read_text("utf-8")


def rows(heading):
    """Return the rows of the table in a section: the first cell without its marks, and the second."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \| (.+) \|$", section, re.MULTILINE)


def test_every_verdict_has_its_meaning_worst_first():
    assert rows("Verdicts") == [(verdict, MEANINGS[verdict]) for verdict in VERDICTS]


def test_every_operator_is_described():
    assert [operator for operator, _ in rows("Faults")] == list(OPERATORS)
