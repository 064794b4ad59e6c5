"""The commands that there are, as pages name them."""

from __future__ import annotations

from typing import Any

import typer

from mendbench.cli.main import app


def command_of(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that the words of a command line name, after ``mendbench``, and the words after its name."""
    command: Any = typer.main.get_command(app)
    while words and hasattr(command, "get_command") and (inner := command.get_command(None, words[0])) is not None:
        command, words = inner, words[1:]
    return command, words


def options_of(command: Any) -> set[str]:
    """Return the options that a command has."""
    return {option for parameter in command.params for option in parameter.opts}
