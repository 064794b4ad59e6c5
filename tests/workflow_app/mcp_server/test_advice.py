from __future__ import annotations

import json

import anyio
from mcp import Client

from mendbench.workflow_app.mcp_server import Serving, build_server
from mendbench.workflow_app.mcp_server.advice import Advice
from mendbench.workflow_app.mcp_server.tools import Result
from tests.fakes.loopback import greeting, issue, loopback
from tests.fakes.tables import for_each

GOOD = Result(text="{}", failed=False)


def failed(error):
    return Result(text=json.dumps({"success": False, "error": error}), failed=True, error=error)


def advised(*said):
    advice = Advice()
    return [advice.after(one, "run_workflow") for one in said]


def test_the_third_error_of_a_kind_in_a_row_brings_the_advice_and_so_does_every_further_one():
    first, second, *rest = advised(*[failed("Permission denied")] * 4)
    assert (first, second) == (None, None)
    for one in rest:
        document = json.loads(one)
        assert document["stop_retrying"] is True
        assert "(permissions)" in document["suggestion"]


@for_each("between", [failed("out of memory"), GOOD])
def test_an_error_of_another_kind_and_a_run_that_succeeds_start_over(between):
    same = failed("Permission denied")
    assert advised(same, same, between, same, same) == [None] * 5


def test_only_the_error_decides_and_not_the_rest_of_the_document():
    noisy = [
        Result(text='{"display": "window"}', failed=True, error=words)
        for words in ("HTTP 422", "disk full", "HTTP 404")
    ]
    assert advised(*noisy) == [None] * 3


def test_an_error_without_a_message_counts_by_its_text():
    assert advised(*[Result(text="access denied", failed=True)] * 3)[2] is not None


def test_the_advice_stands_beside_the_result_and_changes_nothing_in_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results = []

    async def talk(base):
        broken = {"workflow": greeting(base, {"text": "x"}), "inputs": {"key": "k"}}
        mended = {"workflow": greeting(base, {"title": "x"}), "inputs": {"key": "k"}}
        async with Client(build_server(Serving())) as client:
            for arguments in (broken, broken, broken, mended, broken):
                results.append(await client.call_tool("run_workflow", arguments))
                await client.call_tool("validate_workflow", {"workflow": mended["workflow"]})

    with loopback({"GET /user": lambda _body: (200, {"name": "ada"}), "POST /issues": issue}) as base:
        anyio.run(talk, base)
    assert [len(result.content) for result in results] == [1, 1, 2, 1, 1]
    first, third = (json.loads(results[at].content[0].text) for at in (0, 2))
    assert first.keys() == third.keys()
    assert first["errors"][0]["status_code"] == third["errors"][0]["status_code"] == 422
    assert results[2].is_error
    assert results[2].structured_content is None
    advice = json.loads(results[2].content[1].text)
    assert advice["stop_retrying"] is True
    assert "- Error: HTTP 422" in advice["suggestion"]
