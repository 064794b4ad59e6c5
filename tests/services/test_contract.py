"""What every simulated service holds to, whatever it simulates."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.kit.bodies import parse_body
from mendbench.kit.envelopes import accepted
from mendbench.model.exchange import Answer, Request
from mendbench.services import hosts_of, service_names, simulated
from mendbench.services.github.routes import ROUTES
from mendbench.services.slack.routes import METHODS as METHODS_OF_SLACK
from tests.fakes.services import NOW_MS
from tests.services.json_api.states import LEDGER

STATES = {"json_api": LEDGER}
"""Cases' states for services whose seed alone answers nothing."""


def _simulated_names():
    return [name for name in service_names() if name != "datasette"]


def _state(name):
    return STATES.get(name) or simulated(name).seed()


GITHUB_PATHS = sorted({
    route.path.format_map({"owner": "tern-and-tide", "repo": "sluicegate", "number": "1", "name": "leak", "assignee": "mzeval",
                           "path*": "README.md", "branch*": "trunk", "login": "mzeval"})
    for route in ROUTES
})  # fmt: skip
PATHS = st.one_of(
    st.sampled_from(GITHUB_PATHS),
    st.sampled_from([f"/api/{method}" for method in METHODS_OF_SLACK]),
    st.text(max_size=30).map(lambda text: f"/{text}"),
    st.sampled_from([
        "/api/conversations.list?limit=2", "/api/conversations.history?channel=C05LOBBY11",
        "/repos/tern-and-tide/sluicegate/issues?per_page=1", "/search/issues?q=gate", "/v2/people", "/v2/people/p-17", "/v2/notes",
    ]),
    st.lists(st.sampled_from(["api", "repos", "tern-and-tide", "sluicegate", "issues", "..", "%ff", "v2", ""]), max_size=5).map("/".join).map("/{}".format),
)  # fmt: skip
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = ("channel", "text", "blocks", "ts", "limit", "cursor", "name", "users", "title", "labels", "assignees", "milestone", "state",
          "body", "content", "message", "sha", "branch", "head", "base", "email", "qty", "kind", "thread_ts", "timestamp")  # fmt: skip
BODIES = st.one_of(
    st.binary(max_size=60),
    st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, max_size=6).map(lambda value: json.dumps(value).encode()),
    JSON_VALUES.map(lambda value: json.dumps(value).encode()),
    st.just(b"[" * 5000),
)
TYPES = (
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "odd",
)
HEADERS = st.fixed_dictionaries(
    {"user-agent": st.just("test"), "content-type": st.sampled_from(TYPES)},
    optional={
        "authorization": st.one_of(st.just("Bearer good-enough"), st.text(max_size=20)),
        "x-odd": st.text(max_size=5),
    },
).map(lambda value: tuple(value.items()))
METHODS = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "get", "BREW", ""])


@pytest.mark.parametrize("name", _simulated_names())
def test_a_service_has_its_name_and_hosts(name):
    assert simulated(name).name == name
    assert all(host == host.lower() and ":" not in host for host in hosts_of(name, _state(name)))


@pytest.mark.parametrize("name", _simulated_names())
def test_the_seed_is_json_and_fresh_each_time(name):
    service = simulated(name)
    first = service.seed()
    assert json.loads(json.dumps(first)) == first
    first["spoilt"] = True
    assert "spoilt" not in service.seed()


@pytest.mark.parametrize("name", _simulated_names())
@settings(max_examples=150, deadline=None)
@given(asked=st.tuples(METHODS, PATHS, HEADERS, BODIES), now=st.integers(NOW_MS, NOW_MS + 10**9))
def test_any_request_gets_an_answer_twice_the_same_and_leaves_the_state_alone(name, asked, now):
    service, state = simulated(name), _state(name)
    before = copy.deepcopy(state)
    method, path, headers, body = asked
    request = Request(method=method, url=f"https://{hosts_of(name, state)[0]}{path}", headers=headers, body=body)
    after, answer = service.answer(state, request, now)
    assert isinstance(answer, Answer)
    assert 100 <= answer.status < 600
    assert state == before
    assert service.answer(state, request, now) == (after, answer)
    assert service.answer(after, request, now)
    assert json.loads(json.dumps(after)) == after


