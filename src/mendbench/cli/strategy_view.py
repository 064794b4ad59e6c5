"""Prints strategies, their prompts and their ablations."""

from __future__ import annotations

import dataclasses
import difflib
import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from mendbench.api import Ablation, AblationRow, Rendering, StrategyPage, Survey
from mendbench.cli.compare_words import interval, verdict
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.cli.words import NOTHING, counted, decimals
from mendbench.model.json import JsonObject
from mendbench.report.table_model import Table, columns
from mendbench.strategies import StrategyInfo
from mendbench.strategies.tokens import estimate

TWO_COLUMNS = 160
"""Minimum width of a terminal that shows two contexts side by side."""


def show_strategies(strategies: Sequence[StrategyInfo], output: Format) -> int:
    """Print strategies, treatments and frames."""
    if output is Format.json:
        write_json([dataclasses.asdict(info) for info in strategies])
        return Exit.DONE
    tables = []
    for kind in dict.fromkeys(info.kind for info in strategies):
        rows = [(info.strategy, info.title, info.source) for info in strategies if info.kind == kind]
        tables.append(Table(columns=columns(kind, "title", "source", wraps=("title", "source")), rows=rows))
    show_tables(tables)
    return Exit.DONE


def show_strategy(page: StrategyPage, output: Format) -> int:
    """Print all details of a strategy."""
    shown = page.strategy
    if output is Format.json:
        sections = [dataclasses.asdict(spec) for spec in shown.sections]
        write_json({
            **dataclasses.asdict(shown.info), "digest": shown.digest, "sections": sections, "template": page.text,
        })  # fmt: skip
        return Exit.DONE
    lines = (
        shown.name, f"  {shown.title}", f"  source: {shown.source}", f"  file: {shown.path}", f"  digest: {shown.digest}",
    )  # fmt: skip
    write("\n".join(map(plain, lines)) + "\n\n")
    rows = [(section.name, section.label, str(section.keep)) for section in shown.sections]
    show_tables([Table(columns=columns("section", "label", numbers=("keep",)), rows=rows)])
    write(f"\n{_visible(page.text)}\n")
    return Exit.DONE


def show_rendering(rendering: Rendering, output: Format) -> int:
    """Print a prompt and the facts in it."""
    prompt = rendering.prompt
    if output is Format.json:
        write_json({
            **_document(rendering), "system": prompt.system, "user": prompt.user,
            "sections": [
                {**dataclasses.asdict(section), "tokens": estimate(section.text)} for section in prompt.context.sections
            ],
        })  # fmt: skip
        return Exit.DONE
    write(f"{prompt.system}\n\n{prompt.user}\n")
    say(f"context: {_description(rendering)}")
    return Exit.DONE


def show_survey(survey: Survey, output: Format) -> int:
    """Print what a strategy's first prompts contain, by case and in total; exit 3 if a case is not recorded."""
    if output is Format.json:
        write_json({
            "strategy": survey.strategy, "totals": _totals(survey), "cases": [_document(row) for row in survey.rows],
            "unasked": list(survey.unrequested_writes), "missing": survey.missing,
        })  # fmt: skip
        return _code(survey)
    texts = ("case", "kind", "fix's value", "cut", "missing")
    rows = [
        (
            row.case, row.kind, row.holds_fix or NOTHING, "yes" if row.prompt.context.truncated else "",
            ", ".join(row.recall.missing), str(row.prompt.context.tokens), _facts(row),
        )
        for row in survey.rows
    ]  # fmt: skip
    shape = columns(*texts, wraps=("missing",), numbers=("tokens", "facts\nstated"))
    show_tables([Table(columns=shape, rows=rows)], f"What {plain(survey.strategy)} states first")
    write(f"\n{_summed(survey)}\n")
    _say_left_out(survey)
    return _code(survey)


