"""HAR files, version 1.2, as browsers and proxies write them.

Fields follow the HTTP Archive format 1.2: ``postData`` has ``text`` or ``params``, ``content.text`` is decoded except for
``encoding: base64``, and a missing response has status 0 or -1. Playwright can store bodies in files next to the
HAR file and names them in ``_file``.
"""

from __future__ import annotations

import base64
import binascii
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from mendbench.errors import BadInput
from mendbench.importing.interface import Dropped, FoundExchange, Source, json_file, settled
from mendbench.io.reading import MAX_RECORDING, MEGABYTE, read_regular
from mendbench.model.exchange import Fault, Headers, Request, Response
from mendbench.secrets.redaction import sanitise

_VERSIONS = ("1.1", "1.2")
_FAULTS: tuple[tuple[str, Fault], ...] = (
    ("TIMED_OUT", "timeout"), ("NAME_NOT_RESOLVED", "dns"), ("REFUSED", "refused"), ("RESET", "reset"),
    ("CERT", "tls"), ("SSL", "tls"), ("CONTENT_LENGTH_MISMATCH", "truncated"), ("INCOMPLETE", "truncated"),
)  # fmt: skip
"""Words in Chromium's network errors (``net::ERR_…``) and our faults for them."""

_WHY = ("_error", "_failureText")
"""Fields with the reason for a missing response: of browser developer tools and mitmproxy, and of Playwright."""

_NO_BODY, _FINAL = frozenset({204, 304}), 200
_ITSELF = "put the body itself there, or export the HAR file again"


def read_har(path: Path) -> Source:
    """Return the content of a HAR file.

    Raises:
        BadInput: it is not a HAR file, has an unknown version, or has no exchange that can be imported; or a body file that it names is
            not a regular file next to it, cannot be read, or is too large, alone or with the others.
    """
    log = json_file(path).get("log")
    if not isinstance(log, dict) or not isinstance(log.get("entries"), list):
        raise BadInput(f"{path}: log", "no entries", "name a HAR file")
    if str(log.get("version")) not in _VERSIONS:
        version = f"version {log['version']!r}" if "version" in log else "no version"
        raise BadInput(f"{path}: log.version", version, "export it as HAR 1.2")
    found: list[FoundExchange] = []
    dropped: list[Dropped] = []
    beside = _Beside(path.parent)
    for number, entry in enumerate(log["entries"]):
        place = f"entries[{number}]"
        try:
            read = _entry(place, entry, beside)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise BadInput(f"{path}: log.{place}", f"no entry ({why})", "export it as HAR 1.2") from None
        (found if isinstance(read, FoundExchange) else dropped).append(read)  # type: ignore[arg-type]
    if not found:
        why = (
            f"no exchange that can be imported ({dropped[0].why}: {sanitise(dropped[0].what)})" if dropped else "empty"
        )
        raise BadInput(f"{path}: log.entries", why, "export the HAR file of a run of the workflow")
    return Source(kind="HAR file", path=path, found=tuple(found), dropped=tuple(dropped))


def _entry(place: str, entry: Any, beside: _Beside) -> FoundExchange | Dropped:
    sent, received = entry["request"], entry["response"]
    what = f"{place} {sent['method']} {sent['url']}"
    if urlsplit(sent["url"]).scheme not in {"http", "https"}:
        return Dropped(what=what, why="no HTTP request")
    body = _sent_body(sent.get("postData") or {}, beside)
    if body is None:
        return Dropped(what=what, why="the file does not hold the body that it sent")
    response = _faulty(entry, received) or _response(sent, received, entry, beside)
    request = Request(
        method=str(sent["method"]).upper(), url=_with_query(sent), headers=_headers(sent), body=body
    )  # fmt: skip
    return FoundExchange(place=place, request=request, response=response)


