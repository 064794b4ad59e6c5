from __future__ import annotations

import base64
import gzip
import json
import pickle
import random
import re
import string
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.exchange import Request, Response
from mendbench.secrets.redaction import Redactor, canary, plant_canaries
from mendbench.secrets.undeclared import noting, redacted_mark, sanitise
from tests.fakes.tables import for_each

TOKEN = canary("slack/greets", "slack")
ODD = 'p"a/s\\s +%wörd&=' + canary("x/y", "odd")[:20]
REDACTOR = Redactor({"slack": TOKEN, "odd": ODD})

secrets = st.text(alphabet=string.ascii_letters + string.digits + '-_./+=%"\\ äß€', min_size=12, max_size=40).filter(
    lambda text: len(text.strip()) == len(text)
)
around = st.text(max_size=12)


def nested(secret: str, depth: int) -> str:
    text = secret
    for _ in range(depth):
        text = json.dumps({"inside": text})
    return text


FORMS = {
    "plain": lambda s: s,
    "in JSON": lambda s: nested(s, 1),
    "in JSON in JSON": lambda s: nested(s, 2),
    "in JSON in JSON in JSON": lambda s: nested(s, 3),
    "in JSON with raw letters": lambda s: json.dumps({"a": s}, ensure_ascii=False),
    "percent-encoded": lambda s: quote(s, safe=""),
    "percent-encoded with slashes": quote,
    "percent-encoded in lower case": lambda s: re.sub(
        "%[0-9A-F]{2}", lambda found: found.group().lower(), quote(s, safe="")
    ),
    "percent-encoded twice": lambda s: quote(quote(s, safe=""), safe=""),
    "in a form": quote_plus,
    "percent-encoded in JSON": lambda s: json.dumps({"url": quote(s, safe="")}),
    "in base64": lambda s: base64.b64encode(s.encode()).decode(),
    "in base64, one byte before": lambda s: base64.b64encode(b"x" + s.encode()).decode(),
    "in base64, two bytes before": lambda s: base64.b64encode(b"xy" + s.encode() + b"z").decode(),
    "in base64 for URLs": lambda s: base64.urlsafe_b64encode(b"me:" + s.encode()).decode(),
    "in base64, percent-encoded": lambda s: quote(base64.b64encode(b"me:" + s.encode()).decode(), safe=""),
    "in base64 in JSON": lambda s: json.dumps({"auth": base64.b64encode(b"me:" + s.encode()).decode()}),
}


@pytest.mark.parametrize("secret", [TOKEN, ODD])
@pytest.mark.parametrize("form", FORMS)
def test_a_secret_leaves_its_name_in_every_form(form, secret):
    text = f"before {FORMS[form](secret)} after"
    clean = REDACTOR.text(text)
    name = "slack" if secret == TOKEN else "odd"
    assert f"<secret:{name}>" in clean
    assert REDACTOR.leaks(text) == (name,)
    assert REDACTOR.leaks(clean) == ()


@given(secret=secrets, before=around, after=around, form=st.sampled_from(sorted(FORMS)))
def test_redaction_leaves_nothing_and_is_idempotent(secret, before, after, form):
    redactor = Redactor({"it": secret})
    clean = redactor.text(before + FORMS[form](secret) + after)
    assert redactor.leaks(clean) == ()
    assert redactor.text(clean) == clean


@given(pair=st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3), text=st.text(max_size=60))
def test_redaction_is_idempotent_for_any_secrets_even_short_ones(pair, text):
    redactor = Redactor({f"s{index}": secret for index, secret in enumerate(pair)})
    clean = redactor.text(text + "".join(pair))
    assert redactor.text(clean) == clean


@given(secret=secrets, value=st.recursive(st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=5))
def test_a_value_keeps_its_shape_and_is_left_as_it_was(secret, value):
    redactor = Redactor({"it": secret})
    whole = {"kept": value, "list": [secret, 1, None], secret: True}
    before = json.dumps(whole)
    clean = redactor.value(whole)
    assert json.dumps(whole) == before
    assert clean["list"] == ["<secret:it>", 1, None]
    assert clean["<secret:it>"] is True


def test_a_text_without_secrets_is_not_touched():
    assert REDACTOR.text("100% of C:\\temp + more") == "100% of C:\\temp + more"


