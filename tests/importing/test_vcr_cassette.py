"""Against cassettes that the real vcrpy recorded, and those of its older releases."""

import gzip
import json
import urllib.error
import urllib.request
import zlib

import pytest
import vcr
import yaml

from mendbench.errors import BadInput
from mendbench.importing.vcr_cassette import read_cassette
from tests.fakes.local_api import local_api


@pytest.fixture(scope="module", params=["yaml", "json"])
def recorded(request, tmp_path_factory):
    """A cassette that vcrpy recorded of a real server, and the server's URL."""
    path = tmp_path_factory.mktemp("vcr") / f"tape.{request.param}"
    with local_api() as base, vcr.VCR(serializer=request.param).use_cassette(str(path)):
        urllib.request.urlopen(f"{base}/people/p-1?of=desk").read()
        sent = json.dumps({"text": "", "sign": "🌊"}).encode()
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(
                urllib.request.Request(f"{base}/notes", data=sent, headers={"Content-Type": "application/json"})
            )
    return path, base


def test_what_vcrpy_recorded_is_read(recorded):
    path, base = recorded
    first, second = read_cassette(path).found
    assert (first.request.method, first.request.url) == ("GET", f"{base}/people/p-1?of=desk")
    assert (first.response.status, json.loads(first.response.body)) == (200, {"id": "p-1", "called": "Runa"})
    assert (second.request.method, json.loads(second.request.body)) == ("POST", {"text": "", "sign": "🌊"})
    assert second.response.status == 422
    assert second.response.header("content-type") == "application/json"
    assert second.response.header("content-length") is None


def write(tmp_path, *responses, version=1):
    request = {"method": "GET", "uri": "https://a.example/", "headers": {"Accept": ["*/*"]}, "body": None}
    path = tmp_path / "tape.yaml"
    path.write_text(
        yaml.safe_dump(
            {"version": version, "interactions": [{"request": request, "response": one} for one in responses]}
        ),
        encoding="utf-8",
    )
    return path


def response(body, **headers):
    return {
        "status": {"code": 200, "message": "OK"},
        "headers": {k.replace("_", "-"): [v] for k, v in headers.items()},
        "body": body,
    }


@pytest.mark.parametrize(
    "one",
    [
        response({"string": "said"}),
        response({"string": b"said"}),
        response({"base64_string": "c2FpZA=="}),
        response({"string": gzip.compress(b"said")}, content_encoding="gzip"),
        response({"string": "said"}, content_encoding="gzip"),
        response({"string": zlib.compress(b"said")}, content_encoding="deflate"),
        response({"string": "said"}, content_encoding="br"),
        {"status_code": 200, "http_version": "HTTP/1.1", "headers": {"x": "y"}, "content": "said"},
    ],
)
def test_a_body_is_read_however_it_stands_there(tmp_path, one):
    (found,) = read_cassette(write(tmp_path, one)).found
    assert (found.response.status, found.response.body) == (200, b"said")


def test_a_body_that_cannot_be_unpacked_is_dropped_with_a_reason(tmp_path):
    source = read_cassette(write(tmp_path, response({"string": b"\x8b\xff\x00"}, content_encoding="br")))
    assert source.found == ()
    assert source.dropped[0].why == "its response is compressed in a way that cannot be read here"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("interactions: 5\n", "no cassette: interactions is missing or no list"),
        ("version: 2\ninteractions: []\n", "version 2"),
        ("version: 1\ninteractions: [{request: {}}]\n", r"interactions\[0\]: no interaction"),
        ("version: 1\ninteractions: [!!python/object:os.system {}]\n", "tape.yaml:2"),
        ("{", "cannot be read|no JSON"),
    ],
)
def test_what_is_no_cassette_is_named(tmp_path, text, said):
    path = tmp_path / "tape.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_cassette(path)


def test_a_cassette_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BadInput, match="name the file to import"):
        read_cassette(tmp_path / "none.yaml")
