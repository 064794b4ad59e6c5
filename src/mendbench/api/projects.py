"""Start a repository, and say what is configured, missing or stale in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from mendbench.api.cases import CheckedCorpus, check_cases
from mendbench.api.settings import in_silence, open_corpus
from mendbench.config.config_file import Loaded, load_config
from mendbench.errors import BadInput, UnknownName
from mendbench.project.health import Health, health
from mendbench.project.initial_files import (
    EXAMPLE,
    Ci,
    Example,
    FilesWritten,
    detected_ci,
    initial_files,
    write_missing,
)
from mendbench.verify.proof_store import PROOFS

NO_CI = "none"
"""The value of ``--ci`` that writes no file for a CI service."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """What ``mendbench init`` did."""

    files: FilesWritten
    example: CheckedCorpus | None
    """The proof of the example case; None if none was written."""


def init_project(example: str | None = None, ci: str | None = None) -> Initialised:
    """Write the files that a repository starts with into the current folder, and record and prove its example case.

    By default the example is an HTTP case, and only written where there is no case yet; the CI service is the one that the repository uses.
    Existing files stay as they are.

    Raises:
        UnknownName: there is no such example or CI service.
        BadInput: a configuration in a folder above holds here, or the folder cannot be written to.
    """
    root = Path.cwd()
    loaded = _own_configuration(root)
    kind, service = _example(example, loaded), _service(ci, root)
    files = write_missing(root, initial_files(loaded, kind, service))
    proved = None
    if kind is not None:
        proved = check_cases(
            (f"{kind}/{EXAMPLE}",), None, None, record="new_episodes", workers=1, on_progress=in_silence
        )
    return Initialised(files=files, example=proved)


def examine_project() -> tuple[Health, ...]:
    """Return what is configured in the repository of the current folder, and what is missing, stale or broken.

    Raises:
        BadInput: the configuration is broken, or there is no corpus.
    """
    loaded = load_config()
    return health(loaded, open_corpus(loaded, None, None, tolerant=True), loaded.output(PROOFS))


def _own_configuration(root: Path) -> Loaded | None:
    """Return the configuration in a folder; None if there is none.

    Raises:
        BadInput: it is broken, or one in a folder above holds.
    """
    loaded = load_config(root)
    if loaded.packaged:
        return None
    if loaded.root != root.absolute():
        raise BadInput(
            loaded.place, "a configuration that holds in this folder too", f"run `mendbench init` in {loaded.root}"
        )
    return loaded


def _example(name: str | None, loaded: Loaded | None) -> Example | None:
    if name is None:
        cases = Path("cases") if loaded is None else loaded.cases_dir
        return None if next(cases.glob("*/*/case.yaml"), None) is not None else "http"
    if name not in get_args(Example):
        raise UnknownName("example", name, get_args(Example), "--example")
    return cast("Example", name)


def _service(name: str | None, root: Path) -> Ci | None:
    if name is None:
        return detected_ci(root)
    if name not in (*get_args(Ci), NO_CI):
        raise UnknownName("CI service", name, (*get_args(Ci), NO_CI), "--ci")
    return None if name == NO_CI else cast("Ci", name)
