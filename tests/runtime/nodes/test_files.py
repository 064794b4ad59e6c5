import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mendbench.exchanges.urls import host_of
from mendbench.model.exchange import Response
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.nodes import read_file, write_file
from mendbench.runtime.nodes.files import path_of, url_of
from tests.fakes.engine import FakeWorld, chain, fault, said


def read(response, path="notes.txt"):
    world = FakeWorld({f"GET {url_of(path)}": response})
    return read_file.NODE.run({"file_path": path}, world.send, world.clock), world


def write(response, content="hello", path="out/notes.txt"):
    world = FakeWorld({f"PUT {url_of(path)}": response})
    return write_file.NODE.run({"file_path": path, "content": content}, world.send, world.clock), world


def run(*nodes, responses):
    world = FakeWorld(responses)
    return MendbenchEngine().execute(chain(*nodes), {}, world, checkpoint=None, detector=None, clock=world.clock), world


def test_a_file_is_read_with_numbered_lines():
    output, world = read(said("one\ntwo\n"))
    assert output.outputs == {"content": "1: one\n2: two\n", "file_path": "notes.txt"}
    assert output.noticed is None
    assert world.calls() == ["GET file://sandbox/notes.txt"]


@pytest.mark.parametrize(("text", "shown"), [("", ""), ("\n", "1: \n"), ("a", "1: a"), ("a\n\nb", "1: a\n2: \n3: b")])
def test_line_ends_stay_as_they_are(text, shown):
    assert read_file.numbered(text) == shown


def test_a_file_that_says_not_ok_is_no_failure():
    ended, _ = run(
        {"id": "a", "type": "read-file", "params": {"file_path": "x.json"}},
        responses={"GET file://sandbox/x.json": said({"ok": False, "error": "no_text"})},
    )
    assert ended.outcome == "success"


def test_a_text_is_written_whole():
    output, world = write(Response(status=201))
    assert output.outputs == {"content": "hello", "file_path": "out/notes.txt"}
    assert world.calls() == ["PUT file://sandbox/out/notes.txt"]
    assert world.sent[0].body == b"hello"
    assert not world.sent[0].safe


@pytest.mark.parametrize(
    ("content", "body"), [({"a": "é"}, '{"a": "é"}'), ([1], "[1]"), ("", ""), (0, "0"), (False, "false")]
)
def test_other_values_are_written_as_json(content, body):
    assert write(Response(status=204), content)[1].sent[0].body == body.encode()


def test_content_that_is_null_is_missing():
    with pytest.raises(ValueError, match="requires 'content' parameter"):
        write(Response(status=204), None)


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (Response(status=404), "Error: File 'notes.txt' does not exist."),
        (Response(status=403), "Error: Permission denied: 'notes.txt'"),
        (Response(status=409), "Error: 'notes.txt' is not a file."),
        (said("odd", 418), "Error: Cannot use file 'notes.txt': odd"),
        (said(b"\xff\xfe", 200), "Error: File 'notes.txt' is not text in UTF-8."),
        (fault("dns"), "Error: Could not connect to the sandbox folder: the host name does not resolve"),
    ],
)
def test_a_file_that_cannot_be_read_is_noticed(response, message):
    output, _ = read(response)
    assert output.outputs == {"file_path": "notes.txt", "error": message}
    assert (output.noticed.kind, output.noticed.message) == ("file", message)


def test_a_file_that_cannot_be_written_is_noticed():
    output, _ = write(Response(status=507), path="full.txt")
    assert output.outputs["error"] == "Error: No space left on device: 'full.txt'"


@pytest.mark.parametrize(
    "path",
    ["../x", "a/../../x", "/etc/passwd", "//x/y", "~/x", "..", "a\\..\\x", "a\0b", "", ".", "a/", "a/..", None, 7],
)
def test_a_path_out_of_the_sandbox_or_to_no_file_is_a_failure_and_nothing_is_sent(path):
    for kind, more in (("read-file", {}), ("write-file", {"content": "x"})):
        ended, world = run({"id": "a", "type": kind, "params": {"file_path": path, **more}}, responses={})
        assert ended.outcome == "error"
        assert ended.failures[0].category == "exception"
        assert "file_path" in ended.failures[0].message
        assert world.sent == []


@example(path="./~")
@example(path="a/../~b")
@given(path=st.text(alphabet=st.sampled_from("./~ab%? \\\0#é\ud800"), max_size=10))
def test_every_path_that_is_accepted_stays_below_the_sandbox(path):
    try:
        found = path_of({"file_path": path}, "File")
    except ValueError:
        return
    assert not {"..", ".", ""} & set(found.split("/"))
    assert not found.startswith(("/", "~"))
    assert host_of(url_of(found)) == "sandbox"
    assert not set("?#\\") & set(url_of(found))


def test_spellings_of_one_path_are_one_address():
    assert path_of({"file_path": "./a//b/../c d.txt"}, "File") == "a/c d.txt"
    assert url_of("a/c d.txt") == "file://sandbox/a/c%20d.txt"


def test_what_was_written_can_be_read_by_a_later_node():
    ended, _ = run(
        {"id": "put", "type": "write-file", "params": {"file_path": "a.txt", "content": "x"}},
        {"id": "get", "type": "read-file", "params": {"file_path": "${put.file_path}"}},
        responses={"PUT file://sandbox/a.txt": Response(status=201), "GET file://sandbox/a.txt": said("x")},
    )
    assert ended.outcome == "success"
    assert ended.nodes[1].outputs == {"content": "1: x", "file_path": "a.txt"}
