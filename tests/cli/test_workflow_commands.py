"""The workflow commands through the entry point, against a server on this machine."""

from __future__ import annotations

import json
import re
import secrets
import sys
from dataclasses import dataclass

import pytest

from mendbench.cli.explorer import explore
from mendbench.cli.main import main
from mendbench.runtime.trace_file import read_trace
from tests.fakes.loopback import greeting, issue, loopback


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def mendbench(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["mendbench", *map(str, words)])
        with pytest.raises(SystemExit) as left:
            main()
        result = capsys.readouterr()
        return Ended(int(left.value.code or 0), result.out, result.err)

    return run


@pytest.fixture
def base():
    responses = {"GET /user": lambda _body: (200, {"name": "ada"}), "POST /issues": issue}
    with loopback(responses) as url:
        yield url


@pytest.fixture
def saved(tmp_path, base):
    def save(body):
        path = tmp_path / "flow.json"
        path.write_text(json.dumps(greeting(base, body)))
        return path

    return save


def timeless(text):
    return re.sub(r"\d+\.\ds\b", "T", text)


def test_a_run_shows_a_line_for_every_node_and_its_outputs(mendbench, saved):
    ended = mendbench("workflow", "run", saved({"title": "${fetch.response.name}"}), "--input", "key=k")
    assert (ended.code, ended.err) == (0, "")
    assert timeless(ended.out).splitlines() == [
        "fetch... ✓ T",
        "greet... ✓ T",
        "",
        "Workflow succeeded: 2 completed (T)",
        "Outputs: {",
        '  "said": "ada"',
        "}",
    ]


def test_a_failed_run_shows_every_failure_with_what_helps(mendbench, saved):
    ended = mendbench("workflow", "run", saved({"title": "${fetch.response.nam}"}), "--input", "key=k", "--no-repair")
    assert ended.code == 1
    assert "1. [greet] Unresolved variables in parameter 'body.title': ${fetch.response.nam}" in ended.out
    for line in ("Category: template_error", "Fixable: yes", "Suggestion: ${fetch.response.name}"):
        assert f"   {line}\n" in ended.out
    assert timeless(ended.out).splitlines()[-2:] == [
        "Workflow failed: 1 completed, 1 failed, 1 failure (T)",
        "All about it: mendbench errors show greet",
    ]


def test_a_stopping_warning_is_reported_as_one_and_is_no_success(mendbench, saved):
    ended = mendbench("workflow", "run", saved({"title": "gone"}), "--input", "key=k")
    assert ended.code == 1
    assert "greet... ⚠️ API error: channel_not_found T\n" in timeless(ended.out)
    assert "   Fixable: no\n" in ended.out
    assert "Workflow was stopped by a warning: 1 completed, 1 warning, 1 failure" in ended.out


def test_json_is_the_agent_error_format_and_nothing_else(mendbench, saved):
    ended = mendbench("workflow", "run", saved({"text": "x"}), "--input", "key=k", "--output-format", "json")
    assert (ended.code, ended.err) == (1, "")
    assert {"success", "status", "error", "errors", "checkpoint", "execution", "metrics", "repaired"} <= set(ended.json)
    (error,) = ended.json["errors"]
    assert (error["category"], error["status_code"], error["node_id"]) == ("api_validation", 422, "greet")
    assert error["raw_response"]["errors"][0]["field"] == "title"
    assert [step["status"] for step in ended.json["execution"]["steps"]] == ["completed", "failed"]


def test_validation_and_runtime_have_one_shape(mendbench, saved, tmp_path):
    runtime = mendbench("workflow", "run", saved({"text": "x"}), "--input", "key=k", "--output-format", "json")
    (tmp_path / "bad.json").write_text('{"nodes": [{"id": "a", "type": "htp", "params": {}}]}')
    static = mendbench("workflow", "run", "bad.json", "--output-format", "json")
    assert static.code == 1
    assert set(static.json) == set(runtime.json)
    core = {"source", "category", "message", "node_id", "fixable", "action"}
    assert core <= set(static.json["errors"][0]) & set(runtime.json["errors"][0])


