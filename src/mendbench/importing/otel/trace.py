"""OpenTelemetry traces: the calls of a workflow as its instrumentation saw them.

:mod:`mendbench.importing.otel.spans` reads the files; one module each converts HTTP calls, tool calls and chats. No convention names
the node of a workflow on a span, so an exchange is identified by its request alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.importing.interface import Dropped, FoundExchange, Source
from mendbench.importing.otel.chats import chat_exchange, is_chat
from mendbench.importing.otel.http import BODIES, http_exchange, is_http_call
from mendbench.importing.otel.spans import Span, holds_spans, read_spans
from mendbench.importing.otel.tools import is_tool_call, tool_exchange
from mendbench.model.json import JsonObject
from mendbench.secrets.redaction import sanitise

_RUN = 2
"""The least number of calls in a trace that is a run of its own: without a common parent, every call has its own trace."""


def is_otel_trace(document: JsonObject) -> bool:
    """Return whether a document is an OTLP export, a span of the console exporter, or lines of either."""
    lines = document.get("lines")
    return holds_spans(lines[0] if isinstance(lines, list) and lines else document)


def is_otel_trace_text(text: str) -> bool:
    """Return whether a text begins with such a value: the console exporter writes one after the other, each over several lines."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return False
    return holds_spans(value)


def read_otel_trace(path: Path) -> Source:
    """Return the content of a file of spans, in the order in which they started.

    If it has several runs, it is that of the last one with an error, or else of the last.

    Raises:
        BadInput: it has no spans, or no exchange that can be imported.
    """
    spans = read_spans(path)
    calls, others = _split(spans)
    calls, dropped = _one_run(calls)
    children: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for span in others:
        children[span.trace, span.parent].append(span)
    found: list[FoundExchange] = []
    for span in calls:
        read = _exchange(span, children[span.trace, span.id])
        (found if isinstance(read, FoundExchange) else dropped).append(read)  # type: ignore[arg-type]
    if not found:
        why = f"{dropped[-1].why}: {sanitise(dropped[-1].what)}" if dropped else "no span is a call of a client"
        hint = f"let the instrumentation record contents on client spans, such as {BODIES[0][1]}"
        raise BadInput(str(path), f"no exchange that can be imported ({why})", hint)
    if others:
        dropped.append(
            Dropped(
                what=f"{len(others)} other spans" if len(others) > 1 else "another span",
                why="no call to an API, a tool or a model",
            )
        )
    return Source(kind="OpenTelemetry trace", path=path, found=tuple(found), dropped=tuple(dropped))


def _split(spans: list[Span]) -> tuple[list[Span], list[Span]]:
    """Return the spans that are calls, and the others. Agent and MCP client can both trace a tool call: the inner span is it."""
    outer = {(span.trace, span.parent) for span in spans if is_tool_call(span)}
    calls: list[Span] = []
    others: list[Span] = []
    for span in spans:
        tool = is_tool_call(span) and (span.trace, span.id) not in outer
        (calls if tool or is_chat(span) or is_http_call(span) else others).append(span)
    return calls, others


def _exchange(span: Span, children: list[Span]) -> FoundExchange | Dropped:
    if is_tool_call(span):
        return tool_exchange(span)
    return chat_exchange(span) if is_chat(span) else http_exchange(span, children)


def _one_run(calls: list[Span]) -> tuple[list[Span], list[Dropped]]:
    """Return the calls of one run, and what was dropped for it."""
    runs: dict[str, list[Span]] = defaultdict(list)
    for span in calls:
        runs[span.trace].append(span)
    whole = [trace for trace, spans in runs.items() if len(spans) >= _RUN]
    if len(whole) <= 1:
        return calls, []
    broken = [trace for trace in whole if any(_went_wrong(span) for span in runs[trace])]
    chosen = (broken or whole)[-1]
    left = len(calls) - len(runs[chosen])
    why = f"they belong to {len(runs) - 1} other traces than {chosen}, the last one{' with an error' if broken else ''}"
    return runs[chosen], [Dropped(what=f"{left} calls" if left > 1 else "1 call", why=why)]


def _went_wrong(span: Span) -> bool:
    return span.failed or bool(span.text("error.type"))