def show_diff(pair: tuple[Rendering, Rendering], names: tuple[str, str], output: Format) -> int:
    """Print how the contexts of two strategies differ for one case: side by side if the terminal is wide enough."""
    a, b = pair
    lines = list(_unified(pair, names))
    if output is Format.json:
        write_json({
            "case": a.case, "a": {"name": names[0], **_document(a)}, "b": {"name": names[1], **_document(b)}, "diff": lines,
        })  # fmt: skip
        return Exit.DONE
    if sys.stdout is not None and sys.stdout.isatty() and shutil.get_terminal_size().columns >= TWO_COLUMNS:
        contexts = (rendering.prompt.context.text.split("\n") for rendering in pair)
        rows = list(zip_longest(*contexts, fillvalue=""))
        show_tables([Table(columns=columns(*names, wraps=names), rows=rows)])
    else:
        write("".join(f"{_visible(line)}\n" for line in lines) or "the contexts are the same\n")
    for name, rendering in zip(names, pair, strict=True):
        say(f"{name}: {_description(rendering)}")
    return Exit.DONE


def show_diffs(surveys: tuple[Survey, Survey], output: Format) -> int:
    """Compare what the first prompts of two strategies contain, by case and in total."""
    one, two = surveys
    pairs = tuple(zip(one.rows, two.rows, strict=True))
    if output is Format.json:
        write_json({
            "strategies": [each.strategy for each in surveys], "totals": [_totals(each) for each in surveys],
            "cases": [
                {
                    "case": a.case, "kind": a.kind, "a": _document(a), "b": _document(b), "only_a": _only(a, b), "only_b": _only(b, a),
                }
                for a, b in pairs
            ],
            "unasked": list(one.unrequested_writes), "missing": one.missing,
        })  # fmt: skip
        return _code(one)
    shape = columns(
        "case", "only A states", "only B states", "value A", "value B", wraps=("only A states", "only B states"),
        numbers=("tokens\nA", "tokens\nB", "facts\nA", "facts\nB"),
    )  # fmt: skip
    rows = [
        (
            a.case, ", ".join(_only(a, b)), ", ".join(_only(b, a)), a.holds_fix or NOTHING, b.holds_fix or NOTHING,
            str(a.prompt.context.tokens), str(b.prompt.context.tokens), _facts(a), _facts(b),
        )
        for a, b in pairs
    ]  # fmt: skip
    show_tables([Table(columns=shape, rows=rows)], f"A: {plain(one.strategy)}; B: {plain(two.strategy)}")
    write(f"\nA: {_summed(one)}\nB: {_summed(two)}\n")
    _say_left_out(one)
    return _code(one)


def show_ablation(ablation: Ablation, output: Format) -> int:
    """Print the effect of each section of a strategy; exit 3 if a trial misses a recording."""
    whole = ablation.rows[0].survey
    unjudged = any(row.repairs and row.repairs.unjudged for row in ablation.rows)
    if output is Format.json:
        write_json({
            "part": ablation.part, "model": ablation.model, "cases": len(whole.rows),
            "run": str(ablation.run.folder) if ablation.run else None,
            "rows": [_ablated(row) for row in ablation.rows], "unasked": list(whole.unrequested_writes), "missing": whole.missing,
        })  # fmt: skip
    else:
        judged = (
            ("right", "un-\njudged", "won:lost:tied", "95 %", "wasted\n/trial", "the\nwhole's")
            if ablation.model
            else ()
        )
        shape = columns(
            "sections", "strategy", *(("than the whole",) if ablation.model else ()), wraps=("strategy",),
            numbers=("tokens", "facts\nstated", "fix's value\nprinted", "prompts\nchanged", *judged),
        )  # fmt: skip
        found = Table(columns=shape, rows=[tuple(_ablation_cells(row)) for row in ablation.rows])
        show_tables([found], f"{plain(ablation.rows[0].strategy)} without its sections, part {ablation.part}")
        write("".join(f"{line}\n" for line in _about(ablation)))
    _say_left_out(whole)
    if unjudged:
        say("some trials have no verdict; the same command with --record new_episodes records what they miss")
    return Exit.INCOMPLETE if unjudged else _code(whole)


def _ablation_cells(row: AblationRow) -> Iterator[str]:
    survey, repairs = row.survey, row.repairs
    yield from (row.what, row.strategy)
    score = repairs.difference if repairs else None
    if repairs is not None:
        yield verdict(score) if score else NOTHING
    yield from (decimals(survey.context_tokens, 0), decimals(survey.context_recall), decimals(survey.fix_shown))
    yield str(row.changed)
    if repairs is not None:
        yield from (f"{repairs.right}/{repairs.cases}", str(repairs.unjudged))
        yield from (f"{score.won}:{score.lost}:{score.tied}", interval(score)) if score else (NOTHING, NOTHING)
        yield from (decimals(repairs.wasted_per_trial), decimals(repairs.whole_wasted_per_trial))


