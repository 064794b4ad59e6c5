"""Files to import are recognised by their content."""

import json

import pytest

from mendbench.errors import BadInput
from mendbench.importing.formats import read_source

EXCHANGE = {"request": {"method": "GET", "uri": "https://a.example/x", "body": None, "headers": {}}, "response": {
    "status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "{}"}}}  # fmt: skip
HAR = {"log": {"version": "1.2", "entries": [{
    "time": 1, "request": {"method": "GET", "url": "https://a.example/x", "headers": []},
    "response": {"status": 200, "headers": [], "content": {"text": "{}"}}}]}}  # fmt: skip
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "find", "arguments": {"q": "x"}}}
RESULT = {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}
SPAN = {
    "traceId": "a" * 32, "spanId": "b" * 16, "name": "GET", "kind": 3, "startTimeUnixNano": "1", "endTimeUnixNano": "2",
    "attributes": [
        {"key": "http.request.method", "value": {"stringValue": "GET"}},
        {"key": "url.full", "value": {"stringValue": "https://a.example/x"}},
        {"key": "http.response.status_code", "value": {"intValue": "204"}},
    ],
}  # fmt: skip
TRANSCRIPT = "$ curl -i https://a.example/x\nHTTP/1.1 200 OK\ncontent-type: application/json\n\n{}\n"
FILES = {
    "HAR file": json.dumps(HAR),
    "vcrpy cassette": json.dumps({"version": 1, "interactions": [EXCHANGE]}),
    "MCP log": f"{json.dumps(CALL)}\n{json.dumps(RESULT)}\n",
    "OpenTelemetry trace": json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]}),
    "transcript": TRANSCRIPT,
}


@pytest.mark.parametrize("kind", FILES)
def test_the_content_determines_the_format_whatever_the_name(tmp_path, kind):
    path = tmp_path / "last-night.log"
    path.write_text(FILES[kind], "utf-8")
    source = read_source(path)
    assert source.kind == kind
    assert len(source.found) == 1


def test_a_cassette_in_yaml_and_a_log_with_words_before_each_message_are_recognised_too(tmp_path):
    path = tmp_path / "file"
    path.write_text("interactions:\n- request: {method: GET, uri: 'https://a.example/x', body: null, headers: {}}\n"
                    "  response: {status: {code: 200, message: OK}, headers: {}, body: {string: '{}'}}\nversion: 1\n", "utf-8")  # fmt: skip
    assert read_source(path).kind == "vcrpy cassette"
    path.write_text("".join(f"2030-01-01 [info] {json.dumps(message)}\n" for message in (CALL, RESULT)), "utf-8")
    assert read_source(path).kind == "MCP log"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"colour": "red"}', "JSON of no known format; name a trace"),
        ("[1, 2]", "JSON of no known format"),
        ('{"log": ', "Expecting value"),
        ("it failed last night", "no known format; name a trace"),
        ("", "no known format"),
    ],
)
def test_a_file_of_no_known_format_is_refused_with_those_that_there_are(tmp_path, text, found):
    path = tmp_path / "file"
    path.write_text(text, "utf-8")
    with pytest.raises(BadInput, match=found) as error:
        read_source(path)
    assert error.value.place.startswith(str(path))
