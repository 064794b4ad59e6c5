"""Report which wording makes the next call right, and whether the probe's verdict predicts it: ``python analyse.py [FOLDER ...]``.

It reads the run of each folder's matrix and its probes, and prints Markdown; of several folders also a table that puts them side by side.
Without FOLDER it reads this one. A next call is right if it passes the case's checks. A call
that the probe did not send has no recorded answer; it is not the right call, whose answer is recorded, so it counts as not right.
Intervals are 95 %, by bootstrap over servers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import choose

from mendbench.io.yaml_documents import load_yaml
from mendbench.probing.faults import OPERATORS
from mendbench.results.store import read_run
from mendbench.scoring.comparing.comparison import compare_scores
from mendbench.scoring.comparing.pairing import pair_trials
from mendbench.scoring.records import TrialRecord
from mendbench.scoring.scores import score
from mendbench.scoring.statistics.exact import Interval
from mendbench.scoring.statistics.resampling import clustered_bootstrap

HERE = Path(__file__).parent
AGAINST = "server-text"
"""The wording that the others are compared with."""
SCORE = "attempt1_success"

Trials = Mapping[str, Sequence[TrialRecord]]


def trials_by_wording(run: Path) -> Trials:
    """Return the model's trials by strategy, each server one group of cases."""
    found: dict[str, list[TrialRecord]] = {}
    for record in read_run(run).records:
        if record.treatment.model is not None:
            found.setdefault(record.treatment.strategy, []).append(_settled(replace(record, group=record.family)))
    return found


def _settled(record: TrialRecord) -> TrialRecord:
    """Return a trial; one whose call the probe did not send is incorrect. A trial without a response stays open."""
    unsent = record.verdict == "unjudged" and bool(record.attempts)
    return replace(record, verdict="incorrect", right_after_first=False) if unsent else record


def broken_calls(folder: Path) -> dict[str, Mapping[str, Any]]:
    """Return the broken call of each case, as the probe reports it."""
    found = {}
    for path in sorted((folder / "cases").glob("*/*/case.yaml")):
        server, broken = path.parts[-3], load_yaml(path.read_text("utf-8"), str(path), "")["source"].rpartition(": ")[2]
        calls = json.loads((folder / f"probes/{server}.json").read_text("utf-8"))["broken_calls"]
        found[f"{server}/{path.parts[-2]}"] = next(one for one in calls if one["id"] == broken)
    return found


def wordings(trials: Trials) -> list[str]:
    """Return the table of wordings: right next calls, and the difference to the server's own text."""
    lines = [f"| wording | right next calls | difference to {AGAINST} | won : lost |", "| --- | --- | --- | --- |"]
    for name, own in sorted(trials.items(), key=lambda item: -_right(item[1])):
        (pair,) = pair_trials(trials[AGAINST], own, ("strategy",)).pairs
        (found,) = compare_scores(pair, {SCORE: score(SCORE)})
        differs = name != AGAINST and found.difference is not None
        shown = f"{100 * (found.difference or 0):+.0f} points{_between(found.interval)}" if differs else ""
        lines.append(
            f"| `{name}` | {_right(own)} of {len(own)} | {shown} | {f'{found.won} : {found.lost}' if differs else ''} |"
        )
    return lines


def by_verdict(trials: Trials, verdict_of: Mapping[str, str]) -> list[str]:
    """Return the table of right next calls by the probe's verdict, for each wording, and how far ``helps`` is ahead of the others."""
    lines = [
        f"| wording | {' | '.join(choose.VERDICTS)} | helps, minus the others |",
        "| --- |" + " --- |" * (len(choose.VERDICTS) + 1),
    ]
    for name, own in sorted(trials.items(), key=lambda item: -_right(item[1])):
        parts = {verdict: [one for one in own if verdict_of[one.case] == verdict] for verdict in choose.VERDICTS}
        cells = [f"{_right(part)} of {len(part)}" if part else "" for part in parts.values()]
        lines.append(f"| `{name}` | {' | '.join(cells)} | {_ahead(own, {one.case for one in parts['helps']})} |")
    return lines


