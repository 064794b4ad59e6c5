"""Reports crashed trials: the engine or repairer, the number and the causes."""

from __future__ import annotations

import shlex
from collections import Counter

from mendbench.cli.output import say
from mendbench.results.store import StoredRun
from mendbench.scoring.record_table import Records
from mendbench.trial.long_texts import whole

SHOWN = 3
"""Causes that are shown; the report has all."""
_OF_ENGINE = "EngineFailed: "
"""The start of the message if a command engine failed; other errors were raised by a repairer or a strategy."""


def unmeasured(records: Records) -> tuple[str, ...]:
    """Return the engines and repairers whose trials all crashed: they were not measured."""
    trials, crashed = _by_party(records), _by_party(records.where("verdict", "crashed".__eq__))
    return tuple(party for party, count in crashed.items() if count == trials[party])


def say_crashed(stored: StoredRun) -> None:
    """Report for each faulty engine and repairer how many trials crashed, the first cause, and what to do."""
    trials, causes, first = _by_party(stored.records), dict[str, Counter[str]](), dict[str, str]()
    for place in stored.records.where("verdict", "crashed".__eq__).places():
        row = stored.rows[place]
        message = str(whole(row["problem"], stored.texts)["message"]) if row["problem"] else "no reason is recorded"
        party = f"engine {row['engine']}" if message.startswith(_OF_ENGINE) else f"repairer {row['repairer']}"
        causes.setdefault(party, Counter())[message] += 1
        first.setdefault(party, f"{row['case']}: {message}")
    without = unmeasured(stored.records)
    for party, found in causes.items():
        measured = ", so it was not measured" if party in without else ""
        say(
            f"crashed: {found.total()} of {trials[party]} trials of {party}{measured}; first {first[party]}; {_hint(party)}"
        )
        others = list(found.items())[1:]
        for message, times in others[: SHOWN - 1]:
            say(f"crashed: {times} more of {party}: {message}")
        if len(others) >= SHOWN:
            say(f"crashed: {len(others) - SHOWN + 1} more causes; all stand in {stored.folder / 'index.html'}")


def _by_party(records: Records) -> Counter[str]:
    found = Counter[str]()
    for (treatment,), count in records.counted("treatment").items():
        found[f"engine {treatment.engine}"] += count
        found[f"repairer {treatment.repairer}"] += count
    return found


def _hint(party: str) -> str:
    kind, _, name = party.partition(" ")
    return (
        f"see why with: mendbench engine check {shlex.quote(name)}"
        if kind == "engine"
        else "fix the code that raised it"
    )
