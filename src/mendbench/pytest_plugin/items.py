"""One trial as a test."""

from __future__ import annotations

from os import PathLike
from typing import Any

import pytest

from mendbench.api.trials import Bench
from mendbench.errors import MendbenchError
from mendbench.model.case import Case
from mendbench.model.trial import TrialKey
from mendbench.pytest_plugin.naming import family_line, marker_names
from mendbench.pytest_plugin.results import NoVerdict, Trial, trial_of
from mendbench.pytest_plugin.session import Accepted


class NotRight(Exception):
    """A trial was judged wrong."""


class Worse(Exception):
    """A trial was accepted as wrong, and is now worse."""


class TrialItem(pytest.Item):
    """A trial: it runs in the test's setup, and the test checks its verdict.

    So a missing recording or a crash is an error, and a wrong outcome is a failure.
    """

    trial: Trial | None = None
    """The result, between setup and teardown."""

    def __init__(self, *, bench: Bench, case: Case, key: TrialKey, accepted: Accepted | None, **words: object) -> None:
        super().__init__(**words)  # type: ignore[arg-type] # pytest's own words
        self.bench, self.case, self.key = bench, case, key
        part = bench.context.part_of(case)
        if (line := family_line(case.family)) not in self.config.getini("markers"):
            self.config.addinivalue_line("markers", line)
        for name in marker_names(case, part):
            self.add_marker(name)
        about = {"case": case.id, "family": case.family, "kind": case.kind, "part": part, "api": case.api}
        treatment = {name: getattr(key, name) for name in _TREATMENT}
        self.add_marker(pytest.mark.mendbench(**about, **treatment))
        self.extra_keyword_matches.add(case.id)
        self.accepted = accepted
        if accepted is not None:
            self.add_marker(pytest.mark.xfail(reason=accepted.reason(), raises=NotRight, strict=False))

    def setup(self) -> None:
        """Run the trial.

        Raises:
            NoVerdict: a recording is missing, or foreign code crashed.
            MendbenchError: a file that it needs cannot be used.
        """
        self.trial = trial_of(self.bench.run(self.key), self.bench)
        self.user_properties += _properties(self.trial)
        if not self.trial.judged:
            raise NoVerdict(self.trial.story)

    def runtest(self) -> None:
        """Check the verdict.

        Raises:
            NotRight: the trial is wrong.
            Worse: the trial was accepted as wrong, and is now worse.
        """
        if self.trial is None or self.trial.right:
            return
        worse = None if self.accepted is None else self.accepted.worse(self.trial.row)
        if worse is not None:
            raise Worse(f"{worse}\n{self.trial.story}")
        raise NotRight(self.trial.story)

    def teardown(self) -> None:
        """Release the trial: pytest keeps every test until the end, and a row with its texts is large."""
        self.trial = None

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the output for a failure: what happened in the trial; a traceback only for an internal error."""
        error = excinfo.value
        if isinstance(error, NotRight | Worse | NoVerdict) and self.trial is not None:
            return _plainly(excinfo, self.location[0], self.trial.headline)
        if isinstance(error, MendbenchError):
            return _plainly(excinfo, self.location[0], str(error))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[PathLike[str] | str, int | None, str]:
        """Return the location of the test, and its name above the failure."""
        return self.path, 0, f"{self.case.id} {self.name}"


class RefusalItem(pytest.Item):
    """The item of a worker without trials: a worker cannot refuse a run, but a test in it can fail."""

    def __init__(self, *, why: str, **words: object) -> None:
        super().__init__(**words)  # type: ignore[arg-type] # pytest's own words
        self.why = why

    def runtest(self) -> None:
        """Fail.

        Raises:
            UsageError: always.
        """
        raise pytest.UsageError(self.why)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:  # noqa: ARG002 (pytest's)
        """Return the reason in one line."""
        return _plainly(excinfo, self.location[0], self.why)


def _plainly(excinfo: pytest.ExceptionInfo[BaseException], place: str, line: str) -> Any:
    """Return the output for an error: only its text, and ``line`` where only one line fits."""
    shown = excinfo.getrepr(style="value", chain=False)
    if shown.reprcrash is not None:
        shown.reprcrash.path, shown.reprcrash.lineno, shown.reprcrash.message = place, 1, line
    return shown


_TREATMENT = ("strategy", "policy", "repairer", "model", "detector", "sample")


def _properties(trial: Trial) -> list[tuple[str, object]]:
    """Return the properties of a trial for ``--junitxml``, without unknown values."""
    row = trial.row
    tokens = [count for count in (row["prompt_tokens"], row["completion_tokens"]) if count is not None]
    found = {
        "outcome": trial.outcome or trial.verdict,
        "stop_reason": trial.stop_reason,
        "attempts": len(row["attempts"]),
        "wasted": row["wasted_attempts"],
        "tokens": sum(tokens) if tokens else None,
    }
    return [(name, value) for name, value in found.items() if value is not None]