def test_a_repair_is_asked_for_and_its_workflow_can_be_kept(mendbench, saved):
    flow = saved({"title": "${fetch.response.nam}"})
    ended = mendbench(
        "workflow", "run", flow, "--input", "key=k", "--auto-repair", "--repairer", "rules", "--save-repaired", "f.json"
    )
    assert ended.code == 0
    lines = timeless(ended.out).splitlines()
    assert lines[2:5] == ["asking for a repair...", "fetch... ↻ cached", "greet... ✓ T [repaired]"]
    assert "Repair: Fixed in 1 attempt" in lines
    assert mendbench("workflow", "run", "f.json", "--input", "key=k").code == 0


def test_a_secret_is_used_and_shown_nowhere(mendbench, saved, tmp_path, monkeypatch):
    secret = secrets.token_hex(16)
    monkeypatch.setenv("THE_KEY", secret)
    ended = mendbench("workflow", "run", saved({"text": "${key}"}), "--secret", "key=THE_KEY", "--trace", "t.json")
    assert ended.code == 1
    assert "All about it: mendbench errors show greet --trace t.json" in ended.out
    whole = ended.out + (tmp_path / "t.json").read_text()
    whole += mendbench("debug", "node-io", "--node", "greet", "--trace", "t.json").out
    assert secret not in whole
    assert "<secret:key>" in whole


