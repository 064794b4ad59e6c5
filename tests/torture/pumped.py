"""Texts that say the beginning of something again and again and never its end: what is looked for in them is looked for everywhere."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator

FRAGMENTS = (
    "name=", 'name="a"\n', "name=a\n\n", ' name="a"', ' value="a"', 'name="a" value="', "cookie: ", "set-cookie: a\r", "\n", "\r\n", " ", "\t", "\\", '\\\\"', "\\'", '\\"', '"', "'",
    "a://b:", "a:/b:c", ":/", "://", "a.a://", "a:", "jdbc:oracle:a:", "jdbc:oracle:a:b/", "-u", "/-ua", " --user=a", " --a ", " --a='", "--a=\\", "sk-", "sk-rk-", "rk-a", "eyJaaaaa-", "eyJaaaaa.", "eyJ-aaaaa.a.", "SG." + "a" * 16 + ".",
    "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE ", "xoxb-", "gh" + "p_", "A7Q~", ":AA", "sig=", "1:AA", "discord.com/api/webhooks/1", "bearer ", "basic a", "bearer=", "authorization: basic ", "authorization: ",
    "a=", "a='", 'a="', "a=\\'", 'a=\\"', "a=\\", "token=", "token=\\'a", "a.b-c", "A", "Aa", "1", '"ab":', '"ab":"\\', "'ab': \"", '\\"ab\\":\\"', '"ab"', '"ab": ', "'password':'\\'", '{"a":"line\\n', "password: ", "a: 1",
    "<", "<a", "<a>", "<a >", "<a>b</", '<a name="', "<secret:", "<redacted:", "${", "${a", "${${}", "${${a}", "}", "${canary:", "$a", "***",
    "\\u", "\\u0041", "\\ud800", "\\x4", "\\x41", "\\r", "\\n", "\\r\\n", "%", "%2", "%25", "%2525", "%41", "%2B", "%3D", "&", "&#", "&#1", "&amp", "&amp;", "&lt;a", "&#x41;", "aaaaaaaaaaaa\\n", "aaaaaaaaaaaa\n", "aaaa/aaaaaaaaaaaa", "aaaaaaaaaaaa%2B", "AAAAAAAA", "0f", "0F", "61", "=", "==",
    base64.b64encode(b"a=b&c").decode(), base64.b64encode(b"password=").decode() + " ", b"token=".hex() + " ", "H4sI",
)  # fmt: skip
ENDS = ("", "<", "\n--", "\\", '"', "@", "\x00 :=-</\n--%41&amp;")
"""What follows: it lets a search begin that a quick look would have spared, or breaks what was nearly found."""


def pumped(times: int) -> Iterator[str]:
    """Yield every fragment so many times, with each end, and empty members of gzip as base64."""
    for fragment in FRAGMENTS:
        for end in ENDS:
            yield fragment * times + end
    yield base64.b64encode(gzip.compress(b"") * times).decode()
