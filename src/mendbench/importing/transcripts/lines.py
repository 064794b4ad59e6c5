"""Takes the text of an HTTP transcript apart: command lines, the heads and bodies of messages, and curl's errors.

With ``-v`` curl begins the lines of a request's head with ``>``, those of a response's head with ``<``, notes with ``*`` and counts of
bytes with ``{`` or ``}`` (curl's manual, "curl.1"). Bodies have no mark, and a note can follow one in the same line. Without ``-v``,
messages are as in RFC 9112 section 2.1. ``###`` separates the requests of ``.http`` files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mendbench.importing.transcripts.curl_command import CurlCommand, read_command, words_of
from mendbench.model.exchange import Headers, find_header

_METHODS = "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT"
REQUEST = re.compile(rf"({_METHODS}) (\S+)(?: HTTP/[\d.]+)\s*$|({_METHODS}) ((?:https?://|\{{\{{)\S+)\s*$")
"""A request's first line. Only a whole URL can do without the version, as in ``.http`` files."""
STATUS = re.compile(r"HTTP/\d(?:\.\d)? (\d{3})(?: (.*))?$")
_PROMPT = r"(?:[^\s{}<\"'][^{}<\"']{0,79})?[$#%>\u276f]"
COMMAND = re.compile(rf"(?:{_PROMPT} +)?(curl(?:\.exe)? +\S.*)$")
"""A command line of curl, with or without a prompt."""
FAILED = re.compile(r"curl: \((\d+)\) ?(.*)$")

_BARE_PROMPT = re.compile(r"[^\s{}<\"']*[@~:][^\s{}<\"']*[$#%\u276f] *$|[$%\u276f] *$")
_AFTER_BODY = re.compile(
    r"(?<=[}\]>])(?=[^\s{}\[\]<>\"']{1,80}[$#%\u276f] +curl )|(?<=[}\]])(?=[^\s{}\[\]<>\"']*[@~][^\s{}<\"']*[$#%] *$)"
)
"""Where a prompt follows a body that has no line end."""
_FENCE = re.compile(r"(?:```|~~~)[\w-]*$")
"""A fence of Markdown, as around what is pasted into a ticket."""
_SEPARATOR = re.compile(r"###")
_NOTE = re.compile(r"\* ")
_GLUED = re.compile(
    r"\*(?: {3}Trying | (?:Connection #?\d|Closing connection|Found bundle|Re-?using|Issue another|Can not multiplex|shutting down|Mark"
    r" bundle|Hostname |Host \S+ was resolved|Excess found|transfer closed))"
)
"""Notes that follow a body in its last line."""
_COUNT = re.compile(r"[{}] \[(\d+) bytes data\]$")
_PARTS = (COMMAND, REQUEST, STATUS, FAILED, _SEPARATOR, _FENCE, _BARE_PROMPT)
_HEAD_ENDS = re.compile(r"\s*$|###|HTTP/\d")
_PROGRESS = re.compile(r"\s*%\s+Total\b|\s+Dload\b|\s*\d+\s.*(?:--:--:--|\d:\d\d:\d\d)")
_CONNECTED = re.compile(r"\* (?:Connected|Established connection) to \S+ \([^)]*?(?:port (\d+))?\)(?: port (\d+))?")
_TLS = re.compile(r"\* +(?:SSL connection|SSL certificate|TLSv1|ALPN|.*TLS handshake|.*OPENED stream for https://)")
_VARIABLE = re.compile(r"@([\w.-]+)\s*=\s*(.*)$")
_HTTP_PORT, _HTTPS_PORT = "80", "443"
_CHUNK_END = 5
"""Bytes of the last, empty chunk of a body (RFC 9112 section 7.1), which curl counts."""

MOST_LINES = 500
"""Maximum number of lines of one command."""


@dataclass(slots=True)
class Message:
    """A request or a response, as far as the transcript has it."""

    line: int
    """From 1."""
    method: str = ""
    """Empty for a response."""
    target: str = ""
    status: int = 0
    """0 for a request."""
    reason: str = ""
    scheme: str | None = None
    """What the notes before it show."""
    headers: list[tuple[str, str]] = field(default_factory=list)
    marked: bool = False
    """Whether it is from ``-v``: the body of such a request is not printed."""
    lines: list[str] = field(default_factory=list)
    """The lines of its body."""
    counted: bool = False
    """Whether curl counted bytes of its body."""

    def header(self, name: str) -> str | None:
        """Return the first value of that header, or None."""
        return find_header(self.named, name)

    @property
    def named(self) -> Headers:
        """Its headers."""
        return tuple(self.headers)

    @property
    def length(self) -> int | None:
        """The length of its body as sent, in bytes; None if it is unknown, or counts an encoded body."""
        value = (self.header("content-length") or "").strip()
        encoded = (self.header("content-encoding") or "identity").lower() != "identity"
        return int(value) if value.isdecimal() and not encoded else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """A command line."""

    line: int
    command: CurlCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """curl's error."""

    line: int
    code: int
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Separated:
    """The line between two requests."""


Part = Message | Called | Failed | Separated


def parts_of(text: str) -> list[Part]:
    """Return the parts of a transcript in order."""
    return list(_Scanner(text).parts())


