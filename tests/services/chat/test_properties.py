from __future__ import annotations

import copy
import json

from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Request
from mendbench.services import simulated
from mendbench.services.chat.routes import ROUTES
from tests.fakes.services import NOW_MS
from tests.services.chat.client import ODALYS

PLACES = {
    "channel_id": st.sampled_from(["1180000000000002001", "1180000000000002002", "9", "dome-log", "²"]),
    "guild_id": st.sampled_from(["1180000000000001000", "12", "x"]),
    "user_id": st.sampled_from([ODALYS, "1180000000000000103", "@me"]),
    "message_id": st.sampled_from(["1190000000000000002", "1190000000000000001", "0"]),
    "role_id": st.sampled_from(["1180000000000001007", "1"]),
    "webhook_id": st.sampled_from(["4", "1180000000000002001"]),
    "emoji": st.sampled_from(["%F0%9F%91%8D", "smile", "dome:123"]),
    "token": st.text("ab%", max_size=4),
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8) | st.just("x" * 2001),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["title", "color", "fields", "name", "value", "footer", "text", "url", "timestamp"]), inner, max_size=4),
    max_leaves=10,
)  # fmt: skip
NAMES = st.sampled_from(
    ["content", "embeds", "name", "type", "topic", "nick", "tts", "message_reference", "position", "username"]
)
QUERIES = st.sampled_from(["", "?limit=5", "?limit=x", "?before=1", "?after=²", "?wait=true"])


@st.composite
def requests(draw):
    route = draw(st.sampled_from(ROUTES))
    path = route.path.format(**{name: draw(values) for name, values in PLACES.items()})
    body = draw(st.dictionaries(NAMES, VALUES, max_size=4) | VALUES)
    return Request(
        method=route.method,
        url=f"https://discord.com/api/v10{path}{draw(QUERIES)}",
        headers=(("authorization", "Bot one"), ("content-type", "application/json")),
        body=json.dumps(body).encode(),
    )


@given(request=requests())
def test_any_request_gets_an_answer_twice_the_same_and_only_an_accepted_write_leaves_a_trace(request):
    service = simulated("chat")
    state = service.seed()
    before = copy.deepcopy(state)
    after, response = service.response(state, request, NOW_MS)
    assert state == before
    assert service.response(state, request, NOW_MS) == (after, response)
    assert json.loads(json.dumps(after)) == after
    assert response.status in {200, 201, 204, 400, 401, 403, 404}
    if request.safe or not accepted(response, parse_body(response.body, response.header("content-type"))):
        assert after == state
    assert service.response(after, request, NOW_MS + 1000)


@given(asked=st.lists(requests(), min_size=2, max_size=6))
def test_an_answer_hangs_on_the_accepted_writes_before_it_alone(asked):
    service = simulated("chat")
    quiet = noisy = service.seed()
    now = NOW_MS
    for request in asked:
        left, response = service.response(quiet, request, now)
        noisy, same = service.response(noisy, request, now)
        assert same == response
        if left != quiet:
            quiet, now = left, now + 1000
    assert noisy == quiet


@given(count=st.integers(1, 6))
def test_ids_differ_and_grow(count):
    service, state = simulated("chat"), simulated("chat").seed()
    seen = []
    for _ in range(count):
        request = Request(
            method="POST",
            url="https://discord.com/api/v10/channels/1180000000000002001/messages",
            headers=(("authorization", "Bot one"),),
            body=b'{"content": "x"}',
        )
        state, response = service.response(state, request, NOW_MS)
        seen.append(int(json.loads(response.body)["id"]))
    assert seen == sorted(set(seen))
