"""Engines that are not ours: commands that execute a workflow, or repair it by themselves, in a world on the loopback interface."""

from __future__ import annotations

from mendbench.engines.command import CommandEngine, EngineFailed, cannot_run
from mendbench.engines.declared import Command, Declared, absent, declared_by, misdeclared
from mendbench.engines.own_loop import Asking, repair_by_itself
from mendbench.process.bounded_run import Limits, split_command
from mendbench.process.supervisor_client import network_record

__all__ = [
    "Asking",
    "Command",
    "CommandEngine",
    "Declared",
    "EngineFailed",
    "Limits",
    "absent",
    "cannot_run",
    "declared_by",
    "misdeclared",
    "network_record",
    "repair_by_itself",
    "split_command",
]
