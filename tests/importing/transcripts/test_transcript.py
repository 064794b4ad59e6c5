"""Transcripts as people paste them: curl's output, raw messages, ``.http`` files, and whole imports."""

import json
import shutil
import subprocess

import pytest

from mendbench.cassettes import cassette
from mendbench.errors import BadInput
from mendbench.importing.drafting import Wish
from mendbench.importing.making import import_case
from mendbench.importing.transcripts.transcript import is_transcript, read_transcript
from tests.fakes.local_api import local_api

BASE = "https://desk.fjord.example"
VERBOSE = r"""vik@box:~$ curl -v https://desk.fjord.example/people/p-1
* Host desk.fjord.example:443 was resolved.
*   Trying 192.0.2.7:443...
* Connected to desk.fjord.example (192.0.2.7) port 443
* ALPN: curl offers h2,http/1.1
* [HTTP/2] [1] OPENED stream for https://desk.fjord.example/people/p-1
> GET /people/p-1 HTTP/2
> Host: desk.fjord.example
> Accept: */*
>
* Request completely sent off
< HTTP/2 200
< content-type: application/json
<
{"called": "Runa", "note": ""}* Connection #0 to host desk.fjord.example left intact
vik@box:~$ curl -v https://desk.fjord.example/notes \
  -H 'Content-Type: application/json' \
  -H 'Authorization: Bearer hush-hush-1234' \
  -d '{"text": ""}'
* Re-using existing connection with host desk.fjord.example
> POST /notes HTTP/2
> Host: desk.fjord.example
> Content-Type: application/json
> Content-Length: 12
> Authorization: Bearer hush-hush-1234
>
} [12 bytes data]
< HTTP/2 422
< content-type: application/json
< content-length: 30
<
{ [30 bytes data]
* Connection #0 to host desk.fjord.example left intact
{"detail": "text is required"}vik@box:~$
"""
NODES = [
    {"id": "person", "type": "http", "params": {"url": f"{BASE}/people/p-1"}},
    {"id": "note", "type": "http", "params": {"method": "POST", "url": f"{BASE}/notes", "body": {"text": "${person.response.note}"}}},
]  # fmt: skip


def read(tmp_path, text):
    path = tmp_path / "paste.txt"
    path.write_text(text, encoding="utf-8")
    assert is_transcript(text)
    return read_transcript(path)


def exchanges(source):
    return [
        (one.request.method, one.request.url, one.request.body.decode(), one.response and (one.response.fault or one.response.status, one.response.body.decode()))
        for one in source.found
    ]  # fmt: skip


