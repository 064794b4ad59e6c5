"""Cassettes: recorded exchanges in vcrpy's YAML format, version 1, which stock vcrpy and pytest-recording load.

Data without a vcrpy field is in extra fields of each exchange. ``x-mendbench`` has service, after, n, elapsed_ms, ask and key;
``changed`` if the effect on the world differs from what the method implies; ``provenance`` if a model's response was made elsewhere and
imported; ``batch`` if a model answered several prompts in one context. ``x-mendbench-fault`` marks a response that never arrived in full
(its status is 0). An entry ends with its ``key``. Anything after the last whole ``key`` line is an append that a crash interrupted, and
is cut. The same entries always give the same bytes.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import get_args

import yaml

from mendbench.api_errors.status_phrases import PHRASES
from mendbench.errors import BadInput, MendbenchError, Unwritable
from mendbench.io import files
from mendbench.io.canonical_json import canonical_json
from mendbench.io.files import append_durably, write_atomically
from mendbench.io.reading import MAX_RECORDING, read_bytes
from mendbench.io.yaml_documents import load_yaml
from mendbench.model.exchange import Fault, Headers, Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.secrets.undeclared import sanitise

HEADER = "version: 1\ninteractions:\n"
"""``version: 1`` is vcrpy's format number for cassettes since its release 1.0. Ours is the same until a field changes its meaning."""

_SEEN = 4000
"""How many bytes of an invalid entry are read to recognise its beginning."""

