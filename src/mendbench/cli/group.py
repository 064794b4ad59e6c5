"""Groups of commands. An unknown name gets suggestions, and the program imports a command when it is called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.models import CommandFunctionType

from mendbench.cli.exits import Exit, coded
from mendbench.errors import UnknownName


class Commands(TyperGroup):
    """A group that shows its help if no command is given, and the closest name and all names if it is unknown."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, or show the help if there are none."""
        if not args:
            sys.stderr.write(ctx.get_help() + "\n")
            raise typer.Exit(Exit.USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command.

        Raises:
            UnknownName: there is none of that name.
        """
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            place = ctx.command_path.removeprefix("mendbench").strip() or None
            raise UnknownName("command", args[0], self.list_commands(ctx), place)
        return super().resolve_command(ctx, args)


class App(typer.Typer):
    """A group of commands that return an exit code and raise nothing (:func:`mendbench.cli.exits.coded`)."""

    def __init__(self, help_text: str, **options: Any) -> None:
        options.setdefault("cls", Commands)
        super().__init__(help=help_text, add_completion=False, rich_markup_mode=None, **options)

    def command(self, *args: Any, **kwargs: Any) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Return a decorator that adds a command."""
        register = super().command(*args, **kwargs)

        def add(function: CommandFunctionType) -> CommandFunctionType:
            register(coded(function))
            return function

        return add


@dataclass(frozen=True, slots=True)
class Member:
    """The place and the help text of a command."""

    module: str
    attribute: str
    """The command itself, or the group of its commands."""
    help: str


def program(members: Mapping[str, Member]) -> type[Commands]:
    """Return the class of a group of these commands. A command is imported when it is called, which makes the start fast."""

    class Program(Commands):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the framework's signature
            return list(members)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - the framework's signature
            if cmd_name in members and cmd_name not in self.commands:
                self.commands[cmd_name] = _made(cmd_name, members[cmd_name])
            return self.commands.get(cmd_name)

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the framework's signature
            room = formatter.width - 6 - max(map(len, members))
            rows = [
                (name, TyperCommand(name, help=member.help).get_short_help_str(room))
                for name, member in members.items()
            ]
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    return Program


def _made(name: str, member: Member) -> Any:
    found = getattr(import_module(f"mendbench.cli.{member.module}"), member.attribute)
    if isinstance(found, App):
        command: Any = typer.main.get_group(found)
    else:
        single = App("")
        single.command(name)(found)
        command = typer.main.get_command(single)
    command.name = name
    return command
