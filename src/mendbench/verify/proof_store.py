"""Stores proofs next to the last trace, so that code that only displays cases need not prove them again."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from pathlib import Path
from typing import Any, get_args

from mendbench.cassettes.recordings import TRAJECTORIES, WORLD
from mendbench.corpus.incident import INCIDENT
from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.files import ignore_folder, write_atomically
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_DOCUMENT, decoded, read_regular
from mendbench.model.case import Case
from mendbench.runtime.trace_file import FOLDER
from mendbench.verify.proof import Fate, MutantFate, Proof, Requirement
from mendbench.version import __version__

FORMAT = 4
"""4: the level of the case. 3: facts that nothing states, and which check refutes a wrong fix.
 2: patches of mutants, and unproved findings. 1: the first."""

PROOFS = Path(FOLDER) / "proofs"
"""In the folder of the configuration."""

_PROVE = "prove the case"
"""The hint in errors about a stored proof. It is never shown."""


def store_proof(proofs: Path, case: Case, recordings: Path, proof: Proof) -> None:
    """Store a proof. Write errors are ignored: the proof can be made again."""
    document = {"format": FORMAT, "of": _of(case, recordings), "proof": dataclasses.asdict(proof)}
    with contextlib.suppress(OSError):
        if proofs.parent.name == FOLDER:
            ignore_folder(proofs.parent)
        write_atomically(_place(proofs, case), json.dumps(document, indent=1) + "\n")


def stored_proof(proofs: Path, case: Case, recordings: Path) -> Proof | None:
    """Return the stored proof for these versions of the case, the recordings and mendbench; None if there is none.

    An invalid file counts as none: the proof can be made again.
    """
    place = _place(proofs, case)
    try:
        document: Any = parse_json(decoded(read_regular(place, MAX_DOCUMENT, _PROVE), str(place)))
        if document["format"] != FORMAT or document["of"] != _of(case, recordings):
            return None
        kept = document["proof"]
        findings = tuple(Requirement(**one) for one in kept["findings"])
        mutants = tuple(MutantFate(**{**one, "patch": tuple(one["patch"])}) for one in kept["mutants"])
        proof = Proof(**{**kept, "findings": findings, "mutants": mutants})
    except (BadInput, OSError, ValueError, KeyError, TypeError):
        return None
    return proof if _as_made(proof, case) else None


def _as_made(proof: Proof, case: Case) -> bool:
    """Return whether a proof's fields have the declared types: the code that shows it relies on them."""
    texts = [one for finding in proof.findings for one in (finding.what, finding.why)]
    texts += [one for mutant in proof.mutants for one in (mutant.kind, mutant.what, mutant.why)]
    served = proof.recorded_from
    return (
        (proof.case, proof.kind) == (case.id, case.kind)
        and isinstance(served, dict)
        and all(isinstance(one, str) for one in (*texts, *served.values()))
        and all(finding.held is None or isinstance(finding.held, bool) for finding in proof.findings)
        and all(mutant.fate in get_args(Fate) for mutant in proof.mutants)
        and all(isinstance(operation, dict) for mutant in proof.mutants for operation in mutant.patch)
        and isinstance(proof.seconds, int | float)
    )


def _place(proofs: Path, case: Case) -> Path:
    return proofs / case.family / f"{case.name}.json"


def _of(case: Case, recordings: Path) -> str:
    """Return a digest of everything that the proof depends on."""
    files = [*(recordings / name for name in (WORLD, TRAJECTORIES)), case.folder / INCIDENT]
    return digest(
        [__version__, case.id, case.digest, [digest(one.read_bytes()) if one.is_file() else "" for one in files]]
    )
