"""The envelopes of a response, and the evidence in the slots of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mendbench.detectors.weighted import slots
from mendbench.detectors.weighted.evidence import shown
from mendbench.detectors.weighted.opening import parsed_text
from mendbench.detectors.weighted.phrases import says_failure
from mendbench.model.execution import WeighedEvidence
from mendbench.model.json import Json, JsonObject

MAX_DEPTH = 6
"""The maximum depth at which an envelope is read."""

FAILED = range(400, 600)
_SUCCEEDED = range(200, 300)
_MUCH, SOME = 4, 2
"""Slots of data that make an object a record, and that make it probable."""

_IDENTITY = ("id", "sid", "uuid", "guid", "gid", "arn", "selflink", "createdat")
_ENDINGS = ("response", "result", "reply", "return", "out", "status", "payload")
_COUNTS = frozenset({"numerrors", "failedcount", "failurecount", "failedrecordcount", "errorcount"})
_HISTORY = frozenset({"failurereason", "failuremessage", "failurecode", "lasterror"})
"""Errors of the past that a record keeps."""
_STARTS_BADLY = re.compile(r"(?:\w+ )?(?:error|exception|failed|failure): ", re.IGNORECASE)
_CHECKED = frozenset({"valid", "isvalid", "flagged", "deliverable", "isdeliverable"})
"""What validation endpoints answer."""
_OF_ENVELOPES = frozenset({"ack", "resultcode", "returncode", "responsestatus"})
"""Verdicts that only the envelope of a response has."""
_OWN_STATE = frozenset({"status", "state", "result", "outcome", "decision"})
"""What became of the thing that a write made."""
READS = frozenset({"GET", "HEAD"})
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_DATA_PENALTY, _MOST_PENALTY = 0.4, 1.5


def envelopes(value: Json, path: str = "", depth: int = 0) -> Iterator[tuple[str, JsonObject]]:
    """Yield the envelopes of a value with their paths, from the outside in."""
    value = _opened(value)
    if isinstance(value, list) and len(value) == 1 and depth <= MAX_DEPTH:
        yield from envelopes(value[0], f"{path}[0]", depth + 1)
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return
    yield path, value
    for slot, inner in value.items():
        name, at = slots.name_of(slot), f"{path}.{slot}".lstrip(".")
        text = _tool_text(name, inner)
        if slots.is_error(name):
            continue
        if text is not None:
            yield from envelopes(text, f"{at}[0].text", depth + 1)
        elif _may_be_envelope(name, inner, value, path):
            yield from envelopes(inner, at, depth + 1)


def _may_be_envelope(name: str, inner: Json, layer: JsonObject, path: str) -> bool:
    """Return whether the value of a slot may be another envelope: by its name, or because the layer has nothing else."""
    wraps = name in slots.WRAPPERS or name.endswith(_ENDINGS)
    alone = (
        len([one for one in map(slots.name_of, layer) if not one.startswith("xmlns") and one not in slots.NEUTRAL]) == 1
    )
    if isinstance(inner, list):
        return len(inner) == 1 and wraps and alone and name not in slots.MESSAGES
    if isinstance(inner, str):
        return (wraps or name == "text") and len(slots.content_names(layer)) < _MUCH
    is_payload = path == "data" and name != "node"  # what one field of a GraphQL query returned
    return isinstance(inner, dict) and (alone or wraps or is_payload or name in slots.MESSAGES)


def envelope_evidence(path: str, layer: JsonObject, method: str) -> tuple[WeighedEvidence, ...]:
    """Return the evidence in the slots of one envelope."""
    shape = _shape_of(layer, method, is_root=not path)
    found = [
        WeighedEvidence(path=f"{path}.{slot}".lstrip("."), found=shown(value), weight=weight)
        for slot, value in layer.items()
        if (weight := _weight(slots.name_of(slot), value, shape))
    ]
    if any(slots.name_of(slot) in _CHECKED and isinstance(value, bool) for slot, value in layer.items()):
        found.append(WeighedEvidence(path=path or "body", found="the answer of a check", weight=-3.0))
    if shape.content:
        penalty = min(_MOST_PENALTY, _DATA_PENALTY * len(shape.content))
        found.append(
            WeighedEvidence(path=path or "body", found=f"data: {', '.join(shape.content[:3])}", weight=-penalty)
        )
    return tuple(found)


def gives_no_reason(layer: JsonObject) -> bool:
    """Return whether an envelope reports a failure without a reason of its own: its items give theirs."""
    return not any(
        (
            (slots.is_error(name) or name in slots.MESSAGES)
            and isinstance(value, str | dict)
            and not slots.no_error(value)
        )
        or (slots.is_error_code(name) and not slots.no_error(value))
        for name, value in ((slots.name_of(slot), value) for slot, value in layer.items())
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What an envelope has besides one slot."""

    content: list[str]
    """Names of the slots that hold data."""
    is_root: bool
    """Whether it is the outermost one."""
    is_record: bool
    """Whether it is a thing with data of its own, and not the envelope of a response."""
    has_reason: bool
    """Whether a slot could say why it failed."""
    writes: bool
    """Whether the request may have changed something."""
    gives_reason: bool
    """Whether a slot says why it failed, in words."""
    identified: bool
    """Whether it has an identifier, as records have."""
    has_state: bool
    """Whether it has a state of its own, which its error may explain."""
    reads: bool
    """Whether the request asked for data: what a record says about itself is data then."""


