"""The available strategies: the shipped ones, those of installed packages, and those in the user's folders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput, UnknownName
from mendbench.plugins import entry_points_of, loaded, unusable
from mendbench.strategies.interface import SUFFIX, WITHOUT, StrategyInfo, strategy_name
from mendbench.strategies.template import TEMPLATES, TemplateStrategy, load

ENTRY_POINTS = "mendbench.strategies"
"""Group of entry points; each names a folder of template files, as a path or a text."""

_LEFT_OUT = re.compile(rf"(?:{WITHOUT}\w*)+$")
"""The suffix of a strategy's name, or of a template file's path, that leaves sections out."""


def strategy(name: str, extra_dirs: Iterable[Path] = ()) -> TemplateStrategy:
    """Return the strategy with that name, or the one in the template file at that path, possibly without some sections.

    ``mend~data`` is ``mend`` without its section ``data``, ``mend~form~data`` is without two of them. So a trial's key contains the
    strategy, and any process can build it from the key.

    Raises:
        UnknownName: no folder has a template of that name, or it does not have a section that is left out.
        BadInput: the template cannot be used.
    """
    left_out = _LEFT_OUT.search(name)
    if left_out is None:
        return _whole(name, extra_dirs)
    sections = left_out.group().split(WITHOUT)[1:]
    return _whole(name[: left_out.start()], extra_dirs).without(sections)


def _whole(name: str, extra_dirs: Iterable[Path]) -> TemplateStrategy:
    if name.endswith(SUFFIX) or "/" in name:
        path = Path(name)
        if not path.name.endswith(SUFFIX):
            raise BadInput(name, "not a template file", f"give a file whose name ends in {SUFFIX}")
        return load(path)
    known = _files(extra_dirs)
    if name not in known:
        raise UnknownName("strategy", name, known)
    return load(known[name])


def strategies(extra_dirs: Iterable[Path] = ()) -> tuple[StrategyInfo, ...]:
    """Return all strategies by name.

    Raises:
        BadInput: one of the templates cannot be used, a folder does not exist, or two files have one name.
    """
    return tuple(load(path).info for _, path in sorted(_files(extra_dirs).items()))


def _files(extra_dirs: Iterable[Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for folder in (TEMPLATES, *_installed(), *map(Path, extra_dirs)):
        if not folder.is_dir():
            raise BadInput(str(folder), "no such folder", "give a folder that holds template files")
        for path in _listed(folder, folder.stat().st_mtime_ns):
            name = strategy_name(path)
            known = found.setdefault(name, path)
            if known is not path and known.resolve() != path.resolve():
                raise BadInput(str(path), f"there is a strategy {name!r} already, in {found[name]}", "rename the file")
    return found


@lru_cache(maxsize=64)
def _listed(folder: Path, _changed: int) -> tuple[Path, ...]:
    """Return the template files in a folder, sorted. ``_changed`` invalidates the cache when the folder changes."""
    return tuple(sorted(folder.glob(f"*{SUFFIX}")))


def _installed() -> Iterator[Path]:
    for point in entry_points_of(ENTRY_POINTS):
        folder: Any = loaded(point)
        try:
            yield Path(folder)
        except TypeError as error:  # it names something other than a path
            raise unusable(point, error) from error
