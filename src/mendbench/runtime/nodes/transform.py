"""The ``transform`` node: a JMESPath expression over data. It has no effect on the world."""

from __future__ import annotations

import jmespath

from mendbench.model.json import JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Send
from mendbench.runtime.nodes.params import text
from mendbench.runtime.validate import NodeSpec

_WHO = "Transform"


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Give back what the expression finds in ``data``; null if it finds nothing.

    Raises:
        TypeError: ``expression`` is no text.
        ValueError: ``expression`` or ``data`` is missing, or it does not compile, or cannot be applied to the data
            (JMESPath's own errors are ``ValueError`` too).
    """
    del send, clock
    expression = text(params, "expression", _WHO)
    if "data" not in params:
        raise ValueError(f"{_WHO} node requires 'data' parameter")
    return NodeOutput(outputs={"result": jmespath.compile(expression).search(params["data"])})


NODE = NodeType(
    type="transform",
    spec=NodeSpec(
        params=frozenset({"data", "expression"}),
        required=frozenset({"data", "expression"}),
        outputs=frozenset({"result", "error"}),
    ),
    run=run,
)
