"""What the terminal shows of a workflow: its nodes as they run, how it ended, what is wrong with it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import write, write_json
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt
from mendbench.model.trial import Attempt
from mendbench.runtime.display import (
    display_line,
    ending_of,
    failure_text,
    plain,
    problem_text,
    summary_line,
    warning_lines,
)
from mendbench.runtime.events import NodeCached, NodeCompleted, NodeFailed, NodeStarted, NodeWarned
from mendbench.secrets.redaction import sanitise
from mendbench.workflow_app import Checked, RunEvent, WorkflowRun
from mendbench.workflow_app.results import NOT_ASKED

_ENDINGS = NodeCached | NodeCompleted | NodeFailed | NodeWarned


def teller() -> Callable[[RunEvent], None]:
    """Return what writes a line for every node and every attempt. At a terminal a node's name stands while it runs."""
    watched = sys.stdout.isatty()

    def tell(event: RunEvent) -> None:
        if isinstance(event, NodeStarted):
            if watched:
                write(display_line(event))
        elif isinstance(event, _ENDINGS):
            write(f" {ending_of(event)}\n" if watched else f"{display_line(event)}\n")
        elif isinstance(event, Prompt):
            write("asking for a repair...\n")
        elif isinstance(event, Attempt) and event.execution is None:
            said = f": {event.problem}" if event.problem else ""
            write(plain(str(sanitise(f"repair attempt {event.number}: {event.status}{said}"))) + "\n")

    return tell


def show_run(ended: WorkflowRun, output: Format, trace: Path | None) -> None:
    """Print how a run ended."""
    if output is Format.json:
        write_json(ended.document)
        return
    execution = ended.execution
    lines = [failure_text(failure, number) for number, failure in enumerate(execution.failures, 1)]
    lines += [*warning_lines(execution), summary_line(execution)]
    reason = ended.document["repair_reason"]
    if reason and reason != NOT_ASKED:
        lines.append(plain(f"Repair: {reason}"))
    if execution.outputs:
        lines.append("Outputs: " + plain(json.dumps(ended.document.get("outputs"), indent=2, ensure_ascii=False)))
    if execution.failures and execution.failures[0].node_id:
        told = f" --trace {trace}" if trace else ""
        lines.append(f"All about it: mendbench errors show {execution.failures[0].node_id}{told}")
    write("\n".join(["", *lines]) + "\n")


def show_checked(checked: Checked, output: Format) -> None:
    """Print what is wrong with a workflow."""
    if output is Format.json:
        write_json(checked.document)
        return
    count = sum(problem.severity == "error" for problem in checked.problems)
    notes = len(checked.problems) - count
    lines = [problem_text(problem, number) for number, problem in enumerate(checked.problems, 1)]
    end = f"{count} error{'' if count == 1 else 's'}" if count else "The workflow can run"
    lines.append(end + (f", {notes} note{'' if notes == 1 else 's'}" if notes else ""))
    write("\n".join(lines) + "\n")


def show_parts(parts: JsonObject, output: Format) -> int:
    """Print what a workflow is made of."""
    if output is Format.json:
        write_json(parts)
        return Exit.DONE
    lines = ["Nodes"]
    for node in parts["nodes"]:
        lines.append(
            f"  {node['id']} ({node['type'] or 'no type'})" + (f": {node['purpose']}" if node["purpose"] else "")
        )
        lines += [f"    {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in node["params"].items()]
    lines += ["Edges", *(_edge(edge) for edge in parts["edges"])]
    lines += ["Inputs", *(_input(one) for one in parts["inputs"])]
    lines += ["Outputs", *(f"  {one['name']} = {one['source']}" for one in parts["outputs"])]
    write(plain("\n".join(lines)) + "\n")
    return Exit.DONE


def _edge(edge: JsonObject) -> str:
    action = "" if edge["action"] == "default" else f" on {edge['action']}"
    return f"  {edge['from']} → {edge['to']}{action}"


def _input(one: JsonObject) -> str:
    default = "required" if one["required"] else f"default {json.dumps(one['default'], ensure_ascii=False)}"
    return f"  {one['name']} ({one['type']}, {default})" + (f": {one['description']}" if one["description"] else "")
