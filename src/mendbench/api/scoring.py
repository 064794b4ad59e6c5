"""The scores and forensics of a run, from its rows without a replay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mendbench.config.config_file import load_config
from mendbench.model.json import JsonObject
from mendbench.report.scores import ScoreLine, score_lines
from mendbench.results.store import StoredRun, read_run
from mendbench.scoring.forensics import attempt_use as attempts_of
from mendbench.scoring.forensics import warning_cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Forensics:
    """How a run used its attempts, and what its wrong warnings cost."""

    attempts: JsonObject
    """See :func:`mendbench.scoring.forensics.attempt_use.document`."""
    warnings: JsonObject
    """See :func:`mendbench.scoring.forensics.warning_cost.document`."""


def score(run: str | Path | StoredRun | None = None) -> tuple[ScoreLine, ...]:
    """Return every score of every treatment of a run, by part of the corpus.

    The default is the run that ``mendbench run`` wrote last.

    Raises:
        BadInput: there is no run, or a file of it is broken.
    """
    return score_lines(_stored(run).records)


def forensics(run: str | Path | StoredRun | None = None) -> Forensics:
    """Return how a run used its attempts, and what its wrong warnings cost.

    The default is the run that ``mendbench run`` wrote last.

    Raises:
        BadInput: there is no run, or a file of it is broken.
    """
    records = _stored(run).records
    return Forensics(attempts=attempts_of.document(records), warnings=warning_cost.document(records))


def _stored(run: str | Path | StoredRun | None) -> StoredRun:
    return run if isinstance(run, StoredRun) else read_run(Path(run or load_config().out))
