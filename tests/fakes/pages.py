"""A report's page, read as its own script reads it."""

from __future__ import annotations

import base64
import gzip
import json
import re


def unpacked(html):
    """Return the lines of the page's data, as values: the index, the pool that cases share, and a part for each case."""
    held = re.search(r'<script type="application/octet-stream" id="data">([A-Za-z0-9+/=\n]*)</script>', html)[1]
    return [json.loads(gzip.decompress(base64.b64decode(line))) for line in held.split("\n")]


def columns_of(columns):
    """Return the light rows that columns hold."""
    names = list(columns)
    count = len(columns["case"]["at"])
    return [{name: columns[name]["values"][columns[name]["at"][row]] for name in names} for row in range(count)]


def records_of(html):
    """Return every trial of a page, whole: its columns and its record."""
    index, common, *parts = unpacked(html)
    rows = columns_of(index["columns"])
    left = {case: iter(part["rows"]) for case, part in zip(index["cases"], parts, strict=True)}
    pools = {case: [*common, *part["pool"]] for case, part in zip(index["cases"], parts, strict=True)}
    return [{**row, **value(next(left[row["case"]]), pools[row["case"]], index["shapes"])} for row in rows]


def value(ref, pool, shapes):
    """Return the value of an entry."""
    entry = pool[ref]
    if not isinstance(entry, list):
        return entry
    kind, *refs = entry
    values = [value(one, pool, shapes) for one in refs]
    if kind < 0:
        return "\n".join(values)
    return dict(zip(shapes[kind - 1], values, strict=True)) if kind else values
