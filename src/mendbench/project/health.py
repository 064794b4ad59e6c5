"""What is configured in a repository, and what is missing, stale or broken."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.config.config_file import Loaded
from mendbench.config.tables import ModelConfig
from mendbench.corpus.corpus import Corpus
from mendbench.errors import BadInput, MendbenchError
from mendbench.project.initial_files import ci_files, missing_ignored
from mendbench.results.baseline import read_baseline
from mendbench.results.stale_cases import changed_since
from mendbench.results.store import read_run
from mendbench.trial.strategies import trial_strategy
from mendbench.values.name_lists import few
from mendbench.verify.checking import left_behind
from mendbench.verify.proof_store import stored_proof
from mendbench.version import __version__

Status: TypeAlias = Literal["ok", "missing", "stale", "broken"]

EXTRAS = {"mcp": "mcp", "cluster": "distributed", "parquet": "pyarrow", "real-worlds": "datasette"}
"""The optional extras, and a module that each installs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """One part of a repository."""

    part: str
    status: Status
    found: str
    remedy: str = ""
    """What to do; empty if nothing."""


def health(loaded: Loaded, corpus: Corpus, proofs: Path) -> tuple[Health, ...]:
    """Return the parts of a repository; without a configuration, only that it is missing. Nothing is executed, and no server is asked.

    ``corpus`` has to be tolerant. ``proofs`` is the folder of the stored proofs.
    """
    look = _Look(loaded=loaded, corpus=corpus, proofs=proofs)
    parts = [_installation, _configuration]
    if not loaded.packaged:
        parts += [_cases, _proofs, _recordings, _strategies, _models, _run, _baseline, _ignored, _ci]
    return tuple(part(look) for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    loaded: Loaded
    corpus: Corpus
    proofs: Path


def _installation(_look: _Look) -> Health:
    extras = [name for name, module in EXTRAS.items() if find_spec(module) is not None]
    found = f"{__version__}, Python {platform.python_version()}, {sys.platform}; extras: {', '.join(extras) or 'none'}"
    return Health(part="mendbench", status="ok", found=found)


def _configuration(look: _Look) -> Health:
    if look.loaded.packaged:
        found = f"no mendbench.toml up to {look.loaded.searched}; the packaged corpus is used"
        return Health(part="configuration", status="missing", found=found, remedy="mendbench init")
    return Health(part="configuration", status="ok", found=look.loaded.place)


def _cases(look: _Look) -> Health:
    count, broken = len(look.corpus.folders), look.corpus.broken
    if not broken:
        families = {case_id.partition("/")[0] for case_id in look.corpus.folders}
        return Health(part="cases", status="ok", found=f"{count} in {few(sorted(families))}")
    found = f"{len(broken)} of {count} cannot be used: {few(broken)}"
    return Health(part="cases", status="broken", found=found, remedy=f"mendbench case check {next(iter(broken))}")


def _proofs(look: _Look) -> Health:
    failed, unproved = [], []
    for case in look.corpus.cases:
        proof = stored_proof(look.proofs, case, look.corpus.cassettes(case))
        if proof is None:
            unproved.append(case.id)
        elif not proof.held:
            failed.append(case.id)
    if failed:
        found = f"these do not hold: {few(failed)}"
        return Health(part="proofs", status="broken", found=found, remedy=f"mendbench case check {failed[0]}")
    if unproved:
        found = f"not proved here, or changed since: {few(unproved)}"
        return Health(part="proofs", status="stale", found=found, remedy="mendbench case check")
    return Health(part="proofs", status="ok", found="every case is proved")


def _recordings(look: _Look) -> Health:
    left = left_behind(look.corpus)
    if left:
        found = f"recordings of no case: {few([one.place for one in left])}"
        return Health(
            part="recordings", status="stale", found=found, remedy="delete the folders, or bring their cases back"
        )
    without = [case.id for case in look.corpus.cases if case.recorded_from and not look.corpus.cassettes(case).is_dir()]
    if without:
        found = f"none for {few(without)}"
        remedy = f"mendbench case check {without[0]} --record new_episodes"
        return Health(part="recordings", status="missing", found=found, remedy=remedy)
    return Health(part="recordings", status="ok", found=str(look.corpus.cassettes_dir))


def _strategies(look: _Look) -> Health:
    names = look.loaded.config.matrix.strategies
    for name in names:
        try:
            trial_strategy(name, look.loaded.strategy_dirs)
        except MendbenchError as error:
            return Health(part="strategies", status="broken", found=str(error), remedy="mendbench strategy list")
    return Health(part="strategies", status="ok", found=few(names))


def _models(look: _Look) -> Health:
    models = look.loaded.config.matrix.models
    if not models:
        responder = few(look.loaded.config.matrix.repairers)
        return Health(part="models", status="ok", found=f"none; {responder} responds")
    counts = {name: _recorded(look, name) for name in models}
    found = "; ".join(_responses(look, name, count) for name, count in counts.items())
    silent = next((name for name, count in counts.items() if count == 0), None)
    remedy = f"mendbench run --model {silent} --record new_episodes" if silent else ""
    return Health(part="models", status="missing" if silent else "ok", found=found, remedy=remedy)


def _recorded(look: _Look, model: str) -> int:
    """Return the number of cases with responses of a model. A case whose workflow does not fail needs none."""
    name = look.loaded.config.models[model].served_as or model
    return sum((look.corpus.cassettes_dir / case_id / f"{name}.yaml").is_file() for case_id in look.corpus.folders)


def _responses(look: _Look, model: str, count: int) -> str:
    lacks = "" if count else "".join(f", {one}" for one in _lacks(look.loaded.config.models[model]))
    return f"{model}: responses for {count} of {len(look.corpus.folders)} cases{lacks}"


def _lacks(config: ModelConfig) -> Iterator[str]:
    """Yield what a model lacks to record with it."""
    if config.base_url is None:
        yield "no base_url"
    if config.api_key_env is not None and not os.environ.get(config.api_key_env):
        yield f"{config.api_key_env} is not set"


def _run(look: _Look) -> Health:
    try:
        run = read_run(look.loaded.out)
    except BadInput as error:
        return Health(part="last run", status="missing", found=f"{error.place}: {error.found}", remedy="mendbench run")
    found = f"{len(run.rows)} trials in {look.loaded.out}"
    if changed := changed_since(run, look.corpus):
        return Health(
            part="last run", status="stale", found=f"{found}; changed since: {few(changed)}", remedy="mendbench run"
        )
    return Health(part="last run", status="ok", found=found)


def _baseline(look: _Look) -> Health:
    path = look.loaded.baseline
    if not path.exists():
        remedy = "mendbench run, then mendbench gate --update"
        return Health(part="baseline", status="missing", found=f"no {path}", remedy=remedy)
    try:
        entries = read_baseline(path).entries
    except BadInput as error:
        return Health(part="baseline", status="broken", found=str(error), remedy="mendbench gate --update")
    held = {entry.trial.case: entry.case_digest for entry in entries}
    changed = [case.id for case in look.corpus.cases if held.get(case.id, case.digest) != case.digest]
    new = [case_id for case_id in look.corpus.folders if case_id not in held]
    found = f"{len(entries)} trials in {path}"
    said = [f"{what}: {few(ids)}" for what, ids in (("changed since", changed), ("not in it", new)) if ids]
    if said:
        remedy = "mendbench run, then mendbench gate --update"
        return Health(part="baseline", status="stale", found="; ".join((found, *said)), remedy=remedy)
    return Health(part="baseline", status="ok", found=found)


def _ignored(look: _Look) -> Health:
    missing = missing_ignored(look.loaded.root)
    if missing:
        return Health(part=".gitignore", status="missing", found=f"no {few(missing)}", remedy="mendbench init")
    return Health(part=".gitignore", status="ok", found="outputs are ignored")


def _ci(look: _Look) -> Health:
    found = ci_files(look.loaded.root)
    if not found:
        return Health(
            part="CI", status="missing", found="no CI file calls mendbench", remedy="mendbench init --ci github|gitlab"
        )
    return Health(part="CI", status="ok", found=few([str(path) for path in found]))
