"""The detector of the engine that the specification describes: lists of codes and of phrases, after unwrapping.

Its limitations are kept on purpose. It compares codes as substrings, unwraps no result that is an object instead of a string, counts only
the first error of a list, and does not inspect responses other than 2xx. Its crash on an error that is an object is fixed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.detectors._wording import worded
from mendbench.exchanges.bodies import parse_body
from mendbench.model.execution import Judgement, Observation
from mendbench.model.json import Json, JsonObject

INSPECTED = frozenset({"http", "mcp", "envelope"})
"""Kinds of observation that can be a warning; all others are errors of the workflow."""

VALIDATION_CODES = (
    "VALIDATION_ERROR", "INVALID_PARAMETER", "INVALID_REQUEST", "BAD_REQUEST", "MALFORMED", "TYPE_ERROR",
    "FORMAT_ERROR", "MISSING_PARAMETER", "MISSING_FIELD", "INVALID_FORMAT", "SCHEMA_ERROR", "INVALID_INPUT",
    "PARAMETER_ERROR", "400",
)  # fmt: skip
"""Checked first, as substrings of the upper-cased code."""

RESOURCE_CODES = (
    "NOT_FOUND", "RESOURCE_NOT_FOUND", "CHANNEL_NOT_FOUND", "USER_NOT_FOUND", "FILE_NOT_FOUND", "ITEM_NOT_FOUND",
    "PERMISSION_DENIED", "UNAUTHORIZED", "FORBIDDEN", "RATE_LIMITED", "RATE_LIMIT", "QUOTA_EXCEEDED", "401", "403",
    "404", "429",
)  # fmt: skip

VALIDATION_PHRASES = (
    "should be a", "must be a", "expected a", "expecting", "invalid format", "wrong format", "incorrect format",
    "type mismatch", "wrong type", "invalid type", "validation error", "validation failed", "invalid input",
    "invalid request", "invalid parameter", "invalid value", "invalid data", "malformed", "badly formed",
    "missing required", "required field", "required parameter", "must provide", "must include", "must specify",
    "should be valid", "must be valid", "not a valid", "does not match", "does not conform", "schema error",
    "invalid date", "invalid email", "invalid url", "invalid json", "parse error", "syntax error",
    "input should be", "parameter should be", "value should be",
)  # fmt: skip
"""Checked first, as substrings of the lower-cased message."""

RESOURCE_PHRASES = (
    "not found", "not_found", "does not exist", "doesn't exist", "no such", "cannot find", "could not find",
    "unable to find", "404", "missing", "unavailable", "permission denied", "access denied", "unauthorized",
    "forbidden", "not authorized", "no access", "restricted", "403", "401", "rate limit", "quota exceeded",
    "too many requests", "throttled", "429", "authentication failed", "invalid token", "expired token",
    "invalid api key", "bad credentials",
)  # fmt: skip

_FAILED_STATUS = frozenset({"error", "failed", "failure"})


@dataclass(frozen=True, slots=True)
class Coded:
    """Validation codes and phrases are errors, resource codes and phrases are warnings, anything unclear is an error."""

    name: str = "coded"

    def judge(self, observation: Observation) -> Judgement:
        """Return a warning if a code, or else the message, names a resource, a permission or a limit."""
        warning = _warning(_namespace(observation)) if observation.kind in INSPECTED else None
        return Judgement(
            state="error" if warning is None else "warning", message=observation.message if warning is None else warning
        )


DETECTOR = Coded()


def _namespace(observation: Observation) -> JsonObject:
    """Return the node's output, built from the response if the observation has none."""
    if isinstance(observation.outputs, dict) and observation.outputs:
        return observation.outputs
    if observation.kind == "mcp":
        return {"result": observation.body, "error": observation.message}
    return {"response": observation.body, "status_code": 200 if observation.status is None else observation.status}


def _warning(namespace: JsonObject) -> str | None:
    response = _unwrapped(namespace)
    if not isinstance(response, dict):
        return None
    message = next((worded(text) for text in _messages(response) if text), None)
    if message is None:
        return None
    code = _code(response)
    if code is not None:
        upper = code.upper()
        if any(known in upper for known in VALIDATION_CODES):
            return None
        if any(known in upper for known in RESOURCE_CODES):
            return f"API error ({code}): {message}"
    lower = message.lower()
    if any(phrase in lower for phrase in VALIDATION_PHRASES):
        return None
    return f"API error: {message}" if any(phrase in lower for phrase in RESOURCE_PHRASES) else None


def _unwrapped(namespace: JsonObject) -> Json:
    result = namespace.get("result")
    if isinstance(result, str):
        parsed = parse_body(result.encode("utf-8", "replace"), None)
        if isinstance(parsed, dict):
            return parsed["data"] if parsed.get("successful") and "data" in parsed else parsed
    for wrapper in (result, namespace):
        if isinstance(wrapper, dict) and wrapper.get("successful") is True and "data" in wrapper:
            return wrapper["data"]
    if "response" in namespace and "status_code" in namespace:
        status = namespace["status_code"]
        return namespace["response"] if isinstance(status, int) and 200 <= status < 300 else None  # noqa: PLR2004 (2xx)
    return namespace


def _code(response: JsonObject) -> str | None:
    error = response.get("error")
    inner = error.get("code") if isinstance(error, dict) else None
    candidates = (
        response.get("error_code"), response.get("errorCode"), response.get("code"), inner,
        response.get("statusCode"), response.get("status_code"),
    )  # fmt: skip
    return next((str(code) for code in candidates if code and isinstance(code, str | int)), None)


def _messages(response: JsonObject) -> Iterator[Json]:
    error, message = response.get("error"), response.get("message")
    if response.get("ok") is False:
        yield error or "API request failed"
    if any(response.get(flag) is False for flag in ("success", "successful", "successfull", "succeeded")):
        yield error or message or "API request failed"
    if response.get("isError") is True:
        yield error
    status = response.get("status")
    if isinstance(status, str) and status in _FAILED_STATUS:
        yield message or error or "API request failed"
    errors = response.get("errors")
    if isinstance(errors, list) and errors:
        yield errors[0].get("message", "GraphQL error") if isinstance(errors[0], dict) else errors[0]
    yield error
