"""Packs everything that trials read into one bundle, for workers that do not share a disk with the run.

A bundle is identified by a digest over names and bytes. A worker unpacks it once into a folder of that name.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from mendbench.corpus.corpus import CASE_FILES
from mendbench.errors import Incomplete
from mendbench.io.files import folder_beside
from mendbench.strategies.frame import FRAMES
from mendbench.strategies.interface import SUFFIX, parts_of
from mendbench.trial.components import BenchContext

_CASES, _CASSETTES, _PRIVATE, _STRATEGIES, _TEMPLATES = "cases", "cassettes", "private", "strategies", "templates"

_TAKEN = {
    _CASES: ("*.yaml", *(f"*/*/{name}" for name in CASE_FILES)),
    _CASSETTES: ("*/*/*.yaml",),
    _PRIVATE: ("*/*/*.yaml",),
    _STRATEGIES: (f"*{SUFFIX}", f"{FRAMES.name}/*{SUFFIX}"),
}
"""The files that trials read in each kind of folder; other files are not packed."""

_NO_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest date in a ZIP file."""

_FAST = 1
"""Compression level: a corpus is text, so the fastest level already saves most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Files, packed."""

    digest: str
    """Over their names and bytes."""
    blob: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacking:
    """Maps a context to the folder where its bundle was unpacked."""

    digest: str
    context: BenchContext
    """The context where the bundle was packed."""
    folders: Mapping[str, Path]
    """The original folders, by their folder in the bundle."""
    templates: Mapping[str, str]
    """The files in the bundle for the strategies named by a path, by that name."""

    def context_in(self, place: Path) -> BenchContext:
        """Return the context with all its paths below ``place``."""
        strategy_dirs = [place / name for name in self.folders if name.startswith(f"{_STRATEGIES}/")]
        return replace(
            self.context, cases_dir=place / _CASES, cassettes_dir=place / _CASSETTES, strategy_dirs=tuple(strategy_dirs),
            template_files={name: str(place / file) for name, file in self.templates.items()},
            private=self.context.private and replace(self.context.private, folder=place / _PRIVATE),
        )  # fmt: skip

    def with_original_paths(self, text: str, place: Path) -> str:
        """Return a message with paths below ``place`` replaced by the original paths."""
        for name, folder in self.folders.items():
            text = text.replace(str(place / name), str(folder))
        return text


def pack(context: BenchContext, strategies: Iterable[str]) -> tuple[Bundle, Unpacking]:
    """Return a bundle of everything that trials of a context with these strategies read; the same files give the same bytes.

    Raises:
        OSError: a file cannot be read.
    """
    named = {name: parts_of(name).base for name in strategies if SUFFIX in name}
    own = {Path(path): f"{_TEMPLATES}/{at}" for at, path in enumerate(sorted(set(named.values())))}
    folders = {_CASES: context.cases_dir, _CASSETTES: context.cassettes_dir}
    if context.private is not None:
        folders[_PRIVATE] = context.private.folder
    folders |= {f"{_STRATEGIES}/{at}": path for at, path in enumerate(context.strategy_dirs)}
    files = {at: path.read_bytes() for name, folder in folders.items() for at, path in _files(name, folder)}
    files |= {f"{at}/{path.name}": path.read_bytes() for path, at in own.items()}
    bundle = Bundle(digest=_digest(files), blob=_packed(files))
    return bundle, Unpacking(
        digest=bundle.digest, context=replace(context), folders=folders | {at: path.parent for path, at in own.items()},
        templates={name: f"{own[Path(path)]}/{Path(path).name}{name.removeprefix(path)}" for name, path in named.items()},
    )  # fmt: skip


def default_cache() -> Path:
    """Return the folder for this user's unpacked bundles."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "mendbench" / "bundles"


def unpacked(digest: str, cache: Path) -> Path | None:
    """Return where the bundle of that digest was unpacked; None if it was not, or if it has changed."""
    place = cache / digest
    if not place.is_dir():
        return None
    files = {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    return place if _digest(files) == digest else None


def unpack(bundle: Bundle, cache: Path) -> Path:
    """Unpack a bundle atomically and return the folder. Concurrent calls are safe.

    Raises:
        Incomplete: it does not match its digest.
        OSError: the folder cannot be written to.
    """
    files = _contents(bundle)
    place = cache / bundle.digest
    with folder_beside(place) as beside:
        for name, data in files.items():
            path = beside / "new" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if not _moved(beside / "new", place) and unpacked(bundle.digest, cache) is None:
            _moved(place, beside / "damaged")
            _moved(beside / "new", place)
    found = unpacked(bundle.digest, cache)
    if found is None:
        raise Incomplete(f"{place}: cannot be written as it should be; delete it and run again")
    return found


def _files(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    for pattern in _TAKEN[name.partition("/")[0]]:
        for path in folder.glob(pattern):
            if path.is_file() and not path.name.startswith("."):
                yield f"{name}/{path.relative_to(folder).as_posix()}", path


def _digest(files: Mapping[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name in sorted(files):
        whole.update(f"{name}\0{len(files[name])}\0".encode())
        whole.update(files[name])
    return whole.hexdigest()


def _packed(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _NO_DATE)
            archive.writestr(entry, files[name], zipfile.ZIP_DEFLATED, _FAST)
    return out.getvalue()


def _contents(bundle: Bundle) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(bundle.blob)) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
    except zipfile.BadZipFile:
        files = {}
    inside = all(not Path(name).is_absolute() and ".." not in Path(name).parts for name in files)
    if not inside or _digest(files) != bundle.digest:
        raise Incomplete(f"the bundle {bundle.digest[:12]} arrived damaged; run again")
    return files


def _moved(folder: Path, to: Path) -> bool:
    """Move a folder; return whether it could be moved. It cannot if the target exists by now."""
    with contextlib.suppress(OSError):
        folder.rename(to)
        return True
    return False
