"""What a trial's row depends on, as a fingerprint: a trial with a known fingerprint need not be executed again.

A fingerprint covers the code, Python, the installed packages and plugins, the case's files and its part of the split, the recordings
that the trial reads, including their absence, its strategy, and its model's configuration and price. If one of these cannot be known,
a trial has no fingerprint and is always executed: an external engine, or an operator's own repairer.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

import mendbench.version
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD, model_file
from mendbench.corpus.corpus import CASE_FILES, file_digest
from mendbench.io.canonical_json import digest
from mendbench.model.json import Json
from mendbench.model.trial import TrialKey, TrialRow
from mendbench.plugins import entry_points_of
from mendbench.strategies.template import TEMPLATES
from mendbench.trial.components import BenchContext, price_of
from mendbench.trial.engines import OURS
from mendbench.trial.row import trial_key

NOT_IN_ROWS = frozenset({"_corpus", "api", "cli", "pytest_plugin", "report", "workflow_app"})
"""Parts of mendbench that no row depends on: front ends and readers, and the shipped corpus."""

PLUGIN_GROUPS = tuple(f"mendbench.{kind}" for kind in ("detectors", "nodes", "repairers", "services", "strategies"))
"""The groups of entry points through which packages extend what a trial runs."""


class TrialInputs:
    """Fingerprints of the trials of one context. Each file is read once."""

    def __init__(self, context: BenchContext) -> None:
        self._context = context
        self._cases = dict[tuple[str, Path | None], tuple[str, Mapping[str, str | None]]]()
        self._treatments = dict[tuple[str | None, ...], str | None]()

    def fingerprints(self, key: TrialKey) -> tuple[str, str] | None:
        """Return both fingerprints of a trial; None if it always has to be executed.

        The first covers the recordings of the world and of the trial's own model. The second covers all recordings of the case: it is the
        fingerprint of a trial that :func:`reads_all_recordings`. So a row stored under the first proves that the trial reads no others.
        """
        treatment = self._treatment(key)
        if treatment is None:
            return None
        case, recordings = self._case(key.case, self._context.private_recordings(key))
        own = (WORLD, TRAJECTORIES, *([self._model_file(key.model)] if key.model else ()))
        common = "\n".join((code_digest(), case, treatment, trial_key(key)))
        few = "\n".join(f"{name} {recordings.get(name)}" for name in own)
        every = "\n".join(f"{name} {found}" for name, found in recordings.items())
        return _short(f"own\n{common}\n{few}"), _short(f"all\n{common}\n{every}")

    def fingerprint(self, key: TrialKey, row: TrialRow) -> str | None:
        """Return the fingerprint under which a trial's row is stored; None if it must not be used again."""
        both = self.fingerprints(key)
        if both is None or row["verdict"] == "crashed":
            return None
        return both[reads_all_recordings(row)]

    def _case(self, case_id: str, private: Path | None) -> tuple[str, Mapping[str, str | None]]:
        """Return a digest of a case's files and part, and the digest of each of its recordings, the private ones too."""
        if (case_id, private) not in self._cases:
            corpus = self._context.corpus
            case, folder = corpus.case(case_id), corpus.folders[case_id]
            files = [file_digest(folder / name) for name in CASE_FILES]
            recordings: dict[str, str | None] = {}
            for place in (corpus.cassettes(case), *([] if private is None else [private])):
                for path in sorted(place.glob("*.yaml")):
                    recordings[path.name] = "+".join(filter(None, (recordings.get(path.name), file_digest(path))))
            self._cases[case_id, private] = digest([files, self._context.part_of(case)], 64), recordings
        return self._cases[case_id, private]

    def _treatment(self, key: TrialKey) -> str | None:
        known = (key.engine, key.repairer, key.model, key.strategy)
        if known not in self._treatments:
            self._treatments[known] = None if self._is_foreign(key) else digest(self._parts(key), 64)
        return self._treatments[known]

    def _is_foreign(self, key: TrialKey) -> bool:
        """Return whether a trial runs a program or function of the operator, which may change at any time."""
        return key.engine != OURS or key.repairer in self._context.repairers or ":" in key.repairer

    def _parts(self, key: TrialKey) -> Json:
        strategy = self._context.strategy(key.strategy)
        also = [self._full_context] if "placebo" in strategy.body else []
        model = self._context.model(key.model).model_dump(mode="json") if key.model else None
        price = price_of(key.repairer, key.model, self._context).described()
        return [strategy.digest, strategy.title, strategy.source, *also, model, price]

    @cached_property
    def _full_context(self) -> str:
        """The digest of the strategy whose length the placebo has."""
        return self._context.strategy("full-context").digest

    def _model_file(self, model: str) -> str:
        return model_file(self._context.model(model).served_as or model)


def reads_all_recordings(row: TrialRow) -> bool:
    """Return whether a trial may have read recordings of other models than its own, or missed one."""
    return bool(row["problem"]) or bool(row["evidence"]["workflow_asks_models"])


@cache
def code_digest() -> str:
    """Return a digest of the code that determines rows: mendbench's without strategy templates, and that of everything installed.

    It is computed once per process: files that changed later are not the running code.
    """
    installed = sorted(path.name for place in sys.path for path in Path(place or ".").glob("*.dist-info"))
    return digest([sys.version, files_digest(NOT_IN_ROWS, TEMPLATES), installed, dict(_plugins())], 64)


def files_digest(parts_left_out: frozenset[str] = frozenset(), folder_left_out: Path | None = None) -> str:
    """Return a digest of the names and contents of mendbench's own files."""
    root = Path(mendbench.version.__file__).parent
    folder = None if folder_left_out is None else folder_left_out.relative_to(root).as_posix()
    return _digest_of_files(
        root, lambda name: name.partition("/")[0] in parts_left_out or name.rpartition("/")[0] == folder
    )


def _plugins() -> Iterator[tuple[str, str]]:
    """Yield the top-level packages of installed plugins, and the digests of their code: an editable one changes without a new version."""
    names = {point.module.partition(".")[0] for group in PLUGIN_GROUPS for point in entry_points_of(group)}
    for name in sorted(names):
        spec = find_spec(name)
        places = [] if spec is None else [*(spec.submodule_search_locations or ()), *filter(None, [spec.origin])]
        yield name, digest([_digest_of_files(Path(place)) for place in places], 64)


def _digest_of_files(root: Path, left_out: Callable[[str], bool] = lambda _name: False) -> str:
    """Return a digest of all files in a folder, tables and templates too; cached bytecode is left out."""
    whole = hashlib.sha256()
    for name in sorted(_files_below(root)) if root.is_dir() else (".",):
        if not left_out(name):
            with open(root / name, "rb", buffering=0) as file:  # noqa: PTH123 - a thousand files before every run
                whole.update(f"{name}\0".encode() + hashlib.sha256(file.read()).digest())
    return whole.hexdigest()


def _files_below(root: Path) -> Iterator[str]:
    """Yield the names of all files below a folder, without cached bytecode. ``Path.rglob`` takes five times as long."""
    for folder, folders, names in os.walk(root):
        if "__pycache__" in folders:
            folders.remove("__pycache__")
        below = Path(folder).relative_to(root).as_posix()
        files = (name for name in names if os.path.isfile(f"{folder}/{name}"))  # noqa: PTH113 - as above
        yield from files if below == "." else (f"{below}/{name}" for name in files)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
