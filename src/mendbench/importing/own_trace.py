"""The trace that ``mendbench workflow run`` writes: see :mod:`mendbench.runtime.trace`."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

from mendbench.errors import BadInput
from mendbench.exchanges.bodies import form_fields
from mendbench.importing.interface import Dropped, FoundExchange, Source, body_bytes, settled
from mendbench.model.exchange import Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.trace_file import read_trace


def read_own_trace(path: Path) -> Source:
    """Return the first execution in a trace; later ones ran a changed workflow.

    Raises:
        BadInput: it is broken, or has another format.
    """
    trace = read_trace(path)
    found: list[FoundExchange] = []
    dropped: list[Dropped] = []
    messages: dict[str, str] = {}
    for ran in trace["executions"]:
        for failure in ran["failures"]:
            messages.setdefault(str(failure["node_id"]), str(failure.get("message")))
        for node in ran["nodes"]:
            for number, exchange in enumerate(node.get("exchanges") or []):
                place = f"executions[{ran['attempt']}].{node['node_id']}.exchanges[{number}]"
                request = exchange["request"]
                what = f"{place} {request.get('method')} {request.get('url')}"
                if ran["attempt"]:
                    dropped.append(Dropped(what=what, why="it was asked after the workflow had been changed"))
                else:
                    try:
                        found.append(_found(place, str(node["node_id"]), exchange))
                    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
                        hint = "write it again with `mendbench workflow run FILE`"
                        raise BadInput(f"{path}: {place}", f"no exchange ({error!r})", hint) from None
    before, inputs = trace["workflow"].get("before"), trace.get("inputs")
    return Source(
        kind="trace",
        path=path,
        found=tuple(found),
        dropped=tuple(dropped),
        workflow=before if isinstance(before, dict) else None,
        inputs=inputs if isinstance(inputs, dict) else {},
        said=messages,
    )


def _found(place: str, node: str, exchange: JsonObject) -> FoundExchange:
    sent, received = exchange["request"], exchange["response"]
    headers = settled(tuple((str(name), str(value)) for name, value in (sent.get("headers") or {}).items()))
    request = Request(method=str(sent["method"]), url=str(sent["url"]), headers=headers, body=_sent(sent.get("body")))
    response = Response(
        status=int(received.get("status") or 0),
        headers=settled(tuple((str(name), str(value)) for name, value in (received.get("headers") or {}).items())),
        body=body_bytes(received.get("body")),
        elapsed_ms=int(received.get("elapsed_ms") or 0),
        fault=received.get("fault"),
    )
    return FoundExchange(place=place, request=request, response=response, node=node)


def _sent(body: Json) -> bytes:
    if form_fields(body) is not None:
        return urlencode([(str(name), str(value)) for name, value in body["form"]]).encode()
    return body_bytes(body)
