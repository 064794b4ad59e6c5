"""Responses that only refuse, and partly refused batches, recognised by their shape alone.

The shapes are conventions of many public APIs, not of one service: an error slot without content, a code of zero for success
(WeChat, Postmark, Feishu), a verdict word (JSend), a list of embedded responses (OData's batches), a flag over its items (bulk requests).
Data *about* something that failed has content next to it, and is not a refusal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mendbench.model.json import Json, JsonObject

MAX_ITEMS = 1000
"""The maximum number of batch items that are inspected."""

FALSE_FLAGS = ("ok", "success", "successful", "successfull", "succeeded")

_FAILED_HTTP = range(400, 600)
_DONE_HTTP = range(100, 400)
_ACCEPTED_HTTP = range(200, 300)
_STATUS_NAMES = ("status", "statuscode", "httpstatuscode", "httpcode", "code", "cod")
_VERDICT_NAMES = frozenset({"status", "stat", "result", "outcome"})
_VERDICTS = frozenset({"error", "fail", "failed", "failure", "nok", "ko"})
_TEXT_NAMES = frozenset({"message", "msg", "reason", "detail", "description", "info", "title"})
_ERROR_NAMES = frozenset({
    "error", "errors", "err", "errormessage", "errmsg", "errormsg", "errordescription", "errorsummary", "errordetail",
    "errordetails", "errorinfo", "errortext", "fault", "faultstring", "exception",
})  # fmt: skip
_CODE_NAMES = frozenset({"errcode", "errorcode", "errno", "retcode", "errornumber"})
_ENVELOPE_NAMES = _TEXT_NAMES | frozenset(_STATUS_NAMES) | frozenset({
    "details", "statustext", "stat", "ok", "success", "successful", "requestid", "reqid", "traceid", "correlationid",
    "timestamp", "path", "help", "documentationurl", "moreinfo", "docurl", "type", "version", "apiversion", "jsonrpc",
    "meta", "hint", "fields", "params", "exception", "retryable", "instance", "debugid", "logid", "userid", "stack",
    "stacktrace", "trace", "internalerror",
})  # fmt: skip
_WELL = re.compile(
    r"^\W*(?:ok|okay|success\w*|succeeded|done|created|accepted|completed?|no errors?|none|null|0|false|n/a)\W*(?:$|[.,:!]|\s\w)",
    re.IGNORECASE,
)
_EMBEDDED_SLOTS = frozenset(
    {"statuscode", "status", "body", "headers", "multivalueheaders", "isbase64encoded", "cookies"}
)
_RESPONSE_NAMES = _EMBEDDED_SLOTS | frozenset({
    "id", "requestid", "referenceid", "contentid", "index", "atomicitygroup", "response", "httpheaders", "httpstatuscode",
    "httpcode", "code", "statustext", "statusmessage", "reason",
})  # fmt: skip
"""Slots of one response in a batch. An item with other slots, such as a name or an address, is a check's record."""
_PAIRS = (("success", "failure"), ("successcount", "failurecount"), ("succeeded", "failed"), ("successful", "failed"))
"""Counts that a batch's response gives together."""
_DONE_LISTS = frozenset({"successful", "succeeded", "success", "successes", "created", "processed", "completed"})
_RESULT_LISTS = frozenset({"results", "data", "items", "records", "responses"})
_COUNT = re.compile(r"^(?:failed\w*count|numerrors|errorcount|failurecount|numfailed)$")
_ECHOES = frozenset({"__typename", "clientMutationId"})
"""Slots that GraphQL objects have whether or not anything was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchParts:
    """The results of a partly refused batch."""

    refused: list[Json]
    some_done: bool
    """Whether the response reports that a part was done."""


def name_of(slot: str) -> str:
    """Return a slot's name in one spelling: ``errorMessage``, ``error_message`` and ``ErrorMessage`` are one."""
    return re.sub(r"[_\-\s]", "", slot).lower()


def well(text: str) -> bool:
    """Return whether the text in an error slot means that there is no error: ``OK``, ``no error``."""
    return _WELL.search(text) is not None


def content_of(layer: JsonObject) -> list[str]:
    """Return the non-empty slots that belong neither to an envelope nor to an error."""
    return [
        slot
        for slot, value in layer.items()
        if not _empty(slot, value)
        and name_of(slot) not in _ENVELOPE_NAMES
        and not name_of(slot).startswith("err")
        and not (name_of(slot) in _VERDICT_NAMES and isinstance(value, str) and value.lower() in _VERDICTS)
    ]


