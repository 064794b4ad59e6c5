"""What an answer to a broken call states, and whether that is enough to know the right call."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from mendbench.model.json import Json, JsonObject
from mendbench.probing.answers import Answer
from mendbench.probing.faults import Fault
from mendbench.strategies.tokens import estimate

Verdict: TypeAlias = Literal["silent", "lost", "hidden", "misleads", "partly", "helps"]
"""silent: the result is not marked as an error. lost: no answer came. hidden: a JSON-RPC error, which many hosts do not show to the
model. misleads: a tool error that states neither the argument nor what is expected. partly: it states one of them. helps: it states both.
"""
VERDICTS: tuple[Verdict, ...] = ("silent", "lost", "hidden", "misleads", "partly", "helps")
"""Worst first."""

Heed: TypeAlias = Literal["refused", "ignored", "accepted", "unmarked"]
"""refused: an error. ignored: the answer of the right call, or of the call without the argument. accepted: another success. unmarked: a
result whose text reports a failure, and that is not marked as one."""

_WORDS = {
    "string": r"\bstr(?:ing)?s?\b|\btext\b",
    "integer": r"\bint(?:eger)?s?\b|\bnumber\b",
    "number": r"\bnumber\b|\bfloat\b|\bint(?:eger)?\b",
    "boolean": r"\bbool(?:ean)?\b|\btrue\b",
    "array": r"\barray\b|\blist\b|\bsequence\b|\btuple\b",
    "object": r"\bobject\b|\bdict(?:ionary)?\b|\bmapping\b",
}
"""What each type of JSON Schema is called in messages."""
_FORMAT_WORDS = {
    "date": r"\bdate\b|YYYY|ISO.?8601",
    "date-time": r"\bdate.?time\b|\btimestamp\b|YYYY|ISO.?8601",
    "time": r"\bHH:?MM\b|24.hour|\btime format\b|%H:%M|ISO.?8601",
    "email": r"e-?mail",
    "uri": r"\bur[il]s?\b|https?:",
    "uuid": r"\buuid\b",
}
_REQUIRED = re.compile(
    r"(?i)required|missing|\bexpected\b|must (?:be|have)|undefined|not (?:provided|given|specified)|without"
)
_NOT_ALLOWED = re.compile(
    r"(?i)unexpected|unrecogni[sz]ed|unknown|additional|extra|unsupported"
    r"|not (?:allowed|permitted|recogni[sz]ed|supported|valid)"
)
_NOT_FOUND = re.compile(
    r"(?i)not (?:found|exist|known|recogni[sz]ed|valid|resolve)|no (?:such|(?:\w+ ){1,3}(?:found|named|with|exists))"
    r"|does(?:n't| not) (?:exist|resolve)"
    r"|did not match|malformed|unknown|invalid|cannot find|could not (?:find|resolve)|ENOENT|outside|denied"
)
_AN_ID = re.compile(r"(?i)\b(?:id|identifier|uuid|key)\b")
_OUT = re.compile(
    r"(?i)out of (?:range|bounds)|beyond|exceeds?|too (?:large|big|high)|past the end|only \d+|at most|(?:greater|less) than"
)
_RECEIVED = re.compile(
    r"(?im)received (?!undefined)\w+|input_type=\w+|input_value=.*?(?=, input_type)|\bgot \w+|\bnot '?\w+'?$"
    r"|For further information visit \S+|^\d+ validation errors? for .*"
)
"""Parts of a message that repeat what was sent, and so state nothing about what is expected."""
_EMPTY = re.compile(r"(?i)empty|at least|too short|non-?empty")
_NOTHING = re.compile(r"(?i)\w*(?:error|exception)\b|\b(?:calling|executing|failed|in|running|tool)\b")
"""Words that say nothing but that a call failed."""
_TRACE = re.compile(
    r'Traceback \(most recent call last\)|^\s*File "[^"]+", line \d+|^\s+at .+:\d+:\d+\)?$|goroutine \d+ \[',
    re.MULTILINE,
)
_PATH = re.compile(r"(?<![\w./:])/(?:[\w.@+-]+/)+[\w.@+-]+|\b[A-Z]:\\[\w\\.@ -]+")
_SHORT_NAME = 2
"""Length of names that are also words, such as ``a``: a message names such an argument only in quotes or as a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What one answer to a broken call states."""

    verdict: Verdict
    heed: Heed
    names_argument: bool
    """Whether it names the wrong argument, or the one that is missing. A misspelt value names it too, unless it is the whole message."""
    names_right: bool | None
    """Whether it names the right argument; None where the name was right."""
    states_expected: bool
    """Whether it states what is expected: the right name, that the argument is required or not allowed, the allowed values, the type, the
    format, the limit, or that there is nothing of a misspelt name."""
    missing: tuple[str, ...]
    """What a helpful message would add, in a few words each."""
    bytes: int
    tokens: int
    """Estimated: see :mod:`mendbench.strategies.tokens`."""
    stack_trace: bool
    secrets: bool
    local_paths: tuple[str, ...]
    """Paths that were not in the call."""

    def document(self) -> JsonObject:
        """Return it as JSON."""
        return {**asdict(self), "missing": list(self.missing), "local_paths": list(self.local_paths)}


def examine(
    fault: Fault, answer: Answer, *, tool: str, same_as_right: bool = False, same_as_without: bool = False
) -> Findings:
    """Return what an answer of a tool states about a fault.

    ``same_as_right`` says that it equals the answer of the right call, ``same_as_without`` that of the call without the argument.
    """
    said = _without_echo(answer.text, tool, fault.arguments) if answer.kind != "lost" else ""
    about_name = fault.operator in {"renamed", "missing"}
    names_wrong = _names(said, fault.argument) or (not about_name and _in_words(said, fault.argument))
    names_right = _names(said, fault.right_name) if about_name else None
    names = names_wrong or bool(names_right) or (fault.operator == "unknown" and _quotes(said, fault.expected[0]))
    states = answer.kind != "lost" and _states(fault, said)
    heed = _heed(answer, same=same_as_right or same_as_without)
    reported = heed in {"refused", "unmarked"}
    names, states = names and reported, states and reported
    return Findings(
        verdict=_verdict(answer, names=names, states=states),
        heed=heed,
        names_argument=names,
        names_right=names_right,
        states_expected=states,
        missing=_missing(fault, answer, heed, names=names, states=states),
        bytes=len(answer.text.encode("utf-8", "surrogatepass")),
        tokens=estimate(answer.text),
        stack_trace=_TRACE.search(answer.text) is not None,
        secrets=answer.held_secrets,
        local_paths=_local_paths(answer.text, fault.arguments) if reported else (),
    )


def _verdict(answer: Answer, *, names: bool, states: bool) -> Verdict:
    by_kind: dict[str, Verdict] = {"lost": "lost", "protocol_error": "hidden", "result": "silent"}
    if answer.kind in by_kind:
        return by_kind[answer.kind]
    return "helps" if names and states else "partly" if names or states else "misleads"


def _heed(answer: Answer, *, same: bool) -> Heed:
    if answer.kind != "result":
        return "refused"
    return "ignored" if same else "unmarked" if answer.says_failure else "accepted"


def _missing(fault: Fault, answer: Answer, heed: Heed, *, names: bool, states: bool) -> tuple[str, ...]:
    if answer.kind == "lost":
        return ("an answer",)
    if heed in {"ignored", "accepted"}:
        return ("an error",)
    mark = ("isError",) if answer.kind in {"protocol_error", "result"} else ()
    if fault.operator in {"renamed", "missing"}:
        named = () if (states or fault.operator == "missing") and names else (f"the name '{fault.right_name}'",)
        return (*mark, *named, *(("that it is required",) if fault.operator == "missing" and not states else ()))
    return (*mark, *(() if names else ("the argument",)), *(() if states else (_wanted(fault),)))


def _wanted(fault: Fault) -> str:
    return {
        "extra": "that it is not allowed", "type": f"the type {' or '.join(map(str, fault.expected))}",
        "enum": "the allowed values", "format": "the format", "range": "the limit", "name-for-id": "that it is an id",
        "unknown": "that there is none",
    }[fault.operator]  # fmt: skip


def _states(fault: Fault, said: str) -> bool:
    """Return whether a message states what is expected of the argument."""
    rest = re.sub(rf"(?<![\w-]){re.escape(fault.argument)}(?![\w-])", "", said, count=1)
    match fault.operator:
        case "renamed":
            return _names(said, fault.right_name)
        case "missing":
            return _REQUIRED.search(said) is not None
        case "extra":
            return _NOT_ALLOWED.search(said) is not None
        case "type":
            words = (_WORDS.get(str(one), re.escape(str(one))) for one in fault.expected)
            return any(re.search(word, rest, re.IGNORECASE) for word in words)
        case "enum":
            return all(_has_value(said, one) for one in fault.expected)
        case "format":
            named = str(fault.expected[0])
            return named in rest or re.search(_FORMAT_WORDS.get(named, r"(?!)"), rest, re.IGNORECASE) is not None
        case "range":
            return any(_has_value(said, one) for one in fault.expected) or _is_outside(fault, said)
        case "unknown":
            return _NOT_FOUND.search(said) is not None
        case "name-for-id":
            return _AN_ID.search(rest) is not None


def _is_outside(fault: Fault, said: str) -> bool:
    """Return whether a message says that something is empty, or that an index without a known limit is beyond the end."""
    if fault.arguments.get(fault.argument) in ("", []):
        return _EMPTY.search(said) is not None
    return not fault.expected and _OUT.search(said) is not None


def _has_value(said: str, value: Json) -> bool:
    return re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", said) is not None


def _quotes(said: str, value: Json) -> bool:
    """Return whether a text has a value, and says something about it."""
    rest = _NOTHING.sub("", said.replace(str(value), ""))
    return _has_value(said, value) and re.search(r"\w", rest) is not None


def _names(said: str, name: str) -> bool:
    """Return whether a text names an argument, as a whole word."""
    if not name:
        return False
    word = re.escape(name)
    if len(name) > _SHORT_NAME:
        return re.search(rf"(?<![\w-]){word}(?![\w-])", said) is not None
    quoted = rf"[\"'`\[.]{word}[\"'`\].]|\b(?:at|argument|parameter|field|property) {word}\b"
    return re.search(rf"{quoted}|(?<![\w-]){word}:|^\s*{word}\s*(?:$|is |must )", said, re.MULTILINE) is not None


def _in_words(said: str, name: str) -> bool:
    """Return whether a text names an argument in words: ``branch type`` for ``branch_type``."""
    words = name.split("_")
    return len(words) > 1 and re.search(rf"(?i)\b{r'[ -]'.join(map(re.escape, words))}\b", said) is not None


def _without_echo(text: str, tool: str, arguments: JsonObject) -> str:
    """Return a message without the parts that only repeat the call, and without the tool's name and links to documentation."""
    for whole in (
        json.dumps(arguments, ensure_ascii=False),
        json.dumps(arguments, separators=(",", ":")),
        repr(arguments),
    ):
        text = text.replace(whole, "")
    text = re.sub(rf"(?<![\w-]){re.escape(tool)}(?![\w-])(?=:)", "", text)
    return _RECEIVED.sub("", text)


def _local_paths(text: str, arguments: JsonObject) -> tuple[str, ...]:
    """Return the paths in a text that were not in the call, in full or shortened in the middle: ``/srv/ke...txt``."""
    sent = json.dumps(arguments, ensure_ascii=False)
    return tuple(dict.fromkeys(path for path in _PATH.findall(text) if path.partition("...")[0] not in sent))