def _about(ablation: Ablation) -> Iterator[str]:
    whole = ablation.rows[0].survey
    yield f"\n{counted(len(whole.rows), 'case')}; prompts changed: of their first prompts"
    if ablation.run is not None:
        yield f"responses of {plain(str(ablation.model))} under naive, at most three attempts; right: of the cases with an edit fault"
        yield "won:lost:tied: right against the whole strategy, by case; 95 %: of the difference, by bootstrap over groups of cases"
        yield f"than the whole: by a test of each row for itself; of {len(ablation.rows) - 1} rows one may stand out by chance"
        yield "wasted: over the cases of all kinds that both have a verdict on, and what the whole strategy wastes there"
        yield f"the trials: {ablation.run.folder / 'index.html'}"


def _ablated(row: AblationRow) -> JsonObject:
    return {
        "sections": row.what,
        "strategy": row.strategy,
        "left_out": list(row.left_out),
        **_totals(row.survey),
        "changed": row.changed,
        "repairs": dataclasses.asdict(row.repairs) if row.repairs else None,
    }


def _document(rendering: Rendering) -> JsonObject:
    prompt, recall = rendering.prompt, rendering.recall
    return {
        "case": rendering.case,
        "kind": rendering.kind,
        "strategy": prompt.context.strategy,
        "attempt": rendering.attempt,
        "asked": rendering.asked,
        "context_tokens": prompt.context.tokens,
        "prompt_tokens": estimate(prompt.system) + estimate(prompt.user),
        "truncated": prompt.context.truncated,
        "facts": {**dataclasses.asdict(recall), "share": recall.share},
        "holds_fix": rendering.holds_fix,
    }


def _totals(survey: Survey) -> JsonObject:
    return {
        "cases": len(survey.rows),
        "context_tokens": survey.context_tokens,
        "context_recall": survey.context_recall,
        "fix_shown": survey.fix_shown,
        "places": survey.places,
        "truncated": sum(row.prompt.context.truncated for row in survey.rows),
    }


def _description(rendering: Rendering) -> str:
    prompt, recall = rendering.prompt, rendering.recall
    not_asked = "" if rendering.asked else "; nobody is asked: the first execution does not fail"
    return (
        f"about {prompt.context.tokens} tokens{', cut' if prompt.context.truncated else ''}; "
        f"facts in prompt: {', '.join(recall.found) or 'none'}; missing: {', '.join(recall.missing) or 'none'}; "
        f"the fix's new value: {rendering.holds_fix or 'no fix'}{not_asked}"
    )


def _summed(survey: Survey) -> str:
    cut = sum(row.prompt.context.truncated for row in survey.rows)
    places = ", ".join(f"{count} {place}" for place, count in survey.places.items() if count)
    return (
        f"{counted(len(survey.rows), 'case')}; tokens: {decimals(survey.context_tokens, 0)} on average; facts in prompt: "
        f"{decimals(survey.context_recall)} on average; the fix's value: {places or 'no fix'}; cut: {cut}"
    )


def _say_left_out(survey: Survey) -> None:
    if survey.unrequested_writes:
        count = len(survey.unrequested_writes)
        say(f"{count} more {'case does' if count == 1 else 'cases do'} not fail at first, so that nobody is asked")
    for case, why in survey.missing.items():
        say(f"{case}: {why}")


def _code(survey: Survey) -> int:
    return Exit.INCOMPLETE if survey.missing else Exit.DONE


def _unified(pair: tuple[Rendering, Rendering], names: tuple[str, str]) -> Iterator[str]:
    one, two = (each.prompt.context.text.splitlines() for each in pair)
    return difflib.unified_diff(one, two, *names, lineterm="")


def _only(one: Rendering, other: Rendering) -> list[str]:
    return [fact for fact in one.recall.found if fact not in other.recall.found]


def _facts(row: Rendering) -> str:
    found = len(row.recall.found)
    facts = found + len(row.recall.missing)
    return f"{found}/{facts}" if facts else NOTHING


def _visible(text: str) -> str:
    """Return a multi-line text without control characters."""
    return "\n".join(plain(line) for line in text.split("\n"))
