"""What an engine declares: its name, its version, and its features. It is queried once per process."""

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
"""The version of the engine's input and output format. 1: the first."""

TASK = "MENDBENCH_TASK"
DESCRIBE_S = 30.0
"""How long an engine may take to describe itself, in seconds, if its own limit is not lower."""

Judge: TypeAlias = Literal["engine", "mendbench", "named"]
"""What separates errors from warnings in a trial. engine: the engine itself. mendbench: the policy's detector, applied to what the engine
reports as failed. named: the engine applies the detector whose name it is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command engine, as it is configured."""

    name: str
    """Its name in options, keys and reports."""
    argv: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    responses: int = 3
    """How many model responses an engine that repairs by itself gets in a trial."""
    traces: str | None = None
    """The folder for its traces; None to keep none."""
    network: str = HELD
    """``held``: it reaches only the world, where the machine can enforce that. ``open``: it has the machine's network."""
    overrides: tuple[tuple[str, Json], ...] = ()
    """Declarations in the configuration, which override the engine's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The features of an engine. The defaults are those without special features."""

    version: str | None = None
    resume: bool = False
    """Whether it can continue from its own checkpoint. If not, it starts again, and what it repeats counts against it."""
    repairs: bool = False
    """Whether it repairs by itself and calls the model for it."""
    judge: Judge = "engine"
    mcp: bool = False
    """Whether it speaks MCP to the servers of a case, over streamable HTTP."""
    node_types: tuple[str, ...] | None = None
    """Types of nodes that it can run; None for all."""

    def document(self) -> JsonObject:
        """Return the declaration as it is in ``run.json``."""
        return {
            "version": self.version, "resume": self.resume, "repairs": self.repairs, "judge": self.judge, "mcp": self.mcp,
            "node_types": None if self.node_types is None else list(self.node_types),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Printed:
    """The result of running a command to describe itself."""

    text: str = ""
    """Its output; empty if it failed."""
    absent: str | None = None
    """Why it cannot be run."""


@lru_cache(maxsize=64)
def _printed(argv: tuple[str, ...], limits: Limits) -> _Printed:
    """Run a command to describe itself, once per process. It has the machine's network for that."""
    bounds = replace(limits, time_s=min(limits.time_s, DESCRIBE_S))
    with scratch("engine") as folder:
        environ = {**os.environ, TASK: "describe", "MENDBENCH_FORMAT": str(FORMAT), "MENDBENCH_TRACE_DIR": str(folder)}
        ran = run_command(argv, environ, bounds, mark=secrets.token_hex(8))
    if ran.ending == "absent":
        return _Printed(absent=ran.err)
    return _Printed(text=ran.out.decode("utf-8", "replace") if ran.ending == "exit" and ran.code == 0 else "")


def absent(command: Command) -> str | None:
    """Return why a command cannot be run, for example because there is no such program; None if it can."""
    return _printed(command.argv, command.limits).absent


def declared_by(command: Command) -> Declared:
    """Return what an engine declares, overridden by the configuration.

    A command that does not support the query, or cannot be run, declares nothing.
    """
    return _read({**_declarations(command), **dict(command.overrides)})


def misdeclared(command: Command) -> tuple[str, ...]:
    """Return one sentence for each declaration of an engine that is ignored because it is invalid."""
    found = []
    for name, value in _declarations(command).items():
        if name not in _CHECKS:
            found.append(f"it declares {name!r}, which means nothing: what can be declared is {', '.join(_CHECKS)}")
        elif not _CHECKS[name](value):
            found.append(f"it declares {name} as {json.dumps(value)[:_SHOWN]}, and it is {_KINDS[name]}")
    return tuple(found)


def _declarations(command: Command) -> JsonObject:
    try:
        document = json.loads(_printed(command.argv, command.limits).text)
    except (ValueError, RecursionError):
        return {}
    own = document.get(OWN) if isinstance(document, dict) else None
    return own if isinstance(own, dict) else {}


_SHOWN = 40
"""The number of characters shown of a wrong value."""
_JUDGES = frozenset(get_args(Judge))
_FLAG = "true or false"
_KINDS = {
    "version": "a text", "resume": _FLAG, "repairs": _FLAG, "mcp": _FLAG, "judge": " or ".join(get_args(Judge)),
    "node_types": "a list of texts",
}  # fmt: skip
_CHECKS: dict[str, Callable[[Json], bool]] = {
    "version": lambda value: isinstance(value, str | int | float) and not isinstance(value, bool),
    "resume": lambda value: isinstance(value, bool),
    "repairs": lambda value: isinstance(value, bool),
    "mcp": lambda value: isinstance(value, bool),
    "judge": lambda value: isinstance(value, str) and value in _JUDGES,
    "node_types": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
}


def _read(declarations: JsonObject) -> Declared:
    types, judge, version = declarations.get("node_types"), declarations.get("judge"), declarations.get("version")
    return Declared(
        version=str(version) if isinstance(version, str | int | float) else None,
        resume=declarations.get("resume") is True,
        repairs=declarations.get("repairs") is True,
        mcp=declarations.get("mcp") is True,
        judge=cast("Judge", judge if isinstance(judge, str) and judge in _JUDGES else "engine"),
        node_types=tuple(sorted(map(str, types))) if isinstance(types, list | tuple) else None,
    )
