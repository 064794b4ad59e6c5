"""Error responses of Google's APIs: a google.rpc.Status (https://cloud.google.com/apis/design/errors) under ``error``.

Sources of the texts: those about ranges, grids, cells and single requests are quoted from responses of the live API
(googleworkspace/java-samples issue 42, invokable/laravel-google-sheets issue 13, apache/texera issue 1063,
tidyverse/googlesheets4 issue 70); 403, 404 and the values of the wrong type from gspread's recorded exchanges
(``ClientTest``, ``WorksheetTest``); quotas from https://developers.google.com/workspace/sheets/api/limits.
"""

from __future__ import annotations

import json
from typing import TypeAlias

from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject

TYPE = "type.googleapis.com"
API_TYPE = f"{TYPE}/google.apps.sheets.v4"
LIST_VALUE = f"{TYPE}/google.protobuf.ListValue"
SERVICE = "sheets.googleapis.com"
Violation: TypeAlias = tuple[str, str]
"""A field (empty if there is none) and its error."""

_STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
}
_EXPECTED = (
    "Expected OAuth 2 access token, login cookie or other valid authentication credential. "
    "See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
_CHALLENGE: Headers = (("www-authenticate", 'Bearer realm="https://accounts.google.com/"'),)
PROTECTED = (
    "You are trying to edit a protected cell or object. "
    "Please contact the spreadsheet owner to remove protection if you need to edit."
)
NO_FIELD_LISTED = "At least one field must be listed in 'fields'. (Use '*' to indicate all fields.)"
NO_REQUEST = "Must specify at least one request."

NOT_FOUND_PAGE = """<!DOCTYPE html>
<html lang=en>
  <meta charset=utf-8>
  <title>Error 404 (Not Found)!!1</title>
  <p><b>404.</b> <ins>That\u2019s an error.</ins>
  <p>The requested URL <code>{path}</code> was not found on this server.  <ins>That\u2019s all we know.</ins>
"""


class SheetsError(Exception):
    """Ends a request with an error status. ``details`` are those of the Status, each with its ``@type``."""

    def __init__(self, code: int, message: str, *, details: tuple[JsonObject, ...] = (), headers: Headers = ()) -> None:
        super().__init__(message)
        self.code, self.message, self.details, self.headers = code, message, details, headers

    def body(self) -> JsonObject:
        """Return the response body."""
        status: JsonObject = {"code": self.code, "message": self.message, "status": _STATUS[self.code]}
        return {"error": {**status, **({"details": list(self.details)} if self.details else {})}}

    def inside(self, place: str) -> SheetsError:
        """Return this error in the form for a batch: ``Invalid requests[0].deleteSheet: …``."""
        return SheetsError(self.code, f"Invalid {place}: {self.message}", details=self.details, headers=self.headers)


def invalid(message: str) -> SheetsError:
    """Return a 400 with only a message."""
    return SheetsError(400, message)


def violated(*violations: Violation) -> SheetsError:
    """Return a 400 with field violations: all descriptions in the message, and each one in the details."""
    listed = [{**({"field": field} if field else {}), "description": text} for field, text in violations]
    detail: JsonObject = {"@type": f"{TYPE}/google.rpc.BadRequest", "fieldViolations": listed}
    return SheetsError(400, "\n".join(text for _, text in violations), details=(detail,))


def invalid_value(field: str, kind: str, value: Json) -> Violation:
    """Return the message for a value of the wrong type."""
    return field, f"Invalid value at '{field}' ({kind}), {json.dumps(value, ensure_ascii=False)}"


def unknown_name(name: str, parent: str) -> Violation:
    """Return the message for a key that the message type ``parent`` does not have."""
    place = f" at '{parent}'" if parent else ""
    return parent, f'Invalid JSON payload received. Unknown name "{name}"{place}: Cannot find field.'


def unknown_parameter(name: str) -> Violation:
    """Return the message for a query parameter, or a form field, that the method does not have."""
    text = f"Cannot bind query parameter. Field '{name}' could not be found in request message."
    return "", f'Invalid JSON payload received. Unknown name "{name}": {text}'


def unknown_fields(path: str) -> SheetsError:
    """Return the error for a ``fields`` mask. The message is generic; the details contain the cause."""
    text = f"Error expanding 'fields' parameter. Cannot find matching fields for path '{path}'."
    return SheetsError(400, "Request contains an invalid argument.", details=violated((path, text)).details)


def unauthenticated(*, missing: bool) -> SheetsError:
    """Return the error for a request without a credential, or with an invalid or expired one."""
    missing_text = "Request is missing required authentication credential."
    problem = missing_text if missing else "Request had invalid authentication credentials."
    return SheetsError(401, f"{problem} {_EXPECTED}", headers=_CHALLENGE)


def no_permission() -> SheetsError:
    """Return the error for a caller without read or write access to the spreadsheet."""
    return SheetsError(403, "The caller does not have permission")


def scope_insufficient(method: str) -> SheetsError:
    """Return the error for a token without the method's scope."""
    detail: JsonObject = {
        "@type": f"{TYPE}/google.rpc.ErrorInfo",
        "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
        "domain": "googleapis.com",
        "metadata": {"service": SERVICE, "method": f"google.apps.sheets.v4.SpreadsheetsService.{method}"},
    }
    return SheetsError(403, "Request had insufficient authentication scopes.", details=(detail,))


def not_found() -> SheetsError:
    """Return the error for an unknown spreadsheet id."""
    return SheetsError(404, "Requested entity was not found.")


def unparsable(range_text: str) -> SheetsError:
    """Return the error for a range: not A1 notation, or an unknown sheet."""
    return invalid(f"Unable to parse range: {range_text}")


def quota_exceeded(kind: str, project: str, limit: int, retry_after: int | None) -> SheetsError:
    """Return the error for a ``Read`` or ``Write`` request over the quota per minute."""
    detail: JsonObject = {
        "@type": f"{TYPE}/google.rpc.ErrorInfo",
        "reason": "RATE_LIMIT_EXCEEDED",
        "domain": "googleapis.com",
        "metadata": {
            "quota_location": "global",
            "service": SERVICE,
            "quota_limit_value": str(limit),
            "quota_metric": f"{SERVICE}/{kind.lower()}_requests",
            "quota_limit": f"{kind}RequestsPerMinutePerUser",
            "consumer": f"projects/{project}",
        },
    }
    message = (
        f"Quota exceeded for quota metric '{kind} requests' and limit '{kind} requests per minute per user' "
        f"of service '{SERVICE}' for consumer 'project_number:{project}'."
    )
    headers: Headers = () if retry_after is None else (("retry-after", str(retry_after)),)
    return SheetsError(429, message, details=(detail,), headers=headers)
