from __future__ import annotations

import hashlib

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from vcr.cassette import Cassette
from vcr.persisters.filesystem import FilesystemPersister
from vcr.serializers import yamlserializer

from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry, dump, parse, settled
from mendbench.errors import BadInput
from mendbench.model.exchange import Request, Response

TRICKY = st.sampled_from(
    ["", "a\nb\n", "  leading", "trailing \nspace", "\r\n", "tab\there", "\x85", "a\u2028b\nc", "\ufeff", "\x00", "123", "null", "true",
     "- request:\n    key: 0123456789abcdef\n", "key: '0123456789abcdef'", "# no comment", "a: b", "😀\nx", "---\n...", "\x7f", "{}", "2026-01-01",
     "    key: 0123456789abcdef"]
)  # fmt: skip
texts = TRICKY | st.text(max_size=20)
bodies = texts.map(lambda text: text.encode("utf-8", "replace")) | st.binary(max_size=20)
header_names = st.sampled_from(["Content-Type", "X-One", "set-cookie", "key", "<<", "n"])
headers = st.lists(st.tuples(header_names, texts), max_size=4).map(tuple)


def entry_of(index, url, sent_headers, body, got_headers, got_body, status, fault, asked):
    model_request = {
        "model": "m",
        "messages": [{"role": "user", "content": asked}],
        "params": {"temperature": 0.5},
        "draw": [0, 1],
        "response_format": None,
    }
    return settled(
        Entry(
            key=hashlib.sha256(str(index).encode()).hexdigest()[:16],
            request=Request(method="POST", url=url, headers=sent_headers, body=body),
            response=Response(
                status=0 if fault else status, headers=got_headers, body=got_body, elapsed_ms=index, fault=fault
            ),
            service=None if asked is not None else "notes",
            after="" if asked is not None else "cafe",
            n=0 if asked is not None else index,
            changed=None if asked is not None else [None, True, False][index % 3],
            model_request=model_request if asked is not None else None,
        )
    )


entries = st.lists(
    st.tuples(
        texts, headers, bodies, headers, bodies, st.integers(100, 599), st.sampled_from([None, None, "timeout", "dns"]),
        st.none() | texts.map(lambda text: text.encode("utf-8", "replace").decode()),
    ),
    min_size=1, max_size=4,
).map(lambda rows: [entry_of(index, *row) for index, row in enumerate(rows)])  # fmt: skip

SOME = [
    entry_of(0, "https://a.test/x", (("A", "1"),), b'{"a": 1}', (("B", "2"),), b'{"ok": true}', 200, None, None),
    entry_of(1, "https://a.test/y", (), b"", (), b"line\nline\n", 500, None, None),
    entry_of(2, "model://m/chat", (), b"", (), b"\xff\x00", 200, None, "you\nare\n- request:\n"),
    entry_of(3, "https://a.test/z", (), b"", (), b"par", 0, "truncated", None),
]


