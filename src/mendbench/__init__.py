"""Offline evaluation of workflow repair: recorded failures, real repairs, judged by labelled truth.

From Python, what the command line and the pytest plugin call too::

    import mendbench

    run = mendbench.run(mendbench.RunOptions(names=("slack/*",), strategies=("summary", "mend"), repairers=("rules",)))
    mendbench.score(run)                        # every score, with its interval
    mendbench.data_frames(run)["trials"]        # pandas
    mendbench.compare("reports/latest:strategy=summary", "reports/latest:strategy=mend")
    mendbench.gate(run, baseline=Path("baseline.tsv"))

Nothing is imported before it is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mendbench.api import (
        Comparison,
        Forensics,
        GateResult,
        RanTrial,
        RunOptions,
        ScoreLine,
        StoredRun,
        accept_run,
        compare,
        data_frames,
        export,
        forensics,
        gate,
        read_run,
        rescore,
        run,
        score,
    )
    from mendbench.version import __version__

__all__ = [
    "Comparison",
    "Forensics",
    "GateResult",
    "RanTrial",
    "RunOptions",
    "ScoreLine",
    "StoredRun",
    "__version__",
    "accept_run",
    "compare",
    "data_frames",
    "export",
    "forensics",
    "gate",
    "read_run",
    "rescore",
    "run",
    "score",
]


def __getattr__(name: str) -> object:
    """Return a public name, which is imported for it."""
    if name not in __all__:
        raise AttributeError(f"module 'mendbench' has no attribute {name!r}")
    module = "mendbench.version" if name == "__version__" else "mendbench.api"

    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
