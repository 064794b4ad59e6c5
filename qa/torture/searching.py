"""Looks for a secret in bytes, in every spelling, without anything of ours: whatever can be decoded is, again and again."""

from __future__ import annotations

import base64
import binascii
import html
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, unquote_plus

from qa.torture.tally import Attempt

DEPTH = 6
_RUN = re.compile(rb"[A-Za-z0-9+/_-]{10,}(?:(?:\r?\n|\\+n)[A-Za-z0-9+/_-]+)*=*")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){8,}")
_BREAK = re.compile(rb"\r?\n|\\+n")
_LONG = 20_000
"""Bytes from which on base64 is read from its beginning alone: such a one stands by itself."""
_MAGIC = (b"\x1f\x8b\x08", b"\x78\x01", b"\x78\x9c", b"\x78\xda")


def holds(data: bytes, secret: str) -> str | None:
    """Return how a secret is spelled in ``data``, as the ways that lead to it; None if it is not in it."""
    return found_in(views(data), secret)


def found_in(read: dict[bytes, str], secret: str) -> str | None:
    """Return the ways that lead to a secret in what :func:`views` returned; None if it is not there."""
    needles = {secret.encode(), secret.replace("\n", "\r\n").encode(), secret.encode("utf-16-le")}
    return next((way for view, way in read.items() if any(needle in view for needle in needles)), None)


def searched(kind: str, secrets: dict[str, str], files: dict[str, bytes]) -> Iterator[Attempt]:
    """Yield for each secret whether it is in any of the files. ``secrets`` are by how they are reported."""
    read = {name: views(data) for name, data in files.items()}
    for what, secret in secrets.items():
        ways = ((name, found_in(view, secret)) for name, view in read.items())
        there = next(((name, way) for name, way in ways if way), None)
        yield Attempt(kind=kind, what=what, failure=f"it is in {there[0]}: {there[1]}" if there else None)


def files_below(*folders: Path) -> dict[str, bytes]:
    """Return the bytes of all files in folders, and the names of these too."""
    found = {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}
    return {**found, "names of files": "\n".join(found).encode()}


def views(data: bytes) -> dict[bytes, str]:
    """Return all readings of bytes, each with the ways that lead to it."""
    seen = {data: "plain"}
    todo = [data]
    for _ in range(DEPTH):
        after: list[bytes] = []
        for view in todo:
            for name, decoded in (*_unpacked(view), *_respelled(view), *_decoded(view)):
                if decoded and decoded not in seen:
                    seen[decoded] = f"{seen[view]}, {name}"
                    after.append(decoded)
        todo = after
    return seen


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    for magic in _MAGIC:
        for found in re.finditer(re.escape(magic), data):
            packed = magic[0] == _MAGIC[0][0]
            yield ("gzip" if packed else "zlib"), _inflated(data[found.start() :], 31 if packed else 15)


def _respelled(data: bytes) -> Iterator[tuple[str, bytes]]:
    text = data.decode("utf-8", "surrogateescape")
    if "%" in text:
        yield "percent", unquote(text, errors="surrogateescape").encode("utf-8", "surrogatepass")
        yield "form", unquote_plus(text, errors="replace").encode("utf-8", "replace")
    elif "+" in text and len(data) < _LONG:
        yield "plus", text.replace("+", " ").encode("utf-8", "surrogateescape")
    if "\\" in text:
        yield "backslash", _unescaped(text).encode("utf-8", "replace")
    if "&" in text:
        yield "entities", html.unescape(text).encode("utf-8", "surrogatepass")
    if "\n " in text:
        yield "indented", re.sub(r"\n +", "\n", text).encode("utf-8", "surrogateescape")


def _decoded(data: bytes) -> Iterator[tuple[str, bytes]]:
    for found in _RUN.finditer(data):
        run = _BREAK.sub(b"", found.group()).rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        for start in (0,) if len(run) > _LONG else range(4):
            part = run[start:]
            part = part[:-1] if len(part) % 4 == 1 else part
            try:
                inner = base64.b64decode(part + b"=" * (-len(part) % 4))
            except (ValueError, binascii.Error):
                continue
            if _worth(inner):
                yield "base64", inner
    for found in _HEX.finditer(data):
        inner = bytes.fromhex(found.group().decode())
        if _worth(inner):
            yield "hexadecimal", inner


def _worth(data: bytes) -> bool:
    """Return whether a reading leads on: compressed bytes do, and whatever is half readable."""
    if data.startswith(_MAGIC):
        return True
    text = data.decode("utf-8", "surrogateescape")
    return bool(text) and sum(letter.isprintable() or letter in "\n\r\t" for letter in text) * 2 >= len(text)


def _inflated(data: bytes, wbits: int) -> bytes:
    try:
        return zlib.decompressobj(wbits=wbits).decompress(data)
    except zlib.error:
        return b""


def _unescaped(text: str) -> str:
    text = re.sub(
        r"(?:\\+u[0-9A-Fa-f]{4})+",
        lambda found: b"".join(bytes.fromhex(unit) for unit in re.findall(r"u([0-9A-Fa-f]{4})", found.group())).decode(
            "utf-16-be", "replace"
        ),
        text,
    )
    text = re.sub(r"\\+x([0-9A-Fa-f]{2})", lambda found: chr(int(found.group(1), 16)), text)
    text = re.sub(r"\\+n", "\n", text)
    return re.sub(r"\\+([\"'/\\])", r"\1", text)
