"""Whether a body was cut by whatever wrote it down."""

from __future__ import annotations

import json
import re

_BEGINS = re.compile(r'\s*(?:\{\s*"|\[\s*[{\["])')
"""How JSON begins, and hardly any other text."""


def is_json_container(body: bytes) -> bool:
    """Return whether a body is a whole JSON object or array."""
    try:
        return isinstance(json.loads(body), dict | list)
    except (ValueError, RecursionError):
        return False


def breaks_off(body: bytes) -> bool:
    """Return whether a body begins like JSON and has no end. Several values, such as one per line, are whole."""
    text = body.decode("utf-8", "replace").lstrip()
    if not _BEGINS.match(text):
        return False
    try:
        json.JSONDecoder().raw_decode(text)
    except RecursionError:
        return False
    except ValueError:
        return True
    return False
