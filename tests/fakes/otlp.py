"""Spans: as read, and in OTLP/JSON as the collector's file exporter writes it."""

import json

from mendbench.importing.otel.spans import Span


def typed(value):
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": pairs(value)}}
    return {"stringValue": value}


def pairs(values):
    return [{"key": name, "value": typed(value)} for name, value in values.items()]


def span(number, attributes=None, *, kind=3, trace="t1", parent=None, events=(), error=None, took_ms=12):
    """Return a span that starts ``number`` milliseconds after the first possible one."""
    start = 1_700_000_000_000_000_000 + number * 1_000_000
    return {
        "traceId": trace, "spanId": f"s{number}", "parentSpanId": f"s{parent}" if parent is not None else "", "name": "x", "kind": kind,
        "startTimeUnixNano": str(start), "endTimeUnixNano": str(start + took_ms * 1_000_000), "attributes": pairs(attributes or {}),
        "events": [{"timeUnixNano": str(start), "name": name, "attributes": pairs(held)} for name, held in events],
        "status": {} if error is None else {"code": 2, "message": error},
    }  # fmt: skip


def export(*spans):
    return {
        "resourceSpans": [
            {"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}
        ]
    }


def write(path, *exports):
    """Write one export per line, and return the path."""
    path.write_text("".join(json.dumps(one) + "\n" for one in exports), encoding="utf-8")
    return path


def made(attributes=None, *, kind="client", events=(), message=""):
    """Return a span as it is read."""
    return Span(
        trace="t", id="1", parent="", kind=kind, name="GET", start_ns=0, elapsed_ms=7, attributes=attributes or {}, events=tuple(events),
        failed=bool(message), message=message,
    )  # fmt: skip
