"""The types of the fixtures, which are callables. This module imports nothing heavy, so that tests can use the types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # pytest loads the plugin in every run: it must not import the benchmark
    from mendbench.model.case import Case
    from mendbench.pytest_plugin.results import CasesRun, Trial


class LoadCase(Protocol):
    """The fixture ``mendbench_case``."""

    def __call__(self, case_id: str, /) -> Case:
        """Return the case of that id, such as ``slack/channel-id-does-not-exist``.

        Raises:
            UnknownName: there is no such case.
            BadInput: it is broken.
        """


class RunTrial(Protocol):
    """The fixture ``mendbench_trial``."""

    def __call__(
        self,
        case: str | Case,
        *,
        strategy: str | None = None,
        policy: str | None = None,
        repairer: str | None = None,
        model: str | None = None,
        detector: str | None = None,
        sample: int = 0,
        unjudged_ok: bool = False,
    ) -> Trial:
        """Run one trial of a case and return it.

        Defaults are what the options, or else the configuration, name first; the default policy is ``two-layer``.
        ``sample`` counts from 0.

        Raises:
            NoVerdict: a recording is missing, or foreign code crashed, and ``unjudged_ok`` is not set.
            UnknownName: the case or a part of the trial does not exist.
        """


class RunCases(Protocol):
    """The fixture ``mendbench_run``."""

    def __call__(
        self,
        *patterns: str,
        strategies: Sequence[str] = (),
        policies: Sequence[str] = (),
        repairers: Sequence[str] = (),
        models: Sequence[str] = (),
        detector: str | None = None,
        samples: int | None = None,
        part: str | None = None,
        workers: int = 1,
        unjudged_ok: bool = False,
    ) -> CasesRun:
        """Run a matrix as ``mendbench run`` does, into a temporary folder of pytest, and return the results.

        ``patterns`` are cases: ids, families or globs; by default all configured cases.

        Raises:
            NoVerdict: a recording is missing, or foreign code crashed, and ``unjudged_ok`` is not set.
            MendbenchError: a name, a file or an option cannot be used.
        """
