"""The prompt of ``mendbench workflow debug``: each command shows a view of a trace."""

from __future__ import annotations

from collections.abc import Callable

from mendbench.cli import trace_text
from mendbench.cli.exits import Exit
from mendbench.cli.output import write
from mendbench.errors import MendbenchError, UnknownName
from mendbench.model.json import JsonObject
from mendbench.runtime import trace_views
from mendbench.runtime.display import plain

HELP = """\
errors          all failures
nodes           all nodes and their states
error NODE      all details of its last failure
node NODE       its parameters, inputs and outputs, truncated
full NODE       the same, in full, with its exchanges
io NODE         its requests and responses
diff NODE       expected and actual values
help, quit"""

_OF_NODE: dict[str, Callable[[JsonObject, str], str]] = {
    "error": lambda trace, node: trace_text.error(trace_views.error_of_node(trace, node)),
    "node": lambda trace, node: trace_text.fields(trace_views.node_view(trace, node, full=False)),
    "full": lambda trace, node: trace_text.fields(trace_views.node_view(trace, node, full=True)),
    "io": lambda trace, node: trace_text.node_io(trace_views.node_io(trace, node, request=True, response=True)),
    "diff": lambda trace, node: trace_text.difference(trace_views.validation_diff(trace, node)),
}
_OF_TRACE: dict[str, Callable[[JsonObject], str]] = {
    "errors": lambda trace: trace_text.errors(trace_views.errors_list(trace)),
    "nodes": lambda trace: "\n".join(_node_line(trace, node) for node in trace_views.node_ids(trace)),
    "help": lambda _trace: HELP,
}


def explore(trace: JsonObject, read: Callable[[str], str]) -> int:
    """Execute lines until ``quit`` or the end of the input. ``read`` shows a prompt and returns a line."""
    write(plain(trace_text.errors(trace_views.errors_list(trace))) + "\n")
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
    """Return the response to one line, or the message about what is wrong with it."""
    name, *nodes = words
    try:
        if name in _OF_TRACE:
            return _OF_TRACE[name](trace)
        if name not in _OF_NODE:
            raise UnknownName("word", name, [*_OF_TRACE, *_OF_NODE, "quit"])
        if len(nodes) != 1:
            return f"name one node: {', '.join(trace_views.node_ids(trace))}"
        return _OF_NODE[name](trace, nodes[0])
    except MendbenchError as error:
        return str(error)


def _node_line(trace: JsonObject, node: str) -> str:
    view = trace_views.node_view(trace, node, full=False)
    message = f": {str(view['message']).splitlines()[0]}" if view["message"] else ""
    return f"{node} ({view['node_type']}) {view['state']}{message}"
