"""The ten workflows of the contract kit, and the messages for an engine that handles them differently."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

from mendbench.engines.contract.world import said
from mendbench.engines.document import EngineExecution
from mendbench.exchanges.urls import normalise_url
from mendbench.model.exchange import Exchange, Response
from mendbench.model.json import Json, JsonObject

HOST = "https://yard.contract.example"
_NOTES, _REFUSED = f"{HOST}/notes", 422


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The result of a case."""

    execution: EngineExecution
    traffic: tuple[Exchange, ...]
    again: EngineExecution | None = None
    """The second execution of the cases that have one."""
    again_traffic: tuple[Exchange, ...] = ()
    resumes: bool = False


Judge = Callable[[Seen], Iterator[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractCase:
    """One small workflow, its world, and the expected result."""

    name: str
    title: str
    workflow: JsonObject
    responses: Mapping[str, Sequence[Response]]
    judge: Judge
    inputs: JsonObject = field(default_factory=dict)
    then: JsonObject | None = None
    """The workflow that is executed next, from its checkpoint if the engine resumes."""


def http(node_id: str, path: str, **params: Json) -> JsonObject:
    """Return an http node. Its URL is a path on the test host, unless it is a full URL or a template."""
    return {
        "id": node_id,
        "type": "http",
        "params": {"url": path if "://" in path or "${" in path else f"{HOST}{path}", **params},
    }


def chain(
    *nodes: JsonObject, edges: Sequence[JsonObject] | None = None, outputs: JsonObject | None = None
) -> JsonObject:
    """Return a workflow of these nodes, in sequence unless edges are given."""
    ids = [node["id"] for node in nodes]
    line = [{"from": source, "to": target} for source, target in pairwise(ids)]
    return {
        "ir_version": "0.1.0",
        "nodes": list(nodes),
        "edges": list(line if edges is None else edges),
        "outputs": outputs or {},
    }


def _bodies(seen: Seen, url: str) -> list[Json]:
    found = []
    for exchange in seen.traffic:
        if exchange.request.method == "POST" and normalise_url(exchange.request.url) == normalise_url(url):
            try:
                found.append(json.loads(exchange.request.body or b"null"))
            except ValueError:
                found.append(exchange.request.body.decode("utf-8", "replace"))
    return found


def _succeeded(execution: EngineExecution) -> Iterator[str]:
    if execution.outcome != "success":
        reason = f": {execution.failures[0].message}" if execution.failures else ""
        yield f"it says {execution.outcome}{reason}; the world answered everything, and nothing in the workflow fails"


def _sent(traffic: Sequence[Exchange], *wanted: str) -> Iterator[str]:
    """Yield the differences between the requests that came and those that the workflow expects, in its order."""
    got = [f"{exchange.request.method} {normalise_url(exchange.request.url).partition('?')[0]}" for exchange in traffic]
    for request in dict.fromkeys(wanted):
        times, due = got.count(request), wanted.count(request)
        if times < due:
            yield f"it did not send {request}" if not times else f"it sent {request} {times} times, and not {due}"
        elif times > due:
            yield f"it sent {request} {times} times, and the workflow asks for it {'once' if due == 1 else f'{due} times'}"
    yield from (
        f"it sent {request}, which nothing in the workflow asks for"
        for request in dict.fromkeys(got)
        if request not in wanted
    )
    if sorted(got) == sorted(wanted) and got != list(wanted):
        yield f"it sent {', then '.join(got)}: nodes run one after the other, along the edges"


def _failed_at(execution: EngineExecution, node: str) -> Iterator[str]:
    if execution.outcome != "error" and not execution.failures:
        yield f"it says {execution.outcome}, and node {node!r} failed: print success false, with an error for it"
        return
    named = [failure.node_id for failure in execution.failures]
    if node not in named:
        yield f"its errors name {named[0] or 'no node'!r} in node_id, and {node!r} is what failed"


def _one_request(seen: Seen) -> Iterator[str]:
    yield from _succeeded(seen.execution)
    yield from _sent(seen.traffic, f"GET {HOST}/crates")
    if not seen.traffic:
        return
    request = seen.traffic[0].request
    query = parse_qs(urlsplit(request.url).query)
    if query != {"kind": ["oak"], "limit": ["2"]}:
        yield f"the query came as {urlsplit(request.url).query!r}: params of an http node are its query, kind=oak&limit=2"
    if request.header("X-Yard") != "north":
        yield "the header X-Yard did not come: headers of an http node are sent as they are"
    if request.header("Authorization") != "Bearer yard-key":
        yield "Authorization is not 'Bearer yard-key': auth_token of an http node is sent so"


def _types(seen: Seen) -> Iterator[str]:
    yield from _succeeded(seen.execution)
    yield from _sent(seen.traffic, f"GET {HOST}/crates/7", f"POST {_NOTES}")
    for body in _bodies(seen, _NOTES)[:1]:
        if not isinstance(body, dict):
            yield "the body of the POST is no JSON object: body of an http node is sent as JSON, unless it is a text"
            continue
        for name, wanted in {"weight": 12, "tags": ["a", "b"], "text": "Crate 7 weighs 12", "sealed": False}.items():
            got = body.get(name)
            if got != wanted or type(got) is not type(wanted):
                yield (
                    f"body.{name} came as {json.dumps(got)} and not as {json.dumps(wanted)}: a parameter that is one template keeps the "
                    "type of its value, and a template inside a text becomes text"
                )


def _inputs(seen: Seen) -> Iterator[str]:
    yield from _succeeded(seen.execution)
    yield from _sent(seen.traffic, f"GET {HOST}/crates/9")
    if seen.execution.outputs != {"wood": "elm"}:
        yield f"outputs are {json.dumps(seen.execution.outputs)}: the workflow declares wood, which the response has as elm"


def _refused(seen: Seen) -> Iterator[str]:
    yield from _failed_at(seen.execution, "note")
    yield from _sent(seen.traffic, f"POST {_NOTES}")
    for failure in seen.execution.failures[:1]:
        if failure.status_code != _REFUSED:
            yield f"the error's status_code is {failure.status_code}, and the world answered {_REFUSED}"
        if not isinstance(failure.raw_response, dict) or failure.raw_response.get("detail") != "text is too long":
            yield "the error's raw_response is not what the world answered: whoever repairs needs to know it"


def _no_field(seen: Seen) -> Iterator[str]:
    if any("${" in json.dumps(body) for body in _bodies(seen, _NOTES)):
        yield "it sent a template as it stands: one that names nothing fails its node, and nothing is sent"
    yield from _failed_at(seen.execution, "note")
    yield from _sent(seen.traffic, f"GET {HOST}/crates/7")


def _error_edge(seen: Seen) -> Iterator[str]:
    yield from _sent(seen.traffic, f"POST {_NOTES}", f"POST {HOST}/alarm")
    if seen.execution.outcome == "error":
        yield "it says error: the edge with the action 'error' leads on after the failure, and the run goes on from there"


def _steps(seen: Seen) -> Iterator[str]:
    execution = seen.execution.agent.get("execution")
    steps = execution.get("steps") if isinstance(execution, dict) else None
    if not isinstance(steps, list) and not seen.execution.own.get("nodes"):
        yield "it reports no steps: execution.steps has an entry for each node, with node_id and status (completed, failed, not_executed)"
        return
    for node, state in {"crate": "success", "note": "error", "last": "not_run"}.items():
        got = seen.execution.states().get(node)
        if got != state:
            yield f"node {node!r} is reported as {got}, and is {state}: statuses are completed, failed and not_executed"


def _links(seen: Seen) -> Iterator[str]:
    yield from _succeeded(seen.execution)
    yield from _sent(seen.traffic, f"GET {HOST}/crates", f"GET {HOST}/page/2", f"POST {_NOTES}")
    for body in _bodies(seen, _NOTES)[:1]:
        if body != {"link": f"{HOST}/page/2"}:
            yield f"a URL of the world came as {json.dumps(body)}: pass on what a response says as it is"


def _no_response(seen: Seen) -> Iterator[str]:
    yield from _failed_at(seen.execution, "crate")
    if any(exchange.request.method == "POST" for exchange in seen.traffic):
        yield "it went on after a node that got no response"


def _resumed(seen: Seen) -> Iterator[str]:
    yield from _failed_at(seen.execution, "note")
    if seen.again is None:
        return
    yield from _succeeded(seen.again)
    writes = sum(
        exchange.request.method == "POST" and exchange.request.url.endswith("/orders")
        for exchange in (*seen.traffic, *seen.again_traffic)
    )
    if seen.resumes and writes > 1:
        yield (
            "it declares resume, and sent POST /orders again, which had been accepted: what it printed as mendbench.resume stands in the "
            "file MENDBENCH_CHECKPOINT; leave out what is done and unchanged"
        )


CRATE = said({"id": 7, "weight": 12, "tags": ["a", "b"], "sealed": False})
_TOO_LONG: JsonObject = {"loc": ["body", "text"], "msg": "text is too long", "type": "string_too_long"}
TAKEN = said({"id": "n-1"}, 201)
NOTE = http("note", "/notes", method="POST", body={"text": "${crate.response.colour}"})
_ORDER = http("order", "/orders", method="POST", body={"crate": 7})

CASES: tuple[ContractCase, ...] = (
    ContractCase(
        name="one-request", title="query, headers and token of an http node are sent, and no others", judge=_one_request,
        workflow=chain(http("crates", "/crates", params={"kind": "oak", "limit": 2}, headers={"X-Yard": "north"}, auth_token="yard-key")),  # noqa: S106
        responses={f"GET {HOST}/crates": [said([])]},
    ),
    ContractCase(
        name="types", title="data goes from node to node with its type", judge=_types,
        workflow=chain(
            http("crate", "/crates/7"),
            http("note", "/notes", body={
                "weight": "${crate.response.weight}", "tags": "${crate.response.tags}", "sealed": "${crate.response.sealed}",
                "text": "Crate ${crate.response.id} weighs ${crate.response.weight}",
            }),
        ),
        responses={f"GET {HOST}/crates/7": [CRATE], f"POST {_NOTES}": [TAKEN]},
    ),
    ContractCase(
        name="inputs-and-outputs", title="inputs are read, and declared outputs reported", judge=_inputs, inputs={"number": 9},
        workflow={
            **chain(http("crate", f"{HOST}/crates/${{number}}"), outputs={"wood": {"source": "${crate.response.wood}"}}),
            "inputs": {"number": {"type": "number"}},
        },
        responses={f"GET {HOST}/crates/9": [said({"wood": "elm"})]},
    ),
    ContractCase(
        name="refused", title="a refusal is reported with status and body, and nothing after it runs", judge=_refused,
        workflow=chain(http("note", "/notes", method="POST", body={"text": "x"}), http("last", "/done", method="POST", body={})),
        responses={f"POST {_NOTES}": [said({"detail": "text is too long"}, _REFUSED)], f"POST {HOST}/done": [TAKEN]},
    ),
    ContractCase(
        name="no-such-field", title="a template that names nothing fails its node, and nothing is sent", judge=_no_field,
        workflow=chain(http("crate", "/crates/7"), NOTE),
        responses={f"GET {HOST}/crates/7": [CRATE], f"POST {_NOTES}": [TAKEN]},
    ),
    ContractCase(
        name="error-edge", title="an error edge leads on after a failure", judge=_error_edge,
        workflow=chain(
            http("note", "/notes", method="POST", body={"text": "x"}), http("alarm", "/alarm", method="POST", body={"of": "note"}),
            edges=[{"from": "note", "to": "alarm", "action": "error"}],
        ),
        responses={f"POST {_NOTES}": [said({"detail": "text is too long"}, _REFUSED)], f"POST {HOST}/alarm": [TAKEN]},
    ),
    ContractCase(
        name="steps", title="every node is reported, also those that were not reached", judge=_steps,
        workflow=chain(http("crate", "/crates/7"), http("note", "/notes", body={"text": "x"}), http("last", "/done")),
        responses={f"GET {HOST}/crates/7": [CRATE], f"POST {_NOTES}": [said({"detail": [_TOO_LONG]}, _REFUSED)]},
    ),
    ContractCase(
        name="links", title="a URL in a response leads into the world, and goes back as it came", judge=_links,
        workflow=chain(
            http("crates", "/crates"), http("more", "${crates.response.next}"),
            http("note", "/notes", body={"link": "${crates.response.next}"}),
        ),
        responses={f"GET {HOST}/crates": [said({"next": f"{HOST}/page/2"})], f"GET {HOST}/page/2": [said([])], f"POST {_NOTES}": [TAKEN]},
    ),
    ContractCase(
        name="no-answer", title="where no response comes the node fails, and the command ends by itself", judge=_no_response,
        workflow=chain(http("crate", "/crates/7"), http("note", "/notes", body={"text": "x"})),
        responses={f"GET {HOST}/crates/7": [Response(status=0, fault="reset", elapsed_ms=20)], f"POST {_NOTES}": [TAKEN]},
    ),
    ContractCase(
        name="resume", title="an edited workflow goes on from the checkpoint, where that is declared", judge=_resumed,
        workflow=chain(_ORDER, http("crate", "/crates/7"), NOTE),
        then=chain(_ORDER, http("crate", "/crates/7"), http("note", "/notes", method="POST", body={"text": "${crate.response.id}"})),
        responses={f"POST {HOST}/orders": [TAKEN], f"GET {HOST}/crates/7": [CRATE], f"POST {_NOTES}": [TAKEN]},
    ),
)  # fmt: skip
"""In the order in which an author meets them."""


def differs_again(first: Sequence[Exchange], second: Sequence[Exchange]) -> str | None:
    """Return the message about an engine whose second execution of one workflow, in a fresh world, sent something else."""
    calls = [
        [f"{exchange.request.method} {exchange.request.url}" for exchange in traffic] for traffic in (first, second)
    ]
    if calls[0] == calls[1]:
        return None
    texts = (", ".join(own) or "nothing" for own in (calls[1], calls[0]))
    return "executed again it sent {}, and before {}: keep nothing between executions".format(*texts)
