"""The command engine: a program that executes workflows in a world on the loopback interface."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from mendbench.engines.client_headers import headers_named
from mendbench.engines.declared import FORMAT, TASK, Command, Declared
from mendbench.engines.document import (
    OWN,
    EngineCheckpoint,
    EngineExecution,
    NoDocument,
    document_in,
    execution_of,
    without_moments,
)
from mendbench.engines.mcp_http import McpServers
from mendbench.engines.outputs_from_traffic import with_responses
from mendbench.engines.reported_failures import judged_by_truth, judged_without
from mendbench.engines.sender import guesser
from mendbench.engines.url_mapping import CONTROL, Spelling, hosts_in
from mendbench.engines.world_server import MOST_REQUESTS, AskModel, Served, Serving, WorldServer
from mendbench.io.temporary_folders import scratch
from mendbench.model.execution import Checkpoint, Execution
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector
from mendbench.ports.world import World
from mendbench.process.bounded_run import Ending, Ran, run_command
from mendbench.process.supervisor_client import HELD, NotKept, Supervisor, network_of
from mendbench.replay.guard import allowed
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.formatter import agent_json
from mendbench.runtime.outline import MCP, tool_in
from mendbench.runtime.parse import salvaged
from mendbench.secrets.environment import environment_redactor
from mendbench.secrets.redaction import Redactor, sanitise

BY_ADDRESS = "another host by its address,"
"""The text for a host that was requested only by its address."""
LINES_SHOWN, LINE_SHOWN = 3, 200
"""The number of last output lines of a command that are shown, and the number of characters shown of each."""


class EngineFailed(Exception):
    """A command did not return an execution; the message describes what it did instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job for the command."""

    task: str
    """``execute`` or ``repair``."""
    workflow: JsonObject
    inputs: JsonObject
    world: World
    clock: Clock
    detector: str | None
    files: Mapping[str, object] = field(default_factory=dict)
    """More files, by the variable that names them: JSON or plain text."""
    variables: Mapping[str, str] = field(default_factory=dict)
    model_request: AskModel | None = None


class CommandEngine:
    """Executes workflows with a command: one process per execution, in its own folder. Never used in a trial of a built-in engine.

    ``redactor`` removes the case's secrets from everything that the command prints. With ``truth``, the given detector judges its
    executions by its report and by the traffic, like clean runs.
    """

    def __init__(
        self, command: Command, declared: Declared, redactor: Redactor, *, truth: bool = False, about: str = ""
    ) -> None:
        self.name = command.name
        self.declared = declared
        self._command, self._redactor, self._truth, self._about = command, redactor, truth, about

    @property
    def responses(self) -> int:
        """How many model responses it gets in a trial, if it repairs by itself."""
        return self._command.responses

    @property
    def reaches_others(self) -> bool:
        """Whether it uses the machine's network. If so, it is unknown which hosts it contacts."""
        return network_of(self._command.network) != HELD

    def validate(self, workflow: JsonObject, inputs: JsonObject) -> tuple[str, ...]:
        """Return what is wrong with the document, and which of its nodes the engine cannot run."""
        problems = MendbenchEngine(redact=self._redactor.value).validate(workflow, inputs)
        return (*problems, *cannot_run(workflow, self.declared))

    def execute(
        self,
        workflow: JsonObject,
        inputs: JsonObject,
        world: World,
        *,
        checkpoint: Checkpoint | None,
        detector: Detector | None,
        clock: Clock,
    ) -> Execution:
        """Run the command on the document and return the execution that it reports.

        Raises:
            EngineFailed: it printed no readable document, or exceeded a limit.
            EffectEscape, MendbenchError: the world raised it.
        """
        files: dict[str, object] = {}
        if self.declared.resume and isinstance(checkpoint, EngineCheckpoint) and checkpoint.held:
            files["MENDBENCH_CHECKPOINT"] = checkpoint.held
        job = Job(
            task="execute", workflow=workflow, inputs=inputs, world=world, clock=clock, files=files,
            detector=detector.name if detector is not None else None,
        )  # fmt: skip
        first, started = len(world.traffic()), clock.now_ms()
        document = self.document_of(job)
        return self.read(
            document, workflow, world, first=first, detector=detector, duration_ms=clock.now_ms() - started
        )

    def describe(self, workflow: JsonObject, execution: Execution) -> JsonObject:
        """Return the agent error format's JSON as the command printed it, sanitised."""
        if isinstance(execution, EngineExecution) and execution.agent:
            return cast("JsonObject", sanitise(execution.agent))
        return cast("JsonObject", self._redactor.value(agent_json(workflow, execution)))

    def document_of(self, job: Job) -> JsonObject:
        """Do a job and return the document that the command printed, with the original URLs and without secrets.

        Raises:
            EngineFailed, EffectEscape, MendbenchError: as :meth:`execute`.
        """
        context, served = copy_context(), Served()
        with allowed(), self._folder() as folder, ExitStack() as ending:
            kept = self._kept(job, served, ending)
            listeners = list(kept.listeners) if kept is not None else []
            server = WorldServer(context, listeners.pop(0) if listeners else None)
            ending.callback(server.close)
            mcp = self._mcp(job, server, listeners.pop(0) if listeners else None, ending)
            mark = secrets.token_hex(8)
            hidden = (
                (str(folder), "<folder>"),
                (mark, "<execution>"),
                *((url, f"<mcp {name}>") for name, url in mcp.items()),
            )
            spelling = Spelling(base=server.base, hosts=_hosts(job), hidden=hidden)
            workflow = salvaged(job.workflow)
            serving = Serving(
                world=job.world, spelling=spelling, guess=guesser(workflow), named=headers_named(workflow),
                model_request=job.model_request, served=served,
            )  # fmt: skip
            server.serve(serving)
            environ = {**os.environ, **self._environ(job, folder, spelling, mcp)}
            ran = run_command(self._command.argv, environ, self._command.limits, mark=mark, patron=served, kept=kept)
        if ran.turned_back:
            served.stray(BY_ADDRESS)
        if served.raised is not None:
            raise served.raised
        return self._document(ran, served, spelling)

    def read(
        self,
        document: JsonObject,
        workflow: JsonObject,
        world: World,
        *,
        first: int,
        detector: Detector | None,
        duration_ms: int,
    ) -> Execution:
        """Return the execution that a document describes; its exchanges begin at number ``first``."""
        parsed = salvaged(workflow)
        exchanges = world.traffic()[first:]
        seen = frozenset(exchange.node for exchange in exchanges if exchange.node is not None)
        execution = with_responses(execution_of(document, parsed, seen=seen, duration_ms=duration_ms), exchanges)
        judge = self.declared.judge
        if judge == "named":
            return execution
        if detector is None:
            return judged_without(execution)
        if self._truth or judge == "mendbench":
            return judged_by_truth(execution, parsed, exchanges, detector, notices=self._truth)
        return execution

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        with scratch("engine") as folder:
            (folder / "trace").mkdir()
            yield folder
            if self._command.traces is not None:
                _keep_traces(folder / "trace", Path(self._command.traces), self._about.replace("/", "-"))

    def _kept(self, job: Job, served: Served, ending: ExitStack) -> Supervisor | None:
        """Return the supervisor that keeps the command in its own network, until the end; None if it uses the machine's network.

        Raises:
            EngineFailed: its network cannot be isolated this time.
        """
        if network_of(self._command.network) != HELD:
            return None
        try:
            kept = Supervisor(HELD, 1 + bool(self._mcp_servers(job)))
        except (NotKept, OSError) as error:
            raise EngineFailed(f"its network could not be held: {error}") from None
        for listener in kept.listeners:
            ending.callback(listener.close)
        ending.callback(kept.end)
        kept.heard = served.stray
        return kept

    def _mcp_servers(self, job: Job) -> dict[str, set[str]]:
        """Return the tools that a workflow's nodes call, by the name of their MCP server; empty for an engine that does not use MCP."""
        return mcp_servers(job.workflow) if self.declared.mcp else {}

    def _mcp(
        self, job: Job, server: WorldServer, listener: socket.socket | None, ending: ExitStack
    ) -> Mapping[str, str]:
        """Return the addresses of the MCP servers that a workflow names. They are served until the end."""
        named = self._mcp_servers(job)
        if not named:
            return {}
        servers = McpServers(named, server.sent, listener)
        ending.callback(servers.close)
        return servers.start()

    def _environ(self, job: Job, folder: Path, spelling: Spelling, mcp: Mapping[str, str]) -> dict[str, str]:
        """Write the files of a job and return the variables that name them."""
        files = {
            "MENDBENCH_WORKFLOW": spelling.value_to_world(job.workflow), "MENDBENCH_INPUTS": spelling.value_to_world(job.inputs),
            "MENDBENCH_SECRETS": dict(self._redactor.secrets), **spelling.value_to_world(dict(job.files)),
            **({"MENDBENCH_MCP_SERVERS": dict(mcp)} if mcp else {}),
        }  # fmt: skip
        named = {}
        for variable, content in files.items():
            text = isinstance(content, str)
            path = folder / f"{variable.removeprefix('MENDBENCH_').lower()}.{'txt' if text else 'json'}"
            path.write_text(str(content) if text else json.dumps(content), encoding="utf-8", errors="backslashreplace")
            named[variable] = str(path)
        proxy = {
            name: spelling.base for each in ("http_proxy", "https_proxy", "all_proxy") for name in (each, each.upper())
        }
        local = dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost")
        return {
            **proxy, **local, **named, TASK: job.task, "MENDBENCH_FORMAT": str(FORMAT),
            "MENDBENCH_WORLD_URL": spelling.base, "MENDBENCH_NODE_MODEL_URL": f"{spelling.base}/{CONTROL}/nodes/v1",
            "MENDBENCH_TRACE_DIR": str(folder / "trace"), "MENDBENCH_DETECTOR": job.detector or "",
            "MENDBENCH_NOW_MS": str(job.clock.now_ms()),
            **({"MENDBENCH_MODEL_URL": f"{spelling.base}/{CONTROL}/model/v1"} if job.model_request is not None else {}),
            **job.variables,
        }  # fmt: skip

    def _document(self, ran: Ran, served: Served, spelling: Spelling) -> JsonObject:
        printed = spelling.back(ran.out.decode("utf-8", "replace"))
        document, why = None, _broken(ran, served, self._command)
        if why is None:
            try:
                document = document_in(printed)
            except NoDocument as error:
                why = (
                    str(error)
                    if not ran.code
                    else f"it ended with exit code {ran.code}, and {str(error).removeprefix('it ')}"
                )
        if document is None:
            last_lines = "" if ran.ending == "absent" else _last_lines(spelling.back(ran.err)) or _last_lines(printed)
            raise EngineFailed(
                str(sanitise(self._clean(f"{why}{f'; it said last: {last_lines}' if last_lines else ''}")))
            )
        own = document.get(OWN) or {}
        held = own.pop("resume", None)
        clean = cast("JsonObject", self._clean(without_moments(document)))
        return {**clean, OWN: {**clean.get(OWN, {}), "resume": held}} if held is not None else clean

    def _clean(self, value: Json) -> Json:
        """Return a command's output without the case's secrets and without those of the environment that it inherits."""
        return environment_redactor(os.environ).value(self._redactor.value(value))


