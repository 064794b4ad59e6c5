"""``mendbench init`` and ``mendbench doctor``, as a newcomer uses them in a repository."""

import json
import re
import shlex
from typing import get_args

import pytest
import yaml

from mendbench.project.initial_files import Example
from tests.fakes import cases
from tests.fakes.commands import command_of, options_of

TERSE = """\
---
title: Which node failed, and nothing else
source: invented
sections:
  - {name: errors, label: state, keep: 1}
---
{% block errors %}
{% for failure in failures %}
Node {{ failure.node_id }} failed.
{% endfor %}
{% endblock %}
"""


@pytest.fixture(scope="module")
def nothing(tmp_path_factory):
    """An empty folder. Nobody may change it."""
    return tmp_path_factory.mktemp("nothing")


@pytest.fixture
def begun(after, nothing, empty):
    """The current folder, with what `mendbench init` writes."""
    return cases.copy_of(after(("init",), start=nothing), empty)


def status(result):
    return {line.split()[0]: line.split()[1] for line in result.out.splitlines()[2:]}


@pytest.mark.parametrize("kind", ["http", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("mcp", "slack"))])
def test_the_first_gate_passes_and_a_strategy_that_states_less_fails_it(empty, mendbench, kind):
    made = mendbench("init", "--example", kind)
    assert (made.code, made.err) == (0, "")
    assert f"proved {kind}/example\n" in made.out
    assert mendbench("run", "--workers", "1").code == 0
    assert mendbench("gate", "--update").code == 0
    assert mendbench("gate").code == 0

    (empty / "strategies" / "ours.md.j2").write_text(TERSE, "utf-8")
    assert mendbench("run", "--workers", "1").code == 0
    worse = mendbench("gate")
    assert worse.code == 1
    assert f"lost: {kind}/example [ours · naive · rules]" in worse.out


def test_every_example_is_proved_when_it_is_written(empty, mendbench):
    made = {kind: mendbench("init", "--example", kind) for kind in get_args(Example)}
    assert {kind: (one.code, f"proved {kind}/example\n" in one.out) for kind, one in made.items()} == dict.fromkeys(
        ("http", "mcp", "slack"), (0, True)
    )


def test_a_run_names_a_case_whose_own_fix_fails(begun, mendbench):
    assert "The own fix of a case fails" not in mendbench("run", "--workers", "1").out
    path = begun / "cases/http/example/case.yaml"
    path.write_text(path.read_text("utf-8").replace("body/requester_email}", "body/requester}"), "utf-8")
    result = mendbench("run", "--workers", "1")
    assert (
        "The own fix of a case fails, so its trials show nothing: http/example; `mendbench case check http/example`"
        in result.out
    )


def test_the_parts_of_a_new_repository_are_written_and_well(empty, mendbench):
    words = mendbench("init").out.split()
    before = {path: path.read_bytes() for path in empty.rglob("*") if path.is_file() and ".mendbench" not in path.parts}
    assert {path.relative_to(empty).as_posix() for path in before} == {
        "mendbench.toml", "strategies/ours.md.j2", "cases/http/example/case.yaml", "cases/http/example/workflow.json",
        "cassettes/http/example/world.yaml", ".github/workflows/mendbench.yml", ".pre-commit-config.yaml", ".gitignore",
    }  # fmt: skip
    assert "mendbench.toml" in words
    assert status(mendbench("doctor")) == {
        "mendbench": "ok", "configuration": "ok", "cases": "ok", "proofs": "ok", "recordings": "ok", "strategies": "ok",
        "models": "ok", "last": "run", "baseline": "missing", ".gitignore": "ok", "CI": "ok",
    }  # fmt: skip

    again = mendbench("init", "--example", "slack")
    assert {path: path.read_bytes() for path in before} == before
    assert (empty / "cases/slack/example/case.yaml").is_file()
    assert "kept .github/workflows/mendbench.yml: it existed\n" in again.out


def test_existing_files_stay_as_they_are_and_doctor_says_what_they_lack(empty, mendbench):
    (empty / ".gitignore").write_text("build\ndist", "utf-8")
    (empty / ".gitlab-ci.yml").write_text("test: {script: [make]}\n", "utf-8")
    result = mendbench("init")
    assert (empty / ".gitignore").read_text("utf-8") == "build\ndist\nreports/\n"
    assert (empty / ".gitlab-ci.yml").read_text("utf-8") == "test: {script: [make]}\n"
    assert "kept .gitlab-ci.yml: it existed; it does not call mendbench yet: see docs/ci.md\n" in result.out
    assert not (empty / ".github").exists()
    assert status(mendbench("doctor"))["CI"] == "missing"


