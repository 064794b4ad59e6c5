"""A project of the invented corpus, and pytest run in it with the plugin."""

from importlib.metadata import entry_points

import pytest

# Imported here, so that a run within this process does not import and forget them each time.
import mendbench.pytest_plugin.collecting
import mendbench.pytest_plugin.plugin
from tests.fakes import cases

MODULE = "mendbench.pytest_plugin.plugin"
REGISTERED = any(point.value == MODULE for point in entry_points(group="pytest11"))
"""Whether pytest finds the plugin by itself."""
PLUGIN = ("-p", "no:hypothesispytest", "-p", "no:anyio", *(() if REGISTERED else ("-p", MODULE)))
"""What every run is started with. The two that are left out take a second each, and have nothing to do here."""


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The invented corpus with all its recordings. Nobody may change it."""
    return cases.build(tmp_path_factory.mktemp("plugin"))


@pytest.fixture
def project(pytester, built):
    """A copy of the corpus, which pytest runs in: two strategies, two policies, one model."""
    return cases.copy_of(built, pytester.path)


@pytest.fixture
def mendbench(project, pytester):
    """Run pytest with --mendbench and these words, and return what came out."""

    def run(*words):
        return pytester.runpytest_inprocess(*PLUGIN, "--mendbench", *words)

    return run


@pytest.fixture
def plain(project, pytester):
    """Run pytest with these words alone."""

    def run(*words, **more):
        return pytester.runpytest_inprocess(*PLUGIN, *words, **more)

    return run


@pytest.fixture
def ids(mendbench):
    """Return the ids of the tests that are collected."""

    def collected(*words):
        lines = mendbench("--collect-only", "-q", *words).outlines
        return [line for line in lines if "::" in line]

    return collected
