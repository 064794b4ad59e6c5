"""The ``mendbench`` command."""

from __future__ import annotations

import signal
import sys
from typing import Any, NoReturn

import typer

from mendbench import __version__
from mendbench.cli import (
    case,
    compare,
    debug,
    engine,
    errors,
    gate,
    mcp,
    merge,
    node,
    prompts,
    run,
    schema,
    strategy,
    workflow,
)
from mendbench.cli.exits import Exit, code_of, coded
from mendbench.cli.group import Commands
from mendbench.cli.output import prepare, say, write
from mendbench.errors import UnknownName

app = typer.Typer(
    name="mendbench",
    cls=Commands,
    help="Measure how well a self-repairing workflow engine repairs: recorded failures, real repairs, labelled truth.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("run")(coded(run.run))
app.command("report")(coded(run.report))
app.command("compare")(coded(compare.compare))
app.command("gate")(coded(gate.gate))
app.command("merge")(coded(merge.merge))
app.add_typer(case.app, name="case")
app.add_typer(strategy.app, name="strategy")
app.add_typer(engine.app, name="engine")
app.add_typer(prompts.app, name="prompts")
app.command("schema")(coded(schema.schema))
app.add_typer(workflow.app, name="workflow")
app.add_typer(errors.app, name="errors")
app.add_typer(node.app, name="node")
app.add_typer(debug.app, name="debug")
app.add_typer(mcp.app, name="mcp")


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
    sys.exit(_code())


def _interrupt_once(_signal: int, _frame: object) -> NoReturn:
    """Interrupt, and from then on ignore Ctrl-C: trials in flight end by themselves, and joining their workers has to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


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
        command = getattr(command, "commands", {}).get(word)
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
