"""The formats that a case can be imported from, recognised by their content."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from mendbench.errors import BadInput
from mendbench.importing.engine.trace import is_engine_trace, read_engine_trace
from mendbench.importing.har import read_har
from mendbench.importing.interface import Source, json_file
from mendbench.importing.mcp_log import is_mcp_log, is_mcp_log_text, read_mcp_log
from mendbench.importing.n8n.execution import is_n8n_execution, read_n8n_execution
from mendbench.importing.otel.trace import is_otel_trace, is_otel_trace_text, read_otel_trace
from mendbench.importing.own_trace import read_own_trace
from mendbench.importing.transcripts.transcript import is_transcript, read_transcript
from mendbench.importing.vcr_cassette import read_cassette
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.json import JsonObject

_Reader: TypeAlias = Callable[[Path], Source]

KNOWN = (
    "a trace of `workflow run` or of the engine, a HAR file, a vcrpy cassette, an OpenTelemetry trace, an MCP JSON-RPC log, "
    "an n8n execution, a `curl -v` transcript, or a pasted request and response"
)
"""The formats, for messages."""


def _is_har(document: JsonObject) -> bool:
    return isinstance(document.get("log"), dict)


def _is_cassette(document: JsonObject) -> bool:
    return "interactions" in document


def _is_own_trace(document: JsonObject) -> bool:
    return "executions" in document


def _is_yaml_cassette(text: str) -> bool:
    return re.search(r"^interactions:", text, re.MULTILINE) is not None


_DOCUMENTS: tuple[tuple[Callable[[JsonObject], bool], _Reader], ...] = (
    (_is_har, read_har),
    (_is_cassette, read_cassette),
    (is_engine_trace, read_engine_trace),
    (_is_own_trace, read_own_trace),
    (is_otel_trace, read_otel_trace),
    (is_n8n_execution, read_n8n_execution),
    (is_mcp_log, read_mcp_log),
)
_TEXTS: tuple[tuple[Callable[[str], bool], _Reader], ...] = (
    (_is_yaml_cassette, read_cassette),
    (is_otel_trace_text, read_otel_trace),
    (is_mcp_log_text, read_mcp_log),
    (is_transcript, read_transcript),
)


def read_source(path: Path) -> Source:
    """Return what a file recorded.

    Raises:
        BadInput: it cannot be read, has none of the known formats, or is broken.
    """
    text = read_text(path, MAX_RECORDING, "name the file to import")
    try:
        document, broken = json_file(path), None
    except BadInput as error:
        document, broken = {}, error
    if reader := next((reader for recognised, reader in _DOCUMENTS if recognised(document)), None):
        return reader(path)
    if broken is None:
        raise BadInput(str(path), "JSON of no known format", f"name {KNOWN}")
    if reader := next((reader for recognised, reader in _TEXTS if recognised(text)), None):
        return reader(path)
    if text.lstrip()[:1] in {"{", "["}:
        raise broken
    raise BadInput(str(path), "no known format", f"name {KNOWN}")
