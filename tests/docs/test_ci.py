"""The workflow that `mendbench init` writes and the page about CI: every command in them is run, or is one that there is."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from junitparser import JUnitXml

from mendbench.cli.exits import Exit
from mendbench.report.data_frames import TABLES
from tests.fakes import cases
from tests.fakes.commands import command_of, options_of
from tests.fakes.planted import record_credential
from tests.fakes.tables import for_each

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "src/mendbench/project/starter/github-actions.yml").read_text("utf-8")
WORKFLOW = yaml.safe_load(TEXT)
STEPS = WORKFLOW["jobs"]["repair"]["steps"]
PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("ci"))


@pytest.fixture
def corpus(built, tmp_path, monkeypatch, forked):
    """A repository with the corpus; ``mendbench`` on the path is the forked one."""
    monkeypatch.setenv("PATH", str(forked.path), prepend=os.pathsep)
    return cases.copy_of(built, tmp_path / "repository")


def step(name):
    return next(one for one in STEPS if one.get("name") == name)


def shell(line, folder, **environment):
    """Run a line as a runner does on Linux: by bash that ends at the first failure."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")} | environment
    return subprocess.run(["bash", "-e", "-c", line], cwd=folder, env=env, capture_output=True, text=True, check=False)


def github(folder):
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "GITHUB_WORKSPACE": str(folder),
    }


def workflow(folder):
    """Run the steps that call mendbench, as a build does, and return what each returned; the first failure skips what needs success."""
    codes = {}
    for one in STEPS:
        if "mendbench " not in one.get("run", "") or "pip install" in one["run"]:
            continue
        if any(codes.values()) and "if" not in one:
            continue
        codes[one["name"]] = shell(one["run"], folder, **github(folder)).returncode
    return codes


def test_the_workflow_may_only_read_and_ends():
    assert WORKFLOW["permissions"] == {"contents": "read"}
    job = WORKFLOW["jobs"]["repair"]
    assert job["timeout-minutes"]
    assert "permissions" not in job
    assert "secrets." not in TEXT


def test_its_actions_are_githubs_own_and_pinned_to_a_major_version():
    used = [one["uses"] for one in STEPS if "uses" in one]
    assert len(used) == 4
    assert all(re.fullmatch(r"actions/(checkout|setup-python|cache|upload-artifact)@v\d+", one) for one in used)


def test_every_step_does_one_thing():
    assert all(("uses" in one) != ("run" in one) for one in STEPS)


def test_reports_are_written_and_kept_whatever_the_gate_says():
    for name in ("Report", "Keep the report"):
        assert step(name)["if"] == "${{ !cancelled() }}"
    assert step("Keep the report")["with"]["path"] == "reports/"


def test_what_is_installed_can_write_parquet():
    assert shlex.split(step("Install")["run"], comments=True)[-1] == "mendbench[parquet]"


def test_a_build_passes_and_writes_all(corpus):
    accepted = shell("mendbench run --workers 1 && mendbench gate --update", corpus)
    assert accepted.returncode == 0, accepted
    assert workflow(corpus) == {"Secrets": 0, "Check": 0, "Replay": 0, "Gate": 0, "Report": 0}
    written = {
        path.relative_to(corpus / "reports").as_posix() for path in (corpus / "reports").rglob("*") if path.is_file()
    }
    tables = {f"{kind}/{name}.{kind}" for kind in ("csv", "parquet") for name in TABLES}
    assert {"junit.xml", "comment.md", *tables} <= written
    found = JUnitXml.fromfile(str(corpus / "reports/junit.xml"))
    assert (found.failures, found.errors) == (0, 0)
    assert "✅ gate passed: " in (corpus / "summary.md").read_text("utf-8")


@pytest.mark.slow
def test_a_missing_recording_stops_the_build_at_the_gate(corpus):
    assert shell("mendbench run --workers 1 && mendbench gate --update", corpus).returncode == 0
    (corpus / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml").unlink()
    assert workflow(corpus) == {"Secrets": 0, "Check": 0, "Replay": 0, "Gate": 3, "Report": 0}
    assert "⚠️ gate inconclusive: " in (corpus / "summary.md").read_text("utf-8")
    assert JUnitXml.fromfile(str(corpus / "reports/junit.xml")).errors == 1


def test_bad_input_stops_the_build_at_once(corpus):
    (corpus / "mendbench.toml").write_text("format = [", "utf-8")
    assert workflow(corpus) == {"Secrets": 0, "Check": 2, "Report": 1}


def test_a_credential_in_a_recording_stops_the_build_at_once(corpus):
    record_credential(corpus, cases.RENAMED)
    assert workflow(corpus) == {"Secrets": 1, "Report": 1}


def test_the_page_shows_the_commands_of_the_workflow_in_their_order():
    block = re.search(r"```\n(mendbench .*?)```", PAGE, re.DOTALL)
    assert block is not None
    ours = [step(name)["run"].split() for name in ("Secrets", "Check", "Replay", "Gate", "Report")]
    shown = [line.partition("#")[0].split() for line in block[1].splitlines()]
    assert [words[:2] for words in shown] == [words[:2] for words in ours]
    assert all(set(words) <= {*own} for words, own in zip(shown, ours, strict=True))


@for_each("line", sorted(set(re.findall(r"(?:^|`|- )(mendbench [a-z][^`\n|&#;]*)", PAGE, re.MULTILINE))))
def test_the_page_names_no_command_or_option_that_there_is_not(line):
    words = [word for word in line.split() if not word.startswith(("…", "["))][1:]
    command, rest = command_of(words)
    assert len(rest) < len(words), line
    assert {word.split("=")[0] for word in words if word.startswith("--")} <= options_of(command)


def test_the_page_has_every_exit_code():
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", PAGE, re.MULTILINE)}
    assert documented == {int(code) for code in Exit}


def test_yaml_on_the_page_can_be_read():
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        assert yaml.safe_load(block)


def test_the_pages_hooks_are_those_that_there_are():
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert set(re.findall(r"id: (mendbench-[\w-]+)", PAGE)) == hooks