def refusal_in(layer: JsonObject) -> str | None:
    """Return the message of a response that contains only a refusal, or None."""
    if any(layer.get(flag) is True for flag in FALSE_FLAGS):
        return None
    named = {name_of(slot): value for slot, value in layer.items()}
    message = next((text for name in named if name in _TEXT_NAMES if (text := first_text(named[name]))), None)
    if set(named) <= _EMBEDDED_SLOTS and _embedded_status(layer) in _FAILED_HTTP:
        return first_text(named.get("body")) or "request failed"
    if message is not None and any(named.get(name) is True for name in ("error", "iserror", "haserror", "failed")):
        return message
    content = content_of(layer)
    if content:
        only_data = [name_of(slot) for slot in content] == ["data"] and named.get("status") == "fail"
        return first_text(named.get("data")) or "request failed" if only_data else None
    codes = [number for name in _CODE_NAMES if (number := _number(named.get(name))) is not None]
    if codes and not any(codes):
        return None
    error = next((text for name in named if name in _ERROR_NAMES if (text := first_text(named[name]))), None)
    if error is not None and not well(error):
        return error
    if message is None or well(message):
        return None
    return message if any(codes) or _refused(named) else None


def failed_parts(body: Json) -> BatchParts | None:
    """Return the results of a partly refused batch, or None if it is not a batch or nothing was refused."""
    lists = [body] if isinstance(body, list) else list(body.values()) if isinstance(body, dict) else []
    for items in lists:
        if isinstance(items, list) and items and all(isinstance(item, dict) for item in items[:MAX_ITEMS]):
            objects = [_unwrapped(item) for item in items[:MAX_ITEMS] if isinstance(item, dict)]
            refused = _refused_items(objects, body)
            if refused:
                rest = {id(item) for item in refused}
                done = any(id(item) not in rest and _done(item) for item in objects)
                return BatchParts(refused=list(refused), some_done=done or _counts_done(body))
    return _refused_list(body) if isinstance(body, dict) else None


def holds_done(value: Json) -> bool:
    """Return whether a response contains anything that was done or read, besides refused payloads and empty slots.

    This does not recurse, so values may nest to any depth.
    """
    left = [value]
    while left:
        current = left.pop()
        if isinstance(current, dict):
            if not (any(current.get(flag) is False for flag in FALSE_FLAGS) or current.get("userErrors")):
                left += [inner for slot, inner in current.items() if slot not in _ECHOES]
        elif isinstance(current, list):
            left += current[:MAX_ITEMS]
        elif current is not None and current is not False and current != "":
            return True
    return False


def first_text(value: Json) -> str | None:
    """Return the first message in a text, an error object, or a list or map of them, at any depth."""
    left = [value]
    while left:
        current = left.pop()
        if isinstance(current, str) and current:
            return current
        if isinstance(current, list):
            left += current[:1]
        elif isinstance(current, dict):
            named = {name_of(slot): inner for slot, inner in current.items()}
            own = next((named[name] for name in ("message", "info", "detail", "code", "type") if named.get(name)), None)
            if isinstance(own, str | int):
                return str(own)
            left += reversed(current.values())
    return None


def _refused(named: JsonObject) -> bool:
    status = [_number(named[name]) for name in _STATUS_NAMES if name in named]
    if any(number in _FAILED_HTTP for number in status if number is not None):
        return True
    if any(isinstance(value := named.get(name), str) and value.lower() in _VERDICTS for name in _VERDICT_NAMES):
        return True
    if any(
        named.get(name) in ("false", "False", "0") or named.get(name) is False for name in ("ok", "success", "status")
    ):
        return True
    code = _number(named.get("code"))
    return bool(code) and code not in _DONE_HTTP and "data" in named


def _refused_items(items: list[JsonObject], body: Json) -> list[JsonObject]:
    """Return the refused ones of ``items``, if they are responses to the parts of one request."""
    if all(_embedded_status(item) is not None for item in items):
        return [item for item in items if _embedded_status(item) in _FAILED_HTTP]
    if isinstance(body, list):
        flagged = all(any(isinstance(item.get(flag), bool) for flag in FALSE_FLAGS) for item in items)
        coded = all(any(name_of(slot) in _CODE_NAMES for slot in item) for item in items)
        if flagged:
            return [item for item in items if any(item.get(flag) is False for flag in FALSE_FLAGS) and _erred(item)]
        return [item for item in items if _coded(item)] if coded else []
    if not isinstance(body, dict):
        return []
    named = {name_of(slot): value for slot, value in body.items()}
    if body.get("errors") is True or body.get("hasErrors") is True or body.get("has_errors") is True:
        return [item for item in items if _erred(item)]
    paired = [count for done, failed in _PAIRS if done in named and (count := _number(named.get(failed)))]
    if paired:
        return _accounted([item for item in items if _erred(item)], items, paired)
    counts = [count for slot, value in body.items() if _COUNT.match(name_of(slot)) and (count := _number(value))]
    return _accounted([item for item in items if _coded(item)], items, counts) if counts else []


