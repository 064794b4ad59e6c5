"""A run in Markdown, for a comment on a pull request and for the summary of a CI step.

Text from models, APIs and files is never markup here: it cannot create a table cell, tag, link, mention or reference.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mendbench.report.findings import LEVELS, RunJudgement
from mendbench.report.reasons import reason, trial_name
from mendbench.report.summary import Gaps, Summary, summarise
from mendbench.report.table_model import Table, columns
from mendbench.report.tables import NOTHING, Line, Panel, PolicyLine, PolicyTable, headline_panels
from mendbench.report.words import on_apis, stale_sentences
from mendbench.results.store import StoredRun
from mendbench.trial.long_texts import whole

COMMENT = 65_536
"""GitHub's limit for the body of a comment, in characters. This module counts bytes, which are never fewer."""

STEP_SUMMARY = 1024 * 1024
"""GitHub's limit for one step's summary, bytes ("Workflow commands for GitHub Actions", adding a job summary)."""

CUT_LINE = 600
"""Bytes reserved for the line that reports what was cut."""

FINDINGS = 40
"""Findings listed per level; the rest is counted."""

LISTED = 12
"""Trials without a verdict that are listed; the rest is counted."""

_SIGNS = {"error": "❌", "warning": "⚠️", "notice": "ℹ️", "passed": "✅", "failed": "❌", "open": "⚠️"}  # noqa: RUF001 - the sign for information

_NUMBERED = "|".join(rf"(?<=^\d{{{digits}}})[.)](?!\S)" for digits in range(1, 10))
"""The marker of a numbered list item, after a number of up to nine digits (CommonMark 0.31, section 5.2)."""

_MARKUP = re.compile(
    rf"""[&<>`*\[\]|\\#@~$]                  # tags, code, emphasis, links, cells, mentions, references, formulas
    |:(?=\S)                                # addresses and emoji
    |(?<![^\W_])_|_(?![^\W_])               # emphasis; within a word it is none
    |(?<=www)\.                             # addresses without a scheme
    |^[-+=]|{_NUMBERED}                     # what makes a line a list or a heading""",
    re.VERBOSE | re.IGNORECASE,
)