def _with_query(sent: Any) -> str:
    """Return the URL, with the query from ``queryString`` if the URL itself has none."""
    url, pairs = str(sent["url"]), sent.get("queryString") or []
    if urlsplit(url).query or not pairs:
        return url
    return f"{url.partition('#')[0]}?{urlencode([(pair['name'], pair['value']) for pair in pairs])}"


def _sent_body(data: Any, beside: _Beside) -> bytes | None:
    """Return the request's body; None if it is stored elsewhere, or was multipart and only its fields are known."""
    if data.get("text"):
        return str(data["text"]).encode("utf-8", "surrogatepass")
    if data.get("_file"):
        return beside.body(data["_file"])
    fields = data.get("params") or []
    if fields and "multipart" in str(data.get("mimeType", "")).lower():
        return None
    return urlencode([(field["name"], field.get("value") or "") for field in fields]).encode()


class _Beside:
    """Bodies in separate files next to a HAR file. Together they may be no larger than the limit for the HAR file."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._left = folder, MAX_RECORDING

    def body(self, name: Any) -> bytes | None:
        """Return a body; None if it does not exist or is not next to the HAR file.

        Links are not followed: otherwise any local file could become a recorded response.
        """
        if not isinstance(name, str) or Path(name).name != name or not os.path.lexists(self._folder / name):
            return None
        data = read_regular(self._folder / name, MAX_RECORDING, "export the HAR file again", _ITSELF)
        self._left -= len(data)
        if self._left < 0:
            found = f"more than {MAX_RECORDING // MEGABYTE} MB with the other bodies beside the HAR file"
            raise BadInput(str(self._folder / name), found, "export fewer exchanges at a time")
        return data


def _response(sent: Any, received: Any, entry: Any, beside: _Beside) -> Response | None:
    """Return the response; None if the file does not contain its body."""
    content = received.get("content") or {}
    text = content.get("text")
    body: bytes | None = str(text or "").encode("utf-8", "surrogatepass")
    if text is None and content.get("_file"):
        body = beside.body(content["_file"])
    elif not text and not _is_empty(sent, received, content):
        return None
    if body is None:
        return None
    if content.get("encoding") == "base64":
        try:
            body = base64.b64decode(body, validate=False)
        except (binascii.Error, ValueError):
            return None
    headers = _headers(received)
    if content.get("mimeType") and not any(name.lower() == "content-type" for name, _ in headers):
        headers = (*headers, ("content-type", str(content["mimeType"])))
    return Response(status=int(received["status"]), headers=headers, body=body, elapsed_ms=_elapsed(entry))


def _is_empty(sent: Any, received: Any, content: Any) -> bool:
    """Return whether a response without a text had no body, rather than an omitted one.

    This holds for HEAD, 204, 304 and 1xx (RFC 9110 section 6.4.1), and if a length is 0. An empty text is a body
    unless its size contradicts that; a size of -1 is unknown.
    """
    status, size = int(received["status"]), content.get("size")
    if str(sent["method"]).upper() == "HEAD" or status in _NO_BODY or status < _FINAL:
        return True
    if isinstance(size, int | float) and size >= 0:
        return size == 0
    lengths = [
        header["value"] for header in received.get("headers") or [] if str(header["name"]).lower() == "content-length"
    ]
    return content.get("text") is not None or received.get("bodySize") == 0 or lengths == ["0"]


def _faulty(entry: Any, received: Any) -> Response | None:
    """Return the fault that replaces a missing response; None if there was a response."""
    if int(received.get("status") or 0) > 0:
        return None
    text = " ".join(str(part.get(name) or "") for part in (received, entry) for name in _WHY).upper()
    fault = next((fault for word, fault in _FAULTS if word in text), "reset")
    return Response(status=0, fault=fault, elapsed_ms=_elapsed(entry))  # type: ignore[arg-type]


def _elapsed(entry: Any) -> int:
    return max(0, round(float(entry.get("time") or 0)))


def _headers(part: Any) -> Headers:
    return settled(tuple((str(header["name"]), str(header["value"])) for header in part.get("headers") or []))
