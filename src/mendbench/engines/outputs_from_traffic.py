"""Takes a node's outputs from its response, if its engine reports none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mendbench.engines.document import EngineExecution
from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Exchange
from mendbench.model.json import JsonObject

_HTTP = "http"


def with_responses(execution: EngineExecution, exchanges: Sequence[Exchange]) -> EngineExecution:
    """Return an execution in which each successful http node has outputs: the reported ones, else its last response.

    The outputs from a response are in the form of a built-in node. So a check of a node's outputs needs only the agent error format,
    which has no place for outputs of nodes.
    """
    last = {exchange.node: exchange for exchange in exchanges if exchange.response.fault is None}
    nodes = tuple(
        replace(record, outputs=_outputs(last[record.node_id]))
        if record.node_type == _HTTP and record.state == "success" and not record.outputs and record.node_id in last
        else record
        for record in execution.nodes
    )
    return replace(execution, nodes=nodes)


def _outputs(exchange: Exchange) -> JsonObject:
    return {"response": parse_body(exchange.response.body, None), "status_code": exchange.response.status}
