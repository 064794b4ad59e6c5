"""Which fault stands behind the error of a span that got no response."""

from __future__ import annotations

from mendbench.importing.otel.spans import Span
from mendbench.model.exchange import Fault

_FAULTS: tuple[tuple[str, Fault], ...] = (
    ("timeout", "timeout"), ("timed out", "timeout"), ("timedout", "timeout"), ("deadline exceeded", "timeout"),
    ("enotfound", "dns"), ("eai_again", "dns"), ("unknownhost", "dns"), ("unresolvedaddress", "dns"),
    ("name_resolution", "dns"), ("nameresolution", "dns"), ("name resolution", "dns"), ("getaddrinfo", "dns"),
    ("name or service not known", "dns"), ("nodename nor servname", "dns"), ("no such host", "dns"),
    ("refused", "refused"), ("all connection attempts failed", "refused"),
    ("certificate", "tls"), ("cert_", "tls"), ("ssl", "tls"), ("tls", "tls"), ("secure_connection", "tls"),
    ("incompleteread", "truncated"), ("incomplete", "truncated"), ("response_ended", "truncated"),
    ("payloaderror", "truncated"), ("chunkedencoding", "truncated"), ("premature", "truncated"), ("unexpected eof", "truncated"),
    ("reset", "reset"), ("epipe", "reset"), ("broken pipe", "reset"), ("socket hang up", "reset"),
    ("disconnected", "reset"), ("remotedisconnected", "reset"), ("remoteprotocol", "reset"), ("connection aborted", "reset"),
)  # fmt: skip
"""Words in the errors of HTTP clients, in lower case, and our faults for them.

They are in Python's (``ConnectTimeout``, ``NameResolutionError``), Java's (``java.net.UnknownHostException``), Node's (``ECONNREFUSED``),
Go's (``no such host``) and .NET's error names (``name_resolution_error``, ``response_ended``). Earlier ones win.
"""

_EXCEPTION = ("exception.type", "exception.message")
"""Attributes of the event ``exception`` (semantic conventions, "Exceptions")."""


def fault_of(span: Span) -> Fault | None:
    """Return the fault that a span's error means; None for no error, or one that is no fault."""
    words = [
        str(attributes.get(key) or "") for name, attributes in span.events if name == "exception" for key in _EXCEPTION
    ]
    return fault_in(span.text("error.type")) or fault_in(" ".join([*words, span.message]))


def fault_in(words: str) -> Fault | None:
    """Return the fault that an error's name or message means, or None."""
    lowered = words.lower()
    return next((fault for word, fault in _FAULTS if word in lowered), None)
