"""Cassettes of vcrpy and pytest-recording, in YAML or JSON, as their releases since 1.0 write them.

A body is a text, bytes, null or ``{"string": …}`` (or ``{"base64_string": …}``); a compressed one is stored as received.
Records of vcrpy before 6 for httpx have ``status_code`` and ``content``.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput
from mendbench.importing.interface import Dropped, FoundExchange, Source, settled
from mendbench.io.json_documents import load_json
from mendbench.io.reading import MAX_RECORDING, decoded, read_bytes
from mendbench.io.yaml_documents import load_yaml
from mendbench.model.exchange import Headers, Request, Response

_HINT = "name a cassette of vcrpy, in YAML or JSON"
_GZIP = zlib.MAX_WBITS | 16
"""The zlib window size for data with a gzip header."""


def read_cassette(path: Path) -> Source:
    """Return the content of a cassette.

    Raises:
        BadInput: it is not a cassette, or has another format version.
    """
    document = _document(path)
    interactions = document.get("interactions") if isinstance(document, dict) else None
    if not isinstance(interactions, list):
        raise BadInput(str(path), "no cassette: interactions is missing or no list", _HINT)
    if document.get("version") != 1:
        version = f"version {document['version']!r}" if "version" in document else "no version"
        raise BadInput(f"{path}: version", version, "record it with vcrpy 1.0 or later")
    found: list[FoundExchange] = []
    dropped: list[Dropped] = []
    for number, entry in enumerate(interactions):
        place = f"interactions[{number}]"
        try:
            read = _interaction(place, entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"{path}: {place}", f"no interaction ({error!r})", _HINT) from None
        (found if isinstance(read, FoundExchange) else dropped).append(read)  # type: ignore[arg-type]
    return Source(kind="vcrpy cassette", path=path, found=tuple(found), dropped=tuple(dropped))


def _document(path: Path) -> Any:
    data = read_bytes(path, MAX_RECORDING, "name the file to import")
    if data.lstrip().startswith(b"{"):  # YAML would split the surrogate pairs of its escapes
        return load_json(decoded(data, str(path)), str(path), _HINT)
    return load_yaml(data, str(path), _HINT)


def _interaction(place: str, entry: Any) -> FoundExchange | Dropped:
    sent, received = entry["request"], entry["response"]
    what = f"{place} {sent['method']} {sent['uri']}"
    headers = _headers(received.get("headers"))
    body = _unpacked(_bytes(received["content"] if "content" in received else received.get("body")), headers)
    if body is None:
        return Dropped(what=what, why="its response is compressed in a way that cannot be read here")
    status = (
        received["status"]["code"]
        if isinstance(received.get("status"), dict)
        else received.get("status_code", received.get("status"))
    )
    fault = entry.get("x-mendbench-fault")
    elapsed = (entry.get("x-mendbench") or {}).get("elapsed_ms", 0)
    request = Request(
        method=str(sent["method"]).upper(), url=str(sent["uri"]), headers=settled(_headers(sent.get("headers"))),
        body=_bytes(sent.get("body")),
    )  # fmt: skip
    response = Response(status=int(status), headers=settled(headers), body=body, elapsed_ms=int(elapsed), fault=fault)
    return FoundExchange(place=place, request=request, response=response)


def _bytes(raw: Any) -> bytes:
    if isinstance(raw, dict):
        coded = raw.get("base64_string")
        if coded is not None:
            try:
                return base64.b64decode(coded)
            except binascii.Error as error:
                raise ValueError(str(error)) from None
        raw = raw.get("string")
    if raw is None:
        return b""
    return raw if isinstance(raw, bytes) else str(raw).encode("utf-8", "surrogatepass")


def _unpacked(body: bytes, headers: Headers) -> bytes | None:
    """Return the decoded body; unchanged if it was stored decoded; None if the encoding is unknown."""
    coded = next((value.lower().strip() for name, value in headers if name.lower() == "content-encoding"), "")
    try:
        if body.startswith(b"\x1f\x8b"):
            return _bounded(body, _GZIP)
        if coded == "deflate":
            return _inflated(body)
    except (EOFError, zlib.error):
        return None
    if coded in {"br", "zstd", "compress"}:
        return body if _is_text(body) else None
    return body


def _inflated(body: bytes) -> bytes:
    for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
        try:
            return _bounded(body, bits)
        except zlib.error:
            continue
    return body


def _bounded(packed: bytes, bits: int) -> bytes:
    """Return the decompressed data, of limited size: a few bytes can expand to gigabytes.

    Raises:
        EOFError: it is truncated, or larger than a cassette may be.
        zlib.error: it is not compressed in that way.
    """
    whole = b""
    while packed:  # gzip may have several members
        opened = zlib.decompressobj(bits)
        whole += opened.decompress(packed, MAX_RECORDING - len(whole) + 1)
        if not opened.eof or len(whole) > MAX_RECORDING:
            raise EOFError
        packed = opened.unused_data.lstrip(b"\0")
    return whole


def _is_text(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _headers(raw: Any) -> Headers:
    """Return headers, whose values are lists or, in old records, strings."""
    lists = {name: values if isinstance(values, list | tuple) else [values] for name, values in (raw or {}).items()}
    return tuple(
        (str(name), value.decode("latin-1") if isinstance(value, bytes) else str(value))
        for name, values in lists.items()
        for value in values
    )
