"""Groups of commands: what they answer to a name that they do not have, and members that are imported when they are called."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from mendbench.cli.exits import Exit, coded
from mendbench.errors import UnknownName


class Commands(TyperGroup):
    """Commands; without one it shows its help, and an unknown one is answered with the closest and all of them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, or show the help where there is nothing to parse."""
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


@dataclass(frozen=True, slots=True)
class Member:
    """Where a command of the program is, and what its help begins with."""

    module: str
    attribute: str
    """The command itself, or the group of its commands."""
    help: str


def program(members: Mapping[str, Member]) -> type[Commands]:
    """Return the class of a group of these commands. Each is made when it is called: most of a start goes into making them."""

    class Program(Commands):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - the framework's signature
            return list(members)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002 - the framework's signature
            if cmd_name in members and cmd_name not in self.commands:
                self.commands[cmd_name] = _made(cmd_name, members[cmd_name])
            return self.commands.get(cmd_name)

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - the framework's signature
            room = formatter.width - 6 - max(map(len, members))
            rows = [(name, TyperCommand(name, help=one.help).get_short_help_str(room)) for name, one in members.items()]
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    return Program


def _made(name: str, member: Member) -> Any:
    found = getattr(import_module(f"mendbench.cli.{member.module}"), member.attribute)
    if isinstance(found, typer.Typer):
        found.rich_markup_mode = None
        made: Any = typer.main.get_group(found)
    else:
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(name)(coded(found))
        made = typer.main.get_command(single)
    made.name = name
    return made
