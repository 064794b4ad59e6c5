from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.exchange import Response
from mendbench.runtime.trace import shown_document
from mendbench.secrets.issued_credentials import without_credentials
from mendbench.secrets.redaction import sanitise
from mendbench.secrets.undeclared import clean_text, sanitise_key, sanitise_under, secret_key
from tests.fakes.tables import for_each

DRAWN = hashlib.sha256(b"a token for these tests").hexdigest()

SECRET_KEYS = [
    "api_key", "apikey", "api-key", "apiKey", "X-Api-Key", "secret", "client_secret", "clientSecret", "token", "access_token",
    "accessToken", "auth_token", "refresh_token", "bot_token", "password", "passwd", "pwd", "db_password", "authorization", "Authorization",
    "auth", "bearer", "credentials", "private_key", "ssh_key", "cookie", "set-cookie", "Set-Cookie", "secret_access_key", "OAUTH_TOKEN",
]  # fmt: skip
OPEN_KEYS = [
    "author", "authored_by", "token_count", "max_tokens", "tokens_used", "tokens", "total_tokens", "token_type", "next_page_token",
    "nextPageToken", "key", "public_key", "issue_key", "secretary", "authenticated", "password_policy", "keyboard", "status", "passed",
]  # fmt: skip


@for_each("key", SECRET_KEYS)
def test_a_credential_is_known_by_the_words_of_its_key(key):
    assert secret_key(key)
    assert sanitise({key: DRAWN})[key].startswith("<redacted:")


@for_each("key", OPEN_KEYS)
def test_a_key_that_only_sounds_like_one_keeps_its_value(key):
    assert sanitise({key: "plain words"}) == {key: "plain words"}


@for_each(
    "text",
    [
        f"Bearer {DRAWN}",
        "Bearer abc",
        f"Basic {DRAWN[:20]}=",
        f"sent with Bearer {DRAWN} and refused",
        "eyJ" + DRAWN[:20] + "." + DRAWN[20:40] + "." + DRAWN[40:],
        f"postgres://app:{DRAWN[:10]}@db.test:5432/main",
        f"{Path(f'redis://:{DRAWN[:10]}@db.test:6379/0')}: no such file",
        "xo" + "xb-" + DRAWN,
        "gh" + "p_" + DRAWN[:36],
        "s" + "k-" + DRAWN,
        f"https://a.test/?page=2&access_token={DRAWN}",
        json.dumps({"deep": {"api_key": DRAWN}}),
        json.dumps([json.dumps({"password": DRAWN})]),
    ],
)
def test_a_credential_is_known_by_its_shape_in_any_string(text):
    for holder in (text, [text], {"note": text}, {"list": [{"x": text}]}):
        shown = json.dumps(sanitise(holder))
        assert DRAWN[:10] not in shown
        assert "redacted:" in shown


@for_each(
    "text",
    [
        "Bearer authentication is required for this endpoint",
        'Bearer realm="Stripe"',
        "task-management needs max_tokens=512",
        "see https://docs.test/auth?token_type=bot&page=3",
        "https://a.test:8080/path@2",
        "a file:/a/b:c, kim@a.test",
        "<secret:slack>",
        "Bearer <secret:slack>",
        '{"ok": false, "error": "invalid_auth"}',
    ],
)
def test_plain_words_stay(text):
    assert sanitise(text) == text


def test_equal_values_get_equal_placeholders_and_others_do_not():
    clean = sanitise({"token": "one", "list": [{"token": "one"}, {"token": "two"}]})
    assert clean["token"] == clean["list"][0]["token"] != clean["list"][1]["token"]


def test_a_declared_placeholder_stays_under_a_secret_key():
    value = {"Authorization": "Bearer <secret:slack>", "token": "<secret:slack>", "password": "<redacted>"}
    assert sanitise(value) == value


def test_whole_structures_under_a_secret_key_are_redacted_but_flags_and_null_stay():
    clean = sanitise({"credentials": {"user": "ann", "pins": [1234]}, "auth": True, "password": None, "secret": ""})
    assert clean["credentials"]["user"].startswith("<redacted:")
    assert clean["credentials"]["pins"][0].startswith("<redacted:")
    assert (clean["auth"], clean["password"], clean["secret"]) == (True, None, "")


