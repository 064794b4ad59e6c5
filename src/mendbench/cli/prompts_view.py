"""What the terminal shows of prompts and of responses made elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from mendbench.api import Asking, Exported, Imported, MissingPrompt, PromptDiff, Repeatability
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.cli.words import counted
from mendbench.errors import BadInput
from mendbench.io.files import write_atomically
from mendbench.model.json import JsonObject
from mendbench.prompts.stale import StaleFile
from mendbench.report.table_model import Table, columns

NAMED = 5
"""Lines and trials that are named one by one; ``--format json`` names all."""


def show_exported(exported: Exported, out: Path | None) -> int:
    """Write the prompts, to a file or to standard output, and say how many there are."""
    if out is None:
        write(exported.text)
    else:
        try:
            write_atomically(out, exported.text)
        except OSError as error:
            raise BadInput(f"--out {out}", error.strerror or "cannot be written", "name another file") from None
    asking, count = exported.asking, len(exported.lines)
    say(f"{counted(count, 'prompt')} without a response; {asking.answered} answered, {counted(asking.trials, 'trial')}")
    if len(exported.models) > 1:
        each = ", ".join(f"{model} {many}" for model, many in exported.models)
        say(f"{len(exported.models)} models are asked ({each}); where a batch takes one, export with --model")
    _say_stopped(asking)
    return Exit.DONE


def show_imported(imported: Imported, output: Format) -> int:
    """Say what became of responses; exit 1 if a line was left out, 3 if a prompt has no response still."""
    if output is Format.json:
        write_json(_document(imported))
    else:
        write("".join(f"{line}\n" for line in _told(imported)))
    if imported.broken or imported.unknown or imported.unplaced:
        return Exit.FAILED
    return Exit.INCOMPLETE if imported.unanswered or imported.absent else Exit.DONE


def show_diff(found: PromptDiff, output: Format) -> int:
    """Print which prompts have no response, and what became of them; exit 3 if there are any."""
    if output is Format.json:
        write_json(_diff_document(found))
    else:
        write("".join(f"{line}\n" for line in _diff_lines(found)))
    _say_stopped(found.asking)
    return Exit.INCOMPLETE if found.missing else Exit.DONE


def _told(imported: Imported) -> Iterable[str]:
    done = "would be recorded" if imported.dry_run else "recorded"
    places = len({one.case for one in (*imported.new, *imported.replaced)})
    yield f"{counted(len(imported.new), 'response')} {done} in {counted(places, 'case')}; {imported.prompts} prompts were exported"
    if imported.replaced:
        yield f"{counted(len(imported.replaced), 'response')} {'would be ' if imported.dry_run else ''}replaced"
    if imported.standing:
        yield f"{counted(len(imported.standing), 'response')} recorded already"
    if imported.repeated:
        yield f"{counted(len(imported.repeated), 'line')} said again what another one says"
    for asked, told, count in imported.renamed:
        yield f"{counted(count, 'response')} of {plain(told)}, which was asked as {plain(asked)}"
    yield from _named(
        "unanswered", "no response", [f"{one.place}: {one.custom_id}: {one.why}" for one in imported.unanswered]
    )
    if imported.absent:
        yield f"absent: {counted(imported.absent, 'exported prompt')} of which no line speaks"
    yield from _named("unknown", "not exported", [f"{one.place}: {one.custom_id}" for one in imported.unknown])
    why = "no trial asks; name its template file with --strategy, or import the responses to earlier attempts first"
    yield from _named("unplaced", why, [f"{one.place}: {one.custom_id}" for one in imported.unplaced])
    yield from _named("broken", "left out", [str(one) for one in imported.broken])


def _named(word: str, why: str, lines: Sequence[str]) -> Iterable[str]:
    if lines:
        yield f"{word}: {counted(len(lines), 'line')} ({why})"
        yield from (f"  {plain(line)}" for line in lines[:NAMED])
    if len(lines) > NAMED:
        yield f"  {len(lines) - NAMED} more"


def _document(imported: Imported) -> JsonObject:
    deposits = {
        name: [{"custom_id": one.line.custom_id, "case": one.case, "place": one.line.place} for one in made]
        for name, made in (("new", imported.new), ("replaced", imported.replaced), ("standing", imported.standing))
    }
    lines = {
        name: [{"custom_id": one.custom_id, "place": one.place, "why": one.why} for one in made]
        for name, made in (
            ("repeated", imported.repeated), ("unanswered", imported.unanswered),
            ("unknown", imported.unknown), ("unplaced", imported.unplaced),
        )
    }  # fmt: skip
    models = [{"asked": asked, "answered": told, "responses": count} for asked, told, count in imported.renamed]
    return {
        "prompts": imported.prompts, "dry_run": imported.dry_run, **deposits, **lines, "absent": imported.absent,
        "broken": [str(one) for one in imported.broken], "models": models,
    }  # fmt: skip


def show_pruned(found: Sequence[StaleFile], output: Format, *, deleted: bool) -> int:
    """Print which cassettes held stale responses, and how many."""
    total = sum(len(one.keys) for one in found)
    if output is Format.json:
        rows = [
            {"case": one.case, "cassette": one.path.name, "stale": len(one.keys), "entries": one.entries}
            for one in found
        ]
        write_json({"deleted": deleted, "stale": total, "cassettes": rows})
        return Exit.DONE
    for one in found:
        write(f"{one.case}: {len(one.keys)} of {one.entries} in {one.path.name}\n")
    then = ", deleted" if deleted else "; --delete deletes them" if total else ""
    write(f"{counted(total, 'recorded response')} that nothing asks for{then}\n")
    return Exit.DONE


def show_repeatability(found: Sequence[Repeatability], output: Format) -> int:
    """Print how often a repeated prompt got the same response, and which ones got another."""
    if output is Format.json:
        write_json([_repeatability_document(one) for one in found])
        return Exit.DONE
    if not found:
        write(
            "no prompt was asked again where nothing is drawn; a table of the model with recording = 1 asks them all\n"
        )
        return Exit.DONE
    numbers = ("asked\nagain", "same\ntext", "same\nanswer", "cases", "all the\nsame", "95 %")
    rows = []
    for model in found:
        counts = (len(model.repeats), model.same_text, model.same_response, len(model.cases), model.cases_alike)
        rows.append((model.model, *map(str, counts), f"{model.interval.low:.2f} to {model.interval.high:.2f}"))
    show_tables(
        [Table(columns=columns("model", numbers=numbers), rows=rows)], "Prompts asked again where nothing is drawn"
    )
    for model in found:
        others = [f"{repeat.case}: {repeat.custom_id}" for repeat in model.repeats if not repeat.same_response]
        write("".join(f"{line}\n" for line in _named("another response", plain(model.model), others)))
    return Exit.DONE


def _diff_lines(found: PromptDiff) -> Iterable[str]:
    for one in found.missing[: found.shown]:
        yield f"{one.custom_id}  {plain(one.case)}, {counted(len(one.trials), 'trial')}: {_who(one)}"
        if one.nearest is None:
            yield f"nothing is recorded of {plain(one.model)} there"
        else:
            yield f"differs from the recorded {one.nearest.key} in {', '.join(one.nearest.differs) or 'nothing'}"
            yield from map(plain, one.nearest.diff.splitlines())
        yield ""
    asking, rest = found.asking, len(found.missing) - found.shown
    if rest:
        yield f"{rest} more without a response; --full shows all"
    yield f"{counted(asking.answered, 'prompt')} answered, {asking.missing} without a response; {counted(asking.trials, 'trial')}"
    if asking.waiting:
        yield f"{counted(asking.waiting, 'trial')} stop there: what they ask later hangs on the response"


def _repeatability_document(repeatability: Repeatability) -> JsonObject:
    return {
        "model": repeatability.model, "asked_again": len(repeatability.repeats), "same_text": repeatability.same_text,
        "same_response": repeatability.same_response, "cases": len(repeatability.cases),
        "cases_alike": repeatability.cases_alike, "low": repeatability.interval.low, "high": repeatability.interval.high,
        "repeats": [asdict(repeat) for repeat in repeatability.repeats],
    }  # fmt: skip


def _who(one: MissingPrompt) -> str:
    strategies = dict.fromkeys(key.strategy for key in one.trials)
    return f"{plain(one.model)}, {', '.join(map(plain, strategies))}"


def _diff_document(found: PromptDiff) -> JsonObject:
    missing = [{**asdict(one), "trials": [asdict(key) for key in one.trials]} for one in found.missing]
    return {**asdict(found.asking), "prompts": missing}


def _say_stopped(asking: Asking) -> None:
    for name, why in asking.stopped[:NAMED]:
        say(f"stopped: {name}: {why}")
    if len(asking.stopped) > NAMED:
        say(
            f"stopped: {len(asking.stopped) - NAMED} more trials before their prompts were known; `mendbench run` names them"
        )
