"""Prints what ``mendbench strategy watch`` finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from mendbench.api.watching import Snapshot, WatchedPrompt
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.errors import MendbenchError
from mendbench.report.table_model import Table, columns

SHOWN = 10
"""Changed prompts that are listed."""


def show_snapshot(snapshot: Snapshot, output: Format) -> int:
    """Print one snapshot."""
    if output is Format.json:
        write_json(asdict(snapshot))
    else:
        _show(snapshot)
    return Exit.DONE


def show_watched(snapshot: Snapshot | MendbenchError) -> None:
    """Print one snapshot of a watch with its time, or why there is none."""
    write(f"\n{datetime.now():%H:%M:%S}  ")  # noqa: DTZ005 (the reader's own clock)
    if isinstance(snapshot, MendbenchError):
        say(str(snapshot))
    else:
        _show(snapshot)


def _show(snapshot: Snapshot) -> None:
    prompts, changed = snapshot.prompts, [prompt for prompt in snapshot.prompts if prompt.changed]
    tokens = sum(prompt.tokens for prompt in prompts) / len(prompts) if prompts else 0
    facts, others, every, recorded = (
        sum(getattr(prompt, name) for prompt in prompts) for name in ("facts", "other_facts", "all_facts", "recorded")
    )
    tried = [prompt.repaired for prompt in prompts if prompt.repaired is not None]
    lines = [
        f"{plain(snapshot.strategy)}: {len(changed)} of {len(prompts)} prompts changed; {tokens:.0f} tokens of context on average",
        f"facts stated: {facts} of {every}; {plain(snapshot.against)} states {others}",
        f"recorded responses that match: {recorded} of {len(prompts)} ({plain(snapshot.model or 'no model')})",
        f"rule book: repairs {sum(tried)} of {len(tried)} cases with its first response",
    ]
    lines += [f"not recorded: {', '.join(snapshot.missing)}"] if snapshot.missing else []
    write("\n".join(lines) + "\n")
    if changed:
        show_tables([_changed(changed, snapshot.against)])


def _changed(changed: Sequence[WatchedPrompt], against: str) -> Table:
    rows = [
        (
            prompt.case, str(prompt.tokens), f"{prompt.facts} of {prompt.all_facts}", str(prompt.other_facts),
            _yes(prompt.recorded), _yes(prompt.repaired),
        )
        for prompt in changed[:SHOWN]
    ]  # fmt: skip
    heads = ("tokens", "facts", f"facts of\n{against}", "recorded", "rule book\nrepairs")
    first = f", the first {SHOWN} of {len(changed)}" if len(changed) > SHOWN else ""
    return Table(columns=columns("case", numbers=heads), rows=rows, caption=f"changed prompts{first}")


def _yes(value: bool | None) -> str:  # noqa: FBT001 (a cell)
    return "" if value is None else "yes" if value else "no"