@settings(max_examples=3 * settings.default.max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(recorded=entries)
@example(recorded=SOME)
def test_what_is_written_reads_back_the_same_and_gives_the_same_bytes(recorded):
    text = dump(recorded)
    assert list(parse(text.encode(), "x")) == recorded
    assert dump(parse(text.encode(), "x")) == text


@settings(max_examples=3 * settings.default.max_examples, suppress_health_check=[HealthCheck.too_slow])
@given(recorded=entries, cut=st.floats(0, 1))
@example(recorded=SOME, cut=0.5)
def test_any_prefix_of_a_file_loads_as_a_prefix_of_its_entries(recorded, cut):
    data = dump(recorded).encode()
    loaded = list(parse(data[: int(len(data) * cut)], "x"))
    assert loaded == recorded[: len(loaded)]


def test_every_single_prefix_of_a_small_file_loads_and_no_whole_entry_is_lost():
    data = dump(SOME).encode()
    counts = []
    for length in range(len(data) + 1):
        loaded = list(parse(data[:length], "x"))
        assert loaded == SOME[: len(loaded)]
        counts.append(len(loaded))
    assert counts == sorted(counts)
    assert set(counts) == {0, 1, 2, 3, 4}


def test_stock_vcrpy_loads_the_file(tmp_path):
    path = tmp_path / "world.yaml"
    for entry in SOME:
        cassette.append(path, entry)
    requests, responses = FilesystemPersister.load_cassette(path, yamlserializer)
    assert [request.uri for request in requests] == [entry.request.url for entry in SOME]
    assert requests[0].body == b'{"a": 1}'
    assert [response["body"]["string"] for response in responses] == [entry.response.body for entry in SOME]
    loaded = Cassette.load(path=str(path), serializer=yamlserializer, persister=FilesystemPersister)
    assert len(loaded) == len(SOME)
    assert loaded.responses[0]["status"] == {"code": 200, "message": "OK"}


def test_appending_gives_the_bytes_of_a_file_written_at_once(tmp_path):
    path = tmp_path / "folder" / "world.yaml"
    for entry in SOME:
        cassette.append(path, entry)
    assert path.read_text() == dump(SOME)


@pytest.mark.parametrize("torn", [1, 12, 30, 200])
def test_an_append_after_a_crash_cuts_the_torn_tail_first(tmp_path, torn):
    path = tmp_path / "world.yaml"
    path.write_bytes(dump(SOME[:2]).encode()[:-torn] if torn < 100 else dump(SOME[:1]).encode()[:-torn])
    kept = cassette.load(path)
    cassette.append(path, SOME[3])
    assert cassette.load(path) == (*kept, SOME[3])


def test_a_last_line_without_its_line_break_is_whole(tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(dump(SOME[:1]).rstrip("\n"))
    assert cassette.load(path) == (SOME[0],)
    cassette.append(path, SOME[1])
    assert path.read_text() == dump(SOME[:2])


def test_no_entries_are_no_file(tmp_path):
    path = tmp_path / "world.yaml"
    assert cassette.load(path) == ()
    assert dump([]) == ""
    cassette.rewrite(path, SOME)
    assert cassette.load(path) == tuple(SOME)
    cassette.rewrite(path, [])
    assert not path.exists()


def test_what_changed_is_written_only_where_it_is_not_as_the_method_says():
    assert [line.strip() for line in dump(SOME).splitlines() if "changed" in line] == ["changed: true"]


def test_bodies_are_readable_in_a_diff():
    text = dump(SOME)
    assert "      string: '{\"ok\": true}'\n" in text
    assert "      string: |\n        line\n        line\n" in text
    assert "!!binary" in text
    assert "x-mendbench-fault: truncated" in text


def test_a_prompt_stands_in_the_file_once_and_as_text():
    text = dump([SOME[2]])
    assert text.count("are") == 1
    assert "content: |" in text


def test_a_key_that_stands_twice_is_refused_with_both_lines():
    data = (dump(SOME[:2]) + cassette.dump_entry(SOME[0])).encode()
    lines = dump(SOME[:2]).count("\n") + 1
    with pytest.raises(BadInput, match=rf"^world\.yaml:{lines}: key {SOME[0].key} stands already at world\.yaml:3"):
        parse(data, "world.yaml")


def test_a_credential_in_what_is_no_entry_is_not_shown_in_part_either():
    password = "".join(f"{at:x}Q{at * 7:x}z" for at in range(20))
    with pytest.raises(BadInput, match="no cassette entry but 'redis://") as raised:
        parse(f"redis://:{password}@cache.example:6379/0".encode(), "world.yaml")
    assert password[:8] not in str(raised.value)


@pytest.mark.parametrize(
    ("change", "line", "found"),
    [
        (lambda text: text.replace("    method: POST", "\tmethod: POST", 1), 4, "a tab; indent with spaces"),
        (lambda text: text.replace("version: 1", "version: 2", 1), 1, "cassette version 2"),
        (lambda text: text.replace("      code: 500", "      code: high"), 17, "field"),
        (lambda text: text.replace("    elapsed_ms: 1\n", ""), 17, "elapsed_ms"),
        (lambda text: text.replace("    changed: true", "    changed: perhaps"), 0, "changed is 'perhaps'"),
        (lambda text: "hello\n" + text, 2, "YAML"),
        (lambda text: text + "something else\n", 51, "no cassette entry"),
        (
            lambda text: text.replace("x-mendbench-fault: truncated", "x-mendbench-fault: tired"),
            0,
            "unknown fault 'tired'",
        ),
        (lambda text: "not a cassette", 1, "no cassette entry"),
        (lambda text: "interactions:\n- request: {}\n  response: {}\nversion: 1\n", 1, "without x-mendbench"),
    ],
)
def test_a_broken_file_is_named_with_its_line(change, line, found):
    with pytest.raises(BadInput, match=found) as caught:
        parse(change(dump(SOME)).encode(), "world.yaml")
    assert caught.value.place.startswith("world.yaml:")
    assert caught.value.exit_code == 2
    if line in {1, 2, 4}:
        assert caught.value.place.split(":")[1] == str(line)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(BadInput, match="a folder, not a file; record it"):
        cassette.load(tmp_path)


def test_headers_of_one_name_are_served_as_they_are_stored():
    mixed = (("Set-Cookie", "a"), ("X", "1"), ("Set-Cookie", "b"))
    assert cassette.settled_headers(mixed) == (("Set-Cookie", "a"), ("Set-Cookie", "b"), ("X", "1"))


def test_a_cassette_with_a_mark_and_the_line_ends_of_another_system_reads_the_same_and_is_appended_to(tmp_path):
    path = tmp_path / "world.yaml"
    one, other = SOME[:2]
    path.write_bytes(b"\xef\xbb\xbf" + cassette.dump([one]).replace("\n", "\r\n").encode())
    assert cassette.load(path) == (one,)
    cassette.append(path, other)
    assert path.read_text("utf-8") == cassette.dump([one, other])
