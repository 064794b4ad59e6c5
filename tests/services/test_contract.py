"""What every simulated service holds to, whatever it simulates."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Request, Response
from mendbench.replay.effects import by_state
from mendbench.services import hosts_of, registry, simulated
from mendbench.services.github.routes import ROUTES
from mendbench.services.slack.routes import METHODS as METHODS_OF_SLACK
from tests.fakes.services import NOW_MS
from tests.services.json_api.states import LEDGER

STATES = {"json_api": LEDGER}
"""Cases' states for services whose seed alone answers nothing."""


def _simulated_names():
    return registry._having("SIMULATED")


def _state(name):
    return {"counters": {"writes": 0}, **STATES[name]} if name in STATES else simulated(name).seed()


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
@given(asked=st.tuples(METHODS, PATHS, HEADERS, BODIES), now=st.integers(NOW_MS, NOW_MS + 10**9))
def test_any_request_gets_an_answer_twice_the_same_and_leaves_the_state_alone(name, asked, now):
    service, state = simulated(name), _state(name)
    before = copy.deepcopy(state)
    method, path, headers, body = asked
    request = Request(method=method, url=f"https://{hosts_of(name, state)[0]}{path}", headers=headers, body=body)
    after, response = service.response(state, request, now)
    assert isinstance(response, Response)
    assert 100 <= response.status < 600
    assert state == before
    assert service.response(state, request, now) == (after, response)
    assert service.response(after, request, now)
    assert json.loads(json.dumps(after)) == after


JSON = (("user-agent", "test"), ("authorization", "Bearer good-enough"), ("content-type", "application/json"))
BOOK = "1Qv8Brackm00rL0tLedgerXyT4nWc2Zs5eKd9uHfGa7J"
MESSAGES = "/api/v10/channels/1180000000000002001/messages"
NEW_ISSUE = 'mutation { createIssue(input: {repositoryId: "R_647d63f0c25695", title: "t"}) { issue { number } } }'
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
    "sheets": [
        ("GET", f"/v4/spreadsheets/{BOOK}", {}),
        ("GET", f"/v4/spreadsheets/{BOOK}/values/Germination", {}),
        ("POST", f"/v4/spreadsheets/{BOOK}/values/Germination:append?valueInputOption=RAW", {"values": [["x"]]}),
        ("POST", f"/v4/spreadsheets/{BOOK}/values/Germination:append?valueInputOption=RAW", {"values": ["x"]}),
        ("PUT", f"/v4/spreadsheets/{BOOK}/values/Germination!A2?valueInputOption=RAW", {"values": [["y"]]}),
        ("POST", f"/v4/spreadsheets/{BOOK}:batchUpdate", {"requests": [{"addSheet": {}}]}),
        ("POST", f"/v4/spreadsheets/{BOOK}:batchUpdate", {"requests": [{"deleteSheet": {"sheetId": 902}}]}),
    ],
    "payments": [
        ("GET", "/v1/customers?limit=1", {}),
        ("POST", "/v1/customers", {}),
        ("POST", "/v1/customers?name=Ysolde", None),
        ("POST", "/v1/payment_intents?amount=500&currency=gbp&payment_method=pm_1Qx4Tallowmere&confirm=true", None),
        ("POST", "/v1/payment_intents?amount=500&currency=gbp&confirm=true", None),
        ("POST", "/v1/refunds?payment_intent=pi_3Qa9Tallowmere1&amount=100", None),
    ],
    "graphql": [
        ("POST", "/graphql", {"query": "{ viewer { login } }"}),
        ("POST", "/graphql", {"query": "{ lockers { code } }"}),
        ("POST", "/graphql", {"query": NEW_ISSUE}),
        ("GET", "/graphql", {}),
    ],
    "chat": [
        ("GET", f"{MESSAGES}", {}),
        ("POST", f"{MESSAGES}", {"content": "x"}),
        ("POST", f"{MESSAGES}", {}),
        ("PUT", f"{MESSAGES}/1190000000000000002/reactions/%F0%9F%91%8D/@me", {}),
    ],
    "mcp_sim": [("POST", "/get_ticket", {}), ("POST", "/tools/list", {})],
}  # fmt: skip
MAKES_BY_GET = {"collection": "notes", "action": "create", "id": {"prefix": "n-", "start": 40}}


def _headers(name):
    scheme = "Bot" if name == "chat" else "Bearer"
    return tuple((key, value.replace("Bearer", scheme)) for key, value in JSON)


def _likely(name):
    drawn = st.tuples(METHODS, PATHS, HEADERS, BODIES)
    return drawn | st.sampled_from(LIKELY.get(name, [("GET", "/", {})])).map(
        lambda one: (one[0], one[1], _headers(name), b"" if one[2] is None else json.dumps(one[2]).encode())
    )