def by_fault(trials: Trials, operator_of: Mapping[str, str]) -> list[str]:
    """Return the table of right next calls by fault. The right name is absent from a call with a missing argument alone."""
    operators = [operator for operator in OPERATORS if operator in set(operator_of.values())]
    lines = [f"| wording | {' | '.join(operators)} |", "| --- |" + " --- |" * len(operators)]
    for name, own in sorted(trials.items(), key=lambda item: -_right(item[1])):
        parts = [[one for one in own if operator_of[one.case] == operator] for operator in operators]
        lines.append(f"| `{name}` | {' | '.join(f'{_right(part)} of {len(part)}' for part in parts)} |")
    return lines


def _ahead(trials: Sequence[TrialRecord], helped: set[str]) -> str:
    """Return by how much trials are right more often where the message helps; its interval is of the two shares, linearised."""
    right = {one.case: float(bool(one.right_after_first)) for one in trials}
    sides = [[case for case in right if (case in helped) == side] for side in (True, False)]
    if not all(sides):
        return ""
    shares = [sum(right[case] for case in side) / len(side) for side in sides]
    values = {
        case: shares[0] - shares[1] + sign * len(right) * (right[case] - share) / len(side)
        for side, share, sign in zip(sides, shares, (1, -1), strict=True)
        for case in side
    }
    interval = clustered_bootstrap(values, {one.case: one.group for one in trials})
    return f"{100 * (shares[0] - shares[1]):+.0f} points{_between(interval)}"


def _between(interval: Interval | None) -> str:
    return "" if interval is None else f" ({100 * interval.low:+.0f} to {100 * interval.high:+.0f})"


def _right(trials: Iterable[TrialRecord]) -> int:
    return sum(bool(one.right_after_first) for one in trials)


def servers(trials: Trials, verdict_of: Mapping[str, str]) -> list[str]:
    """Return the table of servers: chosen calls by verdict, and right next calls with the server's text and without any."""
    lines = ["| server | verdicts | right: server-text | right: none |", "| --- | --- | --- | --- |"]
    for server in sorted({one.family for one in trials[AGAINST]}):
        own = {name: [one for one in trials.get(name, ()) if one.family == server] for name in (AGAINST, "none")}
        found = [verdict_of[one.case] for one in own[AGAINST]]
        counts = ", ".join(f"{found.count(verdict)} {verdict}" for verdict in choose.VERDICTS if verdict in found)
        cells = [f"{_right(part)} of {len(part)}" for part in own.values()]
        lines.append(f"| {server} | {counts} | {' | '.join(cells)} |")
    return lines


def side_by_side(strata: Mapping[str, Trials]) -> list[str]:
    """Return the table of right next calls per wording, a column for each folder; the folders are not pooled."""
    lines = [f"| wording | {' | '.join(strata)} |", "| --- |" + " --- |" * len(strata)]
    for name in sorted({name for trials in strata.values() for name in trials}):
        parts = [trials.get(name, ()) for trials in strata.values()]
        lines.append(f"| `{name}` | {' | '.join(f'{_right(part)} of {len(part)}' if part else '' for part in parts)} |")
    return lines


def report(folder: Path) -> str:
    """Return the tables of a folder, and how many trials are open or sent a call of their own."""
    records = [one for one in read_run(folder / "reports").records if one.treatment.model is not None]
    trials, calls = trials_by_wording(folder / "reports"), broken_calls(folder)
    verdict_of = {case: str(one["verdict"]) for case, one in calls.items()}
    operator_of = {case: str(one["operator"]) for case, one in calls.items()}
    unsent = sum(one.verdict == "unjudged" and bool(one.attempts) for one in records)
    without = sum(not one.attempts for one in records)
    first = f"{len(records)} trials; {unsent} sent a call that the probe had not sent; {without} have no response yet."
    tables = (
        wordings(trials), by_verdict(trials, verdict_of), by_fault(trials, operator_of), servers(trials, verdict_of),
    )  # fmt: skip
    return "\n\n".join([first, *("\n".join(table) for table in tables)])


def main(folders: Sequence[Path]) -> None:
    """Print the tables of each folder, under its name if there are several."""
    if len(folders) == 1:
        print(report(folders[0]))
        return
    strata = {folder.resolve().name: folder for folder in folders}
    for name, folder in strata.items():
        print(f"## {name}\n\n{report(folder)}\n")
    print("## Side by side\n")
    print("\n".join(side_by_side({name: trials_by_wording(folder / "reports") for name, folder in strata.items()})))


if __name__ == "__main__":
    main([Path(word) for word in sys.argv[1:]] or [HERE])
