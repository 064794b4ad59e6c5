"""What an engine says of itself, asked once in a process: its name, its version, and what it can do."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, TypeAlias, cast

from mendbench.engines.document import OWN
from mendbench.engines.process import Limits, run_command
from mendbench.kit.scratch import scratch
from mendbench.model.json import Json, JsonObject

FORMAT = 1
"""Of what an engine is told and tells. 1: the first."""

TASK = "MENDBENCH_TASK"
DESCRIBE_S = 30.0
"""How long an engine may take to describe itself, seconds, if its own limit is not lower."""

Judge: TypeAlias = Literal["engine", "mendbench", "named"]
"""Who tells an error from a warning in a trial. engine: it does so itself. mendbench: we do, with the policy's detector, from what it
calls failed. named: it applies the detector that it is given the name of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command engine, as it is configured."""

    name: str
    """What it is called in options, keys and reports."""
    argv: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    answers: int = 3
    """How many answers of a model an engine that repairs by itself gets in a trial."""
    traces: str | None = None
    """The folder that its traces are kept in; None for nowhere."""
    overrides: tuple[tuple[str, Json], ...] = ()
    """What the configuration says of it, whatever it says itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What an engine can do. Left out, it can do nothing special."""

    version: str | None = None
    resume: bool = False
    """Whether it can go on from a checkpoint of its own. If not, it begins anew, and what it repeats counts against it."""
    repairs: bool = False
    """Whether it repairs by itself, and asks the model for it."""
    judge: Judge = "engine"
    mcp: bool = False
    """Whether it speaks MCP to the servers of a case, over streamable HTTP."""
    node_types: tuple[str, ...] | None = None
    """Types of nodes that it can run; None for all."""

    def document(self) -> JsonObject:
        """Return it as ``run.json`` has it."""
        return {
            "version": self.version, "resume": self.resume, "repairs": self.repairs, "judge": self.judge, "mcp": self.mcp,
            "node_types": None if self.node_types is None else list(self.node_types),
        }  # fmt: skip


@lru_cache(maxsize=64)
def _printed(argv: tuple[str, ...], limits: Limits) -> str:
    """Return what a command prints when it is asked to describe itself; nothing where that fails."""
    bounds = replace(limits, time_s=min(limits.time_s, DESCRIBE_S))
    with scratch("engine") as folder:
        environ = {**os.environ, TASK: "describe", "MENDBENCH_FORMAT": str(FORMAT), "MENDBENCH_TRACE_DIR": str(folder)}
        ran = run_command(argv, environ, bounds, mark=secrets.token_hex(8))
    return ran.out.decode("utf-8", "replace") if ran.ending == "exit" and ran.code == 0 else ""


def declared_by(command: Command) -> Declared:
    """Return what an engine declares, with what the configuration says laid over it.

    A command that knows nothing of being asked, or cannot be run, declares nothing.
    """
    try:
        said = json.loads(_printed(command.argv, command.limits))
    except (ValueError, RecursionError):
        said = {}
    own = said.get(OWN) if isinstance(said, dict) else None
    return _read({**(own if isinstance(own, dict) else {}), **dict(command.overrides)})


def _read(told: JsonObject) -> Declared:
    types, judge, version = told.get("node_types"), told.get("judge"), told.get("version")
    return Declared(
        version=str(version) if isinstance(version, str | int | float) else None,
        resume=told.get("resume") is True,
        repairs=told.get("repairs") is True,
        mcp=told.get("mcp") is True,
        judge=cast("Judge", judge if judge in {"engine", "mendbench", "named"} else "engine"),
        node_types=tuple(sorted(map(str, types))) if isinstance(types, list | tuple) else None,
    )
