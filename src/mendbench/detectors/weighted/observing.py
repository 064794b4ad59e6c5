"""Decide whether a response is a failure, before anyone asks whose.

A failed status decides alone. Otherwise every envelope of the response is read: its flags, codes, verdict words, errors and messages each
add to *the request failed* or subtract from it. What a record says about itself (a payment that was declined) is data.
"""

from __future__ import annotations

import re

from mendbench.detectors.weighted.batches import failed_items
from mendbench.detectors.weighted.envelopes import WRITES, envelope_evidence, envelopes, gives_no_reason
from mendbench.detectors.weighted.evidence import ReadResponse, enough
from mendbench.detectors.weighted.opening import Opened, opened
from mendbench.detectors.weighted.phrases import says_failure
from mendbench.detectors.weighted.slots import WRAPPERS, name_of, no_error
from mendbench.model.execution import WeighedEvidence
from mendbench.model.json import Json

MAX_EVIDENCE = 12
"""Pieces of evidence that are kept of a batch."""

_SUCCEEDED = range(200, 300)
_NOT_MODIFIED = 304
_CERTAIN = 9.0
_SHORT = 300
"""The maximum length of a text that is one message, in characters."""

_PAGE_WORDS = re.compile(r"\b(?:log ?in|sign in|error|just a moment|captcha|attention required)\b", re.IGNORECASE)
"""Titles of pages that stand in the way."""
_TEXT_STARTS = (
    "error", "err:", "err ", "-err", "fail", "invalid", "unauthorized", "unauthorised", "forbidden", "exception", "access denied",
    "not found", "bad request", "permission denied", "fatal", "traceback", "missing", "unknown", "denied", "nok", "ko", "badauth", "nohost",
    "abuse", "illegal", "cannot", "could not", "no such", "unable to", "sorry",
)  # fmt: skip
"""How texts begin that are error messages. ``badauth``, ``nohost`` and ``abuse`` are those of dynamic DNS."""

_BROKEN_OFF = re.compile(r"(?:Code: \d+\. )?[\w:.]*(?:Exception|Error)\b: |ERROR: ")
"""How the last line of a table begins that an error ended."""

_LOG_MARKS = (" error ", " warn", "[error]", " info ")


def finding(status: int | None, body: Json, method: str = "") -> ReadResponse:
    """Return whether a response is a failure, and why. ``method`` is the request's; empty if unknown."""
    tree = opened(body)
    if status == _NOT_MODIFIED:
        return ReadResponse(failed=False, opened=tree)
    if status is not None and status not in _SUCCEEDED:
        certain = WeighedEvidence(path="status", found=str(status), weight=_CERTAIN)
        return ReadResponse(failed=True, opened=tree, evidence=(certain,), parts=(tree.value,))
    if tree.form == "html":
        return _in_page(tree, str(tree.value))
    if tree.form == "text":
        return _in_text(tree, str(tree.value))
    return _in_data(tree, method)


def _in_page(tree: Opened, text: str) -> ReadResponse:
    """A page is a failure if its title or a heading says so, or asks for a login."""
    *heads, rest = text.split("\n")
    for head in heads or [rest[:_SHORT]]:
        if says_failure(head) or _PAGE_WORDS.search(head):
            return _failure(tree, WeighedEvidence(path="title", found=head, weight=3.0))
    return ReadResponse(failed=False, opened=tree)


def _in_text(tree: Opened, text: str) -> ReadResponse:
    """A text is a failure if it starts like an error message, or is one short sentence about a failure. Tables and logs are data."""
    first, _, rest = text.partition("\n")
    first = first.strip().lower()
    is_table = first.count(",") > 1 or "\t" in first
    if is_table and _BROKEN_OFF.match(last := text.rsplit("\n", 1)[-1]):
        return _failure(tree, WeighedEvidence(path="text", found=last[:80], weight=2.5))
    is_log = bool(rest) and any(mark in first for mark in _LOG_MARKS)
    if is_table or is_log or len(first) > _SHORT:
        return ReadResponse(failed=False, opened=tree)
    starts = first.startswith(_TEXT_STARTS) and not no_error(first)
    short = len(text) <= _SHORT and rest.count("\n") == 0 and says_failure(text)
    return (
        _failure(tree, WeighedEvidence(path="text", found=first[:80], weight=2.5))
        if starts or short
        else ReadResponse(failed=False, opened=tree)
    )


def _only_text(value: Json, method: str) -> str | None:
    """Return the text that is all that a write returned, or None."""
    if method.upper() not in WRITES or not isinstance(value, dict) or len(value) != 1:
        return None
    (slot, text), *_ = value.items()
    return text.strip() if isinstance(text, str) and name_of(slot) in WRAPPERS else None


def _failure(tree: Opened, evidence: WeighedEvidence) -> ReadResponse:
    return ReadResponse(failed=True, opened=tree, evidence=(evidence,), parts=(tree.value,))


def _in_data(tree: Opened, method: str) -> ReadResponse:
    seen: list[WeighedEvidence] = []
    if (text := _only_text(tree.value, method)) is not None and (inside := _in_text(tree, text)).failed:
        return inside
    items = tuple(failed_items(tree.value, method))
    for path, layer in envelopes(tree.value):
        evidence = envelope_evidence(path, layer, method)
        if enough(evidence) and not (items and gives_no_reason(layer)):
            return ReadResponse(failed=True, opened=tree, evidence=evidence, parts=(layer,))
        seen += evidence
    if not items:
        return ReadResponse(failed=False, opened=tree, evidence=tuple(seen))
    evidence = tuple(piece for item in items for piece in item.evidence)[:MAX_EVIDENCE]
    return ReadResponse(
        failed=True, opened=tree, evidence=evidence, parts=tuple(item.value for item in items), partial=True
    )
