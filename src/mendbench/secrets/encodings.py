"""Decode what a text contains in encoded form: base64, hexadecimal digits, percent escapes, backslash escapes, entities, gzip.

All searches in texts use these decoders, which do not depend on the searched content.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from mendbench.model.json import Json

LAYERS = 4
"""The maximum number of nested encodings that are decoded: JSON in a URL in base64 in JSON is four."""

_LEAST = 12
"""The minimum length of an encoded piece that is decoded. Shorter ones contain nothing useful, and most words are shorter."""
BREAK = r"(?:(?:\\{1,16}r)?\\{1,16}n|\r?\n[ \t]*+)"
"""Line breaks in a long text, including breaks that JSON escapes."""
_SIGN = r"%(?:25){0,3}2[BFbf]"
_BASE64 = re.compile(
    rf"[A-Za-z0-9+/_-]{{{_LEAST},}}(?:{_SIGN}[A-Za-z0-9+/_-]*)*(?:{BREAK}[A-Za-z0-9+/]+(?=={{0,2}}(?:[\"'\\\r\n]|\Z)))*(?:=|%(?:25){{0,3}}3[Dd]){{0,2}}"
)
"""RFC 4648 sections 4 and 5, padded or not, with or without percent-encoded symbols, with line breaks as in MIME (RFC 2045 section 6.8)."""
_SEGMENT = re.compile(rf"[A-Za-z0-9+_-]{{{_LEAST},}}")
"""A part of a path, where slashes separate pieces."""
_AGAIN = re.compile("%(?:25)+")
_BREAKS = re.compile(BREAK)
_HEX = re.compile(r"[0-9a-f]{16,}|[0-9A-F]{16,}")
_ESCAPED = re.compile(r"(?:(?<!\\)\\++(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}))+")
_UNIT = re.compile(r"\\+(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))")
_QUOTED = re.compile(r"\\+([\"'/\\])")
_LINE = re.compile(r"(?<!\\)\\++([nrtbf])")
_LINES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_FEW = 4
"""One character in this many may be unreadable: in random bytes, two in three are."""
_WORD = re.compile(r"[^\s\"'<>]+")
_WHOLE_LINE = re.compile(r"[^\n]+")
_GZIP = b"\x1f\x8b"
_MOST_UNPACKED = 16 * 1024 * 1024
"""The maximum number of bytes of one compressed piece that are read."""
_MOST_REMEMBERED = 250_000
"""The maximum length of a text whose pieces are cached: an execution reads the same body repeatedly."""
_MOST_MEMBERS = 10_000
_FIRST_SLICE, _LAST_SLICE = 512, 65_536
"""The number of bytes that are decompressed at once. The rest is copied, and a member may have only 20 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """An encoded piece of a text, and its decoded text."""

    start: int
    end: int
    says: str


def pieces(text: str) -> Iterator[Piece]:
    """Yield the base64 and hexadecimal pieces of a text by position, each with all its possible decodings.

    Unreadable pieces and ordinary words are left out. Base64 is decoded at each of four offsets, and between slashes too, and hexadecimal
    digits at each of two offsets, because the text before may use the same alphabet.
    """
    if len(text) > _MOST_REMEMBERED:
        yield from _sorted_pieces(text)
    elif len(text) >= _LEAST:
        yield from _remembered_pieces(text)


@lru_cache(maxsize=16)
def _remembered_pieces(text: str) -> tuple[Piece, ...]:
    return _sorted_pieces(text)


def _sorted_pieces(text: str) -> tuple[Piece, ...]:
    return tuple(sorted(_pieces(text), key=lambda piece: piece.start))


def _pieces(text: str) -> Iterator[Piece]:
    for found in _BASE64.finditer(text):
        yield from (Piece(start=found.start(), end=found.end(), says=says) for says in _readings(found.group()))
        if "/" in found.group():
            for part in _SEGMENT.finditer(text, found.start(), found.end()):
                yield from (Piece(start=part.start(), end=part.end(), says=says) for says in _readings(part.group()))
    for found in _HEX.finditer(text):
        for start in (found.start(), found.start() + 1):
            end = found.end() - (found.end() - start) % 2
            yield from (Piece(start=start, end=end, says=says) for says in _said(bytes.fromhex(text[start:end])))


