"""The real systems that a recording uses: the models, the real servers of a case, the live world."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from mendbench.cassettes.recording_journal import RecordingJournal
from mendbench.cassettes.recordings import Recordings, RecordMode
from mendbench.config.tables import ModelConfig, RepairerConfig
from mendbench.corpus.credentials import refuse_credentials
from mendbench.corpus.declared_services import OWN, SHELL, live_services, redactor_of, state_of
from mendbench.errors import BadInput, MendbenchError
from mendbench.exchanges.urls import host_of
from mendbench.io.temporary_folders import drop_scratch, make_scratch
from mendbench.live.access import LiveAccess
from mendbench.live.chat_model import ChatCaller
from mendbench.live.mcp_servers import McpLive
from mendbench.live.rate_limit import Pace
from mendbench.live.world import HttpLive, Live, LiveWorld
from mendbench.model.case import Case, Variant
from mendbench.model.exchange import Request, Response
from mendbench.model.json import JsonObject
from mendbench.ports.world import ClassifiesReads, Reach, RealWorld, StdioServer, StreamableServer
from mendbench.recording.sandbox_folders import FreshFiles, FreshShell
from mendbench.recording.scope_recording import Recording
from mendbench.repairers.callable import PREFIX, callable_model
from mendbench.repairers.command import command_model
from mendbench.repairers.programs import CallableCaller, CommandCaller
from mendbench.replay.model_cassette import ModelCaller
from mendbench.replay.request_queue import RequestQueue
from mendbench.replay.world import UNKNOWN_HOST
from mendbench.secrets.redaction import plant_canaries
from mendbench.services import real_world


class Recorder:
    """Starts what recording needs on first use, and stops it at the end. In mode ``none`` it does nothing.

    In mode ``all``, new responses are listed in ``journal``, and those already listed there are not requested again. With
    ``queued``, models are called while trials continue: each with ``concurrency`` requests at once, or as its configuration
    states. ``allow_writes`` allows writes to live APIs.
    """

    def __init__(
        self,
        mode: RecordMode = "none",
        models: Mapping[str, ModelConfig] | None = None,
        *,
        trajectory: bool = False,
        allow_shell: bool = False,
        allow_writes: bool = False,
        repairers: Mapping[str, RepairerConfig] | None = None,
        queued: bool = False,
        concurrency: int | None = None,
        journal: RecordingJournal | None = None,
        config_file: str = "the configuration",
    ) -> None:
        self.mode = mode
        self._journal = journal
        self.queue = RequestQueue(self.pace) if queued and mode != "none" else None
        self._concurrency, self._paces = concurrency, dict[str, Pace]()
        self._config_file, self._responded = config_file, set[str]()
        self._programs = dict(_program(config) for config in (repairers or {}).values())
        self._models, self._trajectory = models or {}, trajectory
        self._allow_shell, self._allow_writes = allow_shell, allow_writes
        self._running: dict[str, tuple[RealWorld, Reach]] = {}
        self._speaking: dict[str, HttpLive | McpLive] = {}
        self._folders: list[Path] = []
        self._opened: dict[tuple[Path, Path | None], Recordings] = {}
        self._clean: set[Path] = set()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all requests, stop every server that was started, and remove every sandbox folder."""
        with ExitStack() as ending:  # the last named ends first, and each of them even if the others raise
            for folder in self._folders:
                ending.callback(drop_scratch, folder)
            for world, _ in self._running.values():
                ending.callback(world.stop)
            for live in self._speaking.values():
                ending.callback(live.close)
            if self.queue is not None:
                ending.callback(self.queue.close)
        self._speaking.clear()
        self._running.clear()
        self._folders.clear()

    def recordings(self, folder: Path, private: Path | None = None) -> Recordings:
        """Return a case's recordings. In mode ``all`` always the same instance: it tracks what was recorded again already.

        Raises:
            BadInput: a cassette in a folder is broken; for a replay also one that is empty.
        """
        if self.mode != "all":
            found = Recordings.open(folder, private=private)
            if self.mode == "none":
                found.refuse_empty()
            return found
        if (folder, private) not in self._opened:
            self._opened[folder, private] = Recordings.open(folder, self._journal, private=private)
        return self._opened[folder, private]

    def model_caller(self, model: str | None = None) -> ModelCaller | None:
        """Return the source of real responses for repairers: configured models, the operator's own programs and functions.

        None if nothing is recorded, and for a ``model`` whose prompts are answered elsewhere: its missing responses stay missing, while
        the world for its edits is recorded.
        """
        _, config = self._configured(model or "")
        elsewhere = config.asked is not None and config.base_url is None
        return None if self.mode == "none" or elsewhere else _RepairerCaller(self)

    def caller(self, model: str) -> ModelCaller:
        """Return the client of one model.

        Raises:
            BadInput: the model has no URL in the configuration.
        """
        name, config = self._configured(model)
        if config.base_url is None:
            raise BadInput(f"models.{model}", "no base_url", "configure one, or replay with --record none")
        return ChatCaller(
            base_url=config.base_url,
            api_key_env=config.api_key_env,
            provider=config.provider,
            timeout_s=config.timeout_s,
            pace=self._paces.get(model),
            place=f"models.{name}",
            file=self._config_file,
            responded=self._responded,
        )

    def pace(self, model: str) -> Pace | None:
        """Return the pace of a model; None for a program or a function, which runs when its response is needed."""
        if self.program(model) is not None:
            return None
        if model not in self._paces:
            _, config = self._configured(model)
            at_once = asks_at_once(config, self._concurrency)
            self._paces[model] = Pace(at_once=at_once, per_minute=config.requests_per_minute)
        return self._paces[model]

    def _configured(self, model: str) -> tuple[str, ModelConfig]:
        """Return the name and the content of the table that configures a model; an empty one if there is none."""
        if model in self._models:
            return model, self._models[model]
        served = ((name, config) for name, config in self._models.items() if config.served_as == model)
        return next(served, (model, ModelConfig()))

    def program(self, model: str) -> ModelCaller | None:
        """Return the runner of the operator's own program or function of that name in model requests; None if it names a model."""
        if model.startswith(PREFIX):
            return CallableCaller(function=model.removeprefix(PREFIX))
        return self._programs.get(model)

    def for_trial(self, case: Case, variant: Variant | None) -> Recording:
        """Return how one scope of a case records. It may send nothing to a live API: see :meth:`Recording.by`.

        Raises:
            BadInput: a file of the case contains a credential, which would be in the recording.
        """
        if self.mode == "none":
            return Recording()
        if case.folder not in self._clean:
            refuse_credentials(case)
            self._clean.add(case.folder)
        real = [name for name, source in case.recorded_from.items() if source == "real" and name not in OWN]
        live: list[Live] = [_FreshServer(self, case, variant, name) for name in real]
        apis = live_services(case)
        if apis:
            live.append(HttpLive({}, outside=True))
        if SHELL in case.recorded_from or self._allow_shell:  # else a command in a model's edit would end the recording
            live.append(FreshShell(case, variant, self.folder, allow_shell=self._allow_shell))
        live.append(FreshFiles(case, variant, self.folder))
        return Recording(
            mode=self.mode, live=LiveWorld(live), caller=_NodeCaller(self), trajectory=self._trajectory,
            queue=self.queue, access=self._access(case, apis) if apis else None,
        )  # fmt: skip

    def _access(self, case: Case, apis: frozenset[str]) -> LiveAccess:
        return LiveAccess(
            case=case.id, services=apis, canaries=redactor_of(case).secrets, variables=case.secrets,
            allow_writes=self._allow_writes,
        )  # fmt: skip

    def running(self, name: str) -> RealWorld:
        """Return a real server, started if necessary."""
        if name not in self._running:
            world = real_world(name)
            self._running[name] = (world, world.start())
        return self._running[name][0]

    def server(self, name: str, state: JsonObject) -> HttpLive | McpLive:
        """Return the client of a real server, which begins afresh with ``state``. Earlier clients cannot use it any more."""
        world = self.running(name)
        reach = self._running[name][1]
        if name in self._speaking:
            self._speaking[name].close()
        world.reset(state)
        self._speaking[name] = _speaking_to(reach, world.hosts)
        return self._speaking[name]

    def speaks(self, name: str, live: HttpLive | McpLive) -> bool:
        """Return whether ``live`` is the current client of a real server: no other scope has begun since."""
        return self._speaking.get(name) is live

    def folder(self) -> Path:
        """Return a new empty folder, which exists until the end."""
        self._folders.append(make_scratch("files"))
        return self._folders[-1]