_START = b"- request:\n"
_END = re.compile(rb"^    key: (['\"]?)([0-9a-f]{16})\1(?:\n|\Z)", re.MULTILINE)
_ENTRY = re.compile(rb"^- ", re.MULTILINE)
_HINT = "mend it by hand, or delete it and record it again"
_FAULTS = frozenset(get_args(Fault))
_UNSAFE_IN_BLOCKS = frozenset("\x85\u2028\u2029\ufeff")
"""YAML 1.1 line breaks that a block would convert to others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPlace:
    """The place of a prompt in a batch of prompts that a model answered in one context."""

    name: str
    position: int
    """From 1, in the order in which the model read them."""
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One recorded exchange, redacted, as it is served."""

    key: str
    """:func:`mendbench.cassettes.keys.world_key`, or the digest of the model request."""
    request: Request
    response: Response
    service: str | None = None
    """The service that the request was sent to; None for a model."""
    after: str = ""
    n: int = 0
    changed: bool | None = None
    """Whether the world was changed; None if the method implies the right value, and for a model."""
    model_request: JsonObject | None = None
    """The model request. The request's body is its canonical JSON, and is not stored a second time."""
    provenance: str | None = None
    """The source of a model's response that was made elsewhere and imported; None for one that was recorded here."""
    batch: BatchPlace | None = None
    """The batch of prompts in which the model answered this one; None if that is unknown."""


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and never an alias.

    Pure Python on purpose: libyaml writes different bytes.
    """

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002  the signature is PyYAML's
        return True


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = '"' if _UNSAFE_IN_BLOCKS.intersection(text) else "|" if "\n" in text else ""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style or None)


_Dumper.add_representer(str, _text_node)


def load(path: Path) -> tuple[Entry, ...]:
    """Return the entries of a cassette; empty if there is no file.

    Raises:
        BadInput: it cannot be read, is not a cassette, or contains a key twice; the message names file and line.
    """
    data = _stored(path)
    return () if data is None else parse(data, str(path))


def keys(path: Path) -> frozenset[str]:
    """Return the keys of a cassette's whole entries, without parsing the rest; empty if there is no file.

    Raises:
        BadInput: it cannot be read.
    """
    data = _stored(path) or b""
    return frozenset(found.group(2).decode() for found in _END.finditer(data))


def _stored(path: Path) -> bytes | None:
    """Return the bytes of a cassette with its original line ends; None if there is no file."""
    if not path.exists():
        return None
    return read_bytes(path, MAX_RECORDING, "record it", "make it readable").replace(b"\r\n", b"\n")


def parse(data: bytes, place: str) -> tuple[Entry, ...]:
    """Return the entries in a cassette's bytes, without an incomplete last entry. ``place`` names the file in errors.

    Raises:
        BadInput: it is not a cassette, or contains a key twice.
    """
    whole = data[: whole_length(data, place)]
    if not whole:
        return ()
    raws = _interactions(whole, place)
    lines = [whole.count(b"\n", 0, found.start()) + 1 for found in _ENTRY.finditer(whole)]
    where = [f"{place}:{line}" for line in lines] if len(lines) == len(raws) else [place] * len(raws)
    entries = tuple(_entry(raw, at) for raw, at in zip(raws, where, strict=True))
    seen: dict[str, str] = {}
    for entry, at in zip(entries, where, strict=True):
        if entry.key in seen:
            raise BadInput(at, f"key {entry.key} stands already at {seen[entry.key]}", "delete one of the two entries")
        seen[entry.key] = at
    return entries


def whole_length(data: bytes, place: str) -> int:
    """Return the length without an incomplete last entry; 0 if no entry is whole.

    Raises:
        BadInput: what follows the last whole entry is not the beginning of one.
    """
    end = max((found.end() for found in _END.finditer(data)), default=0)
    header = HEADER.encode()
    torn = data[end:] if end else data.removeprefix(header)
    expected = _START if end or data.startswith(header) else header
    if not torn or expected.startswith(torn) or (expected is _START and torn.startswith(_START)):
        return end
    line = data.count(b"\n", 0, end) + 1
    if not end and b"interactions" in data and b"x-mendbench" not in data:
        raise BadInput(f"{place}:{line}", "a cassette without x-mendbench fields", "import it first")
    shown = str(sanitise(torn[:_SEEN].decode("utf-8", "replace")))[
        :40
    ]  # a credential that is cut can no longer be recognised
    raise BadInput(f"{place}:{line}", f"no cassette entry but {shown!r}", _HINT)


def dump(entries: Iterable[Entry]) -> str:
    """Return a whole cassette; an empty text, which must not be written, if there are no entries."""
    texts = [dump_entry(entry) for entry in entries]
    return HEADER + "".join(texts) if texts else ""


def dump_entry(entry: Entry) -> str:
    """Return one entry as it is appended to a cassette.

    Raises:
        MendbenchError: it cannot be written so that it reads back the same.
    """
    for binary in (False, True):
        text: str = yaml.dump(
            [_plain(entry, binary=binary)],
            Dumper=_Dumper,
            sort_keys=False,
            default_flow_style=False,
            allow_unicode=True,
            width=float("inf"),
        )
        with contextlib.suppress(BadInput, UnicodeEncodeError):
            if parse((HEADER + text).encode(), "") == (entry,):
                return text
    raise MendbenchError(f"the exchange {entry.request.method} {entry.request.url} cannot be written to a cassette")


def settled(entry: Entry) -> Entry:
    """Return the entry as it reads back: headers with the same name grouped, without characters that YAML cannot hold."""
    request = replace(
        entry.request,
        url=_encodable(entry.request.url),
        headers=settled_headers(entry.request.headers),
        body=canonical_json(entry.model_request).encode() if entry.model_request is not None else entry.request.body,
        timeout_s=None,
    )
    return replace(
        entry, request=request, response=replace(entry.response, headers=settled_headers(entry.response.headers))
    )


def settled_headers(headers: Headers) -> Headers:
    """Return headers as a cassette returns them: grouped by name, in order of first appearance."""
    return _headers(_grouped(headers))


def append(path: Path, entry: Entry) -> None:
    """Append one settled entry and wait until it is on disk.

    An incomplete last entry is cut first; a new file begins with the header.

    Raises:
        BadInput: the file is not a cassette, or cannot be written. It is then unchanged, without an incomplete last entry.
        MendbenchError: the entry cannot be written.
    """
    text = dump_entry(entry)
    with _on_disk(path):
        data = _stored(path) or b""
        kept = whole_length(data, str(path))
        if path.exists() and path.stat().st_size > len(data):  # a byte order mark, or the line ends of another system
            write_atomically(path, data[:kept])
        elif kept < len(data):
            os.truncate(path, kept)
        join = "" if data[:kept].endswith(b"\n") else "\n"
        append_durably(path, HEADER + text if not kept else join + text)


def rewrite(path: Path, entries: Iterable[Entry]) -> None:
    """Replace the entries of a cassette atomically; without entries it is removed.

    Raises:
        BadInput: it cannot be written; it is then unchanged.
    """
    text = dump(entries)
    with _on_disk(path):
        if text:
            write_atomically(path, text)
        else:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock ``folder`` against recording by other processes.

    Raises:
        BadInput: the folder cannot be made or locked.
    """
    with contextlib.ExitStack() as ending:
        with _on_disk(folder):
            ending.enter_context(files.locked(folder))
        yield


@contextlib.contextmanager
def _on_disk(path: Path) -> Iterator[None]:
    """Return a one-line description of a disk error."""
    try:
        yield
    except OSError as error:
        hint = "make room, or make it writable, and do the same again: what is recorded stays, and is not asked again"
        raise Unwritable(str(path), error.strerror or str(error), hint) from None


