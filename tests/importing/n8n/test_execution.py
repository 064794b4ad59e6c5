"""Whole executions of n8n: what was sent and received, the workflow that comes of it, and an import from end to end."""

import json

import pytest

from mendbench.errors import BadInput
from mendbench.importing.drafting import Wish
from mendbench.importing.interface import json_file
from mendbench.importing.making import import_case
from mendbench.importing.n8n.execution import is_n8n_execution, read_n8n_execution
from tests.importing.n8n.executions import (
    BELL,
    HOST,
    STRIKE,
    TEXT,
    WEBHOOK,
    bells,
    execution,
    flatted,
    node,
    ran,
    refused,
    wired,
)


def written(tmp_path, document):
    path = tmp_path / "execution.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def read(tmp_path, document):
    return read_n8n_execution(written(tmp_path, document))


def sent(found):
    return found.request.method, found.request.url, json.loads(found.request.body or b"null")


def whys(source):
    return {one.what: one.why for one in source.dropped}


def test_an_execution_gives_its_exchanges_its_workflow_and_its_inputs(tmp_path):
    source = read(tmp_path, bells())
    assert [sent(found) for found in source.found] == [
        ("GET", f"{HOST}/bells/treble?full=yes", None),
        ("POST", f"{HOST}/strikes", {"bell": "b-1", "weight": 312, "by": "Ada"}),
    ]
    assert [(found.response.status, found.response.elapsed_ms) for found in source.found] == [(200, 40), (422, 40)]
    assert json.loads(source.found[0].response.body) == {"mark": "b-1", "kilos": 312}
    assert source.found[1].response.body == TEXT.encode()
    assert [one["params"] for one in source.workflow["nodes"]] == [
        {"url": HOST + "/bells/${bell_name}", "method": "GET", "params": {"full": "yes"}},
        {
            "url": f"{HOST}/strikes",
            "method": "POST",
            "body": {"bell": "${get-bell.response.mark}", "weight": "${get-bell.response.kilos}", "by": "${name}"},
        },
    ]
    assert source.workflow["edges"] == [{"from": "get-bell", "to": "strike"}]
    assert source.inputs == {"bell_name": "treble", "name": "Ada"}
    assert {name: spec["type"] for name, spec in source.workflow["inputs"].items()} == {
        "bell_name": "string",
        "name": "string",
    }
    assert source.said == {"strike": "Your request is invalid"}
    assert list(whys(source)) == ["node Webhook (n8n-nodes-base.webhook)"]


def test_every_form_of_the_file_reads_the_same(tmp_path):
    whole = bells()
    expected = read(tmp_path, whole)
    for form in (
        {**whole, "data": flatted(whole["data"])},
        {"data": whole},
        [whole],
        {"data": [{**whole, "data": flatted(whole["data"])}]},
    ):
        path = written(tmp_path, form)
        assert is_n8n_execution(json_file(path))
        assert read_n8n_execution(path) == expected
    assert not is_n8n_execution({"log": {"entries": []}})
    assert not is_n8n_execution({"data": {"user": 1}})


def test_an_import_of_an_execution_replays_and_fails_where_n8n_failed(tmp_path):
    wish = Wish(case="http/stroke-no-number", source=read(tmp_path, bells()), provenance="live")
    imported = import_case(wish, tmp_path / "cases", tmp_path / "cassettes")
    assert imported.kept == ("runData['Get bell'][0] item 0", "runData['Strike'][0] item 0")
    assert not [note for note in imported.notes if "replay" in note or "no response" in note]
    text = (tmp_path / "cases/http/stroke-no-number/case.yaml").read_text("utf-8")
    assert "# Seen at strike: HTTP 422; Your request is invalid" in text


