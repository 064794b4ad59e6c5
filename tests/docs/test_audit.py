"""The figures of docs/audit.md, computed from the readers' answers."""

import json
from collections import Counter
from pathlib import Path

from mendbench.config.shipped import shipped_root
from tests.fakes.tables import for_each

DOCS = Path(__file__).parents[2] / "docs"
LINES = [json.loads(line) for line in (DOCS / "audit.jsonl").read_text(encoding="utf-8").splitlines()]
PAGE = " ".join((DOCS / "audit.md").read_text(encoding="utf-8").split())


@for_each("source", sorted({line["source"] for line in LINES}))
def test_the_table_counts_what_the_readers_said(source):
    said = [[reader["verdict"] == "right" for reader in line["readers"]] for line in LINES if line["source"] == source]
    right, wrong = sum(map(all, said)), sum(not any(one) for one in said)
    assert f"| {source} | {len(said)} | {right} | {wrong} | {len(said) - right - wrong} |" in PAGE


def test_the_readers_agree_with_each_other_as_the_page_says():
    agreed = sum(one["verdict"] == two["verdict"] for one, two in (line["readers"] for line in LINES))
    assert f"agree with each other on {agreed} of {len(LINES)}." in PAGE


def test_every_workflow_was_read_once_and_is_of_a_shipped_case():
    assert max(Counter((line["case"], line["workflow"]) for line in LINES).values()) == 1
    assert all((shipped_root() / "cases" / line["case"] / "case.yaml").is_file() for line in LINES)
