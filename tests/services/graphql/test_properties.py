from __future__ import annotations

import copy
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Request
from mendbench.services import simulated
from tests.fakes.services import NOW_MS
from tests.services.graphql.client import LAB, REPO, TRACKER

PIECES = st.sampled_from(
    ["{", "}", "(", ")", "query", "mutation", "fragment F on Specimen", "...F", "... on Issue", "$x", "$x: Int!", ":", "first: 2", "@skip(if: true)",
     "specimens", "lockers", "code", "nodes", "edges", "node", "custodian", "locker", "viewer", "login", "issues", "title", REPO, "issue(number: 3)",
     "__typename", "__schema", '"text', "!", "=", "a:", "\u0001", "\ud800", "[1, null]"]
)  # fmt: skip
GOOD = st.sampled_from(
    [
        "{ lockers { code free } }",
        "{ specimens(first: 2) { nodes { code } } }",
        "{ viewer { login } }",
        f"{{ {REPO} {{ issue(number: 3) {{ id title }} }} }}",
        'mutation { requisitionWithdraw(id: "req-70") { requisition { state } userErrors { message } } }',
        'mutation { w: requisitionWithdraw(id: "req-0") { wrong: userErrors { message } } }',
        'mutation { requisitionPlace(input: {specimenId: "spc-501", aliquots: 1, handling: TUMBLE, costCentre: "c"}) { requisition { id } } }',
        'mutation { createIssue(input: {repositoryId: "R_647d63f0c25695", title: "t"}) { issue { number } } }',
        'mutation { createIssue(input: {repositoryId: "R_647d63f0c25695", title: ""}) { issue { number } } }',
        "query($x: Int!) { specimens(first: $x) { nodes { id } } }",
    ]
)
QUERIES = st.one_of(GOOD, st.lists(PIECES, max_size=12).map(" ".join), st.text(max_size=40))
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "i", "title"]), inner, max_size=2)
    ),
    max_leaves=6,
)
BODIES = st.fixed_dictionaries({"query": QUERIES}, optional={"variables": JSON_VALUES, "operationName": JSON_VALUES})


def request_of(url, body):
    headers = (("authorization", "Bearer one"), ("content-type", "application/json"))
    return Request(method="POST", url=url, headers=headers, body=json.dumps(body).encode())


@given(url=st.sampled_from([TRACKER, LAB]), body=BODIES | JSON_VALUES)
def test_any_query_gets_an_answer_twice_the_same_and_only_an_accepted_mutation_leaves_a_trace(url, body):
    service = simulated("graphql")
    state = service.seed()
    before = copy.deepcopy(state)
    request = request_of(url, body)
    after, response = service.response(state, request, NOW_MS)
    assert state == before
    assert service.response(state, request, NOW_MS) == (after, response)
    assert json.loads(json.dumps(after)) == after
    assert response.status in {200, 400, 500}
    query = body.get("query") if isinstance(body, dict) else None
    took = accepted(response, parse_body(response.body, response.header("content-type")))
    if not took or "mutation" not in str(query):
        assert after == state


@given(asked=st.lists(st.tuples(st.sampled_from([TRACKER, LAB]), GOOD), min_size=2, max_size=6))
def test_an_answer_hangs_on_the_accepted_writes_before_it_alone(asked):
    service = simulated("graphql")
    quiet = noisy = service.seed()
    now = NOW_MS
    for url, query in asked:
        request = request_of(url, {"query": query})
        left, response = service.response(quiet, request, now)
        noisy, same = service.response(noisy, request, now)
        assert same == response
        if left != quiet:
            quiet, now = left, now + 1000
    assert noisy == quiet


@pytest.mark.parametrize("module", ["mendbench.services.graphql", "mendbench.services.graphql.service"])
def test_the_service_is_imported_without_the_library_that_runs_queries(module):
    code = f"import {module}, sys; from mendbench.services import hosts_of; hosts_of('graphql', {{}}); sys.exit('graphql' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
