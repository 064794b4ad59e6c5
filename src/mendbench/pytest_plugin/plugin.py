"""The pytest plugin: options, the switch, and the fixtures.

pytest imports this module in every run of every environment with mendbench. So it imports only
the standard library and pytest; ``--mendbench`` or the first use of a fixture imports the rest.
PYTEST_DONT_REWRITE: it asserts nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mendbench.pytest_plugin.options import declare, is_on

if TYPE_CHECKING:
    from mendbench.api import RunOptions
    from mendbench.api.trials import Bench
    from mendbench.pytest_plugin.interface import LoadCase, RunCases, RunTrial


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options and the ini options."""
    declare(parser)


def pytest_configure(config: pytest.Config) -> None:
    """With ``--mendbench``: look up every name, and register the collecting hooks."""
    if not is_on(config):
        return
    from mendbench.pytest_plugin.collecting import Collecting  # noqa: PLC0415 - heavy

    config.pluginmanager.register(Collecting.of(config), "mendbench-collecting")


@pytest.fixture(scope="session")
def mendbench_options(pytestconfig: pytest.Config) -> RunOptions:
    """Defaults for trials: the options of the command line and the ini file.

    Override this fixture in a ``conftest.py`` to set options for a project or a folder of tests.
    """
    from mendbench.pytest_plugin.session import options_of  # noqa: PLC0415

    return options_of(pytestconfig)


@pytest.fixture(scope="session")
def _mendbench_bench(pytestconfig: pytest.Config, mendbench_options: RunOptions) -> Bench:
    from mendbench.errors import MendbenchError  # noqa: PLC0415
    from mendbench.pytest_plugin.session import benches_of  # noqa: PLC0415

    try:
        return benches_of(pytestconfig).of(mendbench_options)
    except MendbenchError as error:
        message = str(error)
    return pytest.fail(message, pytrace=False)


@pytest.fixture(scope="session")
def mendbench_case(_mendbench_bench: Bench) -> LoadCase:
    """Load a case by its id, such as ``mendbench_case("slack/channel-id-does-not-exist")``."""
    return _mendbench_bench.case


@pytest.fixture(scope="session")
def mendbench_trial(_mendbench_bench: Bench) -> RunTrial:
    """Run one trial, such as ``mendbench_trial("slack/channel-id-does-not-exist", strategy="summary")``, and return it."""
    from mendbench.pytest_plugin.results import TrialRunner  # noqa: PLC0415

    return TrialRunner(bench=_mendbench_bench)


@pytest.fixture(scope="session")
def mendbench_run(_mendbench_bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> RunCases:
    """Run a matrix of trials, such as ``mendbench_run("slack/*", strategies=["summary"])``, and return its rows and totals."""
    from mendbench.pytest_plugin.results import CasesRunner  # noqa: PLC0415

    return CasesRunner(bench=_mendbench_bench, folders=tmp_path_factory)
