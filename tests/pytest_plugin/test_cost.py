"""Nothing of the benchmark is loaded in a run that does not ask for it."""

import subprocess
import sys

from tests.pytest_plugin.conftest import PLUGIN

pytest_plugins = ["pytester"]

LOADED = """
import sys

def pytest_unconfigure():
    own = sorted(name for name in sys.modules if name.partition(".")[0] in {"mendbench", "pydantic", "yaml", "jinja2", "httpx2", "vcr", "pandas"})
    print("LOADED", *own)
"""
LIGHT = {"mendbench", *(f"mendbench.pytest_plugin{name}" for name in ("", ".interface", ".options", ".plugin"))}


def loaded(result):
    (line,) = [line for line in result.outlines if line.startswith("LOADED")]
    return set(line.split()[1:])


def test_a_run_without_the_option_loads_the_plugin_alone(pytester):
    pytester.makeconftest(LOADED)
    pytester.makepyfile("def test_mine(): pass")
    result = pytester.runpytest_subprocess(*PLUGIN, "-s")
    result.assert_outcomes(passed=1)
    assert loaded(result) == LIGHT


def test_a_run_with_the_option_loads_what_it_needs(project, pytester):
    pytester.makeconftest(LOADED)
    result = pytester.runpytest_subprocess(*PLUGIN, "-s", "--mendbench", "-k", "quiet and two-layer")
    result.assert_outcomes(passed=2, deselected=10)
    assert loaded(result) > LIGHT
    assert loaded(result).isdisjoint({"httpx2", "vcr", "pandas"})


def test_the_types_of_the_fixtures_cost_nothing():
    code = "import sys, mendbench.pytest_plugin as it; assert it.RunTrial; print(*(n for n in sys.modules if n.startswith('mendbench.') and not n.startswith('mendbench.pytest_plugin')))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == ""
