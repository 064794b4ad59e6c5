"""The available engines: ours, the configured commands, and literal commands (``cmd: …``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mendbench.config.tables import EngineConfig
from mendbench.corpus.declared_services import redactor_of
from mendbench.errors import BadInput, UnknownName
from mendbench.io.canonical_json import digest
from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.ports.engine import Engine
from mendbench.runtime.engine import MendbenchEngine
from mendbench.version import __version__

if TYPE_CHECKING:
    from mendbench.engines import Command, Declared

OURS = MendbenchEngine.name
"""The engine of the benchmark."""

PREFIX = "cmd:"
"""Prefix of an engine name that is a literal command."""

Engines = Mapping[str, EngineConfig]


def command_of(name: str, engines: Engines) -> Command | None:
    """Return the command behind an engine's name; None for our own engine.

    Raises:
        UnknownName: there is no such engine.
        BadInput: it has no runnable command.
    """
    if name == OURS:
        if OURS in engines:
            raise BadInput(f"engines.{OURS}", "a name that stands for our own engine", "choose another name")
        return None
    from mendbench.engines import Command, Limits, split_command  # noqa: PLC0415  what our own engine does not need

    if name.startswith(PREFIX):
        return Command(name=name, argv=split_command(name.removeprefix(PREFIX), f"--engine {name!r}"))
    own = engines.get(name)
    if own is None:
        raise UnknownName("engine", name, {OURS, *engines})
    overrides = own.model_dump(
        include={"version", "resume", "repairs", "judge", "mcp", "node_types"}, exclude_none=True
    )
    return Command(
        name=name,
        argv=tuple(own.command),
        limits=Limits(time_s=own.timeout_s, memory_mb=own.memory_mb, output_kb=own.output_kb),
        responses=own.responses,
        traces=own.traces,
        network=own.network,
        overrides=tuple(
            (field, tuple(value) if isinstance(value, list) else value) for field, value in overrides.items()
        ),
    )


def refuse_absent(name: str, engines: Engines) -> None:
    """Refuse an engine whose program cannot be run on this machine.

    Raises:
        UnknownName: there is no such engine.
        BadInput: it has no command, or one that cannot be run.
    """
    command = command_of(name, engines)
    if command is None:
        return
    from mendbench.engines import absent  # noqa: PLC0415  what our own engine does not need

    if (why := absent(command)) is not None:
        found = f"its program cannot be run ({command.argv[0]}: {why})"
        raise BadInput(f"engine {name}", found, "name a program that is there and can be executed")


def declared_of(name: str, engines: Engines) -> Declared:
    """Return the declared abilities of a command engine.

    Raises:
        UnknownName, BadInput: as :func:`command_of`.
    """
    from mendbench.engines import Declared, declared_by  # noqa: PLC0415  what our own engine does not need

    command = command_of(name, engines)
    return Declared(version=__version__, resume=True, judge="named") if command is None else declared_by(command)


def build_engine(name: str, case: Case, engines: Engines | None = None, *, truth: bool = False) -> Engine:
    """Return the engine of that name. It does not reveal the case's secrets.

    With ``truth`` it is the engine of clean runs: failures are judged by the given detector, not by the engine.

    Raises:
        UnknownName, BadInput: as :func:`command_of`.
    """
    command = command_of(name, engines or {})
    if command is None:
        return MendbenchEngine(redact=redactor_of(case).value)
    from mendbench.engines import CommandEngine, declared_by  # noqa: PLC0415  what our own engine does not need

    return CommandEngine(command, declared_by(command), redactor_of(case), truth=truth, about=case.id)


def self_repairing(names: Iterable[str], engines: Engines) -> frozenset[str]:
    """Return the engines that repair by themselves.

    Raises:
        UnknownName, BadInput: as :func:`command_of`.
    """
    return frozenset(name for name in names if name != OURS and declared_of(name, engines).repairs)


def inexpressible(name: str, case: Case, engines: Engines) -> str | None:
    """Return why an engine cannot run a case's workflow, if it cannot.

    Raises:
        UnknownName, BadInput: as :func:`command_of`.
    """
    from mendbench.engines import cannot_run  # noqa: PLC0415  what our own engine does not need

    own = engines.get(name)
    if own is not None and {case.id, case.family} & set(own.leaves_out):
        return "its configuration leaves it out"
    return next(iter(cannot_run(case.workflow, declared_of(name, engines))), None)


def engines_document(names: Iterable[str], engines: Engines) -> JsonObject:
    """Return the engine part of ``run.json``: what each engine declares, and whether this machine restricted its network."""
    return {name: {**_document(name, engines), **_network(name, engines)} for name in sorted(set(names))}


def engine_digest(name: str, engines: Engines) -> str:
    """Return a digest of what an engine declares, independent of the machine."""
    return digest([{name: _document(name, engines)}])


def _network(name: str, engines: Engines) -> JsonObject:
    command = command_of(name, engines)
    if command is None:
        return {}
    from mendbench.engines import network_record  # noqa: PLC0415  what our own engine does not need

    return {"network": network_record(command.network)}


def _document(name: str, engines: Engines) -> JsonObject:
    if name != OURS:
        return declared_of(name, engines).document()
    can: JsonObject = {"resume": True, "repairs": False, "judge": "named", "mcp": False, "node_types": None}
    return {"version": __version__, **can}