def _accounted(refused: list[JsonObject], items: list[JsonObject], counts: list[int]) -> list[JsonObject]:
    """Return ``refused`` if their number matches the response's count of failures, and nothing otherwise.

    A receipt may truncate its list of errors. A list of more than :data:`MAX_ITEMS` is truncated here too.
    """
    cut = len(refused) == len(items) or len(items) == MAX_ITEMS
    return refused if any(len(refused) == count or (cut and len(refused) <= count) for count in counts) else []


def _refused_list(body: JsonObject) -> BatchParts | None:
    """Return the list of refused items with reasons, if there is also a list of items that were done."""
    lists = {name_of(slot): value for slot, value in body.items() if isinstance(value, list | dict)}
    for name in ("failed", "failures"):
        refused = lists.get(name)
        beside = _DONE_LISTS.intersection(lists)
        if isinstance(refused, list) and refused and beside and any(map(_gives_a_reason, refused[:MAX_ITEMS])):
            return BatchParts(refused=refused, some_done=any(holds_done(lists[done]) for done in beside))
    errors = lists.get("errors")
    worded = isinstance(errors, list) and errors and all(isinstance(item, dict) and _says(item) for item in errors)
    results = _RESULT_LISTS.intersection(lists)
    if not worded or not isinstance(errors, list) or not results:
        return None
    return BatchParts(refused=errors, some_done=any(holds_done(lists[done]) for done in results))


def _done(item: JsonObject) -> bool:
    """Return whether nothing in a batch item that was not refused contradicts its success."""
    status = _embedded_status(item)
    return not any(item.get(flag) is False for flag in FALSE_FLAGS) and (status is None or status in _ACCEPTED_HTTP)


def _counts_done(body: Json) -> bool:
    named = {name_of(slot): value for slot, value in body.items()} if isinstance(body, dict) else {}
    return any(_number(named.get(done)) for done, failed in _PAIRS if failed in named)


def _gives_a_reason(item: Json) -> bool:
    """Return whether a refused item gives a reason; a bare id does not."""
    if not isinstance(item, dict):
        return True
    return any(
        not _empty(slot, value) and name_of(slot) in _TEXT_NAMES | _ERROR_NAMES | _CODE_NAMES | {"code", "status"}
        for slot, value in item.items()
    )


def _embedded_status(item: JsonObject) -> int | None:
    if not item.keys() & {"body", "response"} or not {name_of(slot) for slot in item} <= _RESPONSE_NAMES:
        return None
    numbers = [_number(value) for slot, value in item.items() if name_of(slot) in _STATUS_NAMES]
    return next((number for number in numbers if number in _DONE_HTTP or number in _FAILED_HTTP), None)


def _empty(slot: str, value: Json) -> bool:
    """Return whether a slot carries nothing. ``valid: false`` is content; ``data: false`` and ``Response: "False"`` are not."""
    if value is False:
        return name_of(slot) in _RESULT_LISTS or name_of(slot) in {"result", "response"}
    return value in (None, "", [], {}, 0, "false", "False")


def _erred(item: JsonObject) -> bool:
    status = item.get("status")
    return bool(item.get("error") or item.get("errors")) or (isinstance(status, int) and status in _FAILED_HTTP)


def _coded(item: JsonObject) -> bool:
    return any(value not in (None, "", 0, "0") for slot, value in item.items() if name_of(slot) in _CODE_NAMES)


def _says(item: JsonObject) -> bool:
    return any(isinstance(value, str) and value for slot, value in item.items() if name_of(slot) in _TEXT_NAMES)


def _unwrapped(item: JsonObject) -> JsonObject:
    """Return the content of an item whose only slot names the action: ``{"index": {…}}`` of a bulk request."""
    inner = next(iter(item.values())) if len(item) == 1 else None
    return inner if isinstance(inner, dict) else item


def _number(value: Json) -> int | None:
    if isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit() and len(value) < 12:  # noqa: PLR2004 (longer ones are ids)
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
