"""Pasted HTTP transcripts: the output of ``curl -v`` and ``curl -i``, raw requests and responses, and ``.http`` files with responses.

:mod:`mendbench.importing.transcripts.lines` takes the text apart. Here each response is paired with its request: the one before it, or
that of the command line before it, whose body ``curl -v`` does not print.
"""

from __future__ import annotations

import re
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urljoin

from mendbench.errors import BadInput
from mendbench.exchanges.urls import normalise_url, split_url
from mendbench.importing.cut_bodies import breaks_off, is_json_container
from mendbench.importing.interface import Dropped, FoundExchange, Source, settled
from mendbench.importing.transcripts.curl_command import CurlCommand
from mendbench.importing.transcripts.lines import COMMAND, FAILED, REQUEST, STATUS, Called, Failed, Message, parts_of
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.exchange import Fault, Request, Response
from mendbench.secrets.redaction import sanitise

_FAULTS: dict[int, Fault] = {
    6: "dns", 7: "refused", 18: "truncated", 28: "timeout", 35: "tls", 51: "tls", 52: "reset", 55: "reset", 56: "reset", 60: "tls",
    92: "reset",
}  # fmt: skip
"""Exit codes of curl (its manual, "EXIT CODES") and our faults for them."""

_REFUSED = 22
"""The exit code of ``curl --fail`` for a status from 400 on: it does not print the body."""

_HINT = "paste the output of `curl -v` with its command line, or a request and its response as sent"
_NO_BODY, _FINAL = frozenset({204, 304}), 200
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SAME_METHOD = frozenset({307, 308})
"""Redirects after which method and body stay the same (RFC 9110 sections 15.4.8 and 15.4.9)."""


def is_transcript(text: str) -> bool:
    """Return whether a text contains a command line of curl, its errors, or the first line of an HTTP message."""
    if text.lstrip()[:1] in {"{", "["}:
        return False
    lines = (line.rstrip() for line in text.splitlines())
    return any(
        REQUEST.match(line[2:] if line[:2] == "> " else line)
        or STATUS.match(line[2:] if line[:2] == "< " else line)
        or COMMAND.match(line)
        or FAILED.match(line)
        for line in lines
    )


def read_transcript(path: Path) -> Source:
    """Return the content of a transcript.

    Raises:
        BadInput: it cannot be read, or has no exchange that can be imported.
    """
    pairing = _Pairing()
    for part in parts_of(read_text(path, MAX_RECORDING, "name the file to import")):
        pairing.add(part)
    pairing.end()
    if not pairing.found:
        first = pairing.dropped[0] if pairing.dropped else None
        why = f"no exchange that can be imported ({first.why})" if first else "no request and no response"
        place = f"{path}: {sanitise(first.what)}" if first else str(path)
        raise BadInput(place, why, _HINT)
    return Source(kind="transcript", path=path, found=tuple(pairing.found), dropped=tuple(pairing.dropped))


