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
from mendbench.values.collection import collect_rarely
from mendbench.version import __version__

COMMANDS = {
    "init": Member("project", "init", "Start a repository: configuration, an example case, CI and pre-commit files."),
    "doctor": Member("project", "doctor", "Show what is configured, missing, stale or broken in this repository."),
    "run": Member("run", "run", "Replay the corpus through repair, and judge each trial."),
    "report": Member(
        "run", "report", "Write the report of a run again, print its summary, and export it to other formats."
    ),
    "compare": Member("compare", "compare", "Compare two runs, or two parts of a run, trial by trial."),
    "gate": Member("gate", "gate", "Fail if repair is worse than in the last accepted run."),
    "merge": Member(
        "run",
        "merge",
        "Merge the shards of a run (`mendbench run --shard K/N`) into one run.",
    ),
    "schema": Member("schema", "schema", "Print a JSON Schema, for editors and other tools."),
    "case": Member("case", "app", "List, show, create and prove cases."),
    "strategy": Member("strategy", "app", "List, show and compare strategies and their prompts."),
    "try": Member(
        "trying", "try_", "Try a strategy against another one, until the difference is clear or the budget is spent."
    ),
    "detectors": Member(
        "detectors", "app", "Evaluate the detectors of failures on labelled API responses, and explain what they find."
    ),
    "engine": Member("engine", "app", "Check an external engine."),
    "tools": Member("tools", "app", "Examine the error messages of an MCP server."),
    "prompts": Member(
        "prompts", "app", "Export prompts and import responses: from batch APIs, other machines or people."
    ),
    "recordings": Member(
        "recordings", "app", "List the private recordings of experiments, and move them into the corpus."
    ),
    "workflow": Member("workflow", "app", "Run, validate and debug workflows outside the benchmark, on live services."),
    "errors": Member("trace", "errors_app", "Show what failed in a run of a workflow."),
    "node": Member("trace", "node_app", "Show one node of a run."),
    "debug": Member("trace", "debug_app", "Show the details of a failed node."),
    "mcp": Member("mcp", "app", "Serve workflows to agents."),
}
"""The commands in the order of the help text. The help text uses only this table: a command's module is imported when it is called."""

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
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),  # noqa: FBT001, FBT003
) -> None:
    pass


def main() -> None:
    """Run the command line and leave with its exit code."""
    prepare()
    collect_rarely()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt_once)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt_once)
    sys.exit(_code())


def _interrupt_once(number: int, _frame: object) -> NoReturn:
    """Interrupt, and ignore Ctrl-C from then on: running trials end by themselves, and the program waits for their workers.

    A SIGTERM after either signal ends the process at once.
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
    except SystemExit:  # raised by the framework if standard output is closed during a help text
        return Exit.DONE
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the last net
        return code_of(error)


def _typed(command: Any) -> str:
    """Return the path of the command on the command line: the framework does not always provide it."""
    path = "mendbench"
    for word in sys.argv[1:]:
        command = command.get_command(None, word) if hasattr(command, "get_command") else None
        if command is None:
            break
        path += f" {word}"
    return path


def _usage(error: typer.TyperException, path: str) -> int:
    """Report what is wrong with the arguments."""
    place = path.removeprefix("mendbench").strip() or "usage"
    context = getattr(error, "ctx", None)
    known = [name for parameter in context.command.params for name in parameter.opts] if context else []
    option = getattr(error, "option_name", None)
    if context and option is not None and option not in known:
        return code_of(UnknownName("option", option, {"--help", *(n for n in known if n.startswith("-"))}, place))
    message = error.format_message().replace("Value error, ", "").rstrip(".")
    say(f"{place}: {message}; `{path} --help` shows how")
    return Exit.USAGE
