"""Signatures of an execution's failures: consecutive equal ones mean that a repair made no progress.

``prefix40`` is the engine's own, with a known weakness: HTTP 422 errors on two different fields look the same. ``full``
uses everything in the failures except what changes from call to call. A date or a long number from the request is kept:
a repair can change it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import unquote_plus

from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.execution import Execution
from mendbench.model.failure import Failure
from mendbench.model.json import Json, JsonObject
from mendbench.model.policy import SignatureName

NO_ERRORS = "no_errors"
"""The signature of an execution without failures."""

BASELINE_ERRORS = 5
BASELINE_CHARACTERS = 40

LONG_NUMBER = 100_000
"""Numbers of six digits or more count as ids or times."""

_Rules = Sequence[tuple[re.Pattern[str], str]]


def _compiled(*rules: tuple[str, str]) -> _Rules:
    return tuple((re.compile(pattern, re.IGNORECASE), word) for pattern, word in rules)


_UUID = r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
_CLOCK = r"\d{2}:\d{2}(?::\d{2})?(?: gmt| utc)?"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"

_BASELINE = _compiled(
    (r"\b\d{2}:\d{2}(?::\d{2})?\b", "TIME"),
    (r"\b\d{4}-\d{2}-\d{2}\b", "DATE"),
    (_UUID, "UUID"),
    (r"\b[0-9a-f]{8,}\b", "HEX_ID"),
    (r"\brequest[-_]\d+\b", "REQUEST_ID"),
    (r"\b\d{6,}\b", "NUM_ID"),
    (r"\bline \d+\b", "line N"),
    (r":\d+:\d+", ":N:N"),
)
"""The engine's normalisation rules, in order. They keep the hour of an ISO time, because of the T before it."""

