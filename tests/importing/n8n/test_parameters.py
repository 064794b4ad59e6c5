"""The HTTP Request node's parameters as a request of ours."""

import json

import pytest

from mendbench.importing.n8n import document
from mendbench.importing.n8n.document import execution_of, unflatted
from mendbench.importing.n8n.expressions import NotSimple
from mendbench.importing.n8n.requests import SentValues, request_sent
from tests.importing.n8n.executions import HOST, WEBHOOK, execution, flatted, node, ran

GIVEN = {"who": "Å da", "n": 3, "half": 0.5, "on": True, "list": [{"id": "x"}], "odd key": 1}


def request(tmp_path, version=4.2, **parameters):
    asked = node("Ask", {"url": HOST, **parameters}, version=version)
    runs = {"Webhook": [ran(GIVEN)], "Ask": [ran({}, before="Webhook")]}
    read = execution_of(execution([WEBHOOK, asked], runs), tmp_path)
    return request_sent(SentValues(execution=read, name="Ask"))


def rows(**pairs):
    return {"parameters": [{"name": name, "value": value} for name, value in pairs.items()]}


def test_simple_expressions_are_resolved_in_every_spelling(tmp_path):
    for code, value in {
        "$json.n": "3",
        "$json['who']": "Å da",
        '$json["odd key"]': "1",
        "$json.list[0].id": "x",
        "$json?.list?.[0]?.id": "x",
        "$input.item.json.n": "3",
        "$input.first().json.half": "0.5",
        '$node["Webhook"].json["n"]': "3",
        "$node.Webhook.json.n": "3",
        "$('Webhook').item.json.n": "3",
        '$("Webhook").first().json.n': "3",
        "$('Webhook').all()[0].json.n": "3",
        '$items("Webhook")[0].json.n': "3",
    }.items():
        sent = request(tmp_path, sendHeaders=True, headerParameters=rows(x="=<{{ " + code + " }}>"))
        assert sent.header("x") == f"<{value}>", code


def test_every_other_expression_makes_the_request_unknown(tmp_path):
    for code in (
        "$json.n + 1",
        "$json.who.length",
        "$json.nowhere",
        "$now",
        "$json.list[4].id",
        "$json.on",
        "$('Nobody').item.json.n",
        "$jsonx.n",
    ):
        with pytest.raises(NotSimple) as caught:
            request(tmp_path, url="=" + HOST + "/{{ " + code + " }}")
        assert str(caught.value), code


def test_a_header_that_is_not_known_is_left_out_unless_it_says_what_the_body_is(tmp_path):
    token = rows(Authorization="=Bearer {{ $env.TOKEN }}", x="1")
    assert [
        name for name, _ in request(tmp_path, sendHeaders=True, headerParameters=token).headers if name != "User-Agent"
    ] == ["x"]
    with pytest.raises(NotSimple):
        request(tmp_path, sendHeaders=True, headerParameters=rows(**{"Content-Type": "={{ $env.KIND }}"}))


def test_the_body_is_built_as_each_version_builds_it(tmp_path):
    dotted = rows(**{"a.b": "1", "c": "={{ $json.n }}"})
    assert json.loads(request(tmp_path, method="POST", sendBody=True, bodyParameters=dotted).body) == {
        "a": {"b": "1"},
        "c": 3,
    }
    assert json.loads(request(tmp_path, 3, method="POST", sendBody=True, bodyParameters=dotted).body) == {
        "a.b": "1",
        "c": 3,
    }
    for text, body in {
        "={{ $json.list }}": [{"id": "x"}],
        '{"a": [1]}': {"a": [1]},
        '={"a": {{ $json.n }}}': {"a": 3},
    }.items():
        assert (
            json.loads(request(tmp_path, method="POST", sendBody=True, specifyBody="json", jsonBody=text).body) == body
        )


def test_a_form_a_raw_text_and_a_query_are_sent_as_such(tmp_path):
    form = request(
        tmp_path,
        method="POST",
        sendBody=True,
        contentType="form-urlencoded",
        bodyParameters=rows(who="={{ $json.who }}", n="={{ $json.n }}"),
    )
    assert (form.body, form.header("content-type")) == (b"who=%C3%85+da&n=3", "application/x-www-form-urlencoded")
    raw = request(tmp_path, method="PUT", sendBody=True, contentType="raw", rawContentType="text/csv", body="a;b")
    assert (raw.method, raw.body, raw.header("content-type")) == ("PUT", b"a;b", "text/csv")
    assert request(tmp_path, sendQuery=True, specifyQuery="json", jsonQuery='{"n": 1}').url == f"{HOST}?n=1"
    twice = {"parameters": [{"name": "id", "value": "1"}, {"name": "id", "value": "2"}]}
    assert request(tmp_path, sendQuery=True, queryParameters=twice).url == f"{HOST}?id=2"
    assert (
        request(tmp_path, 4.3, sendQuery=True, queryParameters=twice, options={"queryParameterArrays": "repeat"}).url
        == f"{HOST}?id=1&id=2"
    )


def test_what_our_node_cannot_send_is_not_sent_otherwise(tmp_path):
    twice = {"parameters": [{"name": "id", "value": "1"}, {"name": "id", "value": "2"}]}
    for version, parameters, said in (
        (
            4.2,
            {"options": {"pagination": {"pagination": {"paginationMode": "responseContainsNextURL"}}}},
            "several pages",
        ),
        (
            4.2,
            {"authentication": "genericCredentialType", "genericAuthType": "httpQueryAuth"},
            "credential is part of the URL",
        ),
        (4.2, {"method": "POST", "sendBody": True, "contentType": "multipart-form-data"}, "multipart-form-data"),
        (
            4.2,
            {"sendBody": True, "method": "POST", "specifyBody": "json", "jsonBody": "{broken"},
            "a parameter is no JSON",
        ),
        (4.3, {"sendQuery": True, "queryParameters": twice}, "a query parameter is a list"),
        (4.2, {"url": "ftp://bells"}, "must be an http:// or https:// URL"),
    ):
        with pytest.raises(NotSimple, match=said):
            request(tmp_path, version, **parameters)


def test_flatted_text_is_read_and_a_broken_one_is_refused(monkeypatch):
    monkeypatch.setattr(document, "MAX_RECORDING", 1_000_000)
    shared = {"s": "twice", "n": 1, "none": None}
    value = {"a": shared, "b": [shared, "twice", True]}
    assert unflatted(flatted(value)) == value
    assert unflatted('[{"me":"0","x":"1"},"y"]') == {"me": None, "x": "y"}
    doubling = json.dumps([[str(at + 1), str(at + 1)] for at in range(60)] + [[]])
    deep = json.dumps([[str(at + 1)] for at in range(5000)] + [[]])
    for text in ("{}", "[]", '[{"a":"7"}]', '[{"a":"x"}]', '[{"a":"-1"}]', "no", doubling, deep):
        with pytest.raises(ValueError):
            unflatted(text)