def test_a_pasted_terminal_becomes_a_case(tmp_path):
    workflow = {"ir_version": "0.1.0", "nodes": NODES, "edges": [{"from": "person", "to": "note"}]}
    wish = Wish(case="http/empty-note", source=read(tmp_path, VERBOSE), workflow=workflow, provenance="live")
    (tmp_path / "paste.txt").unlink()
    done = import_case(wish, tmp_path / "cases", tmp_path / "cassettes")
    entries = cassette.load(tmp_path / "cassettes/http/empty-note/world.yaml")
    assert done.kept == ("line 7", "line 21")
    assert [(one.request.method, one.response.status) for one in entries] == [("GET", 200), ("POST", 422)]
    assert not any("does not replay" in note for note in done.notes)
    assert not any("hush-hush" in path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
@pytest.mark.parametrize("options", [["-v"], ["-sv"], ["-si"], ["-sv", "-i"]])
def test_what_curl_itself_prints_is_read(tmp_path, options):
    with local_api() as base:
        commands = [
            ["curl", *options, f"{base}/people/p-1"],
            ["curl", *options, "--json", '{"text": ""}', f"{base}/notes"],
        ]
        printed = [
            f"$ {' '.join(command[:-1])} '{command[-1]}'\n".replace('{"text": ""}', "'{\"text\": \"\"}'")
            + subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout + "\n"
            for command in commands
        ]  # fmt: skip
    person, note = exchanges(read(tmp_path, "".join(printed)))
    assert (person[:3], json.loads(person[3][1])) == (
        ("GET", f"{base}/people/p-1", ""),
        {"id": "p-1", "called": "Runa"},
    )
    assert (note[:3], note[3][0]) == (("POST", f"{base}/notes", '{"text": ""}'), 422)


def test_raw_messages_are_read_and_https_is_assumed(tmp_path):
    text = 'POST /notes?x=1 HTTP/1.1\r\nHost: desk.fjord.example\r\n\r\n{"text": ""}\r\n\r\nHTTP/1.1 422 Unprocessable Entity\r\nContent-Length: 3\r\n\r\nno!\r\n'
    assert exchanges(read(tmp_path, text)) == [("POST", f"{BASE}/notes?x=1", '{"text": ""}', (422, "no!"))]


def test_a_file_of_a_rest_client_is_read(tmp_path):
    text = """@base = https://desk.fjord.example
### a person
# with a comment
GET {{base}}/people
  ?of=desk
  &n=2
Accept: application/json

HTTP/1.1 200 OK
Content-Type: application/json

{
  "called": "Runa"
}

### gone
DELETE https://desk.fjord.example/notes/{{id}}

HTTP/1.1 204 No Content
### never answered
POST https://desk.fjord.example/notes

{"text": ""}
### from a file
POST https://desk.fjord.example/notes

< ./note.json

HTTP/1.1 201 Created
"""
    source = read(tmp_path, text)
    assert exchanges(source) == [("GET", f"{BASE}/people?of=desk&n=2", "", (200, '{\n  "called": "Runa"\n}'))]
    assert [one.why for one in source.dropped] == [
        "its URL has a variable without a value",
        "no response follows",
        "its body or its response is in another file",
    ]


def test_the_errors_of_curl_are_faults(tmp_path):
    faults = {6: "dns", 7: "refused", 18: "truncated", 28: "timeout", 35: "tls", 52: "reset", 56: "reset", 60: "tls"}
    text = "".join(f"$ curl -d a=1 {BASE}/{code}\ncurl: ({code}) some words\n" for code in faults)
    assert exchanges(read(tmp_path, text)) == [
        ("POST", f"{BASE}/{code}", "a=1", (fault, "")) for code, fault in faults.items()
    ]
    source = read(tmp_path, VERBOSE + f"$ curl {BASE}/\ncurl: (3) URL rejected\n")
    assert "no fault of the network" in source.dropped[0].why


def test_what_arrived_before_a_fault_is_kept(tmp_path):
    text = f"$ curl -i {BASE}/big\nHTTP/1.1 200 OK\nContent-Length: 99\n\nhalf\ncurl: (18) transfer closed with 95 bytes remaining to read\n"
    assert exchanges(read(tmp_path, text)) == [("GET", f"{BASE}/big", "", ("truncated", "half"))]


def test_redirects_are_exchanges_and_interim_responses_are_none(tmp_path):
    text = f"""$ curl -siL --json '{{}}' {BASE}/old
HTTP/1.1 200 Connection established

HTTP/1.1 100 Continue

HTTP/1.1 303 See Other
Location: /new
Content-Length: 0

HTTP/1.1 407 Proxy Authentication Required

HTTP/1.1 200 OK

ok
"""
    assert exchanges(read(tmp_path, text)) == [
        ("POST", f"{BASE}/old", "{}", (303, "")),
        ("GET", f"{BASE}/new", "", (200, "ok")),
    ]


def test_the_scheme_is_what_the_notes_show(tmp_path):
    head = "> GET / HTTP/1.1\n> Host: a.example:8080\n>\n< HTTP/1.1 204 No Content\n<\n"
    table = [
        ("", "https"), ("* Connected to a.example (192.0.2.1) port 8080 (#0)\n", "http"),
        ("* Connected to a.example (192.0.2.1) port 8080\n* TLSv1.3 (OUT), TLS handshake, Client hello (1):\n", "https"),
        ("* Established connection to a.example (192.0.2.1 port 443) from 192.0.2.9 port 5\n", "https"),
    ]  # fmt: skip
    for notes, scheme in table:
        assert exchanges(read(tmp_path, notes + head))[0][1] == f"{scheme}://a.example:8080/"


def test_a_body_that_the_paste_cut_is_dropped_and_named_if_there_is_nothing_else(tmp_path):
    cut = "GET /a HTTP/1.1\nHost: a.example\n\nHTTP/1.1 200 OK\nContent-Length: 400\n\nsome words\n"
    with pytest.raises(BadInput, match=r"line 1 GET https://a.example/a: no exchange .* \(its response was cut"):
        read(tmp_path, cut)
    source = read(tmp_path, cut + "\n###\n" + VERBOSE)
    assert [one.what for one in source.dropped] == ["line 1 GET https://a.example/a"]
    without_length = 'GET /a HTTP/1.1\nHost: a.example\n\nHTTP/1.1 200 OK\n\n{"a": [1, 2\n'
    with pytest.raises(BadInput, match="its response was cut"):
        read(tmp_path, without_length)


def test_json_that_a_tool_laid_out_again_is_whole(tmp_path):
    text = 'GET /a HTTP/1.1\nHost: a.example\n\nHTTP/1.1 200 OK\nContent-Length: 7\n\n{\n    "a": 1\n}\n'
    assert exchanges(read(tmp_path, text))[0][3] == (200, '{\n    "a": 1\n}')


def test_a_body_with_a_known_length_may_look_like_anything(tmp_path):
    body = "### part\nHTTP/1.1 404 Not Found\n\n$ curl https://b.example"
    text = f"GET /a HTTP/1.1\nHost: a.example\n\nHTTP/1.1 200 OK\nContent-Length: {len(body)}\n\n{body}\n"
    assert exchanges(read(tmp_path, text)) == [("GET", "https://a.example/a", "", (200, body))]


def test_a_body_that_was_not_printed_is_not_there(tmp_path):
    shown = VERBOSE.replace('{"detail": "text is required"}', "")
    assert exchanges(read(tmp_path, shown))[1][3] is None
    with pytest.raises(BadInput, match="put the command line before it"):
        read(tmp_path, "> POST / HTTP/1.1\n> Host: a.example\n> Content-Length: 5\n>\n< HTTP/1.1 204 No Content\n<\n")
    with pytest.raises(BadInput, match="another length than the one that was sent"):
        read(
            tmp_path,
            '$ curl -v a.example -d "$BODY"\n> POST / HTTP/1.1\n> Host: a.example\n> Content-Length: 50\n>\n< HTTP/1.1 204 No Content\n<\n',
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("$ curl -s https://a.example/\n{}\n", "no response with a status follows: add -v to curl"),
        ("HTTP/1.1 200 OK\n\nok\n", "no request belongs to it"),
        ("GET / HTTP/1.1\n\nHTTP/1.1 200 OK\n", "it has no Host header"),
        ("$ curl -i -F a=@b https://a.example/\nHTTP/1.1 200 OK\n\nok\n", "multipart"),
        ("hello\n", "no request and no response"),
    ],
)
def test_what_holds_no_exchange_is_named(tmp_path, text, said):
    path = tmp_path / "paste.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_transcript(path)


def test_other_texts_are_no_transcripts():
    for text in ("", "hello", '{"log": "HTTP/1.1 200 OK"}', '[\n"> GET / HTTP/1.1"]', "interactions: []\nversion: 1\n"):
        assert not is_transcript(text)
