"""What stands encoded in a text, and what does not."""

import base64
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.secrets.encodings import in_place, letters, parsed, pieces, respelled, unpacked

SAYS = "a word that is said"


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(SAYS.encode()).decode(),
        "/in/" + base64.urlsafe_b64encode(SAYS.encode()).decode().rstrip("=") + "/out",
        "x" + base64.b64encode(b"k=" + SAYS.encode()).decode(),
        base64.encodebytes(b"-" * 50 + SAYS.encode() + b"-" * 50).decode(),
        base64.b64encode(gzip.compress(SAYS.encode(), mtime=0)).decode().replace("+", "%2B").replace("=", "%253D"),
        SAYS.encode().hex(),
    ],
)
def test_an_encoded_piece_is_read_wherever_it_begins(text):
    assert any(SAYS in piece.says for piece in pieces(f"before {text} after"))


def test_pieces_come_by_where_they_begin():
    coded = base64.b64encode(SAYS.encode()).decode()
    starts = [piece.start for piece in pieces(f"{SAYS.encode().hex()} {coded} {SAYS.encode().hex()}")]
    assert len(set(starts)) == 3
    assert starts == sorted(starts)


@pytest.mark.parametrize("before", ["", "1", "v1", "a0"])
def test_hexadecimal_digits_are_read_whatever_stands_before_them(before):
    assert any(piece.says.endswith(SAYS) for piece in pieces(f"{before}{SAYS.encode().hex()} after"))


def test_words_and_bytes_that_say_nothing_are_no_pieces():
    assert not list(pieces("short words only, none of them long"))
    assert not list(pieces(base64.b64encode(bytes(range(128, 256))).decode()))


@pytest.mark.parametrize(
    ("text", "bare"),
    [("a%20b", "a b"), (r"\u0061\u00e9", "aé"), (r"\x41", "A"), ("&amp;&#97;&#x62;", "&ab"), (r"a\nb\"c", 'a\nb"c')],
)
def test_one_layer_of_escapes_is_taken_off(text, bare):
    assert respelled(text)[0] == bare


def test_what_is_an_escape_of_one_kind_is_read_without_the_others_too():
    assert {"&/", r"&amp;\/"} & set(respelled(r"&amp;\/")) == {"&/"}
    assert r"&\/" in respelled(r"&amp;\/")
    assert respelled("plain words") == ()


@given(st.text(max_size=40))
def test_any_text_has_spellings_that_can_be_encoded(text):
    for bare in respelled(text + r"\ud800%ff"):
        bare.encode("utf-8", "surrogatepass" if any("\ud800" <= letter <= "\udfff" for letter in text) else "strict")


def test_as_little_as_will_do_is_cleaned():
    assert in_place("a%20b keep%20this", lambda part: part.replace("a%20b", "X")) == "X keep%20this"


def test_letters_and_unpacked_and_parsed():
    assert letters("a-b_%2B\r\nc==") == "a+b/+c"
    assert unpacked(gzip.compress(b"ab") + gzip.compress(b"cd"), 99) == b"abcd"
    assert unpacked(gzip.compress(b"abcdef"), 3) == b"abc"
    assert unpacked(gzip.compress(b"ab") + gzip.compress(b"cd"), 3) == b"abc"
    assert unpacked(b"none", 99) == b""
    assert parsed('{"a": 1}') == {"a": 1}
    assert parsed("{no") is parsed("3") is parsed("[" * 100_000) is None


def test_members_of_gzip_are_read_in_one_pass_and_not_without_end():
    one = gzip.compress(b"ab" * 50_000, mtime=0)
    assert unpacked(one * 3 + b"rest", 10**6) == b"ab" * 150_000
    assert unpacked(one[:-20], 10**6) == (b"ab" * 50_000)[: len(unpacked(one[:-20], 10**6))] != b""
    assert unpacked(gzip.compress(b"", mtime=0) * 10_000 + one, 10**6) == b""
    assert unpacked(gzip.compress(b"", mtime=0) * 2_000_000, 10**6) == b""
