from __future__ import annotations

import json

import pytest

from mendbench.workflow_app.mcp_server import Serving
from mendbench.workflow_app.mcp_server.tools import inspect_trace, inspect_workflow, run_workflow, validate_workflow
from tests.fakes.engine import chain, http
from tests.fakes.loopback import greeting, issue, loopback


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(workflow, serving=None, **options):
    given = {"inputs": {"key": "k"}, "auto_repair": False, "request": None, "chosen": {}, **options}
    return run_workflow(serving or Serving(), workflow, **given)


@pytest.fixture
def base():
    with loopback({"GET /user": lambda _body: (200, {"name": "ada"}), "POST /issues": issue}) as url:
        yield url


def test_a_workflow_is_run_and_repaired(base):
    result = run(greeting(base, {"title": "${fetch.response.nam}"}), auto_repair=True, chosen={"repairer": "rules"})
    assert not result.failed
    assert json.loads(result.text)["repaired"] is True


def test_a_failed_run_is_a_failed_call_with_the_whole_structure(base):
    result = run(greeting(base, {"text": "x"}))
    assert result.failed
    assert json.loads(result.text)["errors"][0]["status_code"] == 422


@pytest.mark.parametrize(
    ("what", "node", "key"),
    [("errors", None, "errors"), ("errors", "greet", "errors"), ("error", "greet", "raw_response"),
     ("node", "fetch", "exchanges"), ("io", "greet", "exchanges"), ("diff", "greet", "fields")],
)  # fmt: skip
def test_a_trace_is_looked_into(base, what, node, key):
    run(greeting(base, {"text": "x"}))
    result = inspect_trace(Serving(), what, node, None)
    assert not result.failed
    assert json.loads(result.text)[key]


def test_what_cannot_be_used_is_an_answer_in_one_line():
    for result in (
        run("none.json"),
        validate_workflow("none.json", {}),
        inspect_trace(Serving(), "errors", None, None),
        inspect_trace(Serving(), "node", None, "none.json"),
        run({"nodes": []}, chosen={"policy": "nope"}),
    ):
        assert result.failed
        assert "\n" not in json.loads(result.text)["error"]


def test_a_workflow_may_come_as_json_text(base):
    text = json.dumps(greeting(base, {"text": "x"}))
    responses = [json.loads(run(workflow).text) for workflow in (text, json.loads(text))]
    assert responses[0]["execution"]["nodes_total"] == responses[1]["execution"]["nodes_total"] == 2
    assert not inspect_workflow(f"\n{text}").failed


def test_broken_json_text_is_reported_with_its_place_and_not_taken_for_a_file():
    result = validate_workflow('{"nodes": [redis://:top-secret-word@a.test]}', {})
    assert json.loads(result.text)["error"].startswith("workflow:1:12: no JSON")
    assert "top-secret-word" not in result.text


def test_a_view_of_a_node_needs_its_name(base):
    run(greeting(base, {"text": "x"}))
    assert "name one of: fetch, greet" in inspect_trace(Serving(), "node", None, None).text


def test_an_agent_cannot_allow_shell_commands_and_the_operator_can():
    document = chain({"id": "list", "type": "shell", "params": {"command": "ls"}})
    assert "--allow-shell" in json.loads(run(document, inputs={}).text)["error"]


def test_a_secret_is_the_operators_and_an_agent_cannot_give_it_again(monkeypatch):
    monkeypatch.setenv("THE_KEY", "x")
    result = run(chain(http("a", "https://api.test/${key}")), Serving(secrets={"key": "THE_KEY"}))
    assert "given with --input too" in json.loads(result.text)["error"]


def test_a_workflow_is_validated():
    good, bad = (chain(http("a", url)) for url in ("https://api.test", "${b.c}"))
    assert not validate_workflow(good, {}).failed
    assert json.loads(validate_workflow(bad, {}).text)["problems"][0]["node_id"] == "a"
    assert validate_workflow(bad, {}).failed