class _Scanner:
    """The state of one pass over the lines."""

    def __init__(self, text: str) -> None:
        unified = text.replace("\r\n", "\n").replace("\r", "\n")
        numbered = [
            (number, part) for number, line in enumerate(unified.split("\n"), 1) for part in _AFTER_BODY.split(line)
        ]
        self._numbers, self._lines = [number for number, _ in numbered], [line for _, line in numbered]
        self._at = 0
        self._scheme: str | None = None
        self._last: Message | None = None
        self._variables: dict[str, str] = {}

    def parts(self) -> Iterator[Part]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            part = self._called(line) or self._marked(line) or self._plain(line)
            if part is None:
                self._other(line)
                self._at += 1
                continue
            self._last = part if isinstance(part, Message) else None
            yield part

    def _called(self, line: str) -> Part | None:
        found = COMMAND.match(line)
        if found is None:
            return None
        whole = found.group(1)
        for more in range(1, MOST_LINES):
            words = words_of(whole)
            if words is not None:
                number, self._at, self._scheme = self._numbers[self._at], self._at + more, None
                return Called(line=number, command=read_command(words))
            if self._at + more >= len(self._lines):
                break
            whole += f"\n{self._lines[self._at + more]}"
        return None

    def _marked(self, line: str) -> Message | None:
        """Return a message whose head is marked."""
        mark = line[:2]
        if mark not in {"> ", "< "}:
            return None
        first = line[2:].rstrip()
        message = self._head_of(first, marked=True) if (REQUEST if mark == "> " else STATUS).match(first) else None
        if message is None:
            return None
        self._at += 1
        while self._at < len(self._lines) and self._lines[self._at][:1] == mark[0]:
            self._take_header(message, self._lines[self._at][2:])
            self._at += 1
        return message

    def _plain(self, line: str) -> Part | None:
        if _SEPARATOR.match(line):
            self._at += 1
            return Separated()
        if found := FAILED.search(line):
            number = self._numbers[self._at]
            self._at += 1
            if self._last is not None and found.start():
                self._last.lines.append(line[: found.start()])
            return Failed(line=number, code=int(found.group(1)), words=found.group(2))
        message = self._head_of(self._filled(line.rstrip()), marked=False)
        if message is None:
            return None
        self._at += 1
        while self._at < len(self._lines) and not _HEAD_ENDS.match(self._lines[self._at]):
            self._take_header(message, self._filled(self._lines[self._at]))
            self._at += 1
        if self._at < len(self._lines) and not self._lines[self._at].strip():
            self._at += 1
        if message.length:
            self._take_exactly(message, message.length)
        return message

    def _head_of(self, first: str, *, marked: bool) -> Message | None:
        if found := STATUS.match(first):
            status, reason = int(found.group(1)), found.group(2) or ""
            return Message(line=self._numbers[self._at], status=status, reason=reason, marked=marked)
        if found := REQUEST.match(first):
            method, target = (group for group in found.groups() if group)
            return Message(
                line=self._numbers[self._at], method=method, target=target, scheme=self._scheme, marked=marked
            )
        return None

    def _take_header(self, message: Message, line: str) -> None:
        """Take a line of a head: a header, a comment, or more of a URL, as ``.http`` files may have it."""
        text = line.strip()
        name, colon, value = text.partition(":")
        if message.method and text.startswith(("?", "&")) and not message.marked:
            message.target += text
        elif colon and name and not text.startswith(("#", "//")):
            message.headers.append((name.strip(), value.strip()))

    def _take_exactly(self, message: Message, length: int) -> None:
        """Take a body whose length is known, whatever its lines look like; nothing if it does not end before a part or a blank line."""
        size = 0
        for at in range(self._at, len(self._lines)):
            size += len(self._lines[at].encode("utf-8", "surrogatepass"))
            if size in {length, length - 1} and self._ends_after(at):
                message.lines = self._lines[self._at : at + 1] + ([""] if size + 1 == length else [])
                self._at = at + 1
                return
            size += 1
            if size > length:
                return

    def _ends_after(self, at: int) -> bool:
        following = self._lines[at + 1] if at + 1 < len(self._lines) else ""
        return not following.strip() or any(first.match(following) for first in _PARTS)

    def _other(self, line: str) -> None:
        """Take a line that begins no part: a note, or a line of a body."""
        if _FENCE.match(line) or _BARE_PROMPT.match(line):
            return
        if _NOTE.match(line) or _COUNT.match(line):
            self._note(line)
        elif found := _VARIABLE.match(line) if self._last is None else None:
            self._variables[found.group(1)] = self._filled(found.group(2).strip())
        elif self._last is not None:
            glued = _GLUED.search(line) if self._last.marked else None
            if self._last.marked and _PROGRESS.match(line):
                return
            self._last.lines.append(line[: glued.start()] if glued else self._filled(line))

    def _note(self, line: str) -> None:
        counted = _COUNT.match(line)
        if counted and self._last is not None:
            self._last.counted |= int(counted.group(1)) > _CHUNK_END
        if found := _CONNECTED.match(line):
            self._scheme = "https" if _HTTPS_PORT in found.groups() else "http"
        elif _TLS.match(line):
            self._scheme = "https"

    def _filled(self, line: str) -> str:
        """Return a line with the variables of an ``.http`` file filled in."""
        for name, value in self._variables.items():
            line = line.replace(f"{{{{{name}}}}}", value)
        return line
