"""The environment of a workflow that runs outside the benchmark."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mendbench.config.tables import Config, McpServerConfig, ModelConfig
from mendbench.errors import BadInput, UnknownName
from mendbench.io.real_clock import RealClock
from mendbench.live.chat_model import ChatCaller
from mendbench.model.exchange import Response
from mendbench.model.json import JsonObject
from mendbench.ports.clock import Clock
from mendbench.ports.world import World
from mendbench.replay.open_world import OpenModelRequests, OpenWorld
from mendbench.runtime.trace_file import FOLDER
from mendbench.secrets.redaction import Redactor

SANDBOX = Path(FOLDER) / "sandbox"
"""The default folder for file nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """A world, the models, and a clock."""

    world: World
    model_world: World
    """The world for the repairer's model requests."""
    clock: Clock


@contextlib.contextmanager
def real_outside(
    config: Config,
    redactor: Redactor,
    *,
    allow_shell: bool,
    folder: Path = SANDBOX,
    variables: frozenset[str] = frozenset(),
) -> Iterator[Outside]:
    """Yield the real world: HTTP, the configured MCP servers and models, and the shell's sandbox if it is allowed.

    Files are read and written only below ``folder``; a command gets only those of the ``variables`` that it requests.

    Raises:
        BadInput: a configured MCP server has neither command nor URL, or one of its variables is not set.
    """
    models = ConfiguredModels(config.models)
    servers = {name: _server(name, server) for name, server in config.mcp.items()}
    world = OpenWorld(
        redactor=redactor,
        model_world=OpenModelRequests(models, redactor),
        mcp_servers=servers,
        allow_shell=allow_shell,
        environ={name: os.environ[name] for name in variables if name in os.environ},
        folder=folder,
    )
    with world:
        yield Outside(world=world, model_world=OpenModelRequests(models, redactor), clock=RealClock())


class ConfiguredModels:
    """Sends model requests to the configured URLs."""

    def __init__(self, models: Mapping[str, ModelConfig]) -> None:
        self._models, self._responded = models, set[str]()

    def send(self, model_request: JsonObject) -> Response:
        """Return the provider's response.

        Raises:
            BadInput: the model has no URL in the configuration, or its server refuses the model request.
            Incomplete: there was no response.
        """
        model = configured_model(self._models, str(model_request.get("model", "")))
        caller = ChatCaller(
            base_url=str(model.base_url),
            api_key_env=model.api_key_env,
            provider=model.provider,
            timeout_s=model.timeout_s,
            place=f"models.{model_request['model']}",
            responded=self._responded,
        )
        return caller.send(model_request)


def configured_model(models: Mapping[str, ModelConfig], name: str) -> ModelConfig:
    """Return the configuration of a model with a URL.

    Raises:
        UnknownName: there is no such model.
        BadInput: it has no URL.
    """
    model = models.get(name)
    if model is None:
        raise UnknownName("model", name, models, hint=f"to use a new one, add [models.{name!r}] to the configuration")
    if model.base_url is None:
        known = ", ".join(sorted(key for key, one in models.items() if one.base_url)) or "none"
        raise BadInput(f"models.{name}", "no base_url", f"configure one, or use a model that has one: {known}")
    return model


def _server(name: str, server: McpServerConfig) -> Any:
    """Return the target for the MCP client."""
    if bool(server.command) == bool(server.url):
        raise BadInput(f"mcp.{name}", "neither a command nor a url, or both", "give one of the two")
    if server.url:
        return server.url
    if not server.env:
        return tuple(server.command)
    missing = [variable for variable in server.env if variable not in os.environ]
    if missing:
        raise BadInput(f"mcp.{name}.env", f"the environment variable {missing[0]} is not set", "set it")
    try:
        from mcp import StdioServerParameters  # noqa: PLC0415  an extra, and slow to import
    except ImportError as error:
        raise BadInput(f"mcp.{name}", "the MCP SDK is not installed", "pip install 'mendbench[mcp]'") from error
    given = {variable: os.environ[variable] for variable in server.env}
    return StdioServerParameters(command=server.command[0], args=server.command[1:], env=given)
