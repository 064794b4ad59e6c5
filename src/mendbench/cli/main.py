"""The ``mendbench`` command."""

from __future__ import annotations

import signal
import sys
from typing import Any, NoReturn

import typer

from mendbench.cli.exits import Exit, Terminated, code_of
from mendbench.cli.group import Member, program
from mendbench.cli.output import prepare, say, write
from mendbench.errors import UnknownName
from mendbench.version import __version__

COMMANDS = {
    "run": Member("run", "run", "Replay the corpus through repair, and judge every trial."),
    "report": Member("run", "report", "Write the report of a run again, print its table, and write it for others too."),
    "compare": Member("compare", "compare", "Compare two runs, or two parts of one, trial by trial."),
    "gate": Member("gate", "gate", "Fail if repair got worse than it was when a run was last accepted."),
    "merge": Member(
        "merge",
        "merge",
        "Put the shards of a run together (`mendbench run --shard K/N`): what the undivided run would have written.",
    ),
    "schema": Member("schema", "schema", "Print a JSON Schema, for editors and for other tools."),
    "case": Member("case", "app", "Look at cases, make new ones, and prove them."),
    "strategy": Member("strategy", "app", "Look at strategies, and at the prompts that they make."),
    "engine": Member("engine", "app", "Put an engine that is not ours to the test."),
    "prompts": Member("prompts", "app", "Have prompts answered elsewhere: by batch APIs, other machines, people."),
    "workflow": Member(
        "workflow", "app", "Run workflows for real, outside the benchmark; check them, and look at what failed."
    ),
    "errors": Member("errors", "app", "Look at what failed in a run of a workflow."),
    "node": Member("node", "app", "Look at one node of a run."),
    "debug": Member("debug", "app", "Look closely at a node that failed."),
    "mcp": Member("mcp", "app", "Serve workflows to agents."),
}
"""In the order of the help text, which is written from here: the module of a command is imported when it is called."""

app = typer.Typer(
    name="mendbench",
    cls=program(COMMANDS),
    help="Measure how well a self-repairing workflow engine repairs: recorded failures, real repairs, labelled truth.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(value: bool) -> None:  # noqa: FBT001 - the framework's signature
    if value:
        write(f"mendbench {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Say the version."),  # noqa: FBT001, FBT003
) -> None:
    pass


def main() -> None:
    """Run the command line and leave with its exit code."""
    prepare()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt_once)
    sys.exit(_code())


def _interrupt_once(number: int, _frame: object) -> NoReturn:
    """Interrupt, and from then on ignore Ctrl-C: trials in flight end by themselves, and joining their workers has to.

    A SIGTERM that comes after either signal ends the process at once.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _code() -> int:
    command = typer.main.get_command(app)
    try:
        return int(command.main(prog_name="mendbench", standalone_mode=False) or Exit.DONE)
    except typer.TyperException as error:
        return _usage(error, _typed(command))
    except typer.Abort:
        return Exit.INTERRUPTED
    except SystemExit:  # the framework's answer to a reader who left in the middle of a help text
        return Exit.DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last net
        return code_of(error)


def _typed(command: Any) -> str:
    """Return the path of the command that was typed: the framework does not always say."""
    path = "mendbench"
    for word in sys.argv[1:]:
        command = command.get_command(None, word) if hasattr(command, "get_command") else None
        if command is None:
            break
        path += f" {word}"
    return path


def _usage(error: typer.TyperException, path: str) -> int:
    """Say what is wrong with the words of the command line."""
    place = path.removeprefix("mendbench").strip() or "usage"
    context = getattr(error, "ctx", None)
    known = [name for parameter in context.command.params for name in parameter.opts] if context else []
    option = getattr(error, "option_name", None)
    if context and option is not None and option not in known:
        return code_of(UnknownName("option", option, {"--help", *(n for n in known if n.startswith("-"))}, place))
    message = error.format_message().replace("Value error, ", "").rstrip(".")
    say(f"{place}: {message}; `{path} --help` shows how")
    return Exit.USAGE
