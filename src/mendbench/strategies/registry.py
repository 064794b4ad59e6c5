"""The available strategies: the shipped ones, those of installed packages, and those in the user's folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput, UnknownName
from mendbench.plugins import changed, entry_points_of, loaded, unusable
from mendbench.strategies.frame import frame, frames
from mendbench.strategies.interface import IN_FRAME, SUFFIX, WITH, StrategyInfo, parts_of, strategy_name
from mendbench.strategies.template import ADDITIONS, TEMPLATES, TemplateStrategy, load

ENTRY_POINTS = "mendbench.strategies"
"""Group of entry points; each names a folder of template files, as a path or a text."""


def strategy(name: str, extra_dirs: Iterable[Path] = ()) -> TemplateStrategy:
    """Return the strategy with that name, or the one in the template file at that path, with what its name leaves out and adds.

    ``mend~data`` is ``mend`` without its section ``data``; ``mend+feedback`` adds the sections of the addition ``feedback``;
    ``mend@v2`` is ``mend`` in the frame ``v2``. So a trial's key contains the strategy, and any process can build it from the key.

    Raises:
        UnknownName: no folder has a template of that name, or there is no such section, addition or frame.
        BadInput: the template cannot be used, or an addition is named twice.
    """
    return varied(_whole(parts_of(name).base, extra_dirs), name, extra_dirs)


def varied(found: TemplateStrategy, name: str, extra_dirs: Iterable[Path] = ()) -> TemplateStrategy:
    """Return a strategy with what a name leaves out, adds and limits. ``found`` is the strategy of the name's base.

    Raises:
        UnknownName, BadInput: as :func:`strategy`.
    """
    parts = parts_of(name)
    if parts.without:
        found = found.without(parts.without)
    if parts.additions:
        found = found.with_additions(_added(name, parts.additions))
    if parts.limit is not None:
        if not parts.limit.isdecimal() or not int(parts.limit):
            raise BadInput(f"strategy {name}", f"{parts.limit!r} tokens", f"write a number of tokens: {parts.base}^200")
        found = found.within(int(parts.limit))
    return found if parts.frame is None else found.framed(frame(parts.frame, extra_dirs))


def variations(extra_dirs: Iterable[Path] = ()) -> tuple[StrategyInfo, ...]:
    """Return what can be written behind any strategy's name: additions, then frames.

    Raises:
        BadInput: a file cannot be used.
    """
    added = [load(path) for _, path in sorted(_additions().items())]
    around = [
        StrategyInfo(strategy=f"{IN_FRAME}{one.name}", kind="frame", title=one.title, source=one.source, path=one.path)
        for one in frames(extra_dirs)
    ]
    return (*(replace(one.info, strategy=f"{WITH}{one.name}", kind="addition") for one in added), *around)


def _additions() -> dict[str, Path]:
    return {strategy_name(path): path for path in ADDITIONS.glob(f"*{SUFFIX}")}


def _added(name: str, additions: tuple[str, ...]) -> list[TemplateStrategy]:
    """Return the additions with these names, in the order of all names, so that each combination has one name."""
    known = _additions()
    for one in additions:
        if one not in known:
            raise UnknownName("addition", one, known, f"strategy {name}")
        if additions.count(one) > 1:
            raise BadInput(f"strategy {name}", f"+{one} twice", "write it once")
    return [load(known[one]) for one in sorted(additions)]


def _whole(name: str, extra_dirs: Iterable[Path]) -> TemplateStrategy:
    if name.endswith(SUFFIX) or "/" in name:
        path = Path(name)
        if not path.name.endswith(SUFFIX):
            raise BadInput(name, "not a template file", f"give a file whose name ends in {SUFFIX}")
        return load(path)
    known = _files(extra_dirs)
    if name not in known:
        is_file = Path(f"{name}{SUFFIX}").is_file()
        raise UnknownName("strategy", name, known, hint=f"for the file, write ./{name}{SUFFIX}" if is_file else None)
    return load(known[name])


def strategies(extra_dirs: Iterable[Path] = ()) -> tuple[StrategyInfo, ...]:
    """Return all strategies by name.

    Raises:
        BadInput: one of the templates cannot be used, a folder does not exist, or two files have one name.
    """
    return tuple(load(path).info for _, path in sorted(_files(extra_dirs).items()))


def _files(extra_dirs: Iterable[Path]) -> Mapping[str, Path]:
    folders = (TEMPLATES, *_installed(), *map(Path, extra_dirs))
    return _found(tuple((folder, changed(folder)) for folder in folders))


@lru_cache(maxsize=64)
def _found(folders: tuple[tuple[Path, int | None], ...]) -> Mapping[str, Path]:
    """Return the template files in folders by name. The time of each folder's last change invalidates the cache."""
    found: dict[str, Path] = {}
    for folder, _ in folders:
        if not folder.is_dir():
            raise BadInput(str(folder), "no such folder", "give a folder that holds template files")
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            name = strategy_name(path)
            known = found.setdefault(name, path)
            if known is not path and known.resolve() != path.resolve():
                raise BadInput(str(path), f"there is a strategy {name!r} already, in {found[name]}", "rename the file")
    return found


def _installed() -> Iterator[Path]:
    for point in entry_points_of(ENTRY_POINTS):
        folder: Any = loaded(point)
        try:
            yield Path(folder)
        except TypeError as error:  # it names something other than a path
            raise unusable(point, error) from error
