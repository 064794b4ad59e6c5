"""The command repairer: the operator's own program, prompt on standard input, answer on standard output.

The program is run by the recorder, unsandboxed, and what it prints is recorded as the content of a chat answer; so a
replay needs no program.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from mendbench.errors import BadInput
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, Reply
from mendbench.ports.world import World
from mendbench.repairers.asking import build_ask, model_url, send_ask
from mendbench.repairers.interface import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRepairer:
    """Asks a program. Its answers are known by its name and arguments, not by where it is installed."""

    argv: tuple[str, ...]
    name: str = "command"

    @property
    def model(self) -> str:
        """Return ``command:`` with the program's file name and its arguments."""
        return " ".join([f"command:{PurePath(self.argv[0]).name}", *self.argv[1:]])

    def ask(self, prompt: Prompt, *, sample: int, times_asked: int) -> JsonObject:
        """Return the ask for ``prompt``. A program may answer otherwise each time, so every draw is its own."""
        return build_ask(prompt, model=self.model, params={}, response_format=None, draw=(sample, times_asked))

    def reply(self, prompt: Prompt, asks: World, *, sample: int, times_asked: int) -> Reply:
        """Return what the program printed, recorded or live."""
        return send_ask(asks, self.ask(prompt, sample=sample, times_asked=times_asked), model_url(self.model))


def make(options: Options) -> CommandRepairer:
    """Return a command repairer.

    Raises:
        BadInput: no program is named.
    """
    if not options.argv:
        raise BadInput("repairer command", "no program", "name it and its arguments")
    return CommandRepairer(argv=options.argv)