def test_an_own_configuration_keeps_its_folders(empty, mendbench):
    (empty / "pyproject.toml").write_text('[tool.mendbench.paths]\ncases = "truth"\ncassettes = "tapes"\n', "utf-8")
    assert mendbench("init").code == 0
    assert (empty / "tapes/http/example/world.yaml").is_file()
    assert not (empty / "mendbench.toml").exists()
    assert "mendbench case secrets truth tapes" in (empty / ".github/workflows/mendbench.yml").read_text("utf-8")
    assert "files: ^(truth|tapes)/" in (empty / ".pre-commit-config.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--example", "soap"), "--example: unknown example 'soap'; known: http, mcp, slack"),
        (("--ci", "jenkins"), "--ci: unknown CI service 'jenkins'; known: github, gitlab, none"),
    ],
)
def test_what_there_is_not_is_refused_and_nothing_is_written(empty, mendbench, words, line):
    result = mendbench("init", *words)
    assert (result.code, result.line, list(empty.iterdir())) == (2, line, [])


def test_a_folder_below_a_configuration_is_not_started_again(corpus, mendbench, monkeypatch):
    monkeypatch.chdir(corpus / "cases")
    result = mendbench("init")
    assert result.code == 2
    assert (
        result.line
        == f"{corpus}/mendbench.toml: a configuration that holds in this folder too; run `mendbench init` in {corpus}"
    )


def test_doctor_names_what_is_broken_and_what_to_do(corpus, mendbench):
    mendbench("case", "check", "--workers", "1")
    assert mendbench("run", "--workers", "1", cases.RENAMED, "--out", "reports/latest").code == 0
    assert mendbench("gate", "--update").code == 0
    (corpus / "cassettes/http/forgotten").mkdir()
    (corpus / "cassettes/http/forgotten/world.yaml").write_text("version: 1\ninteractions: []\n", "utf-8")
    path = corpus / "cases" / cases.RENAMED / "case.yaml"
    path.write_text(path.read_text("utf-8").replace("title: ", "title: Still ", 1), "utf-8")
    quiet = corpus / "cases" / cases.QUIET / "case.yaml"
    quiet.write_text(quiet.read_text("utf-8") + "colour: red\n", "utf-8")

    result = mendbench("doctor", "--format", "json")
    found = {part["part"]: part for part in json.loads(result.out)}
    assert result.code == 1
    assert {name: part["status"] for name, part in found.items()} == {
        "mendbench": "ok", "configuration": "ok", "cases": "broken", "proofs": "stale", "recordings": "stale",
        "strategies": "ok", "models": "ok", "last run": "stale", "baseline": "stale", ".gitignore": "missing", "CI": "missing",
    }  # fmt: skip
    assert found["cases"]["remedy"] == f"mendbench case check {cases.QUIET}"
    assert f"changed since: {cases.RENAMED}" in found["baseline"]["found"]
    assert "http/forgotten" in found["recordings"]["found"]


def test_doctor_names_a_model_without_responses_and_what_it_lacks(begun, mendbench, monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    path = begun / "mendbench.toml"
    text = path.read_text("utf-8").replace('repairers = ["rules"] ', 'models = ["mine"] ', 1)
    path.write_text(f'{text}\n[models.mine]\napi_key_env = "MY_KEY"\n', "utf-8")
    (part,) = [one for one in json.loads(mendbench("doctor", "--format", "json").out) if one["part"] == "models"]
    assert part["status"] == "missing"
    assert part["found"] == "mine: responses for 0 of 1 cases, no base_url, MY_KEY is not set"
    assert part["remedy"] == "mendbench run --model mine --record new_episodes"


def test_doctor_without_a_configuration_says_how_to_start(empty, mendbench):
    (empty / ".git").mkdir()
    result = mendbench("doctor")
    assert result.code == 0
    assert result.out.splitlines()[-1].split()[:2] == ["configuration", "missing"]
    assert result.out.splitlines()[-1].endswith("mendbench init")


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_the_commands_of_the_files_for_ci_exist(empty, mendbench, name):
    mendbench("init", "--ci", name)
    path = ".github/workflows/mendbench.yml" if name == "github" else ".gitlab-ci.yml"
    document = yaml.safe_load((empty / path).read_text("utf-8"))
    lines = document["mendbench"]["script"] if name == "gitlab" else [
        step["run"] for step in document["jobs"]["repair"]["steps"] if "run" in step
    ]  # fmt: skip
    hooks = yaml.safe_load((empty / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
    commands = [
        part
        for line in (*lines, *(hook["entry"] for hook in hooks))
        for part in re.findall(r"mendbench [a-z][^|&']*", line)
    ]
    assert len(commands) >= 8
    for line in commands:
        words = shlex.split(line)[1:]
        command, _ = command_of(words)
        assert {word.split("=")[0] for word in words if word.startswith("--")} <= options_of(command)
