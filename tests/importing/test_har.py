import base64
import json
import os

import pytest

from mendbench.errors import BadInput
from mendbench.importing import har
from mendbench.importing.har import read_har
from mendbench.io.reading import MEGABYTE


def entry(sent=None, came=None, **more):
    request = {"method": "GET", "url": "https://tides.example/now", "headers": [], **(sent or {})}
    response = {
        "status": 200,
        "headers": [],
        "content": {"size": 2, "mimeType": "text/plain", "text": "ok"},
        **(came or {}),
    }
    return {"time": 12.6, "request": request, "response": response, **more}


def read(tmp_path, *entries, version="1.2"):
    path = tmp_path / "a.har"
    path.write_text(json.dumps({"log": {"version": version, "entries": entries}}), encoding="utf-8")
    return read_har(path)


def test_a_body_in_base64_is_decoded_and_the_transfer_forgotten(tmp_path):
    content = {
        "size": 3,
        "mimeType": "image/png",
        "encoding": "base64",
        "text": base64.b64encode(b"\x00\xff\x01").decode(),
    }
    (found,) = read(
        tmp_path, entry(came={"content": content, "headers": [{"name": "Content-Encoding", "value": "gzip"}]})
    ).found
    assert found.response.body == b"\x00\xff\x01"
    assert found.response.headers == (("content-type", "image/png"),)
    assert found.response.elapsed_ms == 13


def test_a_query_that_stands_apart_is_put_back_and_never_twice(tmp_path):
    pairs = [{"name": "at", "value": "Bo & Vik"}]
    apart, within = read(
        tmp_path,
        entry({"queryString": pairs}),
        entry({"url": "https://tides.example/now?at=Bo", "queryString": pairs}),
    ).found
    assert apart.request.url == "https://tides.example/now?at=Bo+%26+Vik"
    assert within.request.url == "https://tides.example/now?at=Bo"


def test_the_fields_of_a_form_become_its_body(tmp_path):
    data = {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "who", "value": "Åse"}, {"name": "n"}]}
    (found,) = read(tmp_path, entry({"method": "post", "postData": data})).found
    assert (found.request.method, found.request.body) == ("POST", b"who=%C3%85se&n=")


def test_a_request_that_the_file_does_not_hold_is_dropped_with_a_reason(tmp_path):
    multipart = {"mimeType": "multipart/form-data; boundary=x", "params": [{"name": "file"}]}
    source = read(tmp_path, entry({"postData": multipart}), entry(), entry({"url": "data:text/plain,hi"}))
    assert [one.place for one in source.found] == ["entries[1]"]
    assert [one.why for one in source.dropped] == ["the file does not hold the body that it sent", "no HTTP request"]


@pytest.mark.parametrize(
    "came",
    [
        {"content": {"size": 90, "mimeType": "text/html"}},
        {"content": {"size": 90, "text": ""}},
        {"content": {"size": -1, "mimeType": "x-unknown"}},
        {"content": {}},
        {"content": {"mimeType": "text/html"}, "headers": [{"name": "Content-Length", "value": "90"}]},
        {"content": {"size": 3, "encoding": "base64", "text": "x"}},
    ],
)
def test_a_response_whose_body_the_file_does_not_hold_is_kept_without_an_answer(tmp_path, came):
    (found,) = read(tmp_path, entry(came=came)).found
    assert found.response is None


