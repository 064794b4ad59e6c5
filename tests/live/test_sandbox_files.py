from __future__ import annotations

import os

import pytest

from mendbench.live.sandbox_files import MAX_BYTES, FileLive, lay_out
from mendbench.model.exchange import Request


def read(path):
    return Request(method="GET", url=f"file://sandbox/{path}")


def write(path, body=b"x"):
    return Request(method="PUT", url=f"file://sandbox/{path}", body=body)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "secret.txt").write_text("not yours")
    return tmp_path / "box"


@pytest.fixture
def files(folder):
    return FileLive(folder)


def test_what_is_written_is_read_byte_for_byte(files, folder):
    assert files.send(write("a/b%20c.txt", b"\xff1\r\n")).status == 201
    assert files.send(write("a/b%20c.txt", b"\xff2\r\n")).status == 204
    response = files.send(read("a/b%20c.txt"))
    assert (response.status, response.body) == (200, b"\xff2\r\n")
    assert (folder / "a" / "b c.txt").read_bytes() == b"\xff2\r\n"


def test_a_missing_file_is_a_404_and_makes_nothing(files, folder):
    assert files.send(read("a.txt")).status == 404
    assert not folder.exists()


@pytest.mark.parametrize("path", ["../secret.txt", "a/../../secret.txt", "%2e%2e/secret.txt", "..%2Fsecret.txt"])
def test_nothing_outside_the_folder_is_read_or_written(files, folder, path):
    folder.mkdir()
    response = files.send(read(path))
    assert (response.status, response.body) == (403, b"")
    assert files.send(write(path)).status == 403
    assert (folder.parent / "secret.txt").read_text() == "not yours"


def test_an_absolute_path_is_one_below_the_folder(files, folder):
    assert files.send(write("%2Fetc/made.txt")).status == 201
    assert (folder / "etc" / "made.txt").exists()


def test_a_link_out_of_the_folder_is_refused(files, folder):
    folder.mkdir()
    (folder / "link").symlink_to(folder.parent / "secret.txt")
    (folder / "up").symlink_to(folder.parent, target_is_directory=True)
    for path in ("link", "up/secret.txt", "up/new.txt"):
        assert files.send(read(path)).status == 403
        assert files.send(write(path)).status == 403
    assert (folder.parent / "secret.txt").read_text() == "not yours"


def test_what_is_no_plain_file_is_a_conflict(files, folder):
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("x")
    os.mkfifo(folder / "pipe")
    for path in ("", "sub", "pipe", "a.txt/below", "a%00b", "x" * 300):
        assert files.send(write(path)).status == 409, path
    assert files.send(read("pipe")).status == 409


def test_a_file_that_is_too_large_is_not_read(files, folder):
    folder.mkdir()
    with (folder / "big").open("wb") as big:
        big.truncate(MAX_BYTES + 1)
    assert files.send(read("big")).status == 413


def test_other_methods_are_refused(files):
    assert files.send(Request(method="DELETE", url="file://sandbox/a")).status == 405


@pytest.mark.parametrize(
    ("error", "status"), [(PermissionError(13, "x"), 403), (OSError(28, "full"), 507), (OSError(30, "ro"), 403), (OSError(5, "io"), 500)]
)  # fmt: skip
def test_what_the_disk_says_becomes_a_status(files, folder, monkeypatch, error, status):
    def refuse(*_):
        raise error

    monkeypatch.setattr("pathlib.Path.write_bytes", refuse)
    assert files.send(write("a.txt")).status == status


def test_it_serves_the_sandbox_only_and_begins_afresh(files):
    assert files.serves(read("a"))
    assert files.resets(read("a"))
    for url in ("file:///etc/passwd", "file://other/a", "shell://sandbox/", "https://sandbox/a"):
        assert not files.serves(Request(method="GET", url=url))


def test_a_scopes_files_are_laid_out(folder, files):
    lay_out(folder, {"a b.txt": "text", "sub/c.json": {"k": [1]}})
    assert files.send(read("a%20b.txt")).body == b"text"
    assert files.send(read("sub/c.json")).body == b'{"k":[1]}'


@pytest.mark.parametrize("path", ["../x", "", "."])
def test_a_file_that_cannot_be_in_the_folder_is_not_laid_out(folder, path):
    with pytest.raises(ValueError) as caught:
        lay_out(folder, {path: "x"})
    assert caught.value.args == (path,)
    assert not (folder.parent / "x").exists()


def test_a_link_that_leads_to_itself_is_no_file(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    assert FileLive(tmp_path).send(Request(method="GET", url="file://sandbox/loop")).status == 409