def _keep_traces(written: Path, kept: Path, about: str) -> None:
    """Copy a command's trace output to its trace folder: files and folders, links as links. Unreadable entries are left out."""
    try:
        if written.is_symlink() or not any(written.iterdir()):
            return
    except OSError:  # the command has removed its folder, or made it unreadable
        return
    kept.mkdir(parents=True, exist_ok=True)
    place = tempfile.mkdtemp(prefix=f"{about}-", dir=kept)
    with suppress(shutil.Error, RecursionError):
        shutil.copytree(written, place, symlinks=True, dirs_exist_ok=True, ignore=_endless)


def _endless(folder: str, names: list[str]) -> set[str]:
    """Return the entries of a folder that are not files, folders or links: reading a pipe or a device may never end."""
    kinds = {name: stat.S_IFMT((Path(folder) / name).lstat().st_mode) for name in names}
    return {name for name, kind in kinds.items() if kind not in {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}}


def cannot_run(workflow: JsonObject, declared: Declared) -> tuple[str, ...]:
    """Return one sentence for each node that an engine cannot run."""
    if declared.node_types is None:
        return ()
    types = declared.node_types
    return tuple(
        f"Node '{node.id}' has the type '{node.type}', which this engine does not have. It has: {', '.join(types)}"
        for node in salvaged(workflow).nodes
        if node.type not in types and not (node.type.startswith("mcp-") and "mcp" in types)
    )


