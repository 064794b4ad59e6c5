"""The pre-commit hooks: their entries as pre-commit runs them, in a folder with a small corpus."""

import base64
import json
import random
import re
import shlex
import string
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mendbench.cli.hooks import changed_cases
from mendbench.corpus import credentials
from tests.fakes import cases
from tests.fakes.planted import record_credential
from tests.fakes.tables import for_each

ROOT = Path(__file__).parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}


@pytest.fixture
def run(forked):
    """Run a hook's entry as pre-commit does: in the repository's root, with what it hands over."""

    def ran(hook, *words):
        python, option, module, *rest = shlex.split(HOOKS[hook]["entry"])
        assert (python, option) == ("python", "-m")
        return forked.module(module, *rest, *words)

    return ran


def case_file(case_id):
    return f"cases/{case_id}/case.yaml"


def test_hooks_have_what_pre_commit_asks_for():
    assert set(HOOKS) == {"mendbench-case-check", "mendbench-gate", "mendbench-secrets"}
    for hook in HOOKS.values():
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert hook["language"] == "python"
        assert hook["require_serial"] is True
    assert HOOKS["mendbench-gate"]["pass_filenames"] is False
    assert HOOKS["mendbench-gate"]["stages"] == ["pre-push"]


@for_each(
    ("path", "wanted"),
    [
        (case_file(cases.QUIET), True), ("cases/slack/x/workflow.json", True), ("cassettes/slack/x/world.yaml", True),
        ("cases/split.yaml", False), ("src/cases/slack/x/case.yaml", False), ("README.md", False),
    ],
)  # fmt: skip
def test_the_proof_runs_for_files_of_cases(path, wanted):
    assert bool(re.search(HOOKS["mendbench-case-check"]["files"], path)) is wanted


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([case_file(cases.QUIET), f"cases/{cases.QUIET}/workflow.json"], (cases.QUIET,)),
        ([f"cassettes/{cases.RENAMED}/{cases.MODEL}.yaml", case_file(cases.QUIET)], (cases.QUIET, cases.RENAMED)),
        (
            [
                "cases/split.yaml",
                "cases/protocol.yaml",
                "cases/http/notes.md",
                "README.md",
                "../elsewhere/cases/http/x/y",
            ],
            (),
        ),
        ([case_file("http/gone"), "cassettes/http/gone/world.yaml"], ()),
        ([], ()),
    ],
)
def test_files_lead_to_their_cases(corpus, files, found):
    assert changed_cases(files) == (found, ())


def test_folders_are_those_of_the_configuration(corpus):
    (corpus / "cases").rename(corpus / "mine")
    text = (corpus / "mendbench.toml").read_text("utf-8")
    (corpus / "mendbench.toml").write_text(f'{text}[paths]\ncases = "mine"\n', "utf-8")
    assert changed_cases([f"mine/{cases.QUIET}/case.yaml", case_file(cases.RENAMED)]) == ((cases.QUIET,), ())


def test_without_a_configuration_they_are_the_usual_ones(corpus):
    (corpus / "mendbench.toml").unlink()
    corpus_options = ("--cases", "cases", "--cassettes", "cassettes")
    assert changed_cases([case_file(cases.QUIET)]) == ((cases.QUIET,), corpus_options)


def test_a_sound_case_passes_and_a_broken_one_fails(corpus, run):
    done = run("mendbench-case-check", case_file(cases.QUIET), "cases/split.yaml")
    assert done.returncode == 0, done
    cases.change_case(corpus, cases.QUIET, lambda truth: truth.update(checks=[cases.note("Good bye!")]))
    done = run("mendbench-case-check", case_file(cases.QUIET))
    assert done.returncode == 1, done
    assert cases.QUIET in done.stdout + done.stderr


def test_files_of_no_case_prove_nothing(corpus, run):
    (corpus / "cases" / cases.QUIET / "case.yaml").write_text("title: [", "utf-8")
    done = run("mendbench-case-check", "cases/split.yaml")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_the_gate_replays_and_then_gates(corpus, run):
    done = run("mendbench-gate")
    assert done.returncode == 2, done
    assert "baseline.tsv" in done.stderr
    assert run("mendbench-gate", "--update").returncode == 0
    done = run("mendbench-gate", "--baseline", "baseline.tsv")
    assert done.returncode == 0, done
    assert "passed: " in done.stdout


@pytest.mark.slow
def test_a_missing_recording_is_for_the_gate_to_report(corpus, run):
    assert run("mendbench-gate", "--update").returncode == 0
    (corpus / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml").unlink()
    done = run("mendbench-gate")
    assert done.returncode == 3, done
    assert "inconclusive: " in done.stdout


def test_a_run_that_fails_is_not_gated(corpus, run):
    (corpus / "mendbench.toml").write_text("format = [", "utf-8")
    for hook in ("mendbench-case-check", "mendbench-gate"):
        done = run(hook, case_file(cases.QUIET))
        assert done.returncode == 2, done
        assert done.stderr.count("\n") == 1
        assert "mendbench.toml" in done.stderr


@for_each("words", [(), ("prove",)])
def test_an_unknown_hook_is_one_line(words):
    done = subprocess.run(
        [sys.executable, "-m", "mendbench.cli.hooks", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == f"mendbench: hooks: unknown hook {(*words, '')[0]!r}; name one of cases, gate\n"


def test_a_file_with_a_credential_is_refused_and_not_shown(tmp_path, run):
    drawn = "gh" + "p_" + "".join(random.Random(3).choices(string.ascii_letters + string.digits, k=36))
    path = tmp_path / "trace.json"
    path.write_text(
        json.dumps({"executions": [{"said": base64.b64encode(f"used {drawn}".encode()).decode()}]}, indent=1), "utf-8"
    )
    done = run("mendbench-secrets", str(path))
    assert done.returncode == 1
    assert f"{path}:4: executions.0.said: a credential" in done.stderr
    assert drawn not in done.stderr + done.stdout
    path.write_text("{}", "utf-8")
    assert run("mendbench-secrets", str(path)).returncode == 0


@pytest.mark.parametrize(("hook", "code"), [("mendbench-case-check", 2), ("mendbench-secrets", 1)])
def test_a_recording_with_a_credential_is_refused_and_the_same_without_it_passes(corpus, hook, code, run):
    path = f"cassettes/{cases.QUIET}/world.yaml"
    assert run(hook, path).returncode == 0
    planted = record_credential(corpus, cases.QUIET)
    done = run(hook, path)
    assert done.returncode == code, done
    assert f"{path}:{planted.line}: " in done.stderr
    assert planted.value not in done.stdout + done.stderr


READ_AS_VALUES = credentials.YAML | {".har", ".ipynb", ".json", ".jsonl", ".ndjson"}


@for_each("suffix", sorted(READ_AS_VALUES | {".env", ".gz", ".md", ".toml", ".txt"}))
def test_every_kind_of_file_that_is_looked_into_is_handed_over(suffix):
    pattern = HOOKS["mendbench-secrets"]["files"]
    for name in (f"traces/one{suffix}", f"deep/er/ONE{suffix.upper()}", f"one.json{suffix}"):
        assert re.search(pattern, name), name


@for_each("name", ["src/one.py", "docs/one.png", "json", "one.json.png", "onetxt"])
def test_other_files_are_not(name):
    assert re.search(HOOKS["mendbench-secrets"]["files"], name) is None
