"""The ``write-file`` node: writes a text to a file in the run's sandbox folder."""

from __future__ import annotations

from mendbench.model.exchange import Request
from mendbench.model.json import JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.files import failed, failure_message, path_of, url_of
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Send
from mendbench.runtime.nodes.params import as_text
from mendbench.runtime.outline import NodeSpec

_WHO = "Write file"
_HEADERS = (("Content-Type", "text/plain; charset=utf-8"),)


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Write the file, replacing an existing one. Create missing folders.

    Raises:
        TypeError, ValueError: a parameter cannot be used, such as a path that leads out of the sandbox folder.
    """
    del clock
    path = path_of(params, _WHO)
    if params.get("content") is None:
        raise ValueError(f"{_WHO} node requires 'content' parameter")
    content = as_text(params["content"])
    body = content.encode("utf-8", "backslashreplace")
    message = failure_message(send(Request(method="PUT", url=url_of(path), headers=_HEADERS, body=body)), path)
    if message is not None:
        return failed(message, path)
    return NodeOutput(outputs={"content": content, "file_path": path})


NODE = NodeType(
    type="write-file",
    spec=NodeSpec(
        params=frozenset({"file_path", "content"}),
        required=frozenset({"file_path", "content"}),
        outputs=frozenset({"content", "file_path", "error"}),
    ),
    run=run,
)
