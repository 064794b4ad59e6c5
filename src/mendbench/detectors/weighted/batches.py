"""The failed items of a batch. A list of things that were fetched is data, whatever their states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.detectors.weighted import slots
from mendbench.detectors.weighted.envelopes import FAILED, MAX_DEPTH, READS, SOME, WRITES, envelope_evidence, envelopes
from mendbench.detectors.weighted.evidence import enough, shown
from mendbench.detectors.weighted.opening import parsed_text
from mendbench.detectors.weighted.reading import spelled
from mendbench.model.execution import WeighedEvidence
from mendbench.model.json import Json, JsonObject

MAX_ITEMS = 200
"""The maximum number of items that are read."""

_NESTED = 3
"""The maximum depth of lists in lists."""

_LISTING = frozenset({
    "next", "previous", "prev", "page", "pages", "total", "totalcount", "totalresults", "hasmore", "offset", "limit", "count",
    "cursor", "nextpagetoken", "nextcursor", "links", "paging", "pagination", "end", "start", "pagesize", "perpage", "totalpages", "object",
    "nextpageuri", "monitors", "recordcount", "rows", "columns", "quotaremaining",
})  # fmt: skip
"""Slots beside a list of things that were fetched."""
_LISTS = frozenset({
    "results", "responses", "items", "records", "data", "messages", "failed", "failures", "faileditems", "entries", "statuses", "outcomes",
    "compositeresponse", "response", "batch", "batchitemresponse", "body", "list", "requestresponses", "failedentries", "failedrecords",
    "recipients", "result", "unprocesseditems", "unprocessedkeys", "batchitemfailures", "operations", "errors", "successes", "rejected",
    "completetrackresults", "value", "values", "documents", "updates",
})  # fmt: skip
_REFUSED = frozenset({
    "failed", "failure", "failures", "failedentries", "faileditems", "rejected", "failedrecords", "unauthorized", "notfound", "missing",
})  # fmt: skip
"""Lists of refused items alone."""
_COUNTERS = frozenset({"successful", "succeeded", "failed"})
"""Slots that count what went well and what did not."""
_IDENTITY = frozenset({"id", "uuid", "gid"})
_REFUSED_BEGIN = ("failed", "invalid", "rejected", "unknown", "unauthorized")
_UNPROCESSED = frozenset({"unprocesseditems", "unprocessedkeys"})
"""What a batch did not get to (Amazon DynamoDB)."""
_BATCHES = frozenset({"responses", "compositeresponse", "requestresponses"})
_FLAGS = frozenset({"errors", "haserrors", "failedrecordcount", "failure", "failed"})
"""Slots beside the items of a batch."""
_ITEM_DATA = frozenset({
    "index", "headers", "to", "recipient", "destination", "phone", "line", "row", "body", "response", "messageid", "orderid", "type",
    "attributes", "created", "referenceid",
})  # fmt: skip
"""Slots that say which item it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedItem:
    """One failed item, with the evidence."""

    value: Json
    evidence: tuple[WeighedEvidence, ...]


