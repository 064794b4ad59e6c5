"""Workflows without the benchmark: run one for real, see what an agent would see, look at what failed."""

from __future__ import annotations

from mendbench.workflows.checking import Checked, check_workflow, inspect_workflow
from mendbench.workflows.choices import STOP, Choice, Choose, Stopped
from mendbench.workflows.documents import as_text, read_inputs, read_workflow, save_workflow
from mendbench.workflows.going import RunEvent
from mendbench.workflows.leaves import Leaf
from mendbench.workflows.outside import Outside
from mendbench.workflows.running import RunOptions, WorkflowRun, run_workflow

__all__ = [
    "STOP",
    "Checked",
    "Choice",
    "Choose",
    "Leaf",
    "Outside",
    "RunEvent",
    "RunOptions",
    "Stopped",
    "WorkflowRun",
    "as_text",
    "check_workflow",
    "inspect_workflow",
    "read_inputs",
    "read_workflow",
    "run_workflow",
    "save_workflow",
]
