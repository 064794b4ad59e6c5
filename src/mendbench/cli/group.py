"""How a group of commands meets a name that it does not have, and no name at all."""

from __future__ import annotations

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from mendbench.cli.exits import Exit
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
