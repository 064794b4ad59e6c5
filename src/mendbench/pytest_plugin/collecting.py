"""Collects ``case.yaml`` files, and the tests of each."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Self

import pytest

from mendbench.api import RunOptions
from mendbench.api.trials import Bench, shown
from mendbench.errors import MendbenchError
from mendbench.model.case import Case
from mendbench.model.trial import TrialKey
from mendbench.pytest_plugin import options
from mendbench.pytest_plugin.items import RefusalItem, TrialItem
from mendbench.pytest_plugin.naming import item_names, marker_lines
from mendbench.pytest_plugin.session import (
    Accepted,
    Benches,
    accepted_failures,
    benches_of,
    options_for,
    options_of,
    refuse_other_digests,
)
from mendbench.results.baseline import read_baseline
from mendbench.trial.row import trial_key

CASE_FILE, WORKFLOW_FILE = "case.yaml", "workflow.json"


class Collecting:
    """The hooks that collect cases; registered only if ``--mendbench`` is given."""

    def __init__(self, config: pytest.Config, benches: Benches, own: RunOptions) -> None:
        self.config, self.benches, self.own = config, benches, own
        baseline = options.place(config, "baseline")
        self._baseline = None if baseline is None else read_baseline(baseline)
        self._accepted = {} if self._baseline is None else accepted_failures(self._baseline)
        self.found = 0
        """Number of case files that pytest found."""
        self.opened: list[int] = []
        """Number of tests of each opened file; one for a file that could not be opened."""
        self._known = self.own.cases is not None or benches.own_configuration
        self._look_where_the_cases_are()

    @classmethod
    def of(cls, config: pytest.Config) -> Self:
        """Return the hooks for this run, and look up every name in the options.

        Raises:
            UsageError: an option or the configuration cannot be used.
        """
        for line in marker_lines():
            config.addinivalue_line("markers", line)
        try:
            collecting = cls(config, benches_of(config), options_of(config))
            if collecting._known:
                collecting.bench().planned  # noqa: B018 - an error in the plan is reported before the collection
            if collecting._baseline is not None:
                refuse_other_digests(collecting._baseline, collecting.bench() if collecting._known else None)
        except MendbenchError as error:
            raise pytest.UsageError(f"mendbench: {error}") from None
        return collecting

    @property
    def cases_dir(self) -> Path:
        """The folder of the cases that the options or the configuration name."""
        return self.own.cases or self.benches.cases_dir

    def bench(self, cases_dir: Path | None = None) -> Bench:
        """Return the bench of the cases in a folder; None selects the configured cases.

        Raises:
            MendbenchError: they cannot be used.
        """
        if cases_dir is None or self._is_ours(cases_dir):
            return self.benches.of(self.own)
        return self.benches.of(options_for(cases_dir, self.own))

    def pytest_report_header(self) -> list[str]:
        """Report which cases are collected, and whether anything is recorded."""
        if not self._known:
            return [f"mendbench: record {self.own.record}"]
        return [f"mendbench: cases in {shown(self.cases_dir)}, record {self.own.record}"]

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """Collect a file if it is a case file of mendbench."""
        if len(file_path.parents) < 3 or not _begins_case(file_path):  # noqa: PLR2004 - CASES/FAMILY/NAME/case.yaml
            return None
        if not self._is_ours(file_path.parents[2]) and (self.own.cases is not None or not _is_case(file_path)):
            return None
        self.found += 1
        collected: pytest.Collector = CaseFile.from_parent(parent, path=file_path, collecting=self)
        return collected

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Refuse a run that should test cases but tests none: it could not fail."""
        why = self._why_nothing() if options.is_typed(self.config) else None
        if why is None:
            return
        if not hasattr(self.config, "workerinput"):
            raise pytest.UsageError(why)
        items.append(RefusalItem.from_parent(session, name="mendbench", why=why))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Show an error of a trial in the same way as a failure: pytest calls the item's ``repr_failure`` only for failures."""
        report = yield
        if isinstance(item, TrialItem) and call.excinfo is not None and call.when == "setup":
            report.longrepr = item.repr_failure(call.excinfo)
        return report

    def accepted(self, key: TrialKey, case: Case) -> Accepted | None:
        """Return the baseline's entry for a trial that it accepts as wrong, if the case is unchanged; else None."""
        found = self._accepted.get(trial_key(key))
        return found if found is not None and found.entry.case_digest == case.digest else None

    def is_named(self, path: Path) -> bool:
        """Return whether the command line names a folder or a file below the cases folder that contains ``path``."""
        named = (self._place(arg) for arg in self.config.args)
        cases_dir = path.parents[2].resolve()
        return any(cases_dir in one.parents and path.resolve().is_relative_to(one) for one in named)

    def _why_nothing(self) -> str | None:
        """Return why no trial was collected; None if one was, or if a file could not be opened."""
        if not self.found:
            where = f"name their folder, such as {shown(self.cases_dir)}, or --mendbench-cases DIR"
            return f"mendbench: no case.yaml below what was named; {where}"
        if self.opened and not any(self.opened):
            return "mendbench: no trial of these cases is selected; name other ones, or other options"
        return None

    def _look_where_the_cases_are(self) -> None:
        """Add the configured folder to pytest's search if no path is given."""
        if not self._known or self.config.args_source is pytest.Config.ArgsSource.ARGS:
            return
        if not any(self.cases_dir.resolve().is_relative_to(self._place(arg)) for arg in self.config.args):
            self.config.args.append(str(self.cases_dir))

    def _is_ours(self, cases_dir: Path) -> bool:
        return cases_dir.resolve() == self.cases_dir.resolve()

    def _place(self, arg: str) -> Path:
        return (self.config.invocation_params.dir / arg.partition("::")[0]).resolve()


class CaseFile(pytest.File):
    """One ``case.yaml``; its trials are the tests."""

    def __init__(self, *, collecting: Collecting, **words: object) -> None:
        super().__init__(**words)  # type: ignore[arg-type] # pytest's own words
        self.collecting = collecting
        self.case_id = f"{self.path.parent.parent.name}/{self.path.parent.name}"

    def collect(self) -> Iterator[pytest.Item]:
        """Yield a test for each selected trial of the case."""
        try:
            bench = self.collecting.bench(self.path.parents[2])
            case = bench.case(self.case_id)
            keys = self._keys(bench)
            if keys:
                bench.refuse_credentials(self.case_id)
        except MendbenchError as error:
            self.collecting.opened.append(1)
            raise self.CollectError(str(error)) from None
        self.collecting.opened.append(len(keys))
        for key, name in item_names(keys, bench.default_model).items():
            accepted = self.collecting.accepted(key, case)
            yield TrialItem.from_parent(self, name=name, bench=bench, case=case, key=key, accepted=accepted)

    def _keys(self, bench: Bench) -> tuple[TrialKey, ...]:
        planned = bench.planned_if_named if self.collecting.is_named(self.path) else bench.planned
        return planned.get(self.case_id, ())


def _begins_case(path: Path) -> bool:
    """Return whether a file is a case file, or the workflow of a case without one, which counts as a broken case."""
    return path.name == CASE_FILE or (path.name == WORKFLOW_FILE and not path.with_name(CASE_FILE).exists())


def _is_case(path: Path) -> bool:
    """Return whether a file of that name, which other projects may use, has a workflow next to it, as a case has."""
    return path.name == CASE_FILE and (path.parent / WORKFLOW_FILE).is_file()
