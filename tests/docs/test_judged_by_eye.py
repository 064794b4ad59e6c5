"""The figures of docs/judged-by-eye.md, computed from the readers' answers."""

import json
from collections import Counter
from pathlib import Path

from mendbench.config.shipped import shipped_root
from mendbench.scoring.statistics.exact import wilson
from tests.fakes.tables import for_each

DOCS = Path(__file__).parents[2] / "docs"
LINES = [json.loads(line) for line in (DOCS / "judged-by-eye.jsonl").read_text(encoding="utf-8").splitlines()]
PAGE = " ".join((DOCS / "judged-by-eye.md").read_text(encoding="utf-8").split())


def said_right(line):
    return [reader["verdict"] == "right" for reader in line["readers"]]


@for_each("judged", ["repaired", "plausible", "harmful"])
def test_the_table_counts_what_the_readers_said(judged):
    own = [line for line in LINES if line["judged"] == judged]
    both_right = sum(all(said_right(line)) for line in own)
    both_wrong = sum(not any(said_right(line)) for line in own)
    assert f"| {judged} | {len(own)} | {both_right} | {both_wrong} |" in PAGE


def test_the_shares_have_their_intervals():
    accepted = [line for line in LINES if line["judged"] == "repaired"]
    refused = [line for line in LINES if line["judged"] != "repaired"]
    false_accepts = sum(not all(said_right(line)) for line in accepted)
    false_rejects = sum(any(said_right(line)) for line in refused)
    low, high = wilson(false_accepts, len(accepted))
    assert f"{false_accepts / len(accepted):.2f}, Wilson's 95 % interval {low:.2f} to {high:.2f}" in PAGE
    low, high = wilson(false_rejects, len(refused))
    assert f"{false_rejects} of {len(refused)}, {low:.2f} to {high:.2f}" in PAGE


def test_the_readers_agree_with_each_other_as_the_page_says():
    agreed = sum(one["verdict"] == two["verdict"] for one, two in (line["readers"] for line in LINES))
    assert f"agreed with each other on {agreed} of {len(LINES)}, and on all {len(LINES)} as to whether" in PAGE
    assert all(len(set(said_right(line))) == 1 for line in LINES)


def test_every_workflow_was_read_once_and_is_of_a_shipped_case():
    assert max(Counter((line["case"], line["workflow"]) for line in LINES).values()) == 1
    assert all((shipped_root() / "cases" / line["case"] / "case.yaml").is_file() for line in LINES)