def failed_items(
    value: Json, method: str, path: str = "", depth: int = 0, *, listing: bool = False
) -> Iterator[FailedItem]:
    """Yield the failed items in a value. In a ``listing`` items are data, but for responses inside the response."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        yield from _in_list(value, method, path, depth, listing=listing or (not depth and method.upper() in READS))
    if not isinstance(value, dict):
        return
    beside = {slots.name_of(slot) for slot in value}
    reads = method.upper() in READS
    listing = listing or bool(beside & _LISTING) or reads
    is_record = reads and len(set(_data_names(value))) >= SOME and slots.name_of(path.rpartition(".")[2]) not in _LISTS
    for slot, inner in value.items():
        name, at = slots.name_of(slot), f"{path}.{slot}".lstrip(".")
        refused = _refused_items(slot, inner, method, counted=bool(beside & _COUNTERS))
        if refused:
            yield from (_refused(at, item) for item in refused)
        elif name in _UNPROCESSED and inner not in (None, {}, []):
            yield _refused(at, f"{slot}: not processed, try again later")
        elif isinstance(inner, dict) and not is_record and _is_outcome(inner, reads=reads):
            yield FailedItem(value=inner, evidence=_item_evidence(at, inner, method))
        elif isinstance(inner, dict) or (isinstance(inner, list) and not (reads and beside & _IDENTITY)):
            is_batch = name in _BATCHES or bool(beside & _FLAGS)
            known = _may_hold_items(name, value)
            yield from failed_items(inner, method, at, depth + 1, listing=(listing and not is_batch) or not known)


def _refused_items(slot: str, value: Json, method: str, *, counted: bool) -> list[Json]:
    """Return the items in a slot that lists refused items alone. Identifiers come with the name of the slot, which says why."""
    name, writes = slots.name_of(slot), method.upper() in WRITES
    if not isinstance(value, list):
        return []
    names_refused = name in _REFUSED or name.startswith(_REFUSED_BEGIN)
    if writes and names_refused and all(isinstance(item, str | int) for item in value):
        return [f"{spelled(slot)}: {item}" for item in value[:MAX_ITEMS]]
    if name in _REFUSED and (counted or method.upper() not in READS) and any(map(_gives_a_reason, value)):
        return value[:MAX_ITEMS]
    return []


def _in_list(items: list[Json], method: str, path: str, depth: int, *, listing: bool) -> Iterator[FailedItem]:
    for number, item in enumerate(items[:MAX_ITEMS]):
        at = f"{path}[{number}]"
        evidence = _item_evidence(at, item, method) if isinstance(item, dict) else ()
        is_response = isinstance(item, dict) and _is_response(item)
        if enough(evidence) and (is_response or not (listing and (_has_data(item) or path.endswith("items")))):
            yield FailedItem(value=item, evidence=evidence)
        elif isinstance(item, dict) and listing and len(_data_names(item)) >= SOME:
            continue
        elif isinstance(item, list | dict) and depth < _NESTED:
            yield from failed_items(item, method, at, depth + 1, listing=listing)


def _is_outcome(value: JsonObject, *, reads: bool) -> bool:
    """Return whether an object is the failed outcome of one part of the request."""
    return _is_embedded_error(value) or (not reads and _is_only_error(value))


def _is_embedded_error(value: JsonObject) -> bool:
    """Return whether an object in the place of data is an error: it has a failed status and a reason, and no data."""
    named = [(slots.name_of(slot), item) for slot, item in value.items()]
    failed = any(name in slots.NUMERIC_VERDICTS and slots.number_of(item) in FAILED for name, item in named)
    reason = any((name == "message" or _is_error(name)) and not slots.no_error(item) for name, item in named)
    return failed and reason and not _data_names(value)


def _is_only_error(value: JsonObject) -> bool:
    """Return whether an object has the code of an error and its words, and nothing else."""
    named = [(slots.name_of(slot), item) for slot, item in value.items()]
    code = any(slots.is_error_code(name) and not slots.no_error(item) for name, item in named)
    words = any(name in slots.MESSAGES or slots.is_error(name) for name, _ in named)
    return code and words and not _data_names(value)


def _has_data(item: JsonObject) -> bool:
    """Return whether an item is more than an identifier with an error: it has data, or a state of its own."""
    names = {slots.name_of(slot) for slot in item}
    return bool(_data_names(item)) or bool(names & {"status", "state"}) or not any(map(slots.is_error, names))


def _data_names(item: JsonObject) -> list[str]:
    names = (name for name in slots.content_names(item) if name not in slots.IDENTIFIERS | _ITEM_DATA)
    return [name for name in names if not name.endswith("id")]


def _refused(path: str, item: Json) -> FailedItem:
    return FailedItem(value=item, evidence=(WeighedEvidence(path=path, found=shown(item), weight=3.0),))


def _may_hold_items(name: str, layer: JsonObject) -> bool:
    return (
        name in _LISTS
        or name in slots.WRAPPERS
        or len(layer) == 1
        or name.endswith(("results", "response", "responses", "result"))
    )


def _is_response(item: JsonObject) -> bool:
    """Return whether an item is a whole response: a failed status with headers or a body."""
    names = {slots.name_of(slot): value for slot, value in item.items()}
    failed = any(slots.number_of(names.get(name)) in FAILED for name in ("code", "status", "statuscode"))
    return failed and bool(names.keys() & {"headers", "body"})


def _gives_a_reason(item: Json) -> bool:
    return isinstance(item, dict) and any(
        (name in slots.MESSAGES | {"code"} or _is_error(name)) and not slots.no_error(value)
        for name, value in ((slots.name_of(slot), value) for slot, value in item.items())
    )


def _item_evidence(path: str, item: JsonObject, method: str) -> tuple[WeighedEvidence, ...]:
    """Return the evidence that one item failed. A record has more data than an outcome has."""
    only = next(iter(item)) if len(item) == 1 else ""
    inner = item.get(only)
    item = inner if isinstance(inner, dict) and not slots.is_error(slots.name_of(only)) else item
    inside = [value for slot in ("status", "result") if isinstance(value := item.get(slot), dict)]
    parts = {**item, **inside[0]} if inside else item
    named = [(slot, slots.name_of(slot), value) for slot, value in parts.items()]
    bad = [(slot, value) for slot, name, value in named if _is_bad_verdict(name, value)]
    reasons = [(slot, name, value) for slot, name, value in named if _is_reason(name, value)]
    found = [
        WeighedEvidence(path=f"{path}.{slot}", found=shown(value), weight=3.5 if isinstance(value, dict) else 2.5)
        for slot, name, value in reasons if _is_error(name)
    ][:2]  # fmt: skip
    found += [
        WeighedEvidence(path=f"{path}.{slot}", found=shown(value), weight=-3.0)
        for slot, name, value in named if name in slots.FLAGS and slots.boolean_of(value)
    ]  # fmt: skip
    found += [
        WeighedEvidence(path=f"{path}.{slot}", found=shown(value), weight=2.0 if reasons else 1.2)
        for slot, value in bad[:2]
    ]
    own_outcome = bool(inside) and bool(bad)
    content = () if own_outcome and method.upper() in WRITES else _data_names(item)
    if content:
        found.append(WeighedEvidence(path=path, found=f"data: {', '.join(content[:3])}", weight=-0.9 * len(content)))
    body = item.get("body", item.get("response"))
    body = (parsed_text(body) or body) if isinstance(body, str) else body
    if isinstance(body, dict | list):
        return _embedded_evidence(
            path, body, tuple(found), method, failed=any(slots.number_of(value) in FAILED for _slot, value in bad)
        )
    return tuple(found)


def _embedded_evidence(
    path: str, body: Json, found: tuple[WeighedEvidence, ...], method: str, *, failed: bool
) -> tuple[WeighedEvidence, ...]:
    """Return the evidence of an item that is a whole response."""
    if failed:
        return (*found, WeighedEvidence(path=f"{path}.body", found="a response", weight=2.0))
    inside = (envelope_evidence(at, layer, method) for at, layer in envelopes(body, f"{path}.body", 1))
    return next((evidence for evidence in inside if enough(evidence)), found)


def _is_error(name: str) -> bool:
    return slots.is_error(name) or slots.is_error_code(name)


def _is_reason(name: str, value: Json) -> bool:
    if not (_is_error(name) or name in {"code", "message", "reason", "text", "description"}) or slots.no_error(value):
        return False
    return not (isinstance(value, str) and slots.says_well(value))


def _is_bad_verdict(name: str, value: Json) -> bool:
    if name in slots.FLAGS:
        return slots.boolean_of(value) is False
    if name not in slots.VERDICTS:
        return False
    number = slots.number_of(value)
    if number is not None:
        return name in slots.NUMERIC_VERDICTS and (number in FAILED or (number < 0 and name == "code"))
    return isinstance(value, str) and slots.says_failed(value)
