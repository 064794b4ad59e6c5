"""Bodies as values: the content of a request or a response, parsed according to its type."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from mendbench.io.json_documents import finite_json
from mendbench.model.json import Json

_BOUNDARY = re.compile(r'boundary="?([^";]+)"?', re.IGNORECASE)


def parse_body(body: bytes, content_type: str | None) -> Json:
    """Return the value of ``body``: parsed JSON, the pairs of a form, text, or None if it is empty.

    JSON is recognised by its content, whatever the content type: recorded services often declare ``text/plain``. Bytes that are not UTF-8
    become text with replacement characters. JSON with a number outside the range of a double stays text, because copies of it could not be
    read again. Multipart boundaries are replaced by a fixed word.
    """
    if not body:
        return None
    text = body.decode("utf-8", "replace")
    kind = (content_type or "").lower()
    if "x-www-form-urlencoded" in kind:
        return {"form": [list(pair) for pair in parse_qsl(text, keep_blank_values=True)]}
    if "multipart/" in kind and (found := _BOUNDARY.search(content_type or "")):
        return text.replace(f"--{found.group(1)}", "--boundary")
    try:
        return finite_json(text)
    except (ValueError, RecursionError):
        return text


def form_fields(value: Json) -> dict[str, str] | None:
    """Return the fields of a body that :func:`parse_body` read from a form (the last value of each name), or None."""
    if isinstance(value, dict) and set(value) == {"form"} and isinstance(value["form"], list):
        return {str(pair[0]): str(pair[1]) for pair in value["form"]}
    return None