def test_a_longer_secret_wins_over_one_that_it_contains():
    redactor = Redactor({"short": "abcdefgh", "long": "abcdefgh-ijkl"})
    assert redactor.text("x abcdefgh-ijkl y abcdefgh") == "x <secret:long> y <secret:short>"


def test_a_secret_that_reads_like_a_placeholder_does_not_eat_placeholders():
    redactor = Redactor({"a": "secret", "b": "slack-token"})
    clean = redactor.text("the secret is slack-token")
    assert clean == "the <secret:a> is <secret:b>"
    assert redactor.text(clean) == clean


def test_a_gzip_body_is_stored_decompressed_without_the_headers_that_no_longer_hold():
    body = gzip.compress(json.dumps({"token": TOKEN}).encode())
    headers = (("Content-Encoding", "gzip"), ("Content-Length", str(len(body))), ("X-Kept", "1"))
    clean = REDACTOR.response(Response(status=200, headers=headers, body=body))
    assert clean.body == b'{"token": "<secret:slack>"}'
    assert clean.headers == (("X-Kept", "1"),)
    assert REDACTOR.leaks(body) == ("slack",)


def test_a_body_that_is_cut_off_inside_gzip_is_read_as_far_as_it_goes():
    body = gzip.compress(TOKEN.encode() * 50)
    clean = REDACTOR.data(body[: len(body) - 6])
    assert clean.startswith(b"<secret:slack><secret:slack>")
    assert REDACTOR.data(b"\x1f\x8b") == b"\x1f\x8b"


def test_binary_bytes_around_a_secret_stay_as_they_are():
    assert REDACTOR.data(b"\xff\x00" + TOKEN.encode() + b"\xfe") == b"\xff\x00<secret:slack>\xfe"


@for_each(
    ("value", "expected"),
    [
        (f"Bearer {TOKEN}", "Bearer <secret:slack>"),
        (TOKEN, "<secret:slack>"),
        ("Basic " + base64.b64encode(TOKEN.encode()).decode(), "Basic <secret:slack>"),
        ("Bearer somebody-elses", f"Bearer {redacted_mark('somebody-elses')}"),
        (f"Bearer Bearer {TOKEN}", "Bearer Bearer <secret:slack>"),
        (f"Bearer{TOKEN}", "Bearer<secret:slack>"),
        (f'Bearer "{TOKEN}"', 'Bearer "<secret:slack>"'),
        (f"{TOKEN}{TOKEN}", "<secret:slack><secret:slack>"),
        (f"Bearer {TOKEN}xyz", f"Bearer <secret:slack>{redacted_mark('xyz')}"),
        (f"Slack {TOKEN}", f"{redacted_mark('Slack ')}<secret:slack>"),
        ("Bearer ", "Bearer "),
        ("", ""),
        ("<redacted>", "<redacted>"),
        ("Bearer <secret:slack>", "Bearer <secret:slack>"),
    ],
)
def test_an_authorization_header_keeps_its_scheme_and_a_declared_name_only(value, expected):
    assert REDACTOR.headers((("authorization", value),)) == (("authorization", expected),)


@for_each("name", ["Cookie", "Set-Cookie", "X-Api-Key", "AUTHORIZATION"])
def test_credential_headers_never_keep_an_undeclared_value(name):
    held = "<redacted>" if name == "Set-Cookie" else redacted_mark("sid=77")
    assert Redactor({}).headers(((name, "sid=77"),)) == ((name, held),)


PIECES = st.lists(
    st.sampled_from([TOKEN, ODD, "Bearer ", "basic ", "token", "xyz", "my", " ", "=", "<redacted>"])
    | st.text(max_size=4),
    max_size=4,
).map("".join)


@given(value=PIECES)
def test_a_credential_header_is_redacted_for_good_and_keeps_no_unknown_word(value):
    once = REDACTOR.headers((("Authorization", value),))
    assert REDACTOR.headers(once) == once
    assert REDACTOR.leaks(once[0][1]) == ()
    left = re.sub(r"<secret:(slack|odd)>|<redacted(:[0-9a-f]{8})?>", "", once[0][1])
    assert re.fullmatch(r"(?i)(bearer|basic|token|bot|digest|apikey|[\s:=\"'])*", left)


@given(a=PIECES, b=PIECES)
def test_credential_headers_that_differ_still_differ_when_redacted(a, b):
    one, other = (REDACTOR.headers((("Authorization", value),)) for value in (a, b))
    assert (one == other) == (REDACTOR.text(a) == REDACTOR.text(b))


