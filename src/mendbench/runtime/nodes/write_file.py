"""The ``write-file`` node: puts a text into a file of the run's sandbox folder."""

from __future__ import annotations

import json

from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.files import failed, path_of, trouble, url_of
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Send
from mendbench.runtime.validate import NodeSpec

_WHO = "Write file"
_HEADERS = (("Content-Type", "text/plain; charset=utf-8"),)


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Write the file, in place of one that is there; folders on its way are made.

    Raises:
        TypeError, ValueError: a parameter cannot be used; a path that leads out of the sandbox folder is one.
    """
    del clock
    path = path_of(params, _WHO)
    if params.get("content") is None:
        raise ValueError(f"{_WHO} node requires 'content' parameter")
    content = _as_text(params["content"])
    body = content.encode("utf-8", "backslashreplace")
    message = trouble(send(Request(method="PUT", url=url_of(path), headers=_HEADERS, body=body)), path)
    if message is not None:
        return failed(message, path)
    return NodeOutput(outputs={"content": content, "file_path": path})


def _as_text(value: Json) -> str:
    """Return what is written: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


NODE = NodeType(
    type="write-file",
    spec=NodeSpec(
        params=frozenset({"file_path", "content"}),
        required=frozenset({"file_path", "content"}),
        outputs=frozenset({"content", "file_path", "error"}),
    ),
    run=run,
)
