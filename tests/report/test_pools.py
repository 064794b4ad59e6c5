"""The file in which the pools of cases wait."""

import errno
import gc
import tempfile
from functools import partial
from pathlib import Path

import pytest

from mendbench.errors import BadInput
from mendbench.report.html import html_parts
from mendbench.report.pools import PoolFile
from tests.fakes.runs import small_run

SAID = "the temporary folder: No space left on device; make room there, or name another folder with the variable TMPDIR"


def test_a_temporary_folder_without_room_for_a_file_is_one_line(monkeypatch):
    def none():
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", none)
    with pytest.raises(BadInput) as raised:
        list(html_parts(small_run()))
    assert str(raised.value) == SAID


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no file here is always full")
@pytest.mark.filterwarnings("error")
def test_a_temporary_folder_that_is_full_is_one_line_and_nothing_is_said_later(monkeypatch, capfd):
    monkeypatch.setattr(tempfile, "TemporaryFile", partial(Path("/dev/full").open, "w+b"))
    pools = PoolFile()
    with pytest.raises(BadInput) as raised:
        pools.add(["text"], [0])
    assert str(raised.value) == SAID
    del pools, raised
    gc.collect()
    assert capfd.readouterr() == ("", "")
