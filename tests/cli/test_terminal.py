import io
import sys

import pytest

from mendbench.cli import terminal as screen


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def test_progress_is_drawn_only_on_a_terminal(capsys):
    with screen.progress() as progress:
        progress(1, 2, "http/a | mendbench | rules")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("columns", [62, 100])
def test_progress_says_percentage_count_elapsed_and_the_case_on_one_line(monkeypatch, columns):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    with screen.progress() as progress:
        progress(61, 240, "[http]/a-[/odd]-name | mendbench | rules")
    result = terminal.getvalue()
    for word in (" 25 %", "61/240", "0:00:0"):
        assert word in result
    assert ("[http]/a-[/odd]-name" in result) == (columns == 100)
    assert "mendbench |" not in result