def test_a_request_stored_with_an_error_states_what_javascript_made(tmp_path):
    document = bells()
    strike = {
        **STRIKE,
        "parameters": {
            **STRIKE["parameters"],
            "url": f"={HOST}/{{{{ $json.mark.toUpperCase() }}}}",
            "jsonBody": "={{ {bell: $json.mark} }}",
        },
    }
    document["workflowData"]["nodes"][2] = strike
    unknown = read(tmp_path, document)
    assert whys(unknown)["runData['Strike'][0] item 0"].startswith("its request is not known: the expression")
    assert unknown.workflow["nodes"][1]["params"]["url"] == strike["parameters"]["url"]

    stored = {
        "uri": f"{HOST}/B-1",
        "method": "POST",
        "headers": {"authorization": "**hidden**"},
        "body": {"bell": "b-1"},
    }
    document["data"]["resultData"]["runData"]["Strike"] = [
        ran(before="Get bell", index=2, error=refused(context={"itemIndex": 0, "request": stored}))
    ]
    known = read(tmp_path, document)
    assert sent(known.found[1]) == ("POST", f"{HOST}/B-1", {"bell": "b-1"})
    assert known.workflow["nodes"][1]["params"] == {"url": f"{HOST}/B-1", "method": "POST", "body": {"bell": "b-1"}}
    assert "the value that was sent stands for it" in whys(known)[f"Strike.url {strike['parameters']['url']}"]

    hidden = {**stored, "uri": f"{HOST}/**hidden**"}
    document["data"]["resultData"]["runData"]["Strike"][0]["error"]["context"]["request"] = hidden
    assert len(read(tmp_path, document).found) == 1


def test_a_field_that_is_missing_stays_a_template_because_it_is_the_fault(tmp_path):
    document = bells()
    document["data"]["resultData"]["runData"]["Get bell"] = [ran({"kilos": 312}, before="Webhook", index=1)]
    fields = {"parameters": [{"name": "bell", "value": "={{ $json.mark }}"}, {"name": "by.who", "value": "=Ada"}]}
    document["workflowData"]["nodes"][2] = node(
        "Strike", {"method": "POST", "url": f"{HOST}/strikes", "sendBody": True, "bodyParameters": fields}
    )
    stored = {"uri": f"{HOST}/strikes", "method": "POST", "body": {"by": {"who": "Ada"}}}
    document["data"]["resultData"]["runData"]["Strike"] = [
        ran(before="Get bell", index=2, error=refused(context={"request": stored}))
    ]
    source = read(tmp_path, document)
    assert sent(source.found[1])[2] == {"by": {"who": "Ada"}}
    assert source.workflow["nodes"][1]["params"]["body"] == {"bell": "${get-bell.response.mark}", "by": {"who": "Ada"}}
    assert "n8n left it out" in whys(source)["Strike.body.bell ={{ $json.mark }}"]


def test_a_template_that_would_send_another_value_gives_way_to_the_value(tmp_path):
    document = bells()
    document["workflowData"]["nodes"][2]["parameters"] = {
        **STRIKE["parameters"],
        "jsonBody": '={"weight": "{{ $json.kilos }}"}',
    }
    source = read(tmp_path, document)
    assert sent(source.found[1])[2] == source.workflow["nodes"][1]["params"]["body"] == {"weight": "312"}
    assert [why for why in whys(source).values() if "would give another value" in why]


def test_the_workflow_goes_on_behind_the_failure_and_names_what_it_lacks(tmp_path):
    document = bells()
    after = node(
        "Log it",
        {
            "url": HOST + "/log",
            "sendQuery": True,
            "queryParameters": {"parameters": [{"name": "strike", "value": "={{ $json.id }}"}]},
        },
    )
    others = [
        node("If", kind="if"),
        node("Code", kind="code"),
        node("Old", version=2),
        node("Off", disabled=True),
        node("Note", kind="stickyNote"),
        node("Apart"),
    ]
    document["workflowData"]["nodes"] += [after, *others]
    document["workflowData"]["connections"] = {
        **wired("Webhook", "Get bell", "If", "Strike", "Code", "Log it"),
        **wired("If", "Strike"),
    }
    document["workflowData"]["nodes"][2]["parameters"]["url"] = f"={HOST}/{{{{ $('If').item.json.mark }}}}"
    runs = document["data"]["resultData"]["runData"]
    runs["If"] = [ran({"mark": "b-1", "kilos": 312}, before="Get bell", index=2)]
    runs["Strike"][0] |= {"source": [{"previousNode": "If"}], "executionIndex": 3}
    source = read(tmp_path, document)
    assert [one["id"] for one in source.workflow["nodes"]] == ["get-bell", "strike", "log-it"]
    assert source.workflow["nodes"][1]["params"]["body"]["bell"] == "${get-bell.response.mark}"
    assert source.workflow["nodes"][1]["params"]["url"] == HOST + "/${get-bell.response.mark}"
    assert source.workflow["nodes"][2]["params"]["params"] == {"strike": "={{ $json.id }}"}
    reasons = whys(source)
    assert "only passes items on" in reasons["node If (n8n-nodes-base.if)"]
    assert reasons["node Code (n8n-nodes-base.code)"] == "mendbench has no node of this type"
    assert "version 2" in reasons["node Old (n8n-nodes-base.httpRequest)"]
    assert reasons["node Off (n8n-nodes-base.httpRequest)"] == "it is disabled"
    assert reasons["node Apart (n8n-nodes-base.httpRequest)"] == "it did not run"
    assert "the node did not run" in reasons["Log it.params.strike ={{ $json.id }}"]
    assert not [what for what in reasons if "Note" in what]


