"""Discord's error responses: a status, a code and a message, and for body errors a tree that mirrors the body.

https://docs.discord.com/developers/topics/opcodes-and-status-codes#json and
https://docs.discord.com/developers/reference#error-messages. Messages are as the API sends them, in title case where
the documentation's table has lower case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from mendbench.model.json import JsonObject

Path = tuple[str, ...]
Problem = tuple[Path, str, str]
"""The place in the body, the code and the message."""


class ChatError(Exception):
    """Ends a request with an error status."""

    def __init__(self, status: int, code: int, message: str, *, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.problems = status, code, message, tuple(problems)

    def body(self) -> JsonObject:
        """Return the response body."""
        fields: JsonObject = {"message": self.message, "code": self.code}
        return {**fields, "errors": _tree(self.problems)} if self.problems else fields


def invalid_form(*problems: Problem) -> ChatError:
    """Return the error for a body, a query or an id that is invalid."""
    return ChatError(400, 50035, "Invalid Form Body", problems=problems)


def unknown(what: str) -> ChatError:
    """Return the error for an object that does not exist."""
    return ChatError(404, _UNKNOWN[what], f"Unknown {what}")


def missing_access() -> ChatError:
    """Return the error for a channel that the caller cannot see."""
    return ChatError(403, 50001, "Missing Access")


def missing_permissions() -> ChatError:
    """Return the error for an action that the caller may not perform."""
    return ChatError(403, 50013, "Missing Permissions")


_UNKNOWN = {
    "Channel": 10003, "Guild": 10004, "Member": 10007, "Message": 10008, "Role": 10011, "User": 10013,
    "Webhook": 10015,
}  # fmt: skip


def _tree(problems: Sequence[Problem]) -> JsonObject:
    """Return the errors as a tree like the body. The errors of one place are under ``_errors``."""
    root: JsonObject = {}
    for path, code, message in problems:
        place = root
        for step in path:
            place = cast("JsonObject", place.setdefault(step, {}))
        place.setdefault("_errors", []).append({"code": code, "message": message})
    return root
