"""Workflows without the benchmark: runs real workflows, shows what an agent would see, and displays failures."""

from __future__ import annotations

from mendbench.workflow_app.checking import Checked, check_workflow, inspect_workflow
from mendbench.workflow_app.choices import STOP, Choice, Choose, Stopped
from mendbench.workflow_app.documents import as_text, read_inputs, read_workflow, save_workflow
from mendbench.workflow_app.live_environment import Outside
from mendbench.workflow_app.param_values import Leaf
from mendbench.workflow_app.running import RunOptions, WorkflowRun, default_policy, run_workflow
from mendbench.workflow_app.session import RunEvent

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
    "default_policy",
    "inspect_workflow",
    "read_inputs",
    "read_workflow",
    "run_workflow",
    "save_workflow",
]