def test_a_list_becomes_items_and_the_workflow_takes_the_first(tmp_path):
    document = bells()
    runs = document["data"]["resultData"]["runData"]
    items = [{"json": {"mark": mark, "kilos": 312}, "pairedItem": {"item": 0}} for mark in ("b-1", "b-2")]
    runs["Get bell"] = [ran(*items, before="Webhook", index=1)]
    struck = [{"json": {"id": at}, "pairedItem": {"item": at}} for at in (0, 1)]
    runs["Strike"] = [ran(*struck, before="Get bell", index=2)]
    source = read(tmp_path, document)
    assert json.loads(source.found[0].response.body) == [item["json"] for item in items]
    assert [sent(found)[2]["bell"] for found in source.found[1:]] == ["b-1", "b-2"]
    assert [json.loads(found.response.body) for found in source.found[1:]] == [{"id": 0}, {"id": 1}]
    assert source.workflow["nodes"][1]["params"]["body"]["bell"] == "${get-bell.response[0].mark}"
    assert "it ran for several items" in whys(source)["node Strike (n8n-nodes-base.httpRequest)"]


def test_pinned_output_was_never_sent(tmp_path):
    document = bells()
    document["data"]["resultData"]["pinData"] = {"Get bell": []}
    source = read(tmp_path, document)
    assert [found.request.url for found in source.found] == [f"{HOST}/strikes"]
    assert "pinned" in whys(source)["node Get bell (n8n-nodes-base.httpRequest)"]


def test_what_cannot_be_imported_is_refused_in_one_line(tmp_path):
    whole = bells()
    only = execution([WEBHOOK, BELL], {"Webhook": [ran({})], "Get bell": [ran({"mark": 1}, before="Webhook")]})
    for document, said in (
        ({**whole, "data": '[{"resultData":"9"}]'}, "data: no flatted JSON (index 9"),
        ({**whole, "data": {"resultData": {}}}, "data.resultData.runData: no object"),
        ({"data": whole["data"]}, "workflowData.nodes: no nodes"),
        (
            only,
            "no exchange that can be imported (runData['Get bell'][0] item 0: its request is not known: it names nothing",
        ),
        (execution([WEBHOOK], {"Webhook": [ran({})]}), "no run of an HTTP Request node"),
    ):
        with pytest.raises(BadInput) as caught:
            read(tmp_path, document)
        assert said in str(caught.value), said


def test_a_form_keeps_a_template_only_if_its_value_needs_no_encoding(tmp_path):
    document = bells()
    runs = document["data"]["resultData"]["runData"]
    fields = {
        "parameters": [{"name": "mark", "value": "={{ $json.mark }}"}, {"name": "words", "value": "={{ $json.words }}"}]
    }
    form = {
        "method": "POST",
        "url": f"{HOST}/strikes",
        "sendBody": True,
        "contentType": "form-urlencoded",
        "bodyParameters": fields,
    }
    document["workflowData"]["nodes"][2] = node("Strike", form)
    runs["Get bell"] = [ran({"mark": "b-1", "words": "ding & dong"}, before="Webhook", index=1)]
    source = read(tmp_path, document)
    assert source.found[1].request.body == b"mark=b-1&words=ding+%26+dong"
    assert source.workflow["nodes"][1]["params"]["body"] == "mark=${get-bell.response.mark}&words=ding+%26+dong"
    assert "needs encoding" in whys(source)["Strike.form.words ={{ $json.words }}"]