@for_each("body", ["<html>", None, [], 3, ["a"], {"a": [None]}])
def test_any_body_is_taken(body):
    assert sanitise(body) == body


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=30)
    | st.sampled_from([f"Bearer {DRAWN}", "a=b&token=cd"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SECRET_KEYS[:8], *OPEN_KEYS[:8], "a"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(value=json_values)
def test_sanitising_is_idempotent_and_leaves_the_original(value):
    before = copy.deepcopy(value)
    once = sanitise(value)
    assert value == before
    assert sanitise(once) == once


@for_each(
    "value",
    [
        "Bearer Bearer <secret:slack>",
        "<secret:slack><secret:slack>",
        "Bearer: <secret:slack>",
        'Bearer "<secret:slack>"',
    ],
)
def test_a_credential_header_of_placeholders_and_schemes_is_shown_as_it_was_sent(value):
    assert sanitise({"Authorization": value}) == {"Authorization": value}


@for_each("write", [str, json.dumps, lambda text: json.dumps(json.dumps(text))])
def test_a_value_in_a_text_has_one_mark_however_it_is_quoted_and_nested(write):
    mark = sanitise({"token": DRAWN})["token"]
    for text in (f"token={DRAWN}", f'token="{DRAWN}"', f"token='{DRAWN}' x"):
        written = f"{write(text)} and more"
        assert sanitise(written) == written.replace(DRAWN, mark)


def test_an_option_has_the_mark_of_its_value_without_quotes():
    mark = sanitise({"token": DRAWN})["token"]
    assert sanitise(f"run --token '{DRAWN}' --token={DRAWN}") == f"run --token '{mark}' --token={mark}"


def test_a_backslash_inside_a_value_ends_it_not():
    assert "cd" not in sanitise(r"token=ab1\\cd2")


def test_templates_masks_and_nothing_stand_for_no_credential_in_a_pair():
    text = '?token=${login.token}&password=***&secret=$SECRET&auth=""'
    assert sanitise(text) == text


def test_a_key_with_a_credentials_shape_is_hidden_and_what_stands_under_it_is_found_all_the_same():
    key = "gh" + "p_" + DRAWN[:36]
    clean = sanitise({key: 1, "token": {key: "x1"}})
    assert key not in str(clean)
    assert (clean[sanitise_key(key)], list(clean["token"])) == (1, [sanitise_key(key)])
    assert key not in sanitise(json.dumps({key: 1}))
    assert shown_document({key: "${a.b}", "nodes": []}) == {sanitise_key(key): "${a.b}", "nodes": []}
    assert sanitise_under(key, DRAWN) == DRAWN
    assert list(without_credentials(Response(status=200, headers=((key, DRAWN),))).headers) == [(key, DRAWN)]


@for_each("text", ["Basic plan", "Bearer token", "basic Access"])
def test_a_scheme_before_a_word_is_no_credential(text):
    assert sanitise({"plan": text}) == {"plan": text}


def test_the_value_of_a_pair_is_taken_out_under_the_name_that_the_pair_gives_it():
    clean = sanitise([{"name": "X-Api-Key", "value": "k-77aa88bb"}, {"name": "Accept", "value": "*/*"}])
    assert str(clean[0]["value"]).startswith("<redacted:")
    assert clean == [{"name": "X-Api-Key", "value": clean[0]["value"]}, {"name": "Accept", "value": "*/*"}]
    text = str(sanitise('sent {"name": "X-Api-Key", "value": "k-77aa88bb"} there'))
    assert text == f'sent {{"name": "X-Api-Key", "value": "{clean[0]["value"]}"}} there'


@for_each(
    "text",
    [
        "curl -H 'Cookie: sid=abcd; b=c' x",
        '[db]\npassword = "hunter"\n',
        "api_key = k-77aa88bb  # ours",
        "set-cookie: a=b",
    ],
)
def test_cookies_in_a_line_and_settings_are_taken_out(text):
    clean = str(sanitise(text))
    assert "<redacted:" in clean
    assert not any(value in clean for value in ("abcd", "hunter", "k-77"))
    assert sanitise(clean) == clean


@for_each(
    "value",
    [
        {"name": "Secret Garden", "value": "a-novel"}, {"name": "secret", "value": "token"}, {"name": "token", "value": "null"},
        {"name": "author", "value": "kim"}, 'key_env = "DESK_KEY_2"', "token = next(2)", "token == 12345678", 'auth = "none"', "Send Cookie: sid=…",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_pair_a_cookie_or_a_setting_is_left(value):
    assert sanitise(value) == value


def test_a_name_in_capitals_stands_for_a_credential_in_a_header_and_is_none():
    assert clean_text("send it as 'Authorization: Bot TOKEN'") == "send it as 'Authorization: Bot TOKEN'"
    assert "XYZZYPLUGH" not in clean_text("Authorization: Bot XYZZYPLUGH")
