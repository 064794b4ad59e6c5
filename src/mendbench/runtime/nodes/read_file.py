"""The ``read-file`` node: reads a text file from the run's sandbox folder, with numbered lines."""

from __future__ import annotations

from mendbench.model.exchange import Request
from mendbench.model.json import JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.files import failed, failure_message, path_of, url_of
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Send
from mendbench.runtime.outline import NodeSpec

_WHO = "Read file"


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Read the file and return its text, each line with its number in front as in the baseline.

    Raises:
        TypeError, ValueError: a parameter cannot be used, such as a path that leads out of the sandbox folder.
    """
    del clock
    path = path_of(params, _WHO)
    response = send(Request(method="GET", url=url_of(path)))
    message = failure_message(response, path)
    if message is not None:
        return failed(message, path)
    try:
        content = response.body.decode("utf-8")
    except UnicodeDecodeError:
        return failed(f"Error: File '{path}' is not text in UTF-8.", path)
    return NodeOutput(outputs={"content": numbered(content), "file_path": path})


def numbered(content: str) -> str:
    """Return a text with ``1: `` before its first line, and so on. Line endings are unchanged."""
    lines = content.split("\n")
    end = [] if lines[-1] else [lines.pop()]
    return "\n".join([*(f"{number}: {line}" for number, line in enumerate(lines, 1)), *end])


NODE = NodeType(
    type="read-file",
    spec=NodeSpec(
        params=frozenset({"file_path"}),
        required=frozenset({"file_path"}),
        outputs=frozenset({"content", "file_path", "error"}),
    ),
    run=run,
)
