"""Failures inside XML responses of status 2xx, read without a parser that expands entities.

Forms: SOAP faults (SOAP 1.1 section 4.4, SOAP 1.2 section 5.4), ``<Error>`` with ``<Code>`` as S3 sends it after the status line, a root
with ``stat="fail"``, and a status of 4xx or 5xx for a whole resource in a WebDAV multi-status (RFC 4918 section 13).
"""

from __future__ import annotations

import re

MAX_TEXT = 20_000
"""The maximum number of characters that are read."""

_FAULT = re.compile(r"<(?:\w+:)?Fault[\s>]")
_FAULT_WORDS = re.compile(r"<(?:\w+:)?(?:faultstring|Text)\b[^<>]*>([^<]+)<")
_ERROR = re.compile(r"<Error>(?:(?!</?Error>).)*?<Code>([^<]+)</Code>(?:(?!</?Error>).)*", re.DOTALL)
_MESSAGE = re.compile(r"<Message>([^<]+)</Message>")
_ROOT = re.compile(r"^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)?<([\w:.]++)([^>]*)>", re.DOTALL)
_REFUSED = re.compile(r"\b(?:stat|status|result)=[\"'](?:fail|failed|failure|error)[\"']", re.IGNORECASE)
_ATTRIBUTE_WORDS = re.compile(r"\b(?:msg|message|reason)=[\"']([^\"']+)[\"']")
_PROPERTIES_EDGE = re.compile(r"<(?P<end>/)?(?:\w+:)?propstat\b")
_DAV_STATUS = re.compile(r"<(?:\w+:)?status>\s*HTTP/\d(?:\.\d)? ([45]\d\d[^<]*)<")
_DAV_DONE = re.compile(r"<(?:\w+:)?status>\s*HTTP/\d(?:\.\d)? 2\d\d\b")


def fault_in(text: str) -> str | None:
    """Return the message of a failure inside an XML text, or None."""
    cut = text[:MAX_TEXT]
    root = _ROOT.match(cut)
    if root is None or root.group(1).lower() == "html":
        return None
    name = root.group(1).rpartition(":")[2]
    if name == "Envelope" and _FAULT.search(cut):
        return _words(_FAULT_WORDS, cut)
    if name == "Error" or name.endswith(("Result", "Response")):
        found = _ERROR.search(cut)
        if found is not None:
            return _words(_MESSAGE, found.group(0), found.group(1))
    if _REFUSED.search(root.group(2)):
        return _words(_ATTRIBUTE_WORDS, cut)
    if name == "multistatus":
        return _words(_DAV_STATUS, _without_properties(cut), None)
    return None


def part_was_done(text: str) -> bool:
    """Return whether a WebDAV multi-status reports success for a resource or a property."""
    cut = text[:MAX_TEXT]
    root = _ROOT.match(cut)
    return root is not None and root.group(1).rpartition(":")[2] == "multistatus" and _DAV_DONE.search(cut) is not None


def _without_properties(text: str) -> str:
    """Return a multi-status without its results for single properties. One pass, even with unclosed elements."""
    kept, start, inside = [], 0, False
    for edge in _PROPERTIES_EDGE.finditer(text):
        ends = edge["end"] is not None
        if ends == inside:
            if ends:
                start = edge.end()
            else:
                kept.append(text[start : edge.start()])
                start = edge.start()
            inside = not inside
    return "".join([*kept, text[start:]])


def _words(pattern: re.Pattern[str], text: str, otherwise: str | None = "request failed") -> str | None:
    found = pattern.search(text)
    return found.group(1).strip() if found else otherwise
