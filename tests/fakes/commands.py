"""The commands that there are, as pages name them, and what they write first."""

from __future__ import annotations

import re
from typing import Any

import typer

from mendbench.cli.main import app


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that the words of a command line name, after ``mendbench``, and the words after its name."""
    command: Any = typer.main.get_command(app)
    while words and hasattr(command, "get_command") and (inner := command.get_command(None, words[0])) is not None:
        command, words = inner, words[1:]
    return command, words


_CORPUS_LINE = re.compile(r"mendbench: (?:configuration: |no mendbench\.toml up to ).*\n")


def split_corpus_line(err: str) -> tuple[str, str]:
    """Return the first line of standard error, if it names the configuration and the cases, and what follows it."""
    found = _CORPUS_LINE.match(err)
    line = found.group() if found else ""
    return line, err.removeprefix(line)


def options_of(command: Any) -> set[str]:
    """Return the options that a command has."""
    return {option for parameter in command.params for option in parameter.opts}
