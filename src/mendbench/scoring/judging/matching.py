"""Whether a value or a request matches a check."""

from __future__ import annotations

import json
import re

from mendbench.exchanges.bodies import form_fields, parse_body
from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import NoRequestCheck, RequestCheck
from mendbench.model.exchange import Exchange, Request
from mendbench.model.json import Json


def same(left: Json, right: Json) -> bool:
    """Return whether two JSON values are equal: 1 equals 1.0, and True does not equal 1."""
    if type(left) is type(right) and isinstance(left, str | int | None):
        return bool(left == right)
    return canonical_json(left) == canonical_json(right)


def contains(actual: Json, expected: Json, *, only: bool = False) -> bool:
    """Return whether ``actual`` contains everything in ``expected``; with ``only``, nothing else.

    An object may have further keys, at every depth, unless ``only`` is set. A list must have the same length and order. Other values are
    compared with :func:`same`. A key that is expected to be null must be present.
    """
    if isinstance(expected, dict):
        return (
            isinstance(actual, dict)
            and (not only or actual.keys() <= expected.keys())
            and all(key in actual and contains(actual[key], value, only=only) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return (
            isinstance(actual, list)
            and len(actual) == len(expected)
            and all(contains(mine, wanted, only=only) for mine, wanted in zip(actual, expected, strict=True))
        )
    return not isinstance(actual, dict | list) and same(actual, expected)


def body_of(request: Request) -> Json:
    """Return the body as a value. A form becomes an object of its fields, all strings."""
    value = parse_body(request.body, request.header("content-type"))
    fields = form_fields(value)
    return value if fields is None else fields


def carries(request: Request, expected: Json, *, only: bool = False) -> bool:
    """Return whether the body of ``request`` contains everything in ``expected``; with ``only``, nothing else.

    A form's fields are strings. Where ``expected`` is not a string, the field is parsed as JSON first (``3``, ``true``,
    Slack's ``blocks``).
    """
    value = parse_body(request.body, request.header("content-type"))
    fields = form_fields(value)
    if fields is None:
        return contains(value, expected, only=only)
    return (
        isinstance(expected, dict)
        and (not only or fields.keys() <= expected.keys())
        and all(name in fields and _field_is(fields[name], wanted, only=only) for name, wanted in expected.items())
    )


def is_wanted(exchange: Exchange, check: RequestCheck) -> bool:
    """Return whether ``check`` requires the request, as sent or as its service interprets it.

    The response does not matter.
    """
    return any(
        request.method.upper() == check.method.upper()
        and normalise_url(request.url) == normalise_url(check.url)
        and all(_has_header(request, name, value) for name, value in check.headers.items())
        and (check.json is None or carries(request, check.json, only=check.only))
        and (check.text is None or re.search(check.text, request.body.decode("utf-8", "replace")) is not None)
        for request in exchange.spellings
    )


def is_forbidden(exchange: Exchange, check: NoRequestCheck) -> bool:
    """Return whether ``check`` forbids the request, as sent or as its service interprets it.

    Its pattern may match anywhere in the normalised URL.
    """
    return any(
        (check.method is None or request.method.upper() == check.method.upper())
        and (check.url is None or re.search(check.url, normalise_url(request.url)) is not None)
        and (check.json is None or carries(request, check.json))
        for request in exchange.spellings
    )


def _has_header(request: Request, name: str, value: str) -> bool:
    return any(key.lower() == name.lower() and found.strip() == value.strip() for key, found in request.headers)


def _field_is(field: str, wanted: Json, *, only: bool) -> bool:
    if isinstance(wanted, str):
        return field == wanted
    try:
        return contains(json.loads(field), wanted, only=only)
    except (ValueError, RecursionError):
        return False
