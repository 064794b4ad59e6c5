"""Authentication and authorisation: credential, scope, sharing and quota."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.services.sheets.errors import (
    SheetsError,
    no_permission,
    not_found,
    quota_exceeded,
    scope_insufficient,
    unauthenticated,
)
from mendbench.services.wire import Call

_FULL = frozenset({"spreadsheets", "drive", "drive.file"})
_READS = _FULL | {"spreadsheets.readonly", "drive.readonly"}
_SCOPE = "https://www.googleapis.com/auth/"
DEFAULT_LIMIT = 60
"""Requests per minute, user and project (https://developers.google.com/workspace/sheets/api/limits)."""


def identify(draft: JsonObject, call: Call, *, writes: bool, method: str) -> str:
    """Return the account of the caller.

    Raises:
        SheetsError: 401 without a valid token, 403 without the scope.
    """
    scheme, _, rest = call.header("authorization").partition(" ")
    token = rest.strip() if scheme.lower() == "bearer" else call.parameter("access_token") or ""
    if not token:
        raise unauthenticated(missing=True)
    tokens = draft.get("tokens") or {}
    record = (tokens.get(token) if tokens else {}) if "{{" not in token and " " not in token else None
    if record is None or record.get("status") == "expired":
        raise unauthenticated(missing=False)
    granted = record.get("scopes")
    if granted is not None:
        names = {str(scope).removeprefix(_SCOPE) for scope in granted}
        if not names & (_FULL if writes else _READS):
            raise scope_insufficient(method)
    return str(record.get("email") or draft.get("me") or "")


def admit(draft: JsonObject, book_id: str, email: str, *, writes: bool) -> None:
    """Check that the spreadsheet exists and is shared with the account.

    Raises:
        SheetsError: 404 or 403. A reader who writes and an unknown account get the same error.
    """
    book = (draft.get("spreadsheets") or {}).get(book_id)
    if book is None:
        raise not_found()
    sharing = book.get("sharing")
    if sharing is None:
        return
    role = sharing.get(email)
    if role not in ({"owner", "writer"} if writes else {"owner", "writer", "reader"}):
        raise no_permission()


def over_quota(draft: JsonObject, *, writes: bool) -> SheetsError | None:
    """Return the quota error if the state's ``rate_limited`` applies to this request, and count it down in ``draft``."""
    kind = "write" if writes else "read"
    record = (draft.get("rate_limited") or {}).get(kind)
    if record is None or record.get("times", 1) == 0:
        return None
    if "times" in record:
        record["times"] = int(record["times"]) - 1
    project, limit = str(draft.get("project", "0")), int(record.get("limit", DEFAULT_LIMIT))
    return quota_exceeded(kind.title(), project, limit, record.get("retry_after"))
