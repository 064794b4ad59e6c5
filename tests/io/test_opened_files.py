import os

import pytest

from mendbench.io.opened_files import opened


@pytest.fixture(params=["on disk", "in memory"])
def either_system(request, monkeypatch):
    """A system that renames open files, and one that does not."""
    if request.param == "in memory":
        monkeypatch.delattr(os, "pread")


@pytest.mark.usefixtures("either_system")
def test_an_opened_file_stays_what_it_was_when_another_takes_its_place_and_grows_with_its_writer(tmp_path):
    path = tmp_path / "rows"
    path.write_bytes(b"one\r\ntwo\n")
    file = opened(path)
    with path.open("ab") as out:
        out.write(b"three\n")
    file.grew(b"three\n")
    (tmp_path / "new").write_bytes(b"other")
    (tmp_path / "new").replace(path)
    assert file.size() == 15
    assert [file.at(0, 5), file.at(5, 4), file.at(9, 100), file.at(15, 1)] == [b"one\r\n", b"two\n", b"three\n", b""]
    with file.whole() as whole:
        assert whole.read() == b"one\r\ntwo\nthree\n"


@pytest.mark.usefixtures("either_system")
def test_a_file_that_is_absent_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        opened(tmp_path / "absent")