class _RepairerCaller:
    """Gets a repairer's response: from its configured model, or from the operator's own program or function."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def send(self, model_request: JsonObject) -> Response:
        """Return the response."""
        model = str(model_request.get("model", ""))
        return (self._recorder.program(model) or self._recorder.caller(model)).send(model_request)


class _NodeCaller:
    """Gets the response for a workflow's node: only from models, since a repairer wrote the node, and it must not run anything."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def send(self, model_request: JsonObject) -> Response:
        """Return the model's response."""
        model, model_caller = str(model_request.get("model", "")), self._recorder.model_caller()
        allowed = (
            model_caller
            if model_caller is not None and self._recorder.program(model) is None
            else self._recorder.caller(model)
        )
        return allowed.send(model_request)


def asks_at_once(config: ModelConfig, wanted: int | None) -> int:
    """Return how many requests to a model may be under way at once: as requested, else as configured, else one."""
    return wanted or config.concurrency or 1


def program_name(config: RepairerConfig) -> str:
    """Return the name of a configured program or function in model requests."""
    return callable_model(config.callable) if config.callable is not None else command_model(tuple(config.command))


def _program(config: RepairerConfig) -> tuple[str, ModelCaller]:
    """Return the name of a configured repairer in model requests, and its runner."""
    if config.callable is not None:
        return program_name(config), CallableCaller(function=config.callable)
    return program_name(config), CommandCaller(argv=tuple(config.command), timeout_s=config.timeout_s)


