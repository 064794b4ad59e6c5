"""The server: the SDK's server with our tools."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mendbench.errors import BadInput
from mendbench.version import __version__
from mendbench.workflow_app.mcp_server import tools
from mendbench.workflow_app.mcp_server.advice import Advice
from mendbench.workflow_app.mcp_server.tools import Result, Serving, What

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

__all__ = ["Serving", "build_server", "serve_stdio"]

_RUN = """\
Run a workflow for real and return its result in the agent error format: success, status, error, whether a repair was
tried and how it ended, all errors with category, node and context, the checkpoint, and every node's state.
`workflow` is the JSON document, as an object or as text, or the path of its file. When runs keep failing in one
way, a second content block says {"stop_retrying": true, "suggestion": ...}: inform the user instead of running it once more."""
_VALIDATE = """\
Say everything that is wrong with a workflow, without running it: the same structure as run_workflow, and all problems
with node ids and suggestions. `workflow` is the JSON document, as an object or as text, or the path of its file."""
_PARTS = """\
Show what a workflow is made of: nodes in the order of their run, edges, inputs, outputs; credentials hidden. Nothing
runs. `workflow` is the JSON document, as an object or as text, or the path of its file."""
_INSPECT = """\
Look into the trace of the last run, or into the trace file of that path. `what` is errors (all failures, or a node's),
error (a node's last failure), node (parameters, inputs, outputs), io (requests and responses) or diff (expected against
actual)."""


def serve_stdio(serving: Serving) -> None:
    """Serve over standard input and output until the client leaves.

    Raises:
        BadInput: the SDK is not installed.
    """
    build_server(serving).run("stdio")


def build_server(serving: Serving) -> MCPServer:
    """Return the server.

    Raises:
        BadInput: the SDK is not installed.
    """
    try:
        from anyio.to_thread import run_sync  # noqa: PLC0415  an extra's
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415  an extra, and slow to import
        from mcp.types import CallToolResult, TextContent  # noqa: PLC0415
    except ImportError as error:
        raise BadInput("mcp serve", "the MCP SDK is not installed", "pip install 'mendbench[mcp]'") from error

    advice = Advice()

    def response(result: Result, *beside: str) -> CallToolResult:
        blocks = [TextContent(type="text", text=text) for text in (result.text, *beside)]
        return CallToolResult(content=blocks, is_error=result.failed)

    async def run_workflow(
        workflow: dict[str, Any] | str,
        inputs: dict[str, Any] | None = None,
        *,
        auto_repair: bool = False,
        request: str | None = None,
        strategy: str | None = None,
        repairer: str | None = None,
        model: str | None = None,
        policy: str | None = None,
        detector: str | None = None,
    ) -> CallToolResult:
        named = {
            "strategy": strategy, "repairer": repairer, "model": model, "policy": policy, "detector": detector,
        }  # fmt: skip
        chosen = {name: value for name, value in named.items() if value is not None}
        run = partial(
            tools.run_workflow, serving, workflow,
            inputs=inputs or {}, auto_repair=auto_repair, request=request, chosen=chosen,
        )  # fmt: skip
        result = await run_sync(run)
        advised = advice.after(result, "run_workflow")
        return response(result, *([advised] if advised is not None else []))

    async def validate_workflow(workflow: dict[str, Any] | str, inputs: dict[str, Any] | None = None) -> CallToolResult:
        return response(tools.validate_workflow(workflow, inputs or {}))

    async def inspect_workflow(workflow: dict[str, Any] | str) -> CallToolResult:
        return response(tools.inspect_workflow(workflow))

    async def inspect_trace(what: What = "errors", node: str | None = None, trace: str | None = None) -> CallToolResult:
        return response(tools.inspect_trace(serving, what, node, trace))

    server = MCPServer("mendbench", version=__version__, log_level="ERROR")
    described = (
        (run_workflow, _RUN), (validate_workflow, _VALIDATE), (inspect_workflow, _PARTS), (inspect_trace, _INSPECT)
    )  # fmt: skip
    for tool, description in described:
        # The SDK resolves annotations by name, and these names exist only here.
        tool.__annotations__ |= {"return": CallToolResult, **({"what": What} if tool is inspect_trace else {})}
        server.add_tool(tool, description=description, structured_output=False)
    return server
