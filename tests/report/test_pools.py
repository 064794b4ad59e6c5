"""The file in which the pools of cases wait."""

import errno
import gc
import tempfile
from pathlib import Path

import pytest

from mendbench.errors import BadInput
from mendbench.report import pools
from mendbench.report.html import html_parts
from tests.fakes.runs import small_run

SAID = "the temporary folder: No space left on device; make room there, or name another folder with the variable TMPDIR"


def test_a_temporary_folder_without_room_for_a_file_is_one_line(monkeypatch):
    def none(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(pools, "_IN_MEMORY", 1)
    monkeypatch.setattr(tempfile, "TemporaryFile", none)
    with pytest.raises(BadInput) as raised:
        list(html_parts(small_run()))
    assert str(raised.value) == SAID


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no file here is always full")
@pytest.mark.filterwarnings("error")
def test_a_temporary_folder_that_is_full_is_one_line_and_nothing_is_said_later(monkeypatch, capfd):
    monkeypatch.setattr(pools, "_IN_MEMORY", 1)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Path("/dev/full").open("w+b"))  # noqa: SIM115  as the one that it stands for
    waiting = pools.PoolFile()
    with pytest.raises(BadInput) as raised:
        waiting.add(["text"], [0])
    assert str(raised.value) == SAID
    del waiting, raised
    gc.collect()
    assert capfd.readouterr() == ("", "")


def test_a_page_is_the_same_whether_its_pools_wait_in_memory_or_in_a_file(monkeypatch):
    run = small_run()
    page = "".join(html_parts(run))
    monkeypatch.setattr(pools, "_IN_MEMORY", 1)
    assert "".join(html_parts(run)) == page
