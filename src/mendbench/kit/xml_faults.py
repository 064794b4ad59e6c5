"""Failures inside XML answers of status 2xx, read from their elements and never by a parser that expands entities.

Forms: SOAP faults (SOAP 1.1 section 4.4, SOAP 1.2 section 5.4), ``<Error>`` with ``<Code>`` as S3 sends it after the status line is gone, a
root that says ``stat="fail"``, and a status of 4xx or 5xx for a whole resource in a WebDAV multi-status (RFC 4918 section 13).
"""

from __future__ import annotations

import re

MAX_TEXT = 20_000
"""Characters that are looked at."""

_FAULT = re.compile(r"<(?:\w+:)?Fault[\s>]")
_FAULT_WORDS = re.compile(r"<(?:\w+:)?(?:faultstring|Text)\b[^>]*>([^<]+)<")
_ERROR = re.compile(r"<Error>(?:(?!</?Error>).)*?<Code>([^<]+)</Code>(?:(?!</?Error>).)*", re.DOTALL)
_MESSAGE = re.compile(r"<Message>([^<]+)</Message>")
_ROOT = re.compile(r"^\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*)?<([\w:.]+)([^>]*)>", re.DOTALL)
_REFUSED = re.compile(r"\b(?:stat|status|result)=[\"'](?:fail|failed|failure|error)[\"']", re.IGNORECASE)
_ATTRIBUTE_WORDS = re.compile(r"\b(?:msg|message|reason)=[\"']([^\"']+)[\"']")
_PROPERTIES = re.compile(r"<(?:\w+:)?propstat\b.*?</(?:\w+:)?propstat>", re.DOTALL)
_DAV_STATUS = re.compile(r"<(?:\w+:)?status>\s*HTTP/\d(?:\.\d)? ([45]\d\d[^<]*)<")


def fault_in(text: str) -> str | None:
    """Return what a failure inside an XML text says, or None."""
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
        return _words(_DAV_STATUS, _PROPERTIES.sub("", cut), None)
    return None


def _words(pattern: re.Pattern[str], text: str, otherwise: str | None = "request failed") -> str | None:
    found = pattern.search(text)
    return found.group(1).strip() if found else otherwise
