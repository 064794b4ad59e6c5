"""Configuration: ``mendbench.toml``, or ``[tool.mendbench]`` in pyproject.toml, or the packaged file. Flags win over all of them.

The nearest configuration is used: that of the current folder, or of a folder above it, up to the root of the Git repository. Outside a
repository the search continues up to the root of the file system.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mendbench.config.shipped import shipped_root
from mendbench.config.tables import FORMAT, LARGEST, Config, EngineConfig, Table
from mendbench.corpus.documents import all_refused
from mendbench.errors import BadInput, UnknownName
from mendbench.io.merge_conflicts import refuse_conflict
from mendbench.io.reading import MAX_DEPTH, MEGABYTE, read_text
from mendbench.repairers.command import command_model

MAX_SETTINGS = MEGABYTE
"""Bytes of a configuration file."""

_LONG_KEY = re.compile(r"""(?<![\w.-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""")
"""A dotted key of a hundred parts: the library takes quadratic time to read one."""

_POSITION = re.compile(r"(.*) \(at line (\d+), column (\d+)\)")
"""A message of ``tomllib``, which states the position in words only."""


class Loaded(Table):
    """A configuration and the folder that its paths are relative to."""

    config: Config
    root: Path
    place: str
    searched: Path | None = None
    """Set if this is the packaged configuration: the topmost folder in which no other configuration was found."""

    @property
    def packaged(self) -> bool:
        """Whether this is the packaged configuration."""
        return self.searched is not None

    @property
    def cases_dir(self) -> Path:
        """The folder of the cases."""
        return self.root / self.config.paths.cases

    @property
    def cassettes_dir(self) -> Path:
        """The folder of the recordings."""
        return self.root / self.config.paths.cassettes

    @property
    def strategy_dirs(self) -> tuple[Path, ...]:
        """The folders of template files."""
        return tuple(self.root / folder for folder in self.config.paths.strategies)

    @property
    def out(self) -> Path:
        """The folder of the last run."""
        return self.output(self.config.paths.out)

    @property
    def private_dir(self) -> Path:
        """The folder of the private recordings."""
        return self.output(self.config.paths.private)

    @property
    def baseline(self) -> Path:
        """The file of the gate's baseline."""
        return self.output(self.config.gate.baseline)

    @property
    def engines(self) -> dict[str, EngineConfig]:
        """The operator's own engines, with their trace folders."""
        return {
            name: one if one.traces is None else one.model_copy(update={"traces": str(self.output(one.traces))})
            for name, one in self.config.engines.items()
        }

    def output(self, path: str | Path) -> Path:
        """Return an output path, relative to the current folder.

        The packaged configuration's outputs belong to the current folder: its own folder is part of an installation.
        """
        if self.packaged or Path(path).is_absolute():
            return Path(path)
        place = self.root / path
        try:
            return Path(os.path.relpath(place))
        except ValueError:  # another drive of Windows
            return place


def load_config(start: Path | None = None) -> Loaded:
    """Return the configuration for ``start``, or for the current folder.

    Raises:
        BadInput: the file is broken, or belongs to another user; names it, the place, what was found and what to do.
    """
    start = (start or Path.cwd()).absolute()
    folder = start
    for folder in _searched(start):
        if (own := _own(folder)) is not None:
            if folder != start:
                _refuse_other_user(own[0])
            return _loaded(*own)
    shipped = shipped_root() / "mendbench.toml"
    return _loaded(shipped, _toml(shipped), searched=folder)


def cases_folder(loaded: Loaded, cases: Path | None) -> Path:
    """Return the folder of the cases: ``cases`` if given, else the configured one.

    Raises:
        BadInput: the packaged corpus would be used although a folder ``cases`` of the current repository holds cases.
    """
    if cases is not None or not loaded.packaged:
        return cases or loaded.cases_dir
    for folder in _searched(Path.cwd()):
        own = folder / "cases"
        if next(own.glob("*/*/case.yaml"), None) is not None:
            hint = f"write a configuration with `mendbench init` in {folder}, or name the cases with --cases"
            raise BadInput(str(own), "cases without a mendbench.toml", hint)
    return loaded.cases_dir


def _searched(start: Path) -> Iterator[Path]:
    """Yield ``start`` and the folders above it, up to the root of the repository, or of the file system."""
    for folder in (start, *start.parents):
        yield folder
        if os.path.lexists(folder / ".git"):
            return


def _own(folder: Path) -> tuple[Path, dict[str, Any]] | None:
    """Return the configuration file in a folder, and its configuration; None if there is none."""
    own = folder / "mendbench.toml"
    if os.path.isfile(own):  # noqa: PTH113  a folder that may not be read is no error here
        return own, _toml(own)
    project = folder / "pyproject.toml"
    if os.path.isfile(project):  # noqa: PTH113  as above
        tools = _toml(project).get("tool")
        if isinstance(tools, dict) and (table := tools.get("mendbench")) is not None:
            return project, table
    return None


def _refuse_other_user(path: Path) -> None:
    """Refuse another user's file above the current folder: a configuration names programs that are run.

    Where files have no user ids (Windows), none is refused.
    """
    if hasattr(os, "geteuid") and path.stat().st_uid not in {0, os.geteuid()}:
        hint = f"change to {path.parent} if you trust it, or write a mendbench.toml here"
        raise BadInput(str(path), "a configuration of another user, found above this folder", hint)


def _toml(path: Path) -> dict[str, Any]:
    text = read_text(path, MAX_SETTINGS, "write it")
    if _LONG_KEY.search(text):
        raise BadInput(str(path), "nested too deeply", "write it flatter")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        refuse_conflict(text, str(path))
        found = _POSITION.fullmatch(str(error))
        place, why = (f"{path}:{found[2]}:{found[3]}", found[1]) if found else (str(path), str(error))
        raise BadInput(place, f"no TOML ({why})", "mend the TOML there") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(str(path), f"a value that cannot be read ({error})", "mend the TOML there") from None
    return table


def _refuse_no_json(path: Path, value: object, place: tuple[str, ...]) -> None:
    """Refuse TOML values that JSON lacks: the configuration is sent to models and becomes part of keys."""
    where = f"{path}: {'.'.join(place)}"
    if len(place) > MAX_DEPTH:
        raise BadInput(str(path), "nested too deeply", "write it flatter")
    if isinstance(value, dict | list):
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            _refuse_no_json(path, item, (*place, str(name)))
    elif isinstance(value, int | float) and not -LARGEST <= value <= LARGEST:
        raise BadInput(where, "a number that JSON does not have", "write another one")
    elif not isinstance(value, str | int | float):
        raise BadInput(where, f"a date or a time ({value})", "put it in quotes")


def _loaded(path: Path, table: dict[str, Any], *, searched: Path | None = None) -> Loaded:
    _refuse_no_json(path, table, ())
    try:
        config = Config.model_validate(table)
    except ValidationError as error:
        raise all_refused(path, error, Config, "mendbench schema config") from None
    if config.format != FORMAT:
        raise BadInput(f"{path}: format", f"format {config.format}", f"this mendbench reads format {FORMAT}")
    named = {"matrix": config.matrix.models, **{f"sweeps.{name}": one.models for name, one in config.sweeps.items()}}
    for place, models in named.items():
        for model in models or ():
            if model not in config.models:
                raise UnknownName(
                    "model", model, config.models, f"{path}: {place}.models", hint=f"or add a table [models.{model!r}]"
                )
    _refuse_shared(path, config)
    return Loaded(config=config, root=path.parent, place=str(path), searched=searched)


def _refuse_shared(path: Path, config: Config) -> None:
    """Refuse tables that share recorded responses with another table but send different requests.

    Raises:
        BadInput: two such tables; names both.
    """
    programs = {name: one for name, one in config.repairers.items() if one.command}
    run = {name: (command_model(one.command), (one.command, one.timeout_s)) for name, one in programs.items()}
    hint = "give the program another file name or another argument, or let both tables say the same"
    _refuse_unlike(f"{path}: repairers", run, "command or timeout_s", hint)
    served = {
        name: (
            one.served_as or name,
            (one.base_url, one.api_key_env, one.provider, one.timeout_s, one.concurrency, one.requests_per_minute),
        )
        for name, one in config.models.items()
    }
    hint = "let both tables say the same of them, or give the models different names"
    fields = "base_url, api_key_env, provider, timeout_s, concurrency or requests_per_minute"
    _refuse_unlike(f"{path}: models", served, fields, hint)


def _refuse_unlike(place: str, tables: Mapping[str, tuple[str, object]], fields: str, hint: str) -> None:
    """Refuse two tables with the same recorded name and different request settings."""
    seen: dict[str, tuple[str, object]] = {}
    for table, (recorded, asked) in tables.items():
        first, alike = seen.setdefault(recorded, (table, asked))
        if asked != alike:
            found = f"its responses are recorded as {recorded!r}, like those of {first!r}, but it has another {fields}"
            raise BadInput(f"{place}.{table}", found, hint)
