"""``mendbench errors``, ``mendbench node`` and ``mendbench debug``: views of the trace of a run."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from mendbench.cli import trace_text
from mendbench.cli.group import App
from mendbench.cli.options import Format, Output, TraceFile
from mendbench.runtime import trace_views

errors_app = App("Show what failed in a run of a workflow.")
node_app = App("Show one node of a run.")
debug_app = App("Show the details of a failed node.")

Node: TypeAlias = Annotated[str, typer.Argument(metavar="NODE", help="A node's id.")]
NodeOption: TypeAlias = Annotated[str, typer.Option("--node", metavar="NODE", help="A node's id.")]


@errors_app.command("list")
def list_errors(trace: TraceFile = None, output: Output = Format.text) -> int:
    """List all failures of a run, including those that a repair fixed."""
    return trace_text.show(trace_views.errors_list(trace_text.opened(trace)), trace_text.errors, output)


@errors_app.command("show")
def show_error(node: Node, trace: TraceFile = None, output: Output = Format.text) -> int:
    """Show all details of a node's last failure."""
    return trace_text.show(trace_views.error_of_node(trace_text.opened(trace), node), trace_text.error, output)


@node_app.command("inspect")
def inspect_node(
    node: Node,
    full: Annotated[bool, typer.Option("--full", help="Show whole values, and all requests and responses.")] = False,
    trace: TraceFile = None,
    output: Output = Format.text,
) -> int:
    """Show a node's parameters, as written and as resolved, its outputs and its state."""
    return trace_text.show(trace_views.node_view(trace_text.opened(trace), node, full=full), trace_text.fields, output)


@debug_app.command("node-io")
def node_io(
    node: NodeOption,
    request: Annotated[bool, typer.Option("--show-request", help="Show its requests.")] = False,
    response: Annotated[bool, typer.Option("--show-response", help="Show their responses.")] = False,
    trace: TraceFile = None,
    output: Output = Format.text,
) -> int:
    """Show a node's requests and their responses; both if neither option is given."""
    both = request == response
    view = trace_views.node_io(trace_text.opened(trace), node, request=both or request, response=both or response)
    return trace_text.show(view, trace_text.node_io, output)


@debug_app.command("errors")
def all_errors(
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="A node's id; default: all nodes.")] = None,
    trace: TraceFile = None,
    output: Output = Format.text,
) -> int:
    """Show all details of each failure, execution by execution."""
    return trace_text.show(trace_views.errors_of_node(trace_text.opened(trace), node), trace_text.all_errors, output)


@debug_app.command("validation-diff")
def validation_diff(node: NodeOption, trace: TraceFile = None, output: Output = Format.text) -> int:
    """Compare the expected with the actual values, field by field."""
    return trace_text.show(trace_views.validation_diff(trace_text.opened(trace), node), trace_text.difference, output)
