"""What names and values of slots mean: which ones give a verdict on the request, and what the verdict is."""

from __future__ import annotations

import re

from mendbench.detectors.weighted.tables import slots
from mendbench.model.json import Json, JsonObject

FLAGS = slots()["flag"]
"""Flags that are true after success."""
FAILURE_FLAGS = slots()["failure flag"]
"""Flags that are true after a failure."""
ERRORS = slots()["error"]
"""Slots that hold an error if there is one."""
ERROR_CODES = slots()["error code"]
"""Numbers and names of an error, zero or empty if there is none."""
VERDICTS = slots()["verdict"]
"""Words and numbers that say how it went."""
MESSAGES = slots()["message"]
WRAPPERS = slots()["wrapper"]
"""Slots whose object belongs to the envelope."""
NEUTRAL = slots()["neutral"]
"""Slots that say nothing about success and are no data either."""
IDENTIFIERS = slots()["identifier"]
NUMERIC_VERDICTS = VERDICTS - {
    "type",
    "state",
    "level",
    "kind",
    "object",
    "response",
    "result",
    "severity",
    "statusid",
    "subcode",
    "groupname",
}
ZERO_IS_SUCCESS = slots()["zero is success"]
"""Number slots in which zero means success, by the convention of exit codes."""

MAX_DEPTH = 8
"""The maximum depth of a value that is read."""

_BAD_STATES = (
    "failed|failure|error|errored|rejected|declined|denied|refused|aborted|expired|undelivered|undeliverable|unavailable|timeout|timedout"
    "|critical|invalid|unauthorized|fatal"
)
_FAILED = re.compile(
    rf"(?:{_BAD_STATES}|errors|err|erred|fail|failures|ko|nok|not ?ok|bad|fault|exception|unsuccessful|unsuccessfully|false|no|n|invalid\w*"
    r"|locked[ _]?out|forbidden|undeliver\w+|failurewithwarning"
    r"|[a-z_ ]*(?:error|errors|failure|failed|denied|invalid|exception|fault|refused|rejected|declined|not_?found|unauthorized|forbidden"
    r"|expired|exceeded|missing|unauthenticated|unavailable))",
    re.IGNORECASE,
)
_STATE = re.compile(rf"(?:\w+_)?(?:{_BAD_STATES})", re.IGNORECASE)
_WELL = re.compile(
    r"\W*(?:ok|okay|success\w*|succe\w+|done|created|accepted|completed?|finished|no[ _]errors?(?: .*)?|none|null|nil|n/a|normal|fine|good"
    r"|pass(?:ed)?|approved|queued|pending|sent|delivered|processing|processed|in[ _]progress|running|active|open|true|yes|y|valid|found"
    r"|zero_results|updated|deleted|published|enabled|healthy|up|green|information(?:al)?|note|warning|successwithwarning|200 ?ok"
    r"|authori[sz]ed|received|ready|started|scheduled|submitted|new|draft|paid|settled|connected|available|partial|partial_success)\W*",
    re.IGNORECASE,
)
_NO_ERROR = re.compile(
    r"\W*(?:0+|ok|okay|success\w*|none|null|nil|no[ _-]?errors?.*|n/a|false|200|noerr|s0000|normal|successful\w*.*)?\W*",
    re.IGNORECASE,
)
_STATUS_LINE = re.compile(r"HTTP/\d(?:\.\d)? (\d{3})\b")
_INTEGER = re.compile(r"-?\d{1,9}", re.ASCII)


def name_of(slot: str) -> str:
    """Return a slot's name in one spelling: ``errorMessage``, ``error-message`` and ``Error Message`` are one."""
    return re.sub(r"[^a-z0-9]", "", slot.lower())


_ERROR_ENDINGS = ("error", "errors", "errormessage", "errordescription")


def is_error(name: str) -> bool:
    """Return whether a slot holds an error if there is one."""
    return name in ERRORS or (
        name.endswith(_ERROR_ENDINGS) and not name.startswith(("is", "has", "num", "count", "total"))
    )


def is_error_code(name: str) -> bool:
    """Return whether a slot holds the code of an error if there is one."""
    return name in ERROR_CODES or name.endswith(("errorcode", "errorno", "errcode"))


def number_of(value: Json) -> int | None:
    """Return an integer, also one that is written as text or in a status line; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str):
        return None
    if _INTEGER.fullmatch(value.strip()):
        return int(value)
    line = _STATUS_LINE.match(value)
    return int(line[1]) if line else None


def boolean_of(value: Json) -> bool | None:
    """Return a truth value, also one that is written as text or as a number; None for anything else."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in {"true", "false", "yes", "no"}:
        return value.lower() in {"true", "yes"}
    number = number_of(value)
    return bool(number) if number in {0, 1} else None


def says_failed(text: str) -> bool:
    """Return whether a word gives a bad verdict: ``ERROR``, ``fail``, ``REQUEST_DENIED``."""
    return _FAILED.fullmatch(text.strip()) is not None


def says_state(text: str) -> bool:
    """Return whether a bad word can also be the state of a thing that was fetched."""
    return _STATE.fullmatch(text.strip()) is not None


def says_well(text: str) -> bool:
    """Return whether a word gives a good verdict."""
    return _WELL.fullmatch(text.strip()) is not None


def no_error(value: Json, depth: int = 0) -> bool:
    """Return whether the value of an error slot means that there is none. Anything deeper than :data:`MAX_DEPTH` is an error."""
    if value is None or value is False or value in ("", 0, [], {}):
        return True
    if isinstance(value, str):
        return _NO_ERROR.fullmatch(value) is not None
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, list):
        return all(no_error(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return all(no_error(item, depth + 1) for name, item in value.items() if name_of(name) not in {"xmlns", "nil"})
    return False


def content_names(layer: JsonObject) -> list[str]:
    """Return the names of slots that hold data: neither empty nor part of an envelope."""
    envelope = ERRORS | ERROR_CODES | VERDICTS | MESSAGES | FLAGS | FAILURE_FLAGS | NEUTRAL
    named = ((name_of(slot), value) for slot, value in layer.items())
    return [
        name
        for name, value in named
        if value not in (None, "", [], {})
        and name not in envelope
        and not name.startswith(("xmlns", "error"))
        and not is_error_code(name)
    ]
