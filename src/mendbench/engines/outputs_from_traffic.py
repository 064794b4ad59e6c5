"""What a node was answered stands for its outputs, where its engine tells nothing of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mendbench.engines.document import EngineExecution
from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Exchange
from mendbench.model.json import JsonObject

_HTTP = "http"


def with_responses(execution: EngineExecution, exchanges: Sequence[Exchange]) -> EngineExecution:
    """Return an execution in which each http node that succeeded has outputs: those told, else its last response, as our own node has it.

    So a check of what a node got needs no more of an engine than the agent error format, which has no place for outputs of nodes.
    """
    last = {one.node: one for one in exchanges if one.response.fault is None}
    nodes = tuple(
        replace(record, outputs=_outputs(last[record.node_id]))
        if record.node_type == _HTTP and record.state == "success" and not record.outputs and record.node_id in last
        else record
        for record in execution.nodes
    )
    return replace(execution, nodes=nodes)


def _outputs(exchange: Exchange) -> JsonObject:
    return {"response": parse_body(exchange.response.body, None), "status_code": exchange.response.status}