@pytest.mark.parametrize("name", _simulated_names())
@given(data=st.data())
def test_an_answer_hangs_on_the_request_and_the_changes_before_it_alone(name, data):
    """Two worlds see the same requests that change something; one of them also sees all that change nothing in between."""
    service, quiet = simulated(name), copy.deepcopy(_state(name))
    if name == "json_api":
        quiet["apis"]["ledger"]["routes"]["GET /v2/make"] = MAKES_BY_GET
    noisy, host, now = quiet, hosts_of(name, quiet)[0], NOW_MS
    for method, path, headers, body in data.draw(st.lists(_likely(name), min_size=2, max_size=8)):
        request = Request(method=method, url=f"https://{host}{path}", headers=headers, body=body)
        left, response = service.response(quiet, request, now)
        noisy, same = service.response(noisy, request, now)
        assert same == response
        if by_state(quiet, left):
            assert accepted(response, parse_body(response.body, response.header("content-type")))
            assert method not in {"HEAD", "OPTIONS"}
            quiet, now = left, now + 1000
    assert noisy == quiet


READS = {
    "slack": [
        ("POST", "/api/auth.test", {}),
        ("POST", "/api/conversations.history", {"channel": "C05LOBBY11"}),
        ("GET", "/api/conversations.members?channel=C05LOBBY11", {}),
        ("POST", "/api/chat.postMessage", {"channel": "C05LOBBY11", "text": ""}),
    ],
    "github": [
        ("GET", "/repos/tern-and-tide/sluicegate/issues/1/comments", {}),
        ("POST", "/repos/tern-and-tide/sluicegate/issues", {"title": ""}),
    ],
    "json_api": [("GET", "/v2/people", {}), ("POST", "/v2/notes", {"name": "n", "qty": 101})],
}  # fmt: skip
WRITES = {
    "slack": [
        ("GET", "/api/chat.postMessage?channel=C05LOBBY11&text=hi", {}),
        ("POST", "/api/chat.postMessage?channel=C05LOBBY11&text=hi", {}),
        ("POST", "/api/chat.postMessage", {"channel": "C05LOBBY11", "text": "hi"}),
    ],
    "github": [("POST", "/repos/tern-and-tide/sluicegate/issues", {"title": "x"})],
    "json_api": [("POST", "/v2/notes", {"name": "n", "qty": 1})],
}
BOOKKEEPING = {
    "slack": {"rate_limited": {"auth.test": {"times": 5, "retry_after": 1}}},
    "github": {"rate_limits": {"core": {"limit": 50}}, "secondary_limit": {"times": 9}},
}
"""Parts of a state that count requests."""


def _changes(name, state, method, path, body):
    request = Request(
        method=method, url=f"https://{hosts_of(name, state)[0]}{path}", headers=JSON, body=json.dumps(body).encode()
    )
    return by_state(state, simulated(name).response(state, request, NOW_MS)[0])


@pytest.mark.parametrize("name", READS)
def test_what_only_reads_or_is_refused_changes_nothing_however_it_is_asked_and_whatever_is_counted(name):
    for state in (_state(name), {**_state(name), **BOOKKEEPING.get(name, {})}):
        assert [_changes(name, state, *one) for one in READS[name]] == [False] * len(READS[name])


@pytest.mark.parametrize("name", WRITES)
def test_what_writes_changes_the_state_however_it_is_asked(name):
    assert [_changes(name, _state(name), *one) for one in WRITES[name]] == [True] * len(WRITES[name])


def test_a_write_that_happened_though_the_answer_failed_changed_the_state():
    state = {**_state("slack"), "failures": {"chat.postMessage": [{"status": 503, "applied": True}]}}
    assert _changes("slack", state, *WRITES["slack"][2])
    state["failures"]["chat.postMessage"] = [{"status": 503}]
    assert not _changes("slack", state, *WRITES["slack"][2])


@pytest.mark.parametrize("name", ["slack", "github"])
@given(asked=st.tuples(METHODS, PATHS, HEADERS, BODIES))
def test_whatever_is_asked_has_one_meaning_or_none_and_a_meaning_means_itself(name, asked):
    method, path, headers, body = asked
    service = simulated(name)
    meant = service.canonical(
        Request(method=method, url=f"https://{service.hosts[0]}{path}", headers=headers, body=body)
    )
    if meant is not None:
        assert service.canonical(meant) == meant


def test_a_failure_that_is_declared_counts_every_request():
    state = {**_state("slack"), "failures": {"auth.test": [{"status": 500}]}}
    request = Request(method="GET", url="https://slack.com/api/auth.test", headers=JSON)
    left, first = simulated("slack").response(state, request, NOW_MS)
    assert (first.status, simulated("slack").response(left, request, NOW_MS)[1].status) == (500, 200)


@pytest.mark.parametrize("name", _simulated_names())
@given(url=st.text(max_size=40))
def test_any_text_for_a_url_gets_an_answer(name, url):
    _, response = simulated(name).response(_state(name), Request(method="GET", url=url), NOW_MS)
    assert 100 <= response.status < 600


@pytest.mark.parametrize("name", _simulated_names())
def test_an_unknown_path_is_not_found(name):
    state = _state(name)
    token = (("authorization", "Bearer x"), ("user-agent", "test"))
    request = Request(method="GET", url=f"https://{hosts_of(name, state)[0]}/no/such/page", headers=token)
    _, response = simulated(name).response(state, request, NOW_MS)
    assert response.status == 404


@pytest.mark.parametrize("name", _simulated_names())
def test_answers_take_a_plausible_time(name):
    state = _state(name)
    request = Request(method="GET", url=f"https://{hosts_of(name, state)[0]}/", headers=(("user-agent", "test"),))
    assert 20 <= simulated(name).response(state, request, NOW_MS)[1].elapsed_ms <= 300
