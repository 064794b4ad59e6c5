"""Files as they come in: bounded, decoded, and reported in one line."""

import os
from pathlib import Path

import pytest

from mendbench.errors import BadInput
from mendbench.io.reading import MEGABYTE, read_bytes, read_regular, read_text


def test_a_byte_order_mark_is_no_part_of_a_file_and_line_ends_stay(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    assert read_text(tmp_path / "a.txt", 100, "make it") == "one\r\ntwo"


def test_a_file_over_its_bound_is_refused_and_one_of_that_size_is_not(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * MEGABYTE)
    assert len(read_bytes(path, MEGABYTE, "make it")) == MEGABYTE
    path.write_bytes(b"x" * (MEGABYTE + 1))
    with pytest.raises(BadInput, match=r"a\.txt: larger than 1 MB; take out"):
        read_bytes(path, MEGABYTE, "make it")


def test_what_has_no_end_is_read_to_the_bound():
    with pytest.raises(BadInput, match="/dev/zero: larger than 10 kB"):
        read_bytes(Path("/dev/zero"), 10 * 1024, "make it")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("absent", "no such file; make it"),
        ("", "a folder, not a file; make it"),
        ("a\0b", r"a\\x00b: no name of a file"),
    ],
)
def test_what_cannot_be_read_is_one_line(tmp_path, name, says):
    with pytest.raises(BadInput, match=says) as raised:
        read_bytes(tmp_path / name, 10, "make it")
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("data", ["é".encode("latin-1"), "a".encode("utf-16"), b"\xed\xa0\x80"])
def test_what_is_no_utf_8_is_named(tmp_path, data):
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(BadInput, match=r"byte 0 is not UTF-8; save the file as UTF-8"):
        read_text(tmp_path / "a.txt", 100, "make it")


def test_a_regular_file_is_read_to_the_byte_and_to_its_bound(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfone")
    assert read_regular(tmp_path / "a", 6, "make it") == b"\xef\xbb\xbfone"
    with pytest.raises(BadInput, match="a: larger than 0 kB; take out"):
        read_regular(tmp_path / "a", 5, "make it")
    with pytest.raises(BadInput, match="absent: no such file; make it"):
        read_regular(tmp_path / "absent", 5, "make it")


def _pipe(path):
    os.mkfifo(path)


def _link(path):
    path.with_name("other").write_bytes(b"of another")
    path.symlink_to("other")


def _link_to_nothing(path):
    path.symlink_to("nothing")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_pipe, "no regular file"),
        (_link, "a link, which is not followed here"),
        (_link_to_nothing, "a link, which is not followed here"),
        (Path.mkdir, "no regular file"),
    ],
    ids=["pipe", "link", "link to nothing", "folder"],
)
def test_what_is_no_regular_file_is_refused_at_once_in_one_line(tmp_path, make, says):
    make(tmp_path / "it")
    with pytest.raises(BadInput, match=f"it: {says}; put the file itself there"):
        read_regular(tmp_path / "it", 10, "make it")