def respelled(text: str) -> tuple[str, ...]:
    """Return a text with one layer of escapes decoded: of all kinds, and of each kind alone. Empty if it has none.

    The kinds are percent, backslash and entities. An escape of one kind may be plain text in another.
    """
    ways = (_percent, _backslash, _entities)
    alone = [bare for bare in (way(text) for way in ways) if bare != text]
    if not alone:
        return ()
    return tuple(dict.fromkeys((_entities(_backslash(_percent(text))), *alone)))


def parsed(text: str) -> Json:
    """Return the object or array in a JSON text, or None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def in_place(text: str, clean: Callable[[str], str]) -> str:
    """Return a text with ``clean`` applied to as small a part as possible: words, then lines, then the whole.

    ``clean`` may decode escapes in its part. The surrounding text keeps its escapes.
    """
    if clean(text) == text:
        return text
    for part in (_WORD, _WHOLE_LINE):
        text = part.sub(lambda found: clean(found.group()), text)
    return clean(text)


def _percent(text: str) -> str:
    return unquote(text) if "%" in text and _PERCENT.search(text) else text


def _backslash(text: str) -> str:
    if "\\" not in text:
        return text
    text = _ESCAPED.sub(_units, text)
    return _LINE.sub(lambda found: _LINES[found.group(1)], _QUOTED.sub(r"\1", text))


def _entities(text: str) -> str:
    if "&" not in text or not _ENTITY.search(text):
        return text
    try:
        return html.unescape(text)
    except ValueError:  # a number of more digits than Python reads
        return _ENTITY.sub(lambda found: html.unescape(found.group()), text)


def letters(run: str) -> str:
    """Return a base64 text in one line, in the standard alphabet (RFC 4648 section 4), without padding."""
    text = _BREAKS.sub("", run)
    if "%" in text:
        text = unquote(_AGAIN.sub("%", text))
    return text.rstrip("=").replace("-", "+").replace("_", "/")


def _readings(run: str) -> Iterator[str]:
    whole = letters(run)
    for start in range(min(4, len(whole))):
        part = whole[start:]
        part = part[:-1] if len(part) % 4 == 1 else part
        try:
            data = base64.b64decode(part + "=" * (-len(part) % 4))
        except (ValueError, binascii.Error):
            continue
        yield from _said(data)


def _said(data: bytes) -> Iterator[str]:
    """Yield the text of bytes if most of it is readable. Text that is cut at random positions is."""
    if data.startswith(_GZIP):
        data = unpacked(data, _MOST_UNPACKED)
    text = data.decode("utf-8", "surrogateescape")
    if text and len(_UNREADABLE.findall(text)) * _FEW <= len(text):
        yield text


def unpacked(data: bytes, most: int) -> bytes:
    """Return the content of gzip data (RFC 1952), or its readable part; nothing if it is not gzip.

    At most ``most`` bytes are returned, and at most 10,000 members are read.
    """
    parts: list[bytes] = []
    at = 0
    for _ in range(_MOST_MEMBERS):
        if most <= 0 or not data.startswith(_GZIP, at):
            break
        try:
            inside, at = _member(data, at, most)
        except zlib.error:
            break
        parts.append(inside)
        most -= len(inside)
    return b"".join(parts)


def _member(data: bytes, at: int, most: int) -> tuple[bytes, int]:
    """Return the content of the gzip member at an offset, and the offset of the next one. It is read in growing slices."""
    reader = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    size = _FIRST_SLICE
    while most > 0 and at < len(data) and not reader.eof:
        part = reader.decompress(data[at : at + size], most)
        parts.append(part)
        most -= len(part)
        at = min(at + size, len(data)) - len(reader.unused_data)
        size = min(2 * size, _LAST_SLICE)
    return b"".join(parts), at


def _units(found: re.Match[str]) -> str:
    """Return the characters of a run of escapes: UTF-16 units, with surrogate pairs joined."""
    codes = [int(long or short, 16) for long, short in _UNIT.findall(found.group())]
    return b"".join(code.to_bytes(2, "big") for code in codes).decode("utf-16-be", "replace")