_SAFE_IN_CODE = re.compile(r"[^`|\\\n\r]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    head: str
    rows: tuple[str, ...] = ()
    foot: str = ""
    what: str = ""
    """The plural noun for the rows, used in the line that reports what was cut."""


def markdown(run: StoredRun, *, judgement: RunJudgement | None = None, limit: int = COMMENT) -> str:
    """Return the run in at most ``limit`` bytes: what changed first, then figures, gaps and what was run.

    What does not fit is left out from the end of each section, and a last line counts it. Empty if ``limit`` leaves no
    room even for that line (:data:`CUT_LINE`).
    """
    return _fitted(list(_sections(run, judgement)), limit)


def code(text: str) -> str:
    """Return ``text`` on one line as code: it cannot end a table cell or the code span, or mention a user."""
    line = " ".join(text.split())
    if not line:
        return NOTHING
    return f"`{line}`" if _SAFE_IN_CODE.fullmatch(line) else f"<code>{_entities(line)}</code>"


def plain(text: str) -> str:
    """Return ``text`` on one line without markup: ``@name`` and ``#1`` create no mention or reference."""
    return re.sub(r"&#(?:35|64);", "\\g<0>\N{ZERO WIDTH SPACE}", _entities(" ".join(text.split())))


def _entities(text: str) -> str:
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", text)


def _sections(run: StoredRun, judgement: RunJudgement | None) -> Iterator[_Section]:
    summary = summarise(run)
    caveats = f"\n\n{plain(' '.join(summary.caveats))}" if summary.caveats else ""
    yield _Section(head=f"## mendbench\n\n{plain(summary.lead)}{caveats}".rstrip() + "\n")
    if judgement is not None:
        yield _changes(run, judgement)
    first = headline_panels(summary.panels)
    for panel in first:
        yield _panel(panel)
    for table, _chart in summary.policies:
        yield _policies(table)
    if summary.gaps is not None:
        yield _gaps(run, summary.gaps)
    yield from _notes(run)
    for panel in summary.panels[len(first) :]:
        yield _folded(panel)
    yield _about(summary)


def _changes(run: StoredRun, judgement: RunJudgement) -> _Section:
    lines, left = [], []
    for level in LEVELS:
        own = [finding for finding in judgement.findings if finding.level == level]
        for finding in own[:FINDINGS]:
            about = _name(run, finding.key) if finding.key is not None else finding.case
            where = f" {code(about)}" if about else ""
            lines.append(f"- {_SIGNS[level]} **{plain(finding.title)}**{where}: {plain(finding.message)}")
        if len(own) > FINDINGS:
            left.append(f"{len(own) - FINDINGS} more of {_SIGNS[level]}")
    listed = "".join(f"- {plain(note)}\n" for note in judgement.notes)
    gap = "\n" if listed or lines else ""
    return _Section(
        head=f"### What changed\n\n{_SIGNS[judgement.status]} {plain(judgement.verdict)}\n{gap}{listed}",
        rows=tuple(lines),
        foot=f"\nand {', '.join(left)}\n" if left else "",
        what="findings",
    )


def _name(run: StoredRun, key: str) -> str:
    row = run.row(key)
    return key if row is None else trial_name(row)


_PANEL = columns("strategy", numbers=(
    "right", "share", "95 % interval", "first response, naive", "plausible", "harmful", "wasted a trial", "context tokens",
    "facts in prompt",
))  # fmt: skip
_POLICIES = columns("policy", numbers=(
    "right trials", "lost against naive", "attempts", "saved per lost repair", "wasted", "futile a user's case",
    "prompt tokens", "response tokens",
))  # fmt: skip


def _panel(panel: Panel) -> _Section:
    under = f"{code(panel.solver.label)}{on_apis(panel.api)}, policy {code(panel.policy.label)}"
    caption = f"### Repair success: {under}{_title(panel)}"
    foot = (
        "Right: cases right within three attempts, of the cases with an edit fault. A share needs at least 20 cases.\n"
    )
    return _table(Table(columns=_PANEL, rows=[*map(_line, panel.lines)], caption=caption), foot, "strategies")


def _folded(panel: Panel) -> _Section:
    """Return a collapsed panel; only the first panel shows bounds."""
    under = f"{plain(panel.solver.label)}{on_apis(panel.api)}, policy {plain(panel.policy.label)}"
    caption = f"<details><summary>Repair success: {under}{_title(panel)}</summary>"
    rows = [_line(line) for line in panel.lines if line.group != "bound"]
    what = f"strategies under {code(panel.policy.label)}{on_apis(panel.api)}"
    return _table(Table(columns=_PANEL, rows=rows, caption=caption), "</details>\n", what)


def _title(panel: Panel) -> str:
    return f": {plain(panel.title)}" if panel.title else ""


def _line(line: Line) -> tuple[str, ...]:
    open_too = f" (up to {line.bounds.split(' to ')[-1]})" if line.bounds else ""
    interval = f"{line.bar.low:g} to {line.bar.high:g} %" if line.bar else f"none{_why(line.interval_says)}"
    note = f" ({plain(line.note or line.group)})" if line.group != "strategy" else ""
    return (
        f"{code(line.name)}{note}", f"{line.right} of {line.cases:g}{open_too}", line.rate or NOTHING, interval, line.first,
        f"{line.plausible:g}", f"{line.harmful:g}", line.wasted_per_trial, line.context_tokens, line.context_recall,
    )  # fmt: skip


def _why(method: str) -> str:
    return f": {plain(method.removeprefix('none: '))}" if method.startswith("none: ") else ""


def _policies(table: PolicyTable) -> _Section:
    rows = [
        (
            code(line.label), f"{line.right} of {line.of}{_open(line)}", line.lost, str(line.attempts), line.price,
            str(line.wasted), line.futile_per_user, line.prompt_tokens, line.completion_tokens,
        )
        for line in table.lines
    ]  # fmt: skip
    caption = f"### Policies: {code(table.solver.label)}, the same {table.trials} trials of {table.cases} cases"
    foot = f"Attempts, waste and tokens over the {table.judged} trials that have a verdict under every policy.\n"
    return _table(Table(columns=_POLICIES, rows=rows, caption=caption), foot, "policies")


def _open(line: PolicyLine) -> str:
    return f" (up to {line.right + line.open})" if line.open else ""


def _gaps(run: StoredRun, gaps: Gaps) -> _Section:
    """Return the trials without a verdict; those that miss the same thing are one entry."""
    missing: dict[tuple[str, str], list[int]] = defaultdict(list)
    without = run.records.where("verdict", lambda verdict: verdict in {"unjudged", "crashed"})
    for place in without.places():
        row = run.rows[place]
        problem = whole(row.get("problem"), run.texts) or {}
        about = (problem.get("detail") or {}).get("request") or problem.get("message")
        missing[row["case"], f"{row['verdict']} {about}"].append(place)
    counts = [f"{count} {what}" for count, what in ((gaps.unjudged, "unjudged"), (gaps.crashed, "crashed")) if count]
    why = "neither right nor wrong, so that what is right has bounds"
    lines = []
    for places in list(missing.values())[:LISTED]:
        more = f" and {len(places) - 1} more like it" if len(places) > 1 else ""
        row = run.rows[places[0]]
        lines.append(f"- {code(trial_name(row))}{more}: {code(reason(row, run.texts))}")
    left = sum(len(places) for places in list(missing.values())[LISTED:])
    return _Section(
        head=f"### No verdict\n\n{' and '.join(counts)} of {gaps.trials} trials: {why}.\n\n",
        rows=tuple(lines),
        foot=f"\nand {left} more\n" if left else "",
        what="reasons for want of a verdict",
    )


def _notes(run: StoredRun) -> Iterator[_Section]:
    for line in stale_sentences(run.run.get("stale") or {}):
        yield _Section(head=f"**Stale**: {line}.\n")
    for name, changed in (run.run.get("protocols") or {}).items():
        parts = [
            *(f"the {part}" for part in ("frame", "scorer") if changed.get(part)),
            *(code(strategy) for strategy in changed.get("strategies") or ()),
        ]
        if parts:
            yield _Section(head=f"**Changed since {code(name)} was written**: {', '.join(parts)}.\n")


def _about(summary: Summary) -> _Section:
    facts = [f"- {fact.name}: {plain(fact.value)}" for fact in summary.facts]
    digests = [f"- digest of {plain(fact.name)}: {code(fact.value)}" for fact in summary.digests]
    return _Section(
        head="<details><summary>What was run</summary>\n\n",
        rows=(*facts, *digests),
        foot="\n</details>\n",
        what="facts",
    )


def _table(table: Table, foot: str, what: str) -> _Section:
    """Return a table, whose caption and cells are Markdown, with a line below it."""
    headings = _row([column.heading for column in table.columns])
    rule = _row(["--:" if column.align == "right" else ":--" for column in table.columns])
    head = f"{table.caption}\n\n{headings}\n{rule}\n"
    return _Section(head=head, rows=tuple(map(_row, table.rows)), foot=f"\n{foot}", what=what)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fitted(sections: Sequence[_Section], limit: int) -> str:
    """Return the sections, each with as many rows as fit, and a last line that counts what was cut."""
    full = "\n".join(_text(section, len(section.rows)) for section in sections)
    if _size(full) <= limit:
        return full
    if limit < CUT_LINE:
        return ""
    room, kept, cut = limit - CUT_LINE, [], []
    for section in sections:
        shown = _rows_that_fit(section, room)
        if shown is None:
            cut.append(f"all {len(section.rows)} {section.what}" if section.what else "a note")
            continue
        if shown < len(section.rows):
            cut.append(f"{len(section.rows) - shown} of {len(section.rows)} {section.what}")
        text = _text(section, shown)
        kept.append(text)
        room -= _size(text) + 1
    return "\n".join([*kept, _cut_line(cut)])


def _cut_line(cut: Sequence[str]) -> str:
    listed = "; ".join(cut)
    named = listed if _size(listed) <= CUT_LINE // 2 else f"{len(cut)} sections in part or whole"
    return f"_Cut for its length: {named}. The run's report has them all._\n"


def _rows_that_fit(section: _Section, room: int) -> int | None:
    """Return how many rows fit; None if the section's head, or any row of it, does not fit."""
    left = room - _size(section.head) - _size(section.foot) - 1
    shown = 0
    for row in section.rows:
        left -= _size(row) + 1
        if left < 0:
            break
        shown += 1
    return None if left < 0 and not shown else shown


def _text(section: _Section, shown: int) -> str:
    return section.head + "".join(f"{row}\n" for row in section.rows[:shown]) + section.foot


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
