"""Recognise temporary refusals: the request was not done, and a retry makes sense.

Only these words make a retry of a write safe. After a timeout, a lost response or a server fault, it is unknown what was done. An empty
account or a daily quota does not recover within seconds. Quoted text does not count.
"""

from __future__ import annotations

import re

from mendbench.api_errors.envelopes import Embedded, failure_in
from mendbench.detectors.structural import phrases
from mendbench.detectors.structural.codes import side_of, side_of_token, spelled
from mendbench.detectors.structural.reading import HTTP_FAILED
from mendbench.detectors.structural.rule_order import ParsedObservation, evidence_of, headers_of, status_in_text
from mendbench.model.execution import Observation

TOO_MANY = 429
"""RFC 6585 section 4."""
UNAVAILABLE = 503
"""RFC 9110 section 15.6.4: overloaded or under maintenance. A proxy also sends it for a server that may have started the request."""
EFFECT_UNKNOWN = frozenset({408, 500, 502, 504})
"""Statuses after which it is unknown what was done."""

_CODE = re.compile(
    r"(?:^|_)(?:rate_?limit(?:ed|_exceeded|_reached|_error)?|rate_exceeded|too_many_(?:concurrent_)?requests|throttl(?:ed|ing)"
    r"|slow_down|overloaded|(?:server|service|system)_(?:is_)?busy|request_limit_exceeded|throughput_exceeded)(?:_|$)"
)
_SAYS = re.compile(
    r"\brate[- _]?limited\b|\brate[- _]?limit\b.{0,40}\b(?:exceeded|reached|hit|exhausted)\b"
    r"|\b(?:exceeded|reached|hit|over)\b.{0,40}\brate[- _]?limit|\btoo many (?:concurrent )?requests\b|\bthrottl(?:ed|ing)\b"
    r"|\boverloaded\b|\b(?:server|service|system|engine|model|api|backend)\b.{0,20}\bbusy\b|\btoo (?:quickly|fast|frequently)\b",
    re.IGNORECASE,
)
_UNAVAILABLE_SAYS = re.compile(r"\bbusy\b|\b(?:at|over|no) capacity\b|\btemporarily\b|\bmaintenance\b", re.IGNORECASE)
_LASTING = re.compile(
    r"\b(?:billing|balance|payment|insufficient[_ ]\w+|credits?)\b|\b(?:daily|weekly|monthly|yearly)\b"
    r"|\b(?:per|a|this|each) (?:day|week|month|year)\b",
    re.IGNORECASE,
)
"""Limits that last longer than any retry waits."""
_QUOTED = re.compile(
    r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"|`[^`\n]*`|\u2018[^\u2019\n]*[\u2019']|\u201c[^\u201d\n]*\u201d|«[^»\n]*»"
)


def refused_for_now(observation: Observation) -> bool:
    """Return whether the response reports that nothing was done because of too many requests or a busy service."""
    if _in_parts(failure_in(observation.body)):
        return False
    evidence = evidence_of(observation)
    text = _QUOTED.sub(" ", evidence.text)
    status = _status(observation, evidence, text)
    if status in EFFECT_UNKNOWN or _LASTING.search("\n".join([text, *evidence.reading.codes])):
        return False
    if status == TOO_MANY:
        return True
    if status == UNAVAILABLE and "retry-after" in headers_of(observation):
        return True
    named = [*evidence.reading.codes, *phrases.TOKEN.findall(text)]
    busy = any(_CODE.search(spelled(code)) for code in named)
    if _another_matter(evidence, text):
        return False
    if status == UNAVAILABLE:
        return busy or bool(_SAYS.search(text) or _UNAVAILABLE_SAYS.search(text))
    return not phrases.OUTAGE.search(text) and (busy or _SAYS.search(text) is not None)


def _in_parts(found: Embedded | None) -> bool:
    """Return whether a part of a batch, a multi-status or a started GraphQL operation may have been done.

    A GraphQL error has a path if it came from a field, so after the operation started (specification, section 7.1.2).
    """
    if found is None:
        return False
    if found.partial or isinstance(found.body, list | str):
        return True
    errors = found.body.get("errors") if isinstance(found.body, dict) else None
    return isinstance(errors, list) and any(isinstance(error, dict) and error.get("path") for error in errors)


def _status(observation: Observation, evidence: ParsedObservation, text: str) -> int | None:
    """Return the HTTP status that the response has, or states in its own text."""
    if observation.status in HTTP_FAILED:
        return observation.status
    if evidence.reading.statuses:
        return evidence.reading.statuses[0]
    return status_in_text(text)


def _another_matter(evidence: ParsedObservation, text: str) -> bool:
    """Return whether a code names something other than a busy service: a permission, a resource, a timeout."""
    codes = [code for code in evidence.reading.codes if side_of(code) is not None]
    tokens = [token for token in phrases.TOKEN.findall(text) if side_of_token(token) is not None]
    return any(not _CODE.search(spelled(code)) for code in [*codes, *tokens])
