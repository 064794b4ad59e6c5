"""Trial records made by hand, and the tables of the page about scores as trial records."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mendbench.scoring.records import AttemptRecord, Treatment, TrialRecord

TREATMENT = Treatment(
    engine="mendbench", repairer="chat", model="m", strategy="summary", policy="two-layer", detector="structural"
)


def attempt(number=1, **changes):
    return AttemptRecord(**{
        "number": number, "label": "fruitless", "progress": None, "status": "unchanged", "repeat": False, "context_tokens": 40,
        "truncated": False, "prompt_tokens": 300, "completion_tokens": 25, "cost_usd": 0.0, "leaks": None, "facts_found": 0,
        "facts_missing": 0, **changes,
    })  # fmt: skip


def record(case="a", sample=0, **changes):
    """Return a repairable case's trial that came out right, unless ``changes`` say otherwise."""
    verdict = changes.get("verdict", "correct")
    has_verdict = verdict in {"correct", "incorrect"}
    outcome = {"correct": "repaired", "incorrect": "unrepaired"}.get(verdict)
    return TrialRecord(**{
        "key": f"{case} | {sample:06d}", "case": case, "group": case, "family": "f", "kind": "repairable", "part": None,
        "level": 1, "api": "private", "case_digest": "d", "adversarial_to": (), "treatment": TREATMENT, "sample": sample,
        "verdict": verdict, "outcome": outcome, "stop_reason": "succeeded", "end": "success" if has_verdict else None,
        "right_after_first": verdict == "correct" if has_verdict else None, "attempts": (), "wasted_attempts": 0 if has_verdict else None,
        "prompt_tokens": None, "completion_tokens": None, "cost_usd": 0.0, "context_recall": None, "leaks": None,
        "progress": None, "nodes": (), "repeated_side_effects": 0, "collateral_edits": 0, "edited": False, "harmful": False,
        "said": False, "derived": 0, "model_requests": "", "world": "", **changes,
    })  # fmt: skip


@dataclass(frozen=True)
class Described:
    """One score as the page has it."""

    name: str
    text: str
    records: tuple[TrialRecord, ...]
    """Those of the table that stands above it."""

    def line(self, name):
        return re.search(rf"^- {name}: (.*)$", self.text, re.MULTILINE).group(1)


def described(page):
    """Yield every score of the page, in its order."""
    records = ()
    for block in re.split(r"^(?=##)", page, flags=re.MULTILINE):
        heading, _, text = block.partition("\n")
        if heading.startswith("### "):
            yield Described(heading.removeprefix("### "), text, records)
        else:
            records = tuple(_records(text))


def _records(text):
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    for cells in lines[2:]:
        row = dict(zip(lines[0], (None if cell == "–" else cell for cell in cells), strict=True))
        verdicts = row.pop("verdicts of its samples", None)
        if verdicts is None:
            yield _record(row)
            continue
        for sample, verdict in enumerate(verdicts.split(", ")):
            yield record(row["case"], sample, kind=row["kind"], verdict=verdict)


def _record(row):
    made = {name: row[name] for name in ("kind", "verdict", "outcome", "end") if name in row}
    if "right after 1" in row:
        made["right_after_first"] = {"yes": True, "no": False, None: None}[row["right after 1"]]
        made["edited"] = row["edited"] == "yes"
    if "attempts" in row:
        made["attempts"] = attempts = tuple(_attempts(row))
        judged = made["verdict"] in {"correct", "incorrect"}
        made["wasted_attempts"] = sum(one.label in {"futile", "fruitless"} for one in attempts) if judged else None
    if row.get("context tokens"):
        made["attempts"] = (attempt(context_tokens=int(row["context tokens"]), truncated=row["cut"] == "yes"),)
        made["leaks"] = row["value stands in"]
        if row["facts in prompt"]:
            has_verdict, facts = row["facts in prompt"].split(" of ")
            made["context_recall"] = int(has_verdict) / int(facts)
    if "best progress level" in row:
        made["progress"] = None if row["best progress level"] is None else int(row["best progress level"])
        made["repeated_side_effects"], made["collateral_edits"] = int(row["repeated"]), int(row["collateral"])
    if "labelled" in row:
        states = zip(row["labelled"].split(", "), row["given"].split(", "), strict=True)
        made["nodes"] = tuple((f"node{at}", *pair) for at, pair in enumerate(states))
    return record(row["case"], **made)


def _attempts(row):
    columns = ("attempts", "responses", "asked", "prompt tokens", "response tokens", "cost")
    cells = zip(*(row[name].split(", ") if row[name] else [] for name in columns), strict=True)
    for number, (label, status, asked, prompt, response, cost) in enumerate(cells, start=1):
        yield attempt(
            number, label=label, status=status, asked=asked == "yes", prompt_tokens=int(prompt),
            completion_tokens=int(response), cost_usd=None if cost == "?" else float(cost),
        )  # fmt: skip
