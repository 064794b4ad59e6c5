"""Workflows without the benchmark: run one for real, see what an agent would see, look at what failed."""

from __future__ import annotations

from mendbench.workflows.checking import Checked, check_workflow, inspect_workflow
from mendbench.workflows.documents import as_text, read_inputs, read_workflow, save_workflow
from mendbench.workflows.outside import Outside
from mendbench.workflows.running import RunEvent, RunOptions, WorkflowRun, run_workflow

__all__ = [
    "Checked",
    "Outside",
    "RunEvent",
    "RunOptions",
    "WorkflowRun",
    "as_text",
    "check_workflow",
    "inspect_workflow",
    "read_inputs",
    "read_workflow",
    "run_workflow",
    "save_workflow",
]
