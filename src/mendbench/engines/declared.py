"""What an engine says of itself, asked once in a process: its name, its version, and what it can do."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, TypeAlias, cast, get_args

from mendbench.engines.document import OWN
from mendbench.io.temporary_folders import scratch
from mendbench.model.json import Json, JsonObject
from mendbench.process.bounded_run import Limits, run_command
from mendbench.process.supervisor_client import HELD

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
    responses: int = 3
    """How many responses of a model an engine that repairs by itself gets in a trial."""
    traces: str | None = None
    """The folder that its traces are kept in; None for nowhere."""
    network: str = HELD
    """``held``: it reaches the world and nothing else, where the machine can hold it. ``open``: it has the machine's network."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Printed:
    """What came of asking a command to describe itself."""

    text: str = ""
    """What it printed; nothing where it failed."""
    absent: str | None = None
    """Why it cannot be run at all."""


@lru_cache(maxsize=64)
def _printed(argv: tuple[str, ...], limits: Limits) -> _Printed:
    """Ask a command to describe itself, once in a process. It has the machine's network for that."""
    bounds = replace(limits, time_s=min(limits.time_s, DESCRIBE_S))
    with scratch("engine") as folder:
        environ = {**os.environ, TASK: "describe", "MENDBENCH_FORMAT": str(FORMAT), "MENDBENCH_TRACE_DIR": str(folder)}
        ran = run_command(argv, environ, bounds, mark=secrets.token_hex(8))
    if ran.ending == "absent":
        return _Printed(absent=ran.err)
    return _Printed(text=ran.out.decode("utf-8", "replace") if ran.ending == "exit" and ran.code == 0 else "")


def absent(command: Command) -> str | None:
    """Return why a command cannot be run at all, as when there is no such program; None where it can."""
    return _printed(command.argv, command.limits).absent


def declared_by(command: Command) -> Declared:
    """Return what an engine declares, with what the configuration says laid over it.

    A command that knows nothing of being asked, or cannot be run, declares nothing.
    """
    return _read({**_told(command), **dict(command.overrides)})


def misdeclared(command: Command) -> tuple[str, ...]:
    """Return one sentence for each thing that an engine says of itself and that is passed over, as it cannot be understood."""
    found = []
    for name, value in _told(command).items():
        if name not in _MEANT:
            found.append(f"it declares {name!r}, which means nothing: what can be declared is {', '.join(_MEANT)}")
        elif not _MEANT[name](value):
            found.append(f"it declares {name} as {json.dumps(value)[:_SHOWN]}, and it is {_KINDS[name]}")
    return tuple(found)


def _told(command: Command) -> JsonObject:
    try:
        said = json.loads(_printed(command.argv, command.limits).text)
    except (ValueError, RecursionError):
        return {}
    own = said.get(OWN) if isinstance(said, dict) else None
    return own if isinstance(own, dict) else {}


_SHOWN = 40
"""So much of a wrong value is shown, characters."""
_JUDGES = frozenset(get_args(Judge))
_FLAG = "true or false"
_KINDS = {
    "version": "a text", "resume": _FLAG, "repairs": _FLAG, "mcp": _FLAG, "judge": " or ".join(get_args(Judge)),
    "node_types": "a list of texts",
}  # fmt: skip
_MEANT: dict[str, Callable[[Json], bool]] = {
    "version": lambda value: isinstance(value, str | int | float) and not isinstance(value, bool),
    "resume": lambda value: isinstance(value, bool),
    "repairs": lambda value: isinstance(value, bool),
    "mcp": lambda value: isinstance(value, bool),
    "judge": lambda value: isinstance(value, str) and value in _JUDGES,
    "node_types": lambda value: isinstance(value, list) and all(isinstance(one, str) for one in value),
}


def _read(told: JsonObject) -> Declared:
    types, judge, version = told.get("node_types"), told.get("judge"), told.get("version")
    return Declared(
        version=str(version) if isinstance(version, str | int | float) else None,
        resume=told.get("resume") is True,
        repairs=told.get("repairs") is True,
        mcp=told.get("mcp") is True,
        judge=cast("Judge", judge if isinstance(judge, str) and judge in _JUDGES else "engine"),
        node_types=tuple(sorted(map(str, types))) if isinstance(types, list | tuple) else None,
    )
