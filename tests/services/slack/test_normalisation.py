"""One spelling for all calls that mean the same."""

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.exchange import Request
from mendbench.services.slack.normalisation import meant

POST = "https://slack.com/api/chat.postMessage"
JSON = (("Authorization", "Bearer <secret:slack>"), ("Content-Type", "application/json"))
FORM = (("Authorization", "Bearer <secret:slack>"), ("Content-Type", "application/x-www-form-urlencoded"))
BLOCKS = [{"type": "divider"}]


def asked(method, url, body=b"", headers=JSON):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return meant(Request(method=method, url=url, headers=headers, body=raw))


@given(text=st.text(min_size=1), channel=st.text("ABC123", min_size=1), blocks=st.booleans())
def test_query_form_and_body_on_either_host_mean_one_call(text, channel, blocks):
    text = text.encode("utf-8", "replace").decode()
    said = {"channel": channel, **({"blocks": BLOCKS} if blocks else {"text": text})}
    texts = urlencode({name: value if isinstance(value, str) else json.dumps(value) for name, value in said.items()})
    spellings = [
        asked("POST", POST, said),
        asked("POST", f"https://www.slack.com:443/api/chat.postMessage?{texts}"),
        asked("GET", f"{POST}?{texts}"),
        asked("POST", POST, texts.encode(), FORM),
        asked("POST", POST, {**said, "token": "<secret:slack>", "thread_ts": None, "attachments": [], "as_seen": 1}),
    ]
    assert {(one.method, one.url) for one in spellings} == {("POST", POST)}
    assert [json.loads(one.body) for one in spellings] == [said] * len(spellings)


def test_what_reads_is_a_get_with_a_query():
    url = "https://slack.com/api/conversations.history"
    spellings = [
        asked("POST", url, {"channel": "C1", "limit": 2}),
        asked("POST", url, b"limit=2&channel=C1&token=x", FORM),
        asked("GET", f"{url}?limit=2&channel=C1"),
    ]
    assert {(one.method, one.url, one.body) for one in spellings} == {("GET", f"{url}?channel=C1&limit=2", b"")}


def test_other_arguments_mean_another_call():
    assert asked("POST", POST, {"channel": "C1", "text": "a"}) != asked("POST", POST, {"channel": "C1", "text": "b"})
    assert asked("POST", POST, {"text": "a"}) != asked("POST", POST, {"text": "a", "blocks": BLOCKS})


def test_the_text_beside_blocks_is_a_fallback_and_means_nothing():
    said = {"channel": "C1", "blocks": BLOCKS}
    assert asked("POST", POST, {**said, "text": "a"}) == asked("POST", POST, said)
    assert asked("POST", POST, {"channel": "C1", "blocks": [], "text": "a"}) != asked("POST", POST, {"channel": "C1"})


@pytest.mark.parametrize(
    ("url", "body"),
    [("https://slack.com/", b""), ("https://slack.com/api/no.such", b""), (POST, b"{"), ("http://[broken", b"")],
)
def test_what_slack_cannot_read_means_nothing(url, body):
    assert asked("POST", url, body) is None
