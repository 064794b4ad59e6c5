"""Texts that say the beginning of something again and again and never its end: what is looked for in them is looked for everywhere."""

from __future__ import annotations

import base64
import gzip
import signal
from collections.abc import Callable, Iterator
from typing import NoReturn

from mendbench.secrets.credential_search import credentials_in
from mendbench.secrets.redaction import Redactor
from mendbench.secrets.undeclared import sanitise
from qa.torture.tally import Attempt

FRAGMENTS = (
    "name=", 'name="a"\n', "name=a\n\n", ' name="a"', ' value="a"', 'name="a" value="', "cookie: ", "set-cookie: a\r", "\n", "\r\n", " ", "\t", "\\", '\\\\"', "\\'", '\\"', '"', "'",
    "a://b:", "a:/b:c", ":/", "://", "a.a://", "a:", "jdbc:oracle:a:", "jdbc:oracle:a:b/", "-u", "/-ua", " --user=a", " --a ", " --a='", "--a=\\", "sk-", "sk-rk-", "rk-a", "eyJaaaaa-", "eyJaaaaa.", "eyJ-aaaaa.a.", "SG." + "a" * 16 + ".",
    "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE ", "xoxb-", "gh" + "p_", "A7Q~", ":AA", "sig=", "1:AA", "discord.com/api/webhooks/1", "bearer ", "basic a", "bearer=", "authorization: basic ", "authorization: ",
    "cookie: ", "Cookie: a=b; ", "Cookie: a=", '"name":"token","value":"', "'name': 'token', 'value': '", '"key":"token","value":"\\', "a = ", "\ntoken = ", '\ntoken = "a', "a=", "a='", 'a="', "a=\\'", 'a=\\"', "a=\\", "token=", "token=\\'a", "a.b-c", "A", "Aa", "1", '"ab":', '"ab":"\\', "'ab': \"", '\\"ab\\":\\"', '"ab"', '"ab": ', "'password':'\\'", '{"a":"line\\n', "password: ", "a: 1",
    "<", "<a", "<a>", "<a >", "<a>b</", '<a name="', "<secret:", "<redacted:", "${", "${a", "${${}", "${${a}", "}", "${canary:", "$a", "***",
    "\\u", "\\u0041", "\\ud800", "\\x4", "\\x41", "\\r", "\\n", "\\r\\n", "%", "%2", "%25", "%2525", "%41", "%2B", "%3D", "&", "&#", "&#1", "&amp", "&amp;", "&lt;a", "&#x41;", "aaaaaaaaaaaa\\n", "aaaaaaaaaaaa\n", "aaaa/aaaaaaaaaaaa", "aaaaaaaaaaaa%2B", "AAAAAAAA", "0f", "0F", "61", "=", "==",
    base64.b64encode(b"a=b&c").decode(), base64.b64encode(b"password=").decode() + " ", b"token=".hex() + " ", "H4sI",
)  # fmt: skip
ENDS = ("", "\x00 :=-@<\n--%41&amp;</")
"""What follows: it lets a search begin that a quick look would have spared."""

SECONDS, SECONDS_A_MEGABYTE = 2.0, 20.0
"""CPU time in which a text has to be looked through, in all the spellings that it may be read in."""

REDACTOR = Redactor({"plain": "hunter2 and more", "odd": 'a\\\\b"/"x'})


class _Overdue(BaseException):
    """The CPU time of a text is used up."""


def pumped(times: int) -> Iterator[str]:
    """Yield every fragment so many times, with each end, and so many empty members of gzip as base64."""
    for fragment in FRAGMENTS:
        for end in ENDS:
            yield fragment * times + end
    yield base64.b64encode(gzip.compress(b"") * times).decode()


def looked_through(times: int) -> Iterator[Attempt]:
    """Look through every such text for credentials, declared and undeclared, within a bound of CPU time."""
    ways: dict[str, Callable[[str], object]] = {
        "sanitised": sanitise, "redacted": REDACTOR.text, "looked through for credentials": lambda text: list(credentials_in(text)),
    }  # fmt: skip
    for text in pumped(times):
        for way, look in ways.items():
            yield Attempt(
                kind=f"{way} in time, however hostile", what=f"{text[:30]!r} and so on", failure=_failed(look, text)
            )


def _failed(look: Callable[[str], object], text: str) -> str | None:
    seconds = SECONDS + SECONDS_A_MEGABYTE * len(text) / 1_000_000
    before = signal.signal(signal.SIGPROF, _overdue)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        look(text)
    except _Overdue:
        return f"over {seconds:.1f} s of CPU time for {len(text):,} characters"
    except Exception as error:  # noqa: BLE001  that is what is looked for
        return f"{type(error).__name__}: {str(error)[:100]}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    return None


def _overdue(_signal: int, _frame: object) -> NoReturn:
    raise _Overdue
