"""The links of the page of findings into the report of the shipped matrix."""

import re
from urllib.parse import parse_qs

import pytest

from mendbench.config.shipped import shipped_root
from tests.report.conftest import Reader

pytestmark = pytest.mark.browser

FINDINGS = (shipped_root() / "docs" / "findings.md").read_text(encoding="utf-8")
LINKS = re.findall(r"\[(\d+) of \d+\]\(\.\./(reports/[a-z.]+)(#[^)]+)\)", FINDINGS)


def label(link):
    wanted = parse_qs(link[2][1:])
    return f"{wanted['strategy'][0]}-{'repaired' if 'verdict' in wanted else wanted['outcome'][0]}"


def test_the_table_of_strategies_is_linked():
    assert {label(link) for link in LINKS} >= {"mend-repaired", "mend-plausible", "summary-repaired"}


@pytest.mark.parametrize("link", LINKS, ids=label)
def test_a_count_leads_to_as_many_trials(window, link):
    count, page, address = link
    reader = Reader(window(), shipped_root() / page)
    reader.open(address)
    reader.page.wait_for_function(
        "count => document.querySelectorAll('tr.case').length === count", arg=int(count), timeout=5_000
    )
    assert reader.page.url.endswith(address)