def mcp_servers(workflow: JsonObject) -> dict[str, set[str]]:
    """Return the tools that a workflow's nodes call, by the name of their MCP server."""
    named: dict[str, set[str]] = {}
    for node in salvaged(workflow).nodes:
        offered = node.params.get("tools")
        called: list[tuple[Json, Json]] = []
        called += [str(entry).partition("/")[::2] for entry in offered] if isinstance(offered, list) else []
        called += (
            [tool_in(node.type) or (node.params.get("server"), node.params.get("tool"))]
            if _calls_mcp(node.type)
            else []
        )
        for server, tool in called:
            if isinstance(server, str) and isinstance(tool, str):
                named.setdefault(server, set()).add(tool)
    return named


def _calls_mcp(node_type: str) -> bool:
    return node_type == MCP or tool_in(node_type) is not None


def _hosts(job: Job) -> frozenset[str]:
    declared = getattr(job.world, "hosts", ())
    return frozenset(declared) | hosts_in(job.workflow) | hosts_in(job.inputs)


def _broken(ran: Ran, served: Served, command: Command) -> str | None:
    """Return the limit that a command exceeded, if any."""
    limits = command.limits
    if served.strayed:
        return f"it asked for {served.strayed[0]} past the world: whatever it reaches has to be asked for at MENDBENCH_WORLD_URL"
    if served.flooded():
        return f"it sent more than {MOST_REQUESTS} requests"
    ended: dict[Ending, str] = {
        "absent": f"it cannot be run ({command.argv[0]}: {ran.err})",
        "time": f"it did not end within {limits.time_s:g} s",
        "memory": f"it took more than {limits.memory_mb} MB of memory",
        "output": f"it printed more than {limits.output_kb} KB on standard output",
        "processes": f"it had more than {limits.processes} processes at once",
        "stopped": "it was ended",
    }
    if ran.ending in ended:
        return ended[ran.ending]
    if ran.code is not None and ran.code < 0:
        return f"it was ended by signal {-ran.code}"
    if ran.left:
        return f"it left {len(ran.left)} process{'' if len(ran.left) == 1 else 'es'} running: {', '.join(ran.left)}"
    return None


def _last_lines(text: str) -> str:
    lines = [" ".join(line.split())[:LINE_SHOWN] for line in text.splitlines() if line.strip()]
    return " | ".join(lines[-LINES_SHOWN:])