def test_a_basic_credential_of_another_user_differs():
    def of(user):
        return REDACTOR.headers((("Authorization", "Basic " + base64.b64encode(f"{user}:{TOKEN}".encode()).decode()),))

    assert of("me") == of("me") != of("you")
    assert of("me")[0][1].startswith("Basic <redacted:")
    assert of("me")[0][1].endswith("<secret:slack>")


def test_a_request_is_redacted_everywhere():
    request = Request(
        method="POST",
        url=f"https://a.test/{quote(ODD, safe='')}?token={TOKEN}",
        headers=(("X-Note", TOKEN), ("Content-Length", "50")),
        body=json.dumps({"x": ODD}).encode(),
        timeout_s=3,
    )
    clean = REDACTOR.request(request)
    assert clean == Request(
        method="POST",
        url="https://a.test/<secret:odd>?token=<secret:slack>",
        headers=(("X-Note", "<secret:slack>"),),
        body=b'{"x": "<secret:odd>"}',
        timeout_s=3,
    )
    assert REDACTOR.request(clean) == clean


def test_the_redactor_does_not_show_its_secrets():
    assert TOKEN not in repr(REDACTOR)


def test_canaries_are_long_deterministic_and_differ_by_case_and_name():
    assert canary("a/b", "x") == canary("a/b", "x")
    assert len({canary("a/b", "x"), canary("a/b", "y"), canary("a/c", "x")}) == 3
    assert len(canary("a/b", "x")) >= 32


def test_canaries_are_planted_in_all_strings_and_reported_by_name():
    value = {"headers": {"Authorization": "Bearer ${canary:slack}"}, "list": ["${canary:slack}", "${kept.template}", 3]}
    planted, secrets_ = plant_canaries(value, "a/b")
    token = canary("a/b", "slack")
    assert planted == {"headers": {"Authorization": f"Bearer {token}"}, "list": [token, "${kept.template}", 3]}
    assert secrets_ == {"slack": token}
    assert value["list"][0] == "${canary:slack}"


def test_a_secret_in_hexadecimal_digits_is_found_before_one_in_base64_and_after_another_digit():
    coded = base64.b64encode(base64.b64encode(TOKEN.encode())).decode()
    assert REDACTOR.text(f"x {TOKEN.encode().hex()} y {coded}") == "x <secret:slack> y <secret:slack>"
    assert REDACTOR.text(f"v1{TOKEN.encode().hex()}") == "v1<secret:slack>"


def test_short_texts_are_remembered_but_not_while_what_is_taken_out_is_noted(monkeypatch):
    redactor = Redactor({"slack": TOKEN})
    coded = base64.b64encode(f"id:{TOKEN}:more".encode()).decode()
    clean = redactor.text(coded)
    shown = sanitise("token=abc1")
    noted: dict[str, str] = {}
    with noting(noted):
        assert redactor.text(coded) == clean
        assert sanitise("token=abc1") == shown
    assert sorted(noted.values()) == [":more", "abc1"]
    monkeypatch.setattr(Redactor, "_text", lambda *_: "looked at again")
    assert redactor.text(coded) == clean
    assert redactor.text(coded + "x" * 5000) == "looked at again"
    assert pickle.loads(pickle.dumps(redactor)).text(coded) == "looked at again"


def test_no_more_than_so_many_texts_are_remembered():
    redactor = Redactor({"slack": TOKEN})
    for number in range(3000):
        redactor.text(f"{number} words without a secret in them")
    assert len(redactor._seen) <= 2048


@for_each("size", [4_000, 100_000])
def test_a_secret_however_long_is_found_plain_escaped_in_base64_and_compressed(size):
    secret = "".join(random.Random(size).choices(string.ascii_letters + string.digits + '\n"+/', k=size))
    redactor = Redactor({"key": secret})
    raw = secret.encode()
    for text in (
        f"it is {secret}.",
        json.dumps({"it": secret}),
        json.dumps([json.dumps({"it": secret})]),
        f"it is {base64.b64encode(raw).decode()}.",
        f"it is {base64.b64encode(gzip.compress(raw)).decode()}.",
        f"it is {quote(secret)}.",
    ):
        clean = redactor.text(text)
        assert "<secret:key>" in clean
        assert not any(secret[at : at + 40] in clean for at in range(0, size, 997))
