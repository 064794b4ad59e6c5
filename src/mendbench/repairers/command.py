"""The command repairer: the operator's own program, with the prompt on standard input and the response on standard output.

The program runs only while recording, unsandboxed. Its output is recorded as the content of a chat response, so a
replay does not need the program. :mod:`mendbench.repairers.programs` runs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from mendbench.errors import BadInput
from mendbench.exchanges.urls import model_url
from mendbench.io.canonical_json import digest
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, Reply
from mendbench.ports.world import World
from mendbench.repairers.asking import build_model_request, send_model_request
from mendbench.repairers.interface import Options

LONGEST_NAME = 100
"""Maximum length of a program's name and arguments in the names of its recordings: file systems allow 255 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRepairer:
    """Runs a program. Its name and arguments identify its responses; its location does not matter."""

    argv: tuple[str, ...]
    name: str = "command"

    @property
    def model(self) -> str:
        """Return ``command:`` with the program's file name and its arguments."""
        return command_model(self.argv)

    def model_request(self, prompt: Prompt, *, sample: int, times_asked: int) -> JsonObject:
        """Return the model request for ``prompt``. A program may respond differently each time, so every draw is separate."""
        return build_model_request(
            prompt, model=self.model, params={}, response_format=None, draw=(sample, times_asked)
        )

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:
        """Return the program's output, recorded or live."""
        return send_model_request(
            model_world, self.model_request(prompt, sample=sample, times_asked=times_asked), model_url(self.model)
        )


def command_model(argv: Sequence[str]) -> str:
    """Return the model name in requests to a program: ``command:mender --fast``, with long arguments replaced by a digest."""
    name = " ".join([f"command:{PurePath(argv[0]).name}", *argv[1:]])
    return name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]} {digest([name])}"


def make(options: Options) -> CommandRepairer:
    """Return a command repairer.

    Raises:
        BadInput: no program is named.
    """
    if not options.argv:
        raise BadInput(
            "repairer command", "no program", 'configure it as [repairers.NAME] command = ["program"], and name NAME'
        )
    return CommandRepairer(argv=options.argv, name=options.called or "command")
