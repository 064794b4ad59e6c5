"""Proofs that were made, kept beside the last trace so that what only looks at cases need not prove them again."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path

from mendbench import __version__
from mendbench.bench.proof import Finding, MutantFate, Proof
from mendbench.kit.canonical import digest
from mendbench.kit.files import write_atomically
from mendbench.model.case import Case
from mendbench.replay.recordings import TRAJECTORIES, WORLD
from mendbench.runtime.trace_file import FOLDER, ignore_folder

FORMAT = 1
"""1: the first."""

PROOFS = Path(FOLDER) / "proofs"
"""In the folder where the command ran."""


def store_proof(proofs: Path, case: Case, recordings: Path, proof: Proof) -> None:
    """Keep a proof. Where nothing can be written, nothing is kept: it can be made again."""
    document = {"format": FORMAT, "of": _of(case, recordings), "proof": dataclasses.asdict(proof)}
    with contextlib.suppress(OSError):
        if proofs.parent.name == FOLDER:
            ignore_folder(proofs.parent)
        write_atomically(_place(proofs, case), json.dumps(document, indent=1) + "\n")


def stored_proof(proofs: Path, case: Case, recordings: Path) -> Proof | None:
    """Return the proof that was kept of this very case, recordings and version; None if there is none."""
    try:
        document = json.loads(_place(proofs, case).read_text(encoding="utf-8"))
        if document["format"] != FORMAT or document["of"] != _of(case, recordings):
            return None
        kept = document["proof"]
        findings = tuple(Finding(**one) for one in kept["findings"])
        mutants = tuple(MutantFate(**one) for one in kept["mutants"])
        return Proof(**{**kept, "findings": findings, "mutants": mutants})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _place(proofs: Path, case: Case) -> Path:
    return proofs / case.family / f"{case.name}.json"


def _of(case: Case, recordings: Path) -> str:
    """Return what the proof hangs on, as one digest."""
    files = [recordings / name for name in (WORLD, TRAJECTORIES)]
    return digest(
        [__version__, case.id, case.digest, [digest(one.read_bytes()) if one.is_file() else "" for one in files]]
    )
