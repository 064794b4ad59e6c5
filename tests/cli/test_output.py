import io
import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.cli import output
from mendbench.errors import BadInput


@given(st.text())
def test_whatever_is_said_is_one_line_that_steers_no_terminal(text):
    line = output.plain(text)
    assert line.isprintable()


@given(st.text(st.characters(categories=("L", "N", "P", "Zs"), include_characters=" ")))
def test_words_without_control_characters_stay_as_they_are(text):
    assert output.plain(text).replace("\\", "") == "".join(
        c if c.isprintable() else repr(c)[1:-1] for c in text
    ).replace("\\", "")


def test_an_escape_sequence_is_shown_and_not_obeyed(capsys):
    output.say("case \x1b[31mred\x1b[0m\nsecond")
    assert capsys.readouterr().err == "mendbench: case \\x1b[31mred\\x1b[0m second\n"


class Refusing(io.StringIO):
    def __init__(self, error):
        super().__init__()
        self.error = error

    def flush(self):
        raise self.error


def test_a_reader_that_has_left_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Refusing(BrokenPipeError()))
    output.write("text")


def test_a_full_disk_is_bad_input(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Refusing(OSError(28, "No space left on device")))
    with pytest.raises(BadInput, match="standard output: No space left on device; redirect it elsewhere"):
        output.write("text")


def test_closed_streams_take_everything(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    output.prepare()
    output.write("text")
    output.write_json({})
    output.say("line")


def test_json_is_whole_in_an_encoding_without_its_characters(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    output.prepare()
    output.write_json({"name": "Zoë – 🦑"})
    assert json.loads(stream.buffer.getvalue().decode("ascii")) == {"name": "Zoë – 🦑"}
