"""The files that a repository starts with. Existing files are never overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.config.config_file import Loaded
from mendbench.errors import BadInput
from mendbench.io.files import why_unwritable, write_atomically
from mendbench.io.reading import MEGABYTE, read_text
from mendbench.strategies.front_matter import template_text
from mendbench.strategies.template import TEMPLATES

Example: TypeAlias = Literal["http", "mcp", "slack"]
Ci: TypeAlias = Literal["github", "gitlab"]

EXAMPLE = "example"
"""The name of the example case, below its family."""

CONFIGURATION = "mendbench.toml"

_STARTER = Path(__file__).parent / "starter"
_CI_FILES: dict[Ci, tuple[str, str]] = {
    "github": ("github-actions.yml", ".github/workflows/mendbench.yml"),
    "gitlab": ("gitlab-ci.yml", ".gitlab-ci.yml"),
}
_DEFAULT_CORPUS = "cases cassettes"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialFile:
    """One file to write."""

    path: Path
    """Relative to the root of the repository."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesWritten:
    """The files that were written, and those that existed."""

    written: tuple[Path, ...]
    kept: tuple[Path, ...]
    foreign: tuple[Path, ...]
    """Those of ``kept`` that do not call mendbench yet."""


def detected_ci(root: Path) -> Ci:
    """Return the CI service that a repository uses: GitLab's if its file exists, else GitHub's."""
    return "gitlab" if (root / ".gitlab-ci.yml").exists() else "github"


def initial_files(loaded: Loaded | None, example: Example | None, ci: Ci | None) -> tuple[InitialFile, ...]:
    """Return the files that a repository starts with.

    ``loaded`` is the repository's configuration if it has one: its folders are used, and no configuration and no strategy are written.
    None for ``example`` or ``ci`` leaves that part out.
    """
    cases, cassettes = (
        ("cases", "cassettes") if loaded is None else (loaded.config.paths.cases, loaded.config.paths.cassettes)
    )
    corpus = f"{cases} {cassettes}"
    files = [] if loaded is not None else [
        InitialFile(path=Path(CONFIGURATION), text=_starter("mendbench.toml")),
        InitialFile(path=Path("strategies/ours.md.j2"), text=template_text(TEMPLATES / "full-context.md.j2")),
    ]  # fmt: skip
    if example is not None:
        files += _example(Path(cases), example)
    if ci is not None:
        source, target = _CI_FILES[ci]
        files.append(InitialFile(path=Path(target), text=_starter(source).replace(_DEFAULT_CORPUS, corpus)))
    hooks = _starter("pre-commit-config.yaml").replace("(cases|cassettes)", f"({cases}|{cassettes})")
    files.append(InitialFile(path=Path(".pre-commit-config.yaml"), text=hooks))
    return tuple(files)


def write_missing(root: Path, files: tuple[InitialFile, ...]) -> FilesWritten:
    """Write the files that do not exist, and add the missing lines to ``.gitignore``.

    Raises:
        BadInput: the folder cannot be written to.
    """
    written, kept, foreign = list[Path](), list[Path](), list[Path]()
    try:
        for file in files:
            target = root / file.path
            if target.exists():
                (kept if "mendbench" in _text(target) else foreign).append(file.path)
            else:
                write_atomically(target, file.text)
                written.append(file.path)
        (written if _ignore(root) else kept).append(Path(".gitignore"))
    except OSError as error:
        place = str(error.filename or root)
        raise BadInput(place, why_unwritable(error), "choose a folder that you can write to") from None
    return FilesWritten(written=tuple(written), kept=(*kept, *foreign), foreign=tuple(foreign))


def missing_ignored(root: Path) -> tuple[str, ...]:
    """Return the lines that ``.gitignore`` lacks.

    Raises:
        BadInput: it cannot be read.
    """
    have = {line.strip().strip("/").removesuffix("/*") for line in _text(root / ".gitignore").splitlines()}
    return tuple(line for line in _starter("gitignore").split() if line.strip("/") not in have)


def ci_files(root: Path) -> tuple[Path, ...]:
    """Return the files for CI services that call mendbench, relative to the root of the repository.

    Raises:
        BadInput: one of them cannot be read.
    """
    files = (*sorted((root / ".github" / "workflows").glob("*.y*ml")), root / ".gitlab-ci.yml", root / "Jenkinsfile")
    return tuple(path.relative_to(root) for path in files if "mendbench" in _text(path))


def _ignore(root: Path) -> bool:
    """Add the missing lines to ``.gitignore``, and return whether there were any."""
    path, missing = root / ".gitignore", missing_ignored(root)
    if missing:
        text = _text(path)
        end = "" if not text or text.endswith("\n") else "\n"
        write_atomically(path, f"{text}{end}" + "".join(f"{line}\n" for line in missing))
    return bool(missing)


def _text(path: Path) -> str:
    """Return a file's text; empty if there is no such file."""
    return read_text(path, MEGABYTE, "make it a text file") if path.exists() else ""


def _example(cases: Path, example: Example) -> Iterator[InitialFile]:
    for name in ("case.yaml", "workflow.json"):
        yield InitialFile(path=cases / example / EXAMPLE / name, text=_starter(f"examples/{example}/{name}"))


def _starter(name: str) -> str:
    return (_STARTER / name).read_text("utf-8")
