"""Configuration: ``mendbench.toml``, or ``[tool.mendbench]`` in pyproject.toml, or the shipped file. Flags win over all of them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mendbench.bench.documents import refused
from mendbench.bench.shipped import shipped_root
from mendbench.errors import BadInput
from mendbench.model.json import Json

FORMAT = 1
"""1: the first."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ModelConfig(_Part):
    """One chat model, behind any server that speaks the OpenAI chat completions API."""

    base_url: str | None = Field(
        None, description="such as http://127.0.0.1:8091/v1; needed to record, never to replay"
    )
    api_key_env: str | None = Field(None, description="name of the environment variable that holds the key")
    parameters: dict[str, Json] = Field(
        default_factory=lambda: {"temperature": 0, "max_tokens": 400},
        description="sampling parameters, sent as they are",
    )
    response_format: dict[str, Json] | None = None
    window: int = Field(8192, description="context window, tokens", gt=512)
    provider: str | None = Field(
        None, description="whose timeouts hold; left out, what stands before the slash in the model's name"
    )
    timeout_s: float | None = Field(
        None, description="how long to wait for an answer, seconds; left out, the provider's, or 600 without one", gt=0
    )


class MatrixConfig(_Part):
    """What is crossed with the cases."""

    cases: list[str] = Field(
        default_factory=list,
        description="ids, families or patterns of the cases to run where none is named; empty for all",
    )
    engines: list[str] = ["mendbench"]
    strategies: list[str] = Field(min_length=1)
    policies: list[str] = Field(min_length=1)
    repairers: list[str] = ["chat"]
    models: list[str] = []
    samples: int = Field(1, ge=1)
    controls: list[str] = Field(default_factory=list, description="repairers run once a case, as floor and ceiling")


class McpServerConfig(_Part):
    """One MCP server that workflows can reach when they are run outside the benchmark: a command, or a URL."""

    command: list[str] = Field(default_factory=list, description="program and arguments of a server on standard input")
    env: list[str] = Field(default_factory=list, description="names of the environment variables that it gets")
    url: str | None = Field(None, description="address of a server that speaks streamable HTTP")


class PathsConfig(_Part):
    """Folders, relative to the configuration file but for ``out``, which is relative to where the command runs."""

    cases: str = "cases"
    cassettes: str = "cassettes"
    strategies: list[str] = []
    out: str = "reports/latest"


class Config(_Part):
    """All of ``mendbench.toml``."""

    format: int = FORMAT
    paths: PathsConfig = PathsConfig()
    matrix: MatrixConfig
    models: dict[str, ModelConfig] = {}
    mcp: dict[str, McpServerConfig] = {}


class Loaded(_Part):
    """A configuration and the folder that its paths start from."""

    config: Config
    root: Path
    place: str


def load_config(start: Path) -> Loaded:
    """Return the configuration that holds in ``start``.

    Raises:
        BadInput: the file is broken; names it, the place, what was found and what to do.
    """
    own = start / "mendbench.toml"
    if own.is_file():
        return _loaded(own, _toml(own))
    project = start / "pyproject.toml"
    if project.is_file() and (table := _toml(project).get("tool", {}).get("mendbench")) is not None:
        return _loaded(project, table)
    shipped = shipped_root() / "mendbench.toml"
    return _loaded(shipped, _toml(shipped))


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(str(path), error.strerror or "cannot be read", "check the file and its permissions") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(str(path), str(error), "mend the TOML there") from None


def _loaded(path: Path, table: dict[str, Any]) -> Loaded:
    try:
        config = Config.model_validate(table)
    except ValidationError as error:
        raise refused(path, error, Config, "mendbench schema config") from None
    if config.format != FORMAT:
        raise BadInput(f"{path}: format", f"format {config.format}", f"this mendbench reads format {FORMAT}")
    unknown = [name for name in config.matrix.models if name not in config.models]
    if unknown:
        raise BadInput(
            f"{path}: matrix.models", f"{unknown[0]!r} is not configured", f"add a table [models.{unknown[0]!r}]"
        )
    return Loaded(config=config, root=path.parent, place=str(path))
