"""The prompt of ``mendbench workflow debug``: a few words, each a view of one trace."""

from __future__ import annotations

from collections.abc import Callable

from mendbench.cli import trace_text
from mendbench.cli.exits import Exit
from mendbench.cli.output import write
from mendbench.errors import MendbenchError, UnknownName
from mendbench.model.json import JsonObject
from mendbench.runtime.display import plain
from mendbench.workflow_app import tracing

HELP = """\
errors          every failure
nodes           every node, and how it ended
error NODE      everything that is known of its last failure
node NODE       its parameters, inputs and outputs, cut
full NODE       the same, whole, with its exchanges
io NODE         what it sent and what it was answered
diff NODE       what was expected against what was there
help, quit"""

_OF_NODE: dict[str, Callable[[JsonObject, str], str]] = {
    "error": lambda trace, node: trace_text.error(tracing.error_of_node(trace, node)),
    "node": lambda trace, node: trace_text.fields(tracing.node_view(trace, node, full=False)),
    "full": lambda trace, node: trace_text.fields(tracing.node_view(trace, node, full=True)),
    "io": lambda trace, node: trace_text.node_io(tracing.node_io(trace, node, request=True, response=True)),
    "diff": lambda trace, node: trace_text.difference(tracing.validation_diff(trace, node)),
}
_OF_TRACE: dict[str, Callable[[JsonObject], str]] = {
    "errors": lambda trace: trace_text.errors(tracing.errors_list(trace)),
    "nodes": lambda trace: "\n".join(_node_line(trace, node) for node in tracing.node_ids(trace)),
    "help": lambda _trace: HELP,
}


def explore(trace: JsonObject, read: Callable[[str], str]) -> int:
    """Answer line after line until ``quit`` or the end of the input. ``read`` shows a prompt and gives a line."""
    write(plain(trace_text.errors(tracing.errors_list(trace))) + "\n")
    while True:
        try:
            words = read("debug> ").split()
        except EOFError:
            return Exit.DONE
        if words[:1] in (["quit"], ["exit"], ["q"]):
            return Exit.DONE
        if words:
            write(plain(answer(trace, words)).rstrip() + "\n")


def answer(trace: JsonObject, words: list[str]) -> str:
    """Return the response to one line; what is wrong with it is a response too."""
    name, given = words[0], words[1:]
    try:
        if name in _OF_TRACE:
            return _OF_TRACE[name](trace)
        if name not in _OF_NODE:
            raise UnknownName("word", name, [*_OF_TRACE, *_OF_NODE, "quit"])
        if len(given) != 1:
            return f"name one node: {', '.join(tracing.node_ids(trace))}"
        return _OF_NODE[name](trace, given[0])
    except MendbenchError as error:
        return str(error)


def _node_line(trace: JsonObject, node: str) -> str:
    view = tracing.node_view(trace, node, full=False)
    said = f": {str(view['message']).splitlines()[0]}" if view["message"] else ""
    return f"{node} ({view['node_type']}) {view['state']}{said}"
