"""Prints a workflow: its nodes as they run, its result, its problems and its parts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import write, write_json
from mendbench.cli.words import counted
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


def event_printer() -> Callable[[RunEvent], None]:
    """Return a listener that writes a line for each node and attempt. A terminal shows a node's name while it runs."""
    watched = sys.stdout.isatty()

    def print_event(event: RunEvent) -> None:
        if isinstance(event, NodeStarted):
            if watched:
                write(display_line(event))
        elif isinstance(event, _ENDINGS):
            write(f" {ending_of(event)}\n" if watched else f"{display_line(event)}\n")
        elif isinstance(event, Prompt):
            write("asking for a repair...\n")
        elif isinstance(event, Attempt) and event.execution is None:
            problem = f": {event.problem}" if event.problem else ""
            write(plain(str(sanitise(f"repair attempt {event.number}: {event.status}{problem}"))) + "\n")

    return print_event


def show_run(ended: WorkflowRun, output: Format, trace: Path | None) -> None:
    """Print the result of a run."""
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
        option = f" --trace {trace}" if trace else ""
        lines.append(f"All about it: mendbench errors show {execution.failures[0].node_id}{option}")
    write("\n".join(["", *lines]) + "\n")


def show_checked(checked: Checked, output: Format) -> None:
    """Print the problems of a workflow."""
    if output is Format.json:
        write_json(checked.document)
        return
    count = sum(problem.severity == "error" for problem in checked.problems)
    notes = len(checked.problems) - count
    lines = [problem_text(problem, number) for number, problem in enumerate(checked.problems, 1)]
    end = counted(count, "error") if count else "The workflow can run"
    lines.append(f"{end}, {counted(notes, 'note')}" if notes else end)
    write("\n".join(lines) + "\n")


def show_parts(parts: JsonObject, output: Format) -> int:
    """Print the parts of a workflow."""
    if output is Format.json:
        write_json(parts)
        return Exit.DONE
    lines = ["Nodes"]
    for node in parts["nodes"]:
        purpose = f": {node['purpose']}" if node["purpose"] else ""
        lines.append(f"  {node['id']} ({node['type'] or 'no type'}){purpose}")
        lines += [f"    {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in node["params"].items()]
    lines += ["Edges", *map(_edge, parts["edges"])]
    lines += ["Inputs", *map(_input, parts["inputs"])]
    lines += ["Outputs", *(f"  {output['name']} = {output['source']}" for output in parts["outputs"])]
    write(plain("\n".join(lines)) + "\n")
    return Exit.DONE


def _edge(edge: JsonObject) -> str:
    action = "" if edge["action"] == "default" else f" on {edge['action']}"
    return f"  {edge['from']} → {edge['to']}{action}"


def _input(declared: JsonObject) -> str:
    default = "required" if declared["required"] else f"default {json.dumps(declared['default'], ensure_ascii=False)}"
    description = f": {declared['description']}" if declared["description"] else ""
    return f"  {declared['name']} ({declared['type']}, {default}){description}"
