import base64
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.secrets import secret_forms
from mendbench.secrets.secret_forms import Spelled

SECRETS = (
    "canary0a1b2c3d4e5f",
    "canary0a1b2c3d4e50",
    "tok-7f3e",
    "tok-7f3e9",
    "YWJj-secret",
    "abc%64ef",
    "abcd",
    "a b+c",
)


def placeholder(match):
    return f"<{match.lastindex}>"


def spelled(secret):
    escaped = "".join(f"\\u{ord(char):04x}" for char in secret)
    coded = [base64.b64encode(b"x" * shift + secret.encode() + b"tail").decode() for shift in range(3)]
    return st.sampled_from(
        [secret, secret[:5], quote(secret), "".join(f"%{ord(c):02X}" for c in secret), escaped, *coded]
    )


TEXTS = st.lists(
    st.sampled_from(SECRETS).flatmap(spelled) | st.text(alphabet="canry0%\\u64 -", max_size=6), max_size=5
).map("".join)


@given(st.lists(st.sampled_from(SECRETS), min_size=1, max_size=4, unique=True), TEXTS)
def test_what_is_replaced_is_what_the_pattern_of_all_spellings_finds(secrets, text):
    assert Spelled(secrets).sub(placeholder, text) == secret_forms._pattern(tuple(secrets)).sub(placeholder, text)


def test_secrets_that_stand_in_a_text_as_they_are_need_no_pattern_of_all_spellings(monkeypatch):
    monkeypatch.setattr(secret_forms, "_pattern", None)
    found = Spelled(SECRETS[:2]).sub(placeholder, "one canary0a1b2c3d4e50, another canary0a1b2c3d4e5f0")
    assert found == "one <2>, another <1>0"


@pytest.mark.parametrize("secrets", [["tok-7f3e", "tok-7f3e9"], ["abc%64ef"], ["abc"]])
def test_what_begins_as_a_secret_may_be_more_of_another_one(monkeypatch, secrets):
    monkeypatch.setattr(secret_forms, "_pattern", None)
    with pytest.raises(TypeError):
        Spelled(secrets).sub(placeholder, f"a {secrets[0]}")
