"""What a recording of everything has had again, for who goes on with it."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.cassettes import recording_journal
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recording_journal import RecordingJournal
from mendbench.cassettes.recordings import Recordings
from mendbench.errors import BadInput
from mendbench.exchanges.urls import model_url
from mendbench.model.exchange import Request
from tests.fakes.recording import MODEL, ask_of, key_of
from tests.fakes.worlds import completion


def entry(text, said):
    request = Request(method="POST", url=model_url(MODEL), body=b"")
    return Entry(key=key_of(text), request=request, response=completion(said), model_request=ask_of(text))


def test_only_what_came_since_it_began_counts_as_again_for_who_goes_on(tmp_path):
    for text in ("one", "two"):
        Recordings.open(tmp_path / "case").append_model_entry(MODEL, entry(text, "old"))
    first = Recordings.open(tmp_path / "case", RecordingJournal(tmp_path / "journal"))
    assert first.model_entry(MODEL, key_of("one"), fresh=True) is None
    first.append_model_entry(MODEL, entry("one", "new"), replace=True)
    again = Recordings.open(tmp_path / "case", RecordingJournal(tmp_path / "journal"))
    assert b"new" in again.model_entry(MODEL, key_of("one"), fresh=True).response.body
    assert again.model_entry(MODEL, key_of("two"), fresh=True) is None
    stands = again.append_model_entry(MODEL, entry("one", "newer"), replace=True)
    assert b"newer" not in stands.response.body


@given(cut=st.integers(0, 200))
def test_wherever_it_was_torn_what_is_whole_counts_and_more_can_be_added(tmp_path_factory, cut):
    folder = tmp_path_factory.mktemp("journal")
    file, cassette = folder / "journal", folder / "c.yaml"
    noted = RecordingJournal(file)
    for key in ("a1", "b2", "c3"):
        noted.add(cassette, key)
    file.write_bytes(file.read_bytes()[:cut])
    again = RecordingJournal(file)
    assert again.of(cassette) <= {"a1", "b2", "c3"}
    again.add(cassette, "d4")
    assert RecordingJournal(file).of(cassette) == again.of(cassette) | {"d4"}


def test_a_place_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="make room, and finish the run with --resume"):
        RecordingJournal(tmp_path / "file" / "journal").add(tmp_path / "c.yaml", "a1")


@pytest.mark.parametrize(
    "line",
    [b"[" * 100_000, b'["c.yaml", ' * 100_000, b'["c.yaml"]', b'"ab"', b"5", b"[1e400, 1]", b"\xff\xfe", b'{"a": 1, "b": 2}'],
    ids=["deep", "deep behind a name", "one", "a text", "a number", "too large a number", "no UTF-8", "an object"],
)  # fmt: skip
def test_from_a_line_that_is_none_on_nothing_is_taken(tmp_path, line):
    noted = RecordingJournal(tmp_path / "journal")
    noted.add(tmp_path / "c.yaml", "a1")
    whole = (tmp_path / "journal").read_bytes()
    (tmp_path / "journal").write_bytes(whole + line + b"\n" + whole.replace(b"a1", b"b2"))
    assert RecordingJournal(tmp_path / "journal").of(tmp_path / "c.yaml") == {"a1"}
    assert (tmp_path / "journal").read_bytes() == whole


def test_a_pipe_a_link_and_what_is_too_large_are_one_line(tmp_path, monkeypatch):
    path = tmp_path / "journal"
    RecordingJournal(path).add(tmp_path / "c.yaml", "a1")
    monkeypatch.setattr(recording_journal, "MAX_RUN", path.stat().st_size - 1)
    with pytest.raises(BadInput, match="journal: larger than"):
        RecordingJournal(path)
    path.rename(tmp_path / "other")
    path.symlink_to("other")
    with pytest.raises(BadInput, match="journal: a link, which is not followed here; move it away"):
        RecordingJournal(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(BadInput, match="journal: no regular file; move it away"):
        RecordingJournal(path)
