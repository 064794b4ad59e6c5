"""What HTTP clients add by themselves decides nothing, and what a workflow names does."""

import pytest

from mendbench.cassettes.keys import identity
from mendbench.engines.client_headers import headers_named, without_client_headers
from mendbench.engines.loopback import HOP
from mendbench.model.exchange import Request
from mendbench.runtime.parse import salvaged
from tests.fakes.clients import SENT

URL = "https://api.inn.example/notes"


def asked(headers, body=b""):
    """Return a request as the loopback server takes it: without the headers of the connection."""
    kept = tuple((name, value) for name, value in headers.items() if name.lower() not in HOP)
    return Request(method="POST", url=URL, headers=kept, body=body)


@pytest.mark.parametrize("client", SENT)
def test_a_request_is_the_same_one_whatever_client_sends_it(client):
    own = {"Authorization": "Bearer k"}
    sent = without_client_headers(asked({**SENT[client], **own}), frozenset())
    assert identity(sent) == identity(asked(own))


@pytest.mark.parametrize(
    "header",
    [
        ("Accept-Language", "de"),
        ("Accept", "text/csv"),
        ("Accept", "application/vnd.github.raw+json"),
        ("X-Tenant", "north"),
        ("If-Match", "*"),
    ],
)
def test_what_no_client_sends_by_itself_decides_though_no_node_names_it(header):
    sent = asked(dict([header]))
    assert without_client_headers(sent, frozenset()) == sent


def test_the_type_of_a_body_decides_and_that_of_none_does_not():
    headers = {"Content-Type": "text/plain;charset=UTF-8"}
    assert without_client_headers(asked(headers, b"x"), frozenset()).headers == (
        ("Content-Type", headers["Content-Type"]),
    )
    assert without_client_headers(asked(headers), frozenset()).headers == ()
    assert without_client_headers(asked(headers), frozenset({"content-type"})) == asked(headers)


def http(node_id, headers):
    return {"id": node_id, "type": "http", "params": {"url": URL, "headers": headers}}


def test_a_header_that_the_node_names_decides_for_this_node_alone():
    nodes = [
        http("plain", {"X-Tenant": "a"}),
        http("named", {"Accept-Language": "*"}),
        http("any", "${inputs.headers}"),
    ]
    named = headers_named(salvaged({"ir_version": "0.1.0", "nodes": nodes, "edges": []}))
    sent = asked({"accept-language": "*"})
    kept = {node: bool(without_client_headers(sent, named(node)).headers) for node in ("plain", "named", "any", None)}
    assert kept == {"plain": False, "named": True, "any": True, None: True}
