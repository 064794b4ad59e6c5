"""Weigh whether an edit could help after a failure, or only the user or time.

Each signal counts once: statuses, codes, phrases, pointers at fields, headers, and what the run's own data offers. Their sum is the log
odds that an edit could help.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mendbench.detectors.weighted import slots
from mendbench.detectors.weighted.evidence import ReadResponse, shown
from mendbench.detectors.weighted.phrases import matches
from mendbench.detectors.weighted.reading import Reading, read, spelled
from mendbench.detectors.weighted.tables import codes, weights
from mendbench.model.execution import WeighedEvidence
from mendbench.model.json import Json

REPEATED = 0.25
"""The share of a signal's weight that its second source adds."""

INNER = 0.7
"""The share of its weight that a status in the body adds, if the response's own status failed too."""

_SUCCEEDED = range(200, 300)
_FAILED = range(300, 600)
_MISSING = frozenset({404, 405, 410})
_STATUS_TEXT = re.compile(
    r"\b(?:status(?: code)?|http(?:/\d(?:\.\d)?)?(?: error)?|error|code)[:= ]{1,3}([345]\d\d)\b"
    r"|^\W*([345]\d\d)\b[: -]+[A-Za-z]|: ([45]\d\d) [A-Z]",
    re.IGNORECASE | re.MULTILINE,
)
_UNKNOWN_ROUTES: tuple[Json, ...] = (
    {"detail": "Not Found"},
    "404 page not found",
    "Not Found",
    "404 Not Found",
    "Not found",
)
"""Whole bodies with which frameworks answer for an unknown route: FastAPI, Go's net/http, Flask and others."""

_MISSING_RECORD = re.compile(
    r"\b(?:not found|not present|(?:does|do) not exist|doesn't exist|no such|invalid|unknown)\b", re.IGNORECASE
)

_REMAINING = ("x-ratelimit-remaining", "x-rate-limit-remaining", "ratelimit-remaining", "x-app-rate-limit-remaining")
_REFUSES_IDENTIFIER = frozenset({"absent", "missing_resource", "route", "invalid"})
_EXISTS = frozenset({"state", "taken"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Whether an edit could help, and why."""

    odds: float
    """Log odds, natural. Above zero an edit could help."""
    evidence: tuple[WeighedEvidence, ...]

    @property
    def confidence(self) -> float:
        """The probability of the more probable side, from 0.5 to 1."""
        return 1 / (1 + math.exp(-abs(self.odds)))


def weigh(
    found: ReadResponse,
    status: int | None,
    headers: Mapping[str, Json],
    message: str = "",
    other_identifier: str | None = None,
) -> Weighed:
    """Return whether an edit could help after a failure.

    ``message`` is the node's own text, used if the response has none. ``other_identifier`` is one that the run's data has for the record
    that the request identified.
    """
    sources: dict[str, list[WeighedEvidence]] = {}
    table = weights()
    for signal, path, words, share in signals(found, status, headers, message):
        if signal in table:
            sources.setdefault(signal, []).append(
                WeighedEvidence(path=path, found=shown(words), weight=table[signal] * share)
            )
    if other_identifier is not None and sources.keys() & _REFUSES_IDENTIFIER and not sources.keys() & _EXISTS:
        sources["wrong_id"] = [
            WeighedEvidence(path="run data", found=shown(other_identifier), weight=table["wrong_id"])
        ]
    evidence = tuple(piece for group in sources.values() for piece in _counted(group))
    return Weighed(odds=sum(piece.weight for piece in evidence), evidence=evidence)


def _counted(group: list[WeighedEvidence]) -> Iterator[WeighedEvidence]:
    """Yield a signal's strongest source with its weight, and another one with a share of it."""
    first = max(group, key=lambda piece: abs(piece.weight))
    yield first
    others = (piece for piece in group if piece.path != first.path and piece.found.lower() != first.found.lower())
    if (second := next(others, None)) is not None:
        yield WeighedEvidence(path=second.path, found=second.found, weight=second.weight * REPEATED)


def signals(
    found: ReadResponse, status: int | None, headers: Mapping[str, Json], message: str
) -> Iterator[tuple[str, str, str, float]]:
    """Yield signals: name, path, words and the share of the weight that counts."""
    reading = read(found.parts)
    text = "\n".join(reading.texts or ([message] if not found.parts else ())).replace("\u2019", "'")
    has_failed = status is not None and status not in _SUCCEEDED
    if has_failed:
        yield f"status {status}", "status", str(status), 1.0
    if (inner := _inner_status(reading, text, status)) is not None:
        yield f"status {inner[1]}", inner[0], str(inner[1]), INNER if has_failed else 1.0
    for match in matches(text):
        yield match.signal, "text", match.text, 1.0
    for path, code in reading.codes:
        yield from ((signal, path, code, 1.0) for signal in _code_signals(code))
    for leaf in reading.numbers:
        if (signal := codes().get(str(slots.number_of(leaf.value)))) is not None:
            yield signal, leaf.path, str(leaf.value), 1.0
    yield from _pointer_signals(reading, text, has_failed=has_failed)
    if found.opened.form == "html" and status in _MISSING:
        yield "page", "body", "HTML", 1.0
    if found.opened.value in _UNKNOWN_ROUTES:
        yield "route", "body", "Not Found", 1.0
    yield from ((signal, f"header {name}", words, 1.0) for signal, name, words in _header_signals(headers, status))


def _pointer_signals(reading: Reading, text: str, *, has_failed: bool) -> Iterator[tuple[str, str, str, float]]:
    """Yield what it signals that the response points at a field of the request."""
    if reading.pointer is None:
        return
    yield "pointer", *reading.pointer, 1.0
    if has_failed and _MISSING_RECORD.search(text):
        yield "reference", *reading.pointer, 1.0


def _inner_status(reading: Reading, text: str, status: int | None) -> tuple[str, int] | None:
    """Return the path and the number of an HTTP status inside the response, or None."""
    for leaf in reading.numbers:
        number = slots.number_of(leaf.value)
        if (
            (slots.is_error_code(leaf.slot) or leaf.slot in slots.VERDICTS)
            and number is not None
            and number in _FAILED
            and number != status
        ):
            return leaf.path, number
    if (status is None or status in _SUCCEEDED) and (line := _STATUS_TEXT.search(text)) is not None:
        return "text", int(next(group for group in line.groups() if group))
    return None


def _code_signals(code: str) -> Iterator[str]:
    """Yield what a code signals: as its table says, otherwise by its words."""
    words, known = spelled(code), codes()
    exact = known.get(code.lower()) or known.get(words.replace(" ", "_"))
    if exact is not None:
        yield exact
    else:
        yield from (match.signal for match in matches(words))


def _header_signals(headers: Mapping[str, Json], status: int | None) -> Iterator[tuple[str, str, str]]:
    """Yield what headers signal, with their names and values."""
    values = {str(name).lower(): str(value) for name, value in headers.items()}
    if "retry-after" in values and status is not None and status >= _FAILED.start:
        yield "wait", "retry-after", values["retry-after"]
    for name in _REMAINING:
        if values.get(name) == "0" and status in {400, 403, 429, 503}:
            yield "exhausted", name, "0"
    if "www-authenticate" in values and status in {400, 401, 403}:
        yield "challenge", "www-authenticate", values["www-authenticate"]
    if "allow" in values and status == 405:  # noqa: PLR2004 (RFC 9110 section 15.5.6)
        yield "methods", "allow", values["allow"]