JSON = (("user-agent", "test"), ("authorization", "Bearer good-enough"), ("content-type", "application/json"))
LIKELY = {
    "slack": [
        ("GET", "/api/chat.postMessage?channel=C05LOBBY11&text=hi", {}),
        ("GET", "/api/conversations.create?name=made-by-get", {}),
        ("GET", "/api/conversations.history?channel=C05LOBBY11", {}),
        ("GET", "/api/conversations.list", {}),
        ("POST", "/api/chat.postMessage", {"channel": "C05LOBBY11", "text": "hi"}),
        ("POST", "/api/chat.postMessage", {"channel": "U06KESTERN", "text": "hi"}),
        ("POST", "/api/chat.postMessage", {"channel": "U06KESTERN", "text": ""}),
        ("POST", "/api/conversations.create", {"name": "made-by-post"}),
        ("POST", "/api/auth.test", {}),
    ],
    "github": [
        ("GET", "/repos/tern-and-tide/sluicegate", {}),
        ("GET", "/repos/tern-and-tide/sluicegate/issues", {}),
        ("GET", "/repos/tern-and-tide/sluicegate/labels", {}),
        ("GET", "/search/issues?q=is:issue", {}),
        ("POST", "/repos/tern-and-tide/sluicegate/issues", {"title": ""}),
        ("POST", "/repos/tern-and-tide/sluicegate/issues", {"title": "x", "labels": ["new"]}),
        ("POST", "/repos/tern-and-tide/sluicegate/issues", {"title": "x", "labels": ["new"], "assignees": ["no one"]}),
        ("POST", "/repos/tern-and-tide/sluicegate/issues/1/comments", {"body": "x"}),
        ("POST", "/repos/tern-and-tide/sluicegate/issues/1/comments", {"body": " "}),
        ("POST", "/no/such", {}),
    ],
    "json_api": [
        ("GET", "/v2/people", {}),
        ("GET", "/v2/gone", {}),
        ("POST", "/v2/notes", {"name": "n", "qty": 1}),
        ("POST", "/v2/notes", {"name": "n", "qty": 101}),
        ("POST", "/v2/notes", {"name": "n", "qty": 1, "ok": False}),
        ("PATCH", "/v2/people/p-17", {"email": "x@ledger.example"}),
        ("GET", "/v2/make", {}),
    ],
}  # fmt: skip
MAKES_BY_GET = {"collection": "notes", "action": "create", "id": {"prefix": "n-", "start": 40}}


def _likely(name):
    drawn = st.tuples(METHODS, PATHS, HEADERS, BODIES)
    return drawn | st.sampled_from(LIKELY[name]).map(lambda one: (one[0], one[1], JSON, json.dumps(one[2]).encode()))


def _leaves_a_trace(request, answer):
    return not request.safe and accepted(answer, parse_body(answer.body, answer.header("content-type")))


@pytest.mark.parametrize("name", _simulated_names())
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_an_answer_hangs_on_the_request_and_the_accepted_writes_before_it_alone(name, data):
    """Two worlds see the same accepted writes; one of them also sees safe and refused requests in between."""
    service, quiet = simulated(name), copy.deepcopy(_state(name))
    if name == "json_api":
        quiet["apis"]["ledger"]["routes"]["GET /v2/make"] = MAKES_BY_GET
    noisy, host, now = quiet, hosts_of(name, quiet)[0], NOW_MS
    for method, path, headers, body in data.draw(st.lists(_likely(name), min_size=2, max_size=8)):
        request = Request(method=method, url=f"https://{host}{path}", headers=headers, body=body)
        left, answer = service.answer(quiet, request, now)
        noisy, same = service.answer(noisy, request, now)
        assert same == answer
        if _leaves_a_trace(request, answer):
            quiet, now = left, now + 1000
    assert noisy == quiet


def test_a_failure_that_is_declared_counts_every_request():
    state = {**_state("slack"), "failures": {"auth.test": [{"status": 500}]}}
    request = Request(method="GET", url="https://slack.com/api/auth.test", headers=JSON)
    left, first = simulated("slack").answer(state, request, NOW_MS)
    assert (first.status, simulated("slack").answer(left, request, NOW_MS)[1].status) == (500, 200)


@pytest.mark.parametrize("name", _simulated_names())
@settings(max_examples=20, deadline=None)
@given(url=st.text(max_size=40))
def test_any_text_for_a_url_gets_an_answer(name, url):
    _, answer = simulated(name).answer(_state(name), Request(method="GET", url=url), NOW_MS)
    assert 100 <= answer.status < 600


@pytest.mark.parametrize("name", _simulated_names())
def test_an_unknown_path_is_not_found(name):
    state = _state(name)
    token = (("authorization", "Bearer x"), ("user-agent", "test"))
    request = Request(method="GET", url=f"https://{hosts_of(name, state)[0]}/no/such/page", headers=token)
    _, answer = simulated(name).answer(state, request, NOW_MS)
    assert answer.status == 404


@pytest.mark.parametrize("name", _simulated_names())
def test_answers_take_a_plausible_time(name):
    state = _state(name)
    request = Request(method="GET", url=f"https://{hosts_of(name, state)[0]}/", headers=(("user-agent", "test"),))
    assert 20 <= simulated(name).answer(state, request, NOW_MS)[1].elapsed_ms <= 300
