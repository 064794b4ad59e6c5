"""Headers of requests that matter but that the workflow does not name: with them, no recording matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mendbench.cassettes.keys import keyed_headers
from mendbench.engines.contract.cases import HOST
from mendbench.model.exchange import Exchange
from mendbench.model.json import JsonObject
from mendbench.runtime.nodes.http import request_of
from mendbench.secrets.redaction import sanitise_under

_COST = "it belongs to the key of the request, so recordings are missed and trials end unjudged; send what the node names and no more"
_TYPE = "content-type"


def wrong_headers(workflow: JsonObject, traffic: Iterable[Exchange]) -> Iterator[tuple[str, str]]:
    """Yield each unexpected header and a message about it, once per occurrence."""
    params = {node["id"]: node["params"] for node in workflow["nodes"]}
    for exchange in traffic:
        if exchange.node not in params:
            continue
        wanted = keyed_headers(request_of({**params[exchange.node], "url": HOST}))
        headers = keyed_headers(exchange.request)
        for name in sorted(headers.keys() - wanted.keys()):
            value = sanitise_under(name, headers[name])
            yield name, f"your HTTP client adds `{name}: {value}`, which node {exchange.node!r} does not name: {_COST}"
        if _TYPE in wanted and headers.get(_TYPE) != wanted[_TYPE]:
            got = f"came as {headers[_TYPE]!r}" if _TYPE in headers else "did not come"
            yield (
                _TYPE,
                f"content-type {got} for node {exchange.node!r}: a body that is no text is sent as {wanted[_TYPE]}",
            )
