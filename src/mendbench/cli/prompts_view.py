"""Prints exported prompts and imported responses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from mendbench.api import Asking, Exported, Imported, PromptDiff, Repeatability
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.cli.words import counted
from mendbench.errors import BadInput
from mendbench.io.files import why_unwritable, write_atomically
from mendbench.model.json import JsonObject
from mendbench.prompts.stale import StaleFile
from mendbench.report.table_model import Table, columns

NAMED = 5
"""Maximum number of lines and trials that are listed; ``--format json`` has all."""


def show_exported(exported: Exported, out: Path | None) -> int:
    """Write the prompts to a file or to standard output, and report their number."""
    if out is None:
        write(exported.text)
    else:
        try:
            write_atomically(out, exported.text)
        except OSError as error:
            raise BadInput(f"--out {out}", why_unwritable(error), "name another file") from None
    asking, count = exported.asking, len(exported.lines)
    trials = f", {counted(asking.trials, 'trial')}" if asking.trials else ""
    say(f"{counted(count, 'prompt')} without a response; {asking.answered} answered{trials}")
    if len(exported.models) > 1:
        each = ", ".join(f"{model} {many}" for model, many in exported.models)
        say(f"{len(exported.models)} models are asked ({each}); where a batch takes one, export with --model")
    _say_stopped(asking)
    return Exit.DONE


def show_imported(imported: Imported, output: Format) -> int:
    """Print the result of an import; exit 1 if a line was skipped, 3 if a prompt still has no response."""
    if output is Format.json:
        write_json(_document(imported))
    else:
        write("".join(f"{line}\n" for line in _import_lines(imported)))
    if imported.broken or imported.unknown or imported.unplaced:
        return Exit.FAILED
    return Exit.INCOMPLETE if imported.unanswered or imported.absent else Exit.DONE


def show_diff(found: PromptDiff, output: Format) -> int:
    """Print the prompts without a response, with the most similar recorded ones; exit 3 if there are any."""
    if output is Format.json:
        write_json(_diff_document(found))
    else:
        write("".join(f"{line}\n" for line in _diff_lines(found)))
    _say_stopped(found.asking)
    return Exit.INCOMPLETE if found.missing else Exit.DONE


def _import_lines(imported: Imported) -> Iterable[str]:
    done = "would be recorded" if imported.dry_run else "recorded"
    places = len({deposit.case for deposit in (*imported.new, *imported.replaced)})
    yield f"{counted(len(imported.new), 'response')} {done} in {counted(places, imported.place)}; {imported.prompts} prompts were exported"
    if imported.replaced:
        yield f"{counted(len(imported.replaced), 'response')} {'would be ' if imported.dry_run else ''}replaced"
    if imported.standing:
        yield f"{counted(len(imported.standing), 'response')} recorded already"
    if imported.repeated:
        yield f"{counted(len(imported.repeated), 'line')} repeated another line"
    for requested, responding, count in imported.renamed:
        yield f"{counted(count, 'response')} of {plain(responding)}, which was asked as {plain(requested)}"
    unanswered = [f"{line.place}: {line.custom_id}: {line.why}" for line in imported.unanswered]
    yield from _named("unanswered", "no response", unanswered)
    if imported.absent:
        yield f"absent: {counted(imported.absent, 'exported prompt')} without a line"
    yield from _named("unknown", "not exported", [f"{line.place}: {line.custom_id}" for line in imported.unknown])
    why = "no trial asks; name its strategy with --strategy, or import the responses to earlier attempts first"
    yield from _named("unplaced", why, [f"{line.place}: {line.custom_id}" for line in imported.unplaced])
    yield from _named("broken", "left out", [str(error) for error in imported.broken])


def _named(word: str, why: str, lines: Sequence[str]) -> Iterable[str]:
    if lines:
        yield f"{word}: {counted(len(lines), 'line')} ({why})"
        yield from (f"  {plain(line)}" for line in lines[:NAMED])
    if len(lines) > NAMED:
        yield f"  {len(lines) - NAMED} more"


def _document(imported: Imported) -> JsonObject:
    deposits = {
        name: [{"custom_id": own.line.custom_id, "case": own.case, "place": own.line.place} for own in found]
        for name, found in (("new", imported.new), ("replaced", imported.replaced), ("standing", imported.standing))
    }
    lines = {
        name: [{"custom_id": line.custom_id, "place": line.place, "why": line.why} for line in found]
        for name, found in (
            ("repeated", imported.repeated), ("unanswered", imported.unanswered),
            ("unknown", imported.unknown), ("unplaced", imported.unplaced),
        )
    }  # fmt: skip
    models = [dict(zip(("asked", "answered", "responses"), renamed, strict=True)) for renamed in imported.renamed]
    return {
        "prompts": imported.prompts, "dry_run": imported.dry_run, **deposits, **lines, "absent": imported.absent,
        "broken": [str(error) for error in imported.broken], "models": models,
    }  # fmt: skip


def show_pruned(found: Sequence[StaleFile], output: Format, *, deleted: bool) -> int:
    """Print the cassettes with stale responses, and the number of the responses."""
    total = sum(len(file.keys) for file in found)
    if output is Format.json:
        rows = [
            {"case": file.case, "cassette": file.path.name, "stale": len(file.keys), "entries": file.entries}
            for file in found
        ]
        write_json({"deleted": deleted, "stale": total, "cassettes": rows})
        return Exit.DONE
    for file in found:
        write(f"{file.case}: {len(file.keys)} of {file.entries} in {file.path.name}\n")
    then = ", deleted" if deleted else "; --delete deletes them" if total else ""
    write(f"{counted(total, 'recorded response')} that nothing asks for{then}\n")
    return Exit.DONE


def show_repeatability(found: Sequence[Repeatability], output: Format) -> int:
    """Print how often a repeated prompt got the same response, and the prompts with another response."""
    if output is Format.json:
        write_json([_repeatability_document(model) for model in found])
        return Exit.DONE
    if not found:
        write("no prompt was repeated without sampling; a table of the model with recording = 1 repeats all prompts\n")
        return Exit.DONE
    numbers = ("asked\nagain", "same\ntext", "same\nanswer", "cases", "all the\nsame", "95 %")
    rows = []
    for model in found:
        counts = (len(model.repeats), model.same_text, model.same_response, len(model.cases), model.cases_alike)
        rows.append((model.model, *map(str, counts), f"{model.interval.low:.2f} to {model.interval.high:.2f}"))
    show_tables([Table(columns=columns("model", numbers=numbers), rows=rows)], "Prompts repeated without sampling")
    for model in found:
        others = [f"{repeat.case}: {repeat.custom_id}" for repeat in model.repeats if not repeat.same_response]
        write("".join(f"{line}\n" for line in _named("another response", plain(model.model), others)))
    return Exit.DONE


def _diff_lines(found: PromptDiff) -> Iterable[str]:
    for prompt in found.missing[: found.shown]:
        strategies = ", ".join(dict.fromkeys(plain(key.strategy) for key in prompt.trials))
        who = f"{plain(prompt.model)}, {strategies}"
        yield f"{prompt.custom_id}  {plain(prompt.case)}, {counted(len(prompt.trials), 'trial')}: {who}"
        if prompt.nearest is None:
            yield f"no prompt is recorded of {plain(prompt.model)} there"
        else:
            yield f"differs from the recorded {prompt.nearest.key} in {', '.join(prompt.nearest.differs) or 'nothing'}"
            yield from map(plain, prompt.nearest.diff.splitlines())
        yield ""
    asking, rest = found.asking, len(found.missing) - found.shown
    if rest:
        yield f"{rest} more without a response; --full shows all"
    yield f"{counted(asking.answered, 'prompt')} answered, {asking.missing} without a response; {counted(asking.trials, 'trial')}"
    if asking.waiting:
        yield f"{counted(asking.waiting, 'trial')} stop there: their later requests depend on the response"


def _repeatability_document(repeatability: Repeatability) -> JsonObject:
    return {
        "model": repeatability.model, "asked_again": len(repeatability.repeats), "same_text": repeatability.same_text,
        "same_response": repeatability.same_response, "cases": len(repeatability.cases),
        "cases_alike": repeatability.cases_alike, "low": repeatability.interval.low, "high": repeatability.interval.high,
        "repeats": [asdict(repeat) for repeat in repeatability.repeats],
    }  # fmt: skip


def _diff_document(found: PromptDiff) -> JsonObject:
    missing = [{**asdict(prompt), "trials": [asdict(key) for key in prompt.trials]} for prompt in found.missing]
    return {**asdict(found.asking), "prompts": missing}


def _say_stopped(asking: Asking) -> None:
    for name, why in asking.stopped[:NAMED]:
        say(f"stopped: {name}: {why}")
    if len(asking.stopped) > NAMED:
        say(
            f"stopped: {len(asking.stopped) - NAMED} more trials before their prompts were known; `mendbench run` names them"
        )