@pytest.mark.parametrize(
    ("sent", "came"),
    [
        ({}, {"content": {"size": 0}}),
        ({}, {"content": {"text": ""}}),
        ({}, {"content": {}, "status": 204}),
        ({}, {"content": {"size": 90}, "status": 304}),
        ({"method": "HEAD"}, {"content": {"size": 90}}),
        ({}, {"content": {}, "bodySize": 0}),
        ({}, {"content": {}, "headers": [{"name": "content-length", "value": "0"}]}),
    ],
)
def test_a_response_that_had_no_body_has_an_empty_one(tmp_path, sent, came):
    (found,) = read(tmp_path, entry(sent, came)).found
    assert found.response.body == b""


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([], r"a\.har: log\.entries: empty; export the HAR file of a run of the workflow"),
        (
            [entry({"url": "data:text/plain,hi"})],
            r"log\.entries: no exchange that can be imported \(no HTTP request: entries\[0\] GET data:text/plain,hi\)",
        ),
    ],
)
def test_a_file_without_any_exchange_is_refused(tmp_path, entries, says):
    with pytest.raises(BadInput, match=says):
        read(tmp_path, *entries)


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        ("net::ERR_NAME_NOT_RESOLVED", "dns"),
        ("net::ERR_CONNECTION_REFUSED", "refused"),
        ("net::ERR_TIMED_OUT", "timeout"),
        ("", "reset"),
    ],
)
def test_an_answer_that_never_came_is_a_fault(tmp_path, error, fault):
    (found,) = read(tmp_path, entry(came={"status": 0, "_error": error})).found
    assert (found.response.status, found.response.fault) == (0, fault)


def test_pseudo_headers_of_http_2_are_no_headers(tmp_path):
    (found,) = read(
        tmp_path, entry({"headers": [{"name": ":authority", "value": "x"}, {"name": "Accept", "value": "*/*"}]})
    ).found
    assert found.request.headers == (("Accept", "*/*"),)


@pytest.mark.parametrize("broken", [{"request": {}}, "text", {"request": {"method": "GET", "url": 5}, "response": []}])
def test_an_entry_that_is_none_is_named(tmp_path, broken):
    with pytest.raises(BadInput, match=r"a\.har: log\.entries\[1\]: no entry"):
        read(tmp_path, entry(), broken)


def test_another_version_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"log\.version: version '3\.0'; export it as HAR 1\.2"):
        read(tmp_path, version="3.0")


def named(name):
    return entry(came={"content": {"size": 2, "mimeType": "text/plain", "_file": name}})


def test_a_body_in_a_file_beside_is_taken_to_the_byte_and_one_that_is_not_there_is_none(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"\xef\xbb\xbf\x00body")
    (tmp_path.parent / "outside.bin").write_bytes(b"outside")
    sent = entry({"method": "POST", "postData": {"_file": "a.bin"}})
    source = read(tmp_path, named("a.bin"), sent, named("gone.bin"), named("../outside.bin"), named("a\0"))
    answered, asked, *gone = source.found
    assert answered.response.body == asked.request.body == b"\xef\xbb\xbf\x00body"
    assert [one.response for one in gone] == [None] * 3


def _pipe(path):
    os.mkfifo(path)


def _link(path):
    path.with_name("private").write_text("of the machine", "utf-8")
    path.symlink_to("private")


@pytest.mark.parametrize(
    ("make", "says"),
    [(_pipe, "no regular file"), (_link, "a link, which is not followed here")],
    ids=["pipe", "link"],
)
@pytest.mark.parametrize("holder", [named("body"), entry({"postData": {"_file": "body"}})], ids=["answered", "sent"])
def test_what_stands_beside_and_is_no_regular_file_is_no_body(tmp_path, make, says, holder):
    make(tmp_path / "body")
    with pytest.raises(BadInput, match=f"body: {says}; put the body itself there"):
        read(tmp_path, holder)


def test_bodies_beside_are_bounded_alone_and_together(tmp_path, monkeypatch):
    monkeypatch.setattr(har, "MAX_RECORDING", MEGABYTE)
    (tmp_path / "half").write_bytes(b"x" * (MEGABYTE // 2))
    assert len(read(tmp_path, named("half"), named("half")).found) == 2
    with pytest.raises(BadInput, match=r"half: more than 1 MB with the other bodies beside the HAR file; export fewer"):
        read(tmp_path, *[named("half")] * 3)
    (tmp_path / "large").write_bytes(b"x" * (MEGABYTE + 1))
    with pytest.raises(BadInput, match="large: larger than 1 MB"):
        read(tmp_path, named("large"))
