"""Slack's error responses: HTTP 200 and ``ok: false``, except for rate limits and pages outside the API."""

from __future__ import annotations

from mendbench.model.json import Json, JsonObject

NOT_FOUND_PAGE = """<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">
<html><head>
<title>404 Not Found</title>
</head><body>
<h1>Not Found</h1>
<p>The requested URL {path} was not found on this server.</p>
</body></html>
"""


class SlackError(Exception):
    """Ends a call with ``ok: false``.

    ``messages`` are the texts of ``response_metadata.messages`` without their ``[ERROR] ``;
    ``extra`` are further top-level fields.
    """

    def __init__(self, error: str, *, messages: tuple[str, ...] = (), extra: JsonObject | None = None) -> None:
        super().__init__(error)
        self.error, self.messages, self.extra = error, messages, extra or {}

    def body(self, warnings: tuple[str, ...]) -> JsonObject:
        """Return the response body."""
        return with_metadata(
            {"ok": False, "error": self.error, **self.extra},
            messages=tuple(f"[ERROR] {text}" for text in self.messages),
            warnings=warnings,
        )


def with_metadata(body: JsonObject, *, messages: tuple[str, ...] = (), warnings: tuple[str, ...] = ()) -> JsonObject:
    """Return ``body`` with Slack's ``warning`` and ``response_metadata``, if there are any."""
    metadata: dict[str, Json] = dict(body.get("response_metadata") or {})
    if messages:
        metadata["messages"] = list(messages)
    if warnings:
        metadata["warnings"] = list(warnings)
    warned = {**body, **({"warning": ",".join(warnings)} if warnings else {})}
    return {**warned, "response_metadata": metadata} if metadata else warned


def pointed(text: str, *path: str | int) -> str:
    """Return ``text`` with Slack's note of the location: ``… [json-pointer:/blocks/0/text]``."""
    return f"{text} [json-pointer:/{'/'.join(str(part) for part in path)}]"