def test_the_evidence_for_a_failure_is_shown(mendbench, saved):
    mendbench("workflow", "run", saved({"title": "gone"}), "--input", "key=k", "--detector", "weighted")
    shown = mendbench("errors", "show", "greet").out
    assert "confidence: 0.8" in shown
    assert "channel_not_found" in shown.split("evidence")[1]
    whole = mendbench("errors", "show", "greet", "--format", "json").json
    assert {"path", "found", "weight"} == set(whole["evidence"][0])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "none.json"), "none.json: no such file"),
        (("run", "flow.json", "--input", "key"), "--input: 'key'; write NAME=VALUE"),
        (("run", "flow.json", "--policy", "seeds"), "did you mean 'seed'"),
        (("run", "flow.json", "--secret", "key=NOT_SET_HERE"), "NOT_SET_HERE"),
        (("runn", "flow.json"), "did you mean 'run'"),
        (("validate", "none.json"), "none.json"),
        (("inspect", "none.json"), "none.json"),
        (("debug",), "last-trace.json"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(mendbench, saved, words, says):
    saved({"title": "x"})
    ended = mendbench("workflow", *words)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_validate_states_all_problems_and_notes(mendbench, tmp_path):
    (tmp_path / "bad.json").write_text(
        '{"nodes": [{"id": "a", "type": "htp", "params": {"url": "${b.x}"}}], "edges": [{"from": "a", "to": "c"}]}'
    )
    words = mendbench("workflow", "validate", "bad.json")
    assert (words.code, words.out.splitlines()[-1]) == (1, "3 errors")
    assert "[a] Unknown node type: 'htp'\n   At: /nodes/a/type\n   Suggestion: http\n" in words.out
    document = mendbench("workflow", "validate", "bad.json", "--format", "json")
    assert (document.code, len(document.json["problems"]), document.json["success"]) == (1, 3, False)


def test_validate_passes_a_workflow_that_can_run(mendbench, saved):
    flow = saved({"title": "x"})
    assert mendbench("workflow", "validate", flow).out == "The workflow can run\n"
    noted = mendbench("workflow", "validate", flow, "--input", "key=k", "--input", "kee=k")
    assert (noted.code, noted.out.splitlines()[-1]) == (0, "The workflow can run, 1 note")


def test_inspect_shows_nodes_edges_inputs_and_outputs(mendbench, saved, base):
    flow = saved({"title": "x"})
    assert mendbench("workflow", "inspect", flow).out.splitlines() == [
        "Nodes",
        "  fetch (http)",
        f'    url: "{base}/user"',
        '    auth_token: "${key}"',
        "  greet (http)",
        f'    url: "{base}/issues"',
        '    body: {"title": "x"}',
        "Edges",
        "  fetch → greet",
        "Inputs",
        "  key (string, required)",
        "Outputs",
        "  said = ${greet.response.title}",
    ]
    assert mendbench("workflow", "inspect", flow, "--format", "json").json["edges"][0]["from"] == "fetch"


class TestOfAFailedRun:
    @pytest.fixture(autouse=True)
    def _failed(self, mendbench, saved):
        assert mendbench("workflow", "run", saved({"title": "", "text": "hi"}), "--input", "key=k").code == 1

    def test_errors_are_listed(self, mendbench):
        assert mendbench("errors", "list").out.splitlines() == [
            "The run ended in error: 1 failure(s), 0 warning(s)",
            "1. [greet] HTTP 422",
            "   Category: api_validation; fixable: yes; open",
        ]
        assert mendbench("errors", "list", "--format", "json").json["errors"][0]["node_id"] == "greet"

    def test_an_error_is_shown_whole(self, mendbench):
        words = mendbench("errors", "show", "greet").out
        assert "status_code: 422\n" in words
        assert "mcp_error" not in words
        whole = mendbench("errors", "show", "greet", "--format", "json").json
        assert whole["request_sent"]["body"] == {"title": "", "text": "hi"}
        assert whole["problems"] == [{"field": "title", "problem": "missing", "says": "missing_field"}]

    def test_a_node_is_inspected_short_and_whole(self, mendbench):
        assert "exchanges" not in mendbench("node", "inspect", "fetch", "--format", "json").json
        whole = mendbench("node", "inspect", "fetch", "--full", "--format", "json").json
        assert whole["outputs"]["response"] == {"name": "ada"}
        assert whole["exchanges"][0]["response"]["status"] == 200
        assert "state: success\n" in mendbench("node", "inspect", "fetch").out

    def test_a_nodes_request_and_response_are_shown(self, mendbench, base):
        sent = mendbench("debug", "node-io", "--node", "greet", "--show-request").out
        assert f"> POST {base}/issues\n" in sent
        assert '>   "text": "hi"\n' in sent
        assert "\n<" not in sent
        came = mendbench("debug", "node-io", "--node", "greet", "--show-response").out
        assert "< status 422," in came
        assert "\n>" not in came
        both = mendbench("debug", "node-io", "--node", "greet", "--format", "json").json["exchanges"][0]
        assert set(both) == {"request", "response"}

    def test_the_errors_of_a_node_are_shown(self, mendbench):
        assert "message: HTTP 422\n" in mendbench("debug", "errors", "--node", "greet").out
        assert len(mendbench("debug", "errors", "--format", "json").json["errors"]) == 1

    def test_expected_stands_against_actual(self, mendbench):
        assert mendbench("debug", "validation-diff", "--node", "greet").out.splitlines() == [
            "greet: HTTP 422",
            "title (missing)",
            "  expected: present: missing_field",
            '  actual:   ""',
        ]
        (field,) = mendbench("debug", "validation-diff", "--node", "greet", "--format", "json").json["fields"]
        assert (field["field"], field["sent"], field["actual"]) == ("title", True, "")

    @pytest.mark.parametrize("words", [("errors", "show"), ("node", "inspect"), ("debug", "errors", "--node")])
    def test_an_unknown_node_is_answered_with_the_closest(self, mendbench, words):
        ended = mendbench(*words, "gret")
        assert (ended.code, ended.out) == (2, "")
        assert "did you mean 'greet'" in ended.err

    def test_exploring_needs_a_terminal(self, mendbench):
        ended = mendbench("workflow", "debug")
        assert (ended.code, ended.out) == (2, "")
        assert "standard input: not a terminal" in ended.err

    def test_exploring_answers_line_after_line(self, tmp_path, capsys):
        lines = iter(
            ["nodes", "io greet", "diff greet", "error", "full fetch", "node fetch", "wat", "errors", "help", ""]
        )
        prompts = []

        def read(prompt):
            prompts.append(prompt)
            return next(lines, "quit")

        assert explore(read_trace(tmp_path / ".mendbench" / "last-trace.json"), read) == 0
        out = capsys.readouterr().out
        assert len(prompts) == 11
        assert out.startswith("The run ended in error")
        for result in (
            "greet (http) error: HTTP 422\n", "< status 422", "title (missing)", "name one node: fetch, greet",
            "unknown word 'wat'", "state: success", "io NODE",
        ):  # fmt: skip
            assert result in out

    def test_exploring_ends_with_the_input(self, tmp_path):
        def closed(_prompt):
            raise EOFError

        assert explore(read_trace(tmp_path / ".mendbench" / "last-trace.json"), closed) == 0


def test_without_a_run_the_command_that_makes_one_is_said(mendbench):
    ended = mendbench("errors", "list")
    assert (ended.code, ended.out) == (2, "")
    assert "mendbench workflow run FILE" in ended.err