def _plain(entry: Entry, *, binary: bool) -> JsonObject:
    body = (
        None
        if entry.model_request is not None or not entry.request.body
        else _string(entry.request.body, binary=binary)
    )
    plain: JsonObject = {
        "request": {
            "method": entry.request.method,
            "uri": entry.request.url,
            "headers": _grouped(entry.request.headers),
            "body": body,
        },
        "response": {
            "status": {"code": entry.response.status, "message": PHRASES.get(entry.response.status, "")},
            "headers": _grouped(entry.response.headers),
            "body": {"string": _string(entry.response.body, binary=binary)},
        },
    }
    if entry.response.fault:
        plain["x-mendbench-fault"] = entry.response.fault
    ours: JsonObject = {"service": entry.service, "after": entry.after, "n": entry.n}
    if entry.model_request is not None:
        ours = {"model_request": _ordered(entry.model_request)}
        if entry.provenance is not None:
            ours["provenance"] = entry.provenance
        if entry.batch is not None:
            ours["batch"] = asdict(entry.batch)
    elif entry.changed is not None:
        ours["changed"] = entry.changed
    plain["x-mendbench"] = {**ours, "elapsed_ms": entry.response.elapsed_ms, "key": entry.key}
    return plain


def _ordered(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list | tuple) else value


def _string(body: bytes, *, binary: bool) -> str | bytes:
    if binary:
        return body
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _grouped(headers: Headers) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for name, value in headers:
        grouped.setdefault(_encodable(name), []).append(_encodable(value))
    return grouped


def _headers(grouped: dict[str, list[str]]) -> Headers:
    return tuple((name, value) for name, values in grouped.items() for value in values)


def _interactions(data: bytes, place: str) -> list[Json]:
    document = load_yaml(data, place, _HINT)
    if not isinstance(document, dict) or not isinstance(document.get("interactions"), list):
        raise BadInput(f"{place}:1", "no cassette: interactions is missing or no list", _HINT)
    if document.get("version") != 1:
        raise BadInput(f"{place}:1", f"cassette version {document.get('version')!r}", "use a cassette of version 1")
    interactions: list[Json] = document["interactions"]
    return interactions


def _entry(raw: Json, place: str) -> Entry:
    try:
        sent, came, ours = raw["request"], raw["response"], raw["x-mendbench"]
        fault = raw.get("x-mendbench-fault")
        if fault is not None and fault not in _FAULTS:
            raise BadInput(place, f"unknown fault {fault!r}", f"use one of {', '.join(sorted(_FAULTS))}")
        model_request = _object(ours.get("model_request"))
        body = (
            canonical_json(model_request).encode("utf-8", "surrogatepass")
            if model_request is not None
            else _bytes(sent.get("body"))
        )
        response = Response(
            status=int(came["status"]["code"]),
            headers=_headers(_lists(came.get("headers"))),
            body=_bytes(came["body"]["string"]),
            elapsed_ms=int(ours["elapsed_ms"]),
            fault=fault,
        )
        headers = _headers(_lists(sent.get("headers")))
        request = Request(method=str(sent["method"]), url=str(sent["uri"]), headers=headers, body=body)
        return Entry(
            key=str(ours["key"]),
            request=request,
            response=response,
            service=_text("service", ours.get("service")),
            after=str(ours.get("after", "")),
            n=int(ours.get("n", 0)),
            changed=_flag(ours.get("changed")),
            model_request=model_request,
            provenance=_text("provenance", ours.get("provenance")),
            batch=_batch(ours.get("batch")),
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadInput(place, f"an entry with a missing or wrong field ({error!r})", _HINT) from error


def _batch(raw: Json) -> BatchPlace | None:
    if raw is None:
        return None
    return BatchPlace(name=str(raw["name"]), position=int(raw["position"]), size=int(raw["size"]))


def _flag(raw: Json) -> bool | None:
    if raw is None or isinstance(raw, bool):
        return raw
    raise ValueError(f"changed is {raw!r}")


def _text(name: str, raw: Json) -> str | None:
    if raw is None or isinstance(raw, str):
        return raw
    raise ValueError(f"{name} is {raw!r}")


def _object(raw: Json) -> JsonObject | None:
    if raw is None or isinstance(raw, dict):
        return raw
    raise ValueError(f"ask is {raw!r}")


def _lists(raw: Json) -> dict[str, list[str]]:
    return {
        str(name): [str(value) for value in values] if isinstance(values, list) else [str(values)]
        for name, values in (raw or {}).items()
    }


def _bytes(raw: Json) -> bytes:
    if raw is None:
        return b""
    return raw if isinstance(raw, bytes) else str(raw).encode()
