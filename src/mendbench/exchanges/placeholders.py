"""Replace placeholders in a request with values, encoded for their position."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

from mendbench.model.exchange import Request
from mendbench.model.json import Json


def filled(request: Request, placeholder: re.Pattern[str], value_of: Callable[[re.Match[str]], str]) -> Request:
    """Return a request with each placeholder replaced by its value.

    A value is percent-encoded in the URL, in a form, and if its placeholder is; in JSON it becomes part of a JSON string.
    """

    def plain(text: str) -> str:
        return placeholder.sub(value_of, text)

    def encoded(text: str) -> str:
        return placeholder.sub(lambda found: quote(value_of(found), safe=""), text)

    def as_spelled(text: str) -> str:
        return placeholder.sub(
            lambda found: encoded(found.group()) if found.group().startswith("%") else value_of(found), text
        )

    def inside(value: Json) -> Json:
        if isinstance(value, str):
            return plain(value)
        if isinstance(value, dict):
            return {plain(name): inside(item) for name, item in value.items()}
        return [inside(item) for item in value] if isinstance(value, list) else value

    def body() -> bytes:
        try:
            value = json.loads(request.body)
        except (ValueError, RecursionError):
            form = "x-www-form-urlencoded" in (request.header("content-type") or "").lower()
            text = request.body.decode("utf-8", "surrogateescape")
            return (encoded if form else as_spelled)(text).encode("utf-8", "surrogateescape")
        made = inside(value)
        return request.body if made == value else json.dumps(made).encode()

    headers = tuple((name, plain(value)) for name, value in request.headers)
    return replace(request, url=encoded(request.url), headers=headers, body=body())