class _Pairing:
    """Pairs the messages of a transcript."""

    def __init__(self) -> None:
        self.found: list[FoundExchange] = []
        self.dropped: list[Dropped] = []
        self._command: CurlCommand | None = None
        self._waiting: list[Request] = []
        """The command's requests without a response."""
        self._line = 0
        self._sent: Message | None = None
        self._received: Message | None = None

    def add(self, part: object) -> None:
        """Take the next part."""
        if isinstance(part, Message):
            (self._take_request if part.method else self._take_response)(part)
        elif isinstance(part, Failed):
            self._fail(part)
        else:
            self.end()
            if isinstance(part, Called):
                self._command, self._waiting, self._line = part.command, list(part.command.requests), part.line

    def end(self) -> None:
        """Finish the exchange at hand and the command."""
        self._finish()
        for request in self._waiting:
            self._drop(
                self._line, f"{request.method} {request.url}", "no response with a status follows: add -v to curl"
            )
        self._command, self._waiting = None, []

    def _take_request(self, message: Message) -> None:
        self._finish()
        self._sent = message

    def _take_response(self, message: Message) -> None:
        last = self._received
        if last is not None and last.marked and not message.marked and message.status == last.status:
            last.lines += message.lines  # -i and -I print the head once more
            message.lines = last.lines
            return
        if message.status < _FINAL or message.reason.lower().startswith("connection established"):
            return
        if last is not None:
            self._finish()
        self._received = message

    def _fail(self, failed: Failed) -> None:
        fault = _FAULTS.get(failed.code)
        if fault is None and self._received is not None:
            self._received.counted |= failed.code == _REFUSED
            self._finish()
            return
        request = self._asked(failed.line)
        words = f"curl: ({failed.code}) {failed.words}"
        if isinstance(request, Dropped):
            self._drop(failed.line, words, request.why)
        elif fault is None:
            self._drop(failed.line, words, "it is no fault of the network that is known here")
        else:
            partial = "\n".join(self._received.lines).encode("utf-8", "surrogatepass") if self._received else b""
            self._keep(failed.line, request, Response(status=0, fault=fault, body=partial))
        self._sent = self._received = None

    def _finish(self) -> None:
        """Keep or drop the exchange at hand. What is said to a proxy is none."""
        sent, received = self._sent, self._received
        tunnel = sent is not None and sent.method == "CONNECT"
        if received is None:
            if sent is not None and not tunnel:
                self._drop(sent.line, f"{sent.method} {sent.target}", "no response follows")
        elif not tunnel and received.status != HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            request = self._asked(received.line)
            if isinstance(request, Dropped):
                self.dropped.append(request)
            else:
                self._take(request, received, (sent or received).line)
        self._sent = self._received = None

    def _take(self, request: Request, received: Message, line: int) -> None:
        """Keep or drop a pair, and expect the request that follows a redirect."""
        body = _body_of(request.method, received)
        if isinstance(body, str):
            self._drop(line, f"{request.method} {request.url}", body)
        else:
            headers = settled(received.named)
            response = None if body is None else Response(status=received.status, headers=headers, body=body)
            self._keep(line, request, response)
        if self._command is not None and self._command.follows:
            self._waiting[:0] = _redirected(request, received)

    def _asked(self, line: int) -> Request | Dropped:
        """Return the request at hand, or why there is none."""
        sent = self._sent
        if sent is not None:
            return self._written(sent)
        if not self._waiting:
            return Dropped(what=f"line {line}", why="no request belongs to it: put it, or its command line, before it")
        request = self._waiting.pop(0)
        what = f"line {self._line} {request.method} {request.url}"
        problem = self._command.problem if self._command else None
        return Dropped(what=what, why=problem) if problem else request

    def _written(self, sent: Message) -> Request | Dropped:
        """Return the request of a head, with the body that follows it or that of the command."""
        what = f"line {sent.line} {sent.method} {sent.target}"
        host = sent.header("host") or sent.header(":authority") or ""
        absolute = split_url(sent.target).scheme in {"http", "https"}
        if "{{" in sent.target:
            return Dropped(what=what, why="its URL has a variable without a value")
        if not host and not absolute:
            return Dropped(what=what, why="it has no Host header")
        waiting = self._of_command(sent, host)
        scheme = sent.scheme or (split_url(waiting.url).scheme if waiting else "https")
        url = sent.target if absolute else f"{scheme}://{host}{sent.target}"
        body = self._body_of_command(sent, waiting) if sent.marked else _sent_body(sent)
        if isinstance(body, str):
            return Dropped(what=what, why=body)
        return Request(method=sent.method, url=url, headers=settled(sent.named), body=body)

    def _body_of_command(self, sent: Message, waiting: Request | None) -> bytes | str:
        """Return the body of a request whose head curl printed, or why it is not known."""
        body = waiting.body if waiting is not None and waiting.method == sent.method else b""
        if not body and (sent.length or sent.header("transfer-encoding")):
            problem = self._command.problem if self._command and waiting else None
            return problem or "curl -v does not print the body that it sent: put the command line before it"
        if sent.length is not None and len(body) != sent.length:
            return "the body on the command line has another length than the one that was sent"
        return body

    def _of_command(self, sent: Message, host: str) -> Request | None:
        """Return the waiting request that this head belongs to, which no longer waits."""
        for request in self._waiting:
            scheme = split_url(request.url).scheme
            url = sent.target if "://" in sent.target.partition("?")[0] else f"{scheme}://{host}{sent.target}"
            if normalise_url(url) == normalise_url(request.url):
                self._waiting.remove(request)
                return request
        return None

    def _keep(self, line: int, request: Request, response: Response | None) -> None:
        self.found.append(FoundExchange(place=f"line {line}", request=request, response=response))

    def _drop(self, line: int, what: str, why: str) -> None:
        self.dropped.append(Dropped(what=f"line {line} {what}", why=why))


def _redirected(request: Request, received: Message) -> list[Request]:
    """Return the request with which curl follows a redirect, if it is one: GET after 301, 302 and 303 (RFC 9110 section 15.4)."""
    location = received.header("location")
    if received.status not in _REDIRECTS or location is None:
        return []
    try:
        url = urljoin(request.url, location).partition("#")[0]
    except ValueError:
        return []
    if received.status in _SAME_METHOD or request.method in {"GET", "HEAD"}:
        return [replace(request, url=url)]
    kept = tuple((name, value) for name, value in request.headers if name.lower() != "content-type")
    return [replace(request, method="GET", url=url, headers=kept, body=b"")]


def _sent_body(sent: Message) -> bytes | str:
    """Return the body under a request's head, or why there is none."""
    outside = next((line for line in sent.lines if re.match(r"<@? \S|<> ", line)), None)
    if outside is not None:
        return "its body or its response is in another file"
    body = _measured(sent)
    return "its body was cut" if body is None else body


def _body_of(method: str, received: Message) -> bytes | str | None:
    """Return a response's body; None if it is not there; why, if it cannot be used."""
    if method == "HEAD" or received.status in _NO_BODY:
        return b""
    text = "\n".join(received.lines).strip()
    if not text:
        return None if received.length or received.counted else b""
    body = _measured(received)
    return "its response was cut: it has another length than its head says" if body is None else body


def _measured(message: Message) -> bytes | None:
    """Return a body of the length that the head names, or a whole JSON text, whose white space may have changed; None if it was cut."""
    text = "\n".join(message.lines)
    bare = text.strip("\n").encode("utf-8", "surrogatepass")
    length = message.length
    if length is None:
        return None if breaks_off(bare) else bare
    for spelled in (text, text.replace("\n", "\r\n")):
        data = spelled.encode("utf-8", "surrogatepass")
        if len(data) >= length and not data[length:].strip():
            return data[:length]
    return bare if is_json_container(bare) else None