def _shape_of(layer: JsonObject, method: str, *, is_root: bool) -> _Shape:
    content = slots.content_names(layer)
    named = {slots.name_of(slot): value for slot, value in layer.items()}
    reads = method.upper() in READS
    is_record = len(content) >= (SOME if reads else _MUCH)
    if (
        not is_record
        and not named.keys() & (slots.FLAGS | {"jsonrpc", "iserror"})
        and (content or not _only_error(named))
    ):
        identified = any(named.get(name) not in (None, "", 0) for name in _IDENTITY)
        is_record = identified and not any(
            isinstance(named.get(name), str) and " " in str(named[name]) for name in ("error", "message", "msg")
        )
    return _Shape(
        content=content,
        is_root=is_root,
        is_record=is_record,
        has_reason=any(name in slots.MESSAGES or slots.is_error(name) or slots.is_error_code(name) for name in named),
        writes=method.upper() in WRITES,
        gives_reason=any(
            slots.is_error(name) and isinstance(value, str) and " " in value for name, value in named.items()
        ),
        identified=any(named.get(name) not in (None, "", 0) for name in _IDENTITY),
        has_state=bool(named.keys() & {"status", "state"}),
        reads=reads,
    )


def _only_error(named: Mapping[str, Json]) -> bool:
    """Return whether an object holds an error and nothing else but what it is about."""
    return any(
        isinstance(value, dict) and not slots.no_error(value) for name, value in named.items() if slots.is_error(name)
    )


def _opened(value: Json) -> Json:
    """Return what a text contains, if it is data; any other value unchanged."""
    if not isinstance(value, str):
        return value
    return parsed_text(value.strip()) if value.lstrip()[:1] in {"{", "[", "<"} else None


def _tool_text(name: str, value: Json) -> str | None:
    """Return the only text of an MCP tool result (Model Context Protocol, "Tool Result"), or None."""
    if name != "content" or not isinstance(value, list):
        return None
    if not all(isinstance(part, dict) and "type" in part for part in value):
        return None
    texts = [part["text"] for part in value if isinstance(part.get("text"), str)]
    return texts[0] if len(texts) == 1 else None


def _weight(name: str, value: Json, shape: _Shape) -> float:
    """Return what one slot adds to *the request failed*."""
    if name in slots.FLAGS and (flag := slots.boolean_of(value)) is not None:
        if flag:
            return -2.0
        return 0.5 if not shape.has_reason and len(shape.content) >= SOME else 3.0
    if name in slots.FAILURE_FLAGS and (isinstance(value, bool) or value in ("true", "false")):
        return 3.0 if slots.boolean_of(value) else -1.5
    if slots.is_error_code(name) and not isinstance(value, dict | list):
        if slots.no_error(value):
            return -2.0
        return 3.0 if not shape.is_record else 0.0 if shape.reads else 1.0
    if name in _COUNTS and slots.number_of(value):
        return 1.0
    if slots.is_error(name):
        return 0.0 if name in _HISTORY and (shape.is_record or shape.content) else _error_weight(value, shape)
    if name in slots.VERDICTS:
        return _verdict_weight(name, value, shape)
    if name in slots.MESSAGES and isinstance(value, str):
        return _message_weight(name, value, shape)
    return 0.0