_FULL = _compiled(
    (
        r"\b(?P<value>\d{4}-\d{2}-\d{2})[T ]\d{2}:?\d{2}(?::?\d{2}(?:[.,]\d+)?)?(?:Z\b| ?[+-]\d{2}:?\d{2}\b)?",
        "TIME",
    ),
    (rf"(?:\b[a-z]{{3,9}}, )?\b\d{{1,2}}[ -]{_MONTH}[ -]\d{{2,4}}(?: {_CLOCK})?", "TIME"),
    (r"\b\d{4}[-/]\d{2}[-/]\d{2}\b", "DATE"),
    (r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z\b)?(?!\d)", "TIME"),
    (_UUID, "UUID"),
    (
        r"\b(?:x-)?(?:request|trace|correlation|req)(?:[-_ ]?id)?\s*[-_:=#]\s*[\"']?(?P<value>[\w:.-]*\d[\w:.-]*)",
        "REQUEST_ID",
    ),
    (r"(?<![\w.])\d{6,}(?:\.\d+)?(?!\w)", "NUM_ID"),
    (r"\b0x[0-9a-f]+\b", "HEX_ID"),
    (r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b", "HEX_ID"),
    (r"\b(?=[a-z0-9]*\d[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{16,}\b", "ID"),
    (r"\b(?P<value>\d+(?:\.\d+)?)\s?(?:ms|milliseconds?|s|secs?|seconds?)\b", "DURATION"),
    (r"\bline \d+\b", "line N"),
    (r":\d+:\d+\b", ":N:N"),
)
"""A group named ``value`` is the part that a request may contain without the surrounding text of the message."""

_FROZEN = re.compile("\ue000(\\d+)\ue001")
"""Marks, in private-use characters, a part of a text that later rules do not change."""

_VOLATILE_KEYS = frozenset(
    {
        "requestid", "xrequestid", "reqid", "traceid", "correlationid", "timestamp", "ts", "eventts", "time", "date",
        "servertime", "cfray", "logid", "elapsed", "elapsedms", "duration", "durationms", "nonce",
    }
)  # fmt: skip
"""Keys, in lower case and without punctuation, whose values an API generates for each response."""


def signature(execution: Execution, name: SignatureName) -> str:
    """Return the signature of all failures of ``execution``, regardless of order."""
    if not execution.failures:
        return NO_ERRORS
    if name == "full":
        return digest(sorted(canonical_json(_facts(failure)) for failure in execution.failures))
    return _prefix40(execution.failures)


def normalised(text: str, sent: str = "") -> str:
    """Return ``text`` in lower case with single spaces, without volatile parts: times, ids, long numbers.

    Those in ``sent``, the request's values in lower case, are kept.
    """
    kept: list[str] = []

    def frozen(value: str) -> str:
        kept.append(value)
        return f"\ue000{len(kept) - 1}\ue001"

    def steady(word: str, match: re.Match[str]) -> str:
        if _stands(match.group(), sent):
            return frozen(match.group())
        value = (match.groupdict().get("value") or "").strip(".:-")
        return f"{frozen(value)} {word}" if value and _stands(value, sent) else word

    for pattern, word in _FULL:
        text = pattern.sub(partial(steady, word), text)
    thawed = _FROZEN.sub(lambda mark: kept[int(mark.group(1))] if int(mark.group(1)) < len(kept) else "", text)
    return " ".join(thawed.lower().split())


def _prefix40(failures: Sequence[Failure]) -> str:
    ordered = sorted((failure.node_id or "", failure.category, failure.message) for failure in failures)
    return "||".join(
        f"{node}|{category}|{_rewritten(message)[:BASELINE_CHARACTERS]}"
        for node, category, message in ordered[:BASELINE_ERRORS]
    )


def _rewritten(text: str) -> str:
    for pattern, word in _BASELINE:
        text = pattern.sub(word, text)
    return " ".join(text.lower().split())


def _facts(failure: Failure) -> JsonObject:
    """Return the normalised data that distinguishes failures."""
    sent = _sent(failure)
    problems = sorted((problem.field, problem.problem, normalised(problem.says, sent)) for problem in failure.problems)
    return {
        "node": failure.node_id,
        "category": failure.category,
        "message": normalised(failure.message, sent),
        "unresolved": sorted(set(failure.unresolved)),
        "status": failure.status_code,
        "exit": failure.shell_exit_code,
        "stderr": normalised(failure.shell_stderr or "", sent),
        "problems": digest([list(problem) for problem in problems]),
        "raw": digest(_steady(failure.raw_response, sent)),
        "mcp": digest(_steady([failure.mcp_error, failure.mcp_error_details], sent)),
    }


def _sent(failure: Failure) -> str:
    """Return the values of the failed request, one per line in lower case."""
    values: list[Json] = [source.value for source in failure.upstream if source.resolved]
    if failure.request_sent is not None:
        url = failure.request_sent.url
        values += [url, unquote_plus(url), failure.request_sent.body]
    return "\n".join(_scalars([*values, failure.shell_command])).lower()


def _scalars(value: Json) -> Iterator[str]:
    """Yield the texts and numbers in ``value``, including keys of objects; whole floats as integers."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _scalars(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _scalars(item)
    elif value is not None and not isinstance(value, bool):
        yield canonical_json(value)


def _stands(value: str, sent: str) -> bool:
    """Return whether ``value`` is in ``sent`` as a whole word; ``7.0`` matches ``7``."""
    word = value.lower()
    whole = word.split(".")[0] if re.fullmatch(r"\d+\.0+", word) else word
    return any(
        text in sent and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", sent) is not None for text in {word, whole}
    )


def _steady(value: Json, sent: str) -> Json:
    """Return ``value`` without the parts that change from call to call."""
    if isinstance(value, str):
        return normalised(value, sent)
    if isinstance(value, dict):
        return {str(key): _under(str(key), item, sent) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_steady(item, sent) for item in value]
    if _long(value):
        return value if _stands(canonical_json(value), sent) else "NUM_ID"
    return value


def _under(key: str, value: Json, sent: str) -> Json:
    """Return the stable part of a value under ``key``: under a volatile key, only what the request sent."""
    if isinstance(value, dict | list) or re.sub(r"[^a-z]", "", key.lower()) not in _VOLATILE_KEYS:
        return _steady(value, sent)
    echoed = (isinstance(value, str) and _stands(value, sent)) or (
        _long(value) and _stands(canonical_json(value), sent)
    )
    return value if value and echoed else None


def _long(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= LONG_NUMBER
