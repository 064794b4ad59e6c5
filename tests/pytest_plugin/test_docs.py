"""The page about pytest: its examples run as they stand there, and its options are those that there are."""

import re
from pathlib import Path

from mendbench.pytest_plugin.options import OPTIONS
from tests.pytest_plugin.conftest import PLUGIN

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[2] / "docs" / "pytest.md").read_text(encoding="utf-8")


def blocks(language):
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", PAGE, re.DOTALL | re.MULTILINE)
    return ["".join(line.removeprefix(indent) for line in text.splitlines(keepends=True)) for indent, text in found]


def test_the_examples_pass_with_the_shipped_cases(pytester):
    *tests, conftest = blocks("python")
    pytester.makeconftest(conftest)
    pytester.makepyfile(**{f"test_{number}": text for number, text in enumerate(tests)})
    pytester.runpytest_inprocess(*PLUGIN).assert_outcomes(passed=4)


def test_the_configuration_is_all_that_a_project_needs(project, mendbench):
    (config,) = blocks("toml")
    (project / "mendbench.toml").write_text(config, encoding="utf-8")
    result = mendbench("--collect-only", "-q", "cases/http/renamed-field")
    names = [line.partition("::")[2] for line in result.outlines if "::" in line]
    assert names == ["full-context-two-layer-rules", "summary-two-layer-rules"]


def test_every_option_is_in_the_table_and_in_the_help(pytester):
    listed = set(re.findall(r"^\| `(--mendbench[a-z-]*)", PAGE, re.MULTILINE))
    assert listed == {"--mendbench", *(f"--mendbench-{option.name}" for option in OPTIONS)}
    text = pytester.runpytest_inprocess(*PLUGIN, "--help").stdout.str()
    assert all(option in text for option in listed)
    assert all(f"  mendbench_{option.name} " in text for option in OPTIONS)