def _message_weight(name: str, value: str, shape: _Shape) -> float:
    if not value.strip():
        return 0.0
    if slots.says_well(value):
        return -1.5
    if _STARTS_BADLY.match(value) and not shape.is_record:
        return 5.0
    if slots.says_failed(value) and not shape.is_record:
        return 2.0
    if shape.is_record or len(shape.content) >= SOME or name in {"title", "text", "summary"} or not says_failure(value):
        return 0.0
    return 1.0 if shape.content else 2.2


def _error_weight(value: Json, shape: _Shape) -> float:
    if slots.no_error(value) or (isinstance(value, dict) and _reports_success(value)):
        return -2.0
    if shape.reads and isinstance(value, list) and all(_is_full(item) for item in value):
        return 0.0
    if isinstance(value, int | float) and not isinstance(value, bool):
        return 0.5 if shape.content else 2.5
    if (
        shape.is_record
        and shape.reads
        and shape.is_root
        and not shape.has_state
        and isinstance(value, dict)
        and len(value) >= SOME
    ):
        return 4.0
    return 4.0 if not shape.is_record else 0.0 if shape.reads else 1.2


def _is_full(item: Json) -> bool:
    """Return whether an item has so much data that it is a record."""
    return isinstance(item, dict) and len(slots.content_names(item)) >= _MUCH


def _reports_success(error: JsonObject) -> bool:
    """Return whether an error object says that there is no error: ``{"code": "ok", "message": ""}``."""
    named = {slots.name_of(slot): value for slot, value in error.items()}
    codes = [named[name] for name in ("code", "errorcode", "errcode") if name in named]
    texts = [value for name, value in named.items() if name in slots.MESSAGES]
    well = all(slots.no_error(text) or (isinstance(text, str) and slots.says_well(text)) for text in texts)
    says = bool(codes) or any(not slots.no_error(text) for text in texts)
    return well and says and all(slots.no_error(code) for code in codes)


def _verdict_weight(name: str, value: Json, shape: _Shape) -> float:
    number = slots.number_of(value)
    if isinstance(value, bool):
        if name not in {"status", "result", "response", "ack", "stat", "outcome"}:
            return 0.0
        return -2.0 if value else (3.0 if shape.has_reason or (not shape.content and name != "result") else 0.5)
    if number is not None:
        return _number_weight(name, number, shape) if name in slots.NUMERIC_VERDICTS else 0.0
    return _word_weight(name, value, shape) if isinstance(value, str) else 0.0


def _number_weight(name: str, number: int, shape: _Shape) -> float:
    if number in _SUCCEEDED:
        return -1.5
    if number in FAILED:
        return 3.5 if shape.has_reason and not (shape.is_record and name in {"status", "code"}) else 1.0
    if number == 0:
        return -2.5 if name in slots.ZERO_IS_SUCCESS else -0.3
    if number == 1 and name in {"status", "result", "stat", "ack"}:
        return -1.5
    if shape.is_record or len(shape.content) >= SOME:
        return 0.2
    if number < 0:
        return 2.5
    if not shape.has_reason:
        return 0.5
    return 2.0 if name in slots.ZERO_IS_SUCCESS else 1.5


def _word_weight(name: str, word: str, shape: _Shape) -> float:
    if slots.says_well(word):
        return (
            -1.5
            if name
            in {
                "status",
                "stat",
                "ack",
                "result",
                "code",
                "resultcode",
                "outcome",
                "responsestatus",
                "statusmessage",
                "statustext",
            }
            else -0.5
        )
    if name == "result" and " " in word and not shape.content and says_failure(word):
        return 2.0
    if not slots.says_failed(word) or name in {"type", "level", "severity", "kind", "object"}:
        return 0.0
    if name in _OF_ENVELOPES and not shape.reads:
        return 4.5
    if shape.writes and name in _OWN_STATE and slots.says_state(word) and shape.content:
        return 3.6
    if shape.is_record:
        if not shape.reads:
            return 0.5
        return 4.0 if name == "status" and shape.gives_reason and not shape.identified else 0.0
    if slots.says_state(word) and (len(shape.content) >= SOME or not shape.has_reason):
        return 1.5
    return 3.0 if shape.has_reason or not shape.content else 2.0