def _speaking_to(reach: Reach, hosts: tuple[str, ...]) -> HttpLive | McpLive:
    if isinstance(reach, StdioServer):
        return McpLive(dict.fromkeys(hosts, reach.command))
    if isinstance(reach, StreamableServer):
        return McpLive(dict.fromkeys(hosts, reach.url))
    return HttpLive(dict.fromkeys(hosts, reach))


class _FreshServer:
    """A real server as one scope sees it: reset to the scope's state on its first request."""

    def __init__(self, recorder: Recorder, case: Case, variant: Variant | None, name: str) -> None:
        self._recorder, self._case, self._variant, self._name = recorder, case, variant, name
        self._live: HttpLive | McpLive | None = None
        self._hosts = frozenset(host.lower() for host in real_world(name).hosts)

    def serves(self, request: Request) -> bool:
        """Return whether the request is to one of its hosts."""
        return host_of(request.url) in self._hosts

    def resets(self, request: Request) -> bool:
        """Return that it began afresh with the scope."""
        return self.serves(request)

    def send(self, request: Request) -> Response:
        """Reset the server if this is the scope's first request to it, then send the request.

        A server that speaks MCP does not serve HTTP requests, and the reverse.
        """
        live = self._opened()
        return live.send(request) if live.serves(request) else UNKNOWN_HOST

    def reads(self, request: Request) -> bool | None:
        """Return whether the request, which was just sent, changed nothing; None if neither world nor tool reports it."""
        world, live = self._recorder.running(self._name), self._opened()
        reported = world.reads(request) if isinstance(world, ClassifiesReads) else None
        return live.reads(request) if reported is None and isinstance(live, ClassifiesReads) else reported

    def _opened(self) -> HttpLive | McpLive:
        if self._live is None:
            state, _ = plant_canaries(state_of(self._case, self._variant, self._name), self._case.id)
            self._live = self._recorder.server(self._name, state)
        if not self._recorder.speaks(self._name, self._live):
            raise MendbenchError(f"{self._case.id}: {self._name} was asked by another scope before this one had ended")
        return self._live
