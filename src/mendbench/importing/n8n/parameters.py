"""The parameters of n8n's HTTP Request node (versions 3 and 4) as those of our ``http`` node.

Parameters that have their default are not stored. A reader turns each value into what was sent, or into what a workflow of ours says.
"""

from __future__ import annotations

from typing import Final, Protocol
from urllib.parse import quote_plus

from mendbench.importing.n8n.document import dict_at
from mendbench.importing.n8n.expressions import NotSimple, Path, is_expression
from mendbench.model.json import Json, JsonObject

OMITTED: Final = object()
"""Stands for a value that JavaScript calls ``undefined``: n8n leaves its name out."""

_LISTS, _NESTS = 4.3, 4
"""The versions since which a repeated name makes a list, and a dotted name in a JSON body makes objects."""

_CREDENTIALS_ELSEWHERE = frozenset({"httpQueryAuth", "httpCustomAuth"})
"""Kinds of credentials that change the URL or the body, and not only headers."""


class Reader(Protocol):
    """Turns the values of n8n's parameters into values of ours. Each raises ``NotSimple`` if there is none."""

    def value(self, raw: Json, place: Path) -> Json:
        """Return a value, or :data:`OMITTED`."""

    def json_text(self, raw: Json, place: Path) -> Json:
        """Return the value of a JSON text."""

    def form_text(self, raw: Json, place: Path) -> str:
        """Return a value as it stands in a form, percent-encoded."""


def version_of(node: JsonObject) -> float:
    """Return the version of a node's type."""
    found = node.get("typeVersion")
    return float(found) if isinstance(found, int | float) else 1.0


def option(node: JsonObject, *names: str) -> Json:
    """Return one of a node's options, such as ``response.response.fullResponse``; None if it is not set."""
    found: Json = dict_at(node.get("parameters"), "options")
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def http_params(node: JsonObject, reader: Reader) -> JsonObject:
    """Return the parameters of our ``http`` node.

    Raises:
        NotSimple: our node cannot send that request, or a value is unknown.
    """
    given = dict_at(node, "parameters")
    if str(option(node, "pagination", "pagination", "paginationMode") or "off") != "off":
        raise NotSimple("it asks for several pages")
    if str(given.get("genericAuthType")) in _CREDENTIALS_ELSEWHERE:
        raise NotSimple("its credential is part of the URL or the body, and not in the file")
    params: JsonObject = {
        "url": reader.value(given.get("url", ""), ("url",)),
        "method": reader.value(given.get("method", "GET"), ("method",)),
    }
    if _sends(given, "sendQuery"):
        params["params"] = _query(node, given, reader)
    headers = _named(node, given, "Headers", "headerParameters", reader) if _sends(given, "sendHeaders") else {}
    if _sends(given, "sendBody"):
        params["body"], kind = _body(node, given, reader, str(params["method"]).upper())
        if kind and not any(name.lower() == "content-type" for name in headers):
            headers["Content-Type"] = kind
    if headers:
        params["headers"] = headers
    timeout = option(node, "timeout")
    if isinstance(timeout, int | float) and timeout > 0:
        params["timeout"] = timeout / 1000
    return params


def _sends(given: JsonObject, name: str) -> bool:
    if is_expression(given.get(name)):
        raise NotSimple(f"{name} is an expression")
    return bool(given.get(name))


def _query(node: JsonObject, given: JsonObject, reader: Reader) -> JsonObject:
    query = _named(node, given, "Query", "queryParameters", reader)
    nested = any(isinstance(value, dict | list) for value in query.values())
    if nested and option(node, "queryParameterArrays") != "repeat":
        raise NotSimple("a query parameter is a list or an object")
    return query


def _named(node: JsonObject, given: JsonObject, what: str, listed: str, reader: Reader) -> JsonObject:
    """Return the query or the headers, given as names and values or as JSON."""
    place = "params" if what == "Query" else "headers"
    if given.get(f"specify{what}", "keypair") == "json":
        value = reader.json_text(given.get(f"json{what}", ""), (place,))
        if not isinstance(value, dict):
            raise NotSimple(f"json{what} is no object")
        return dict(value)
    found: JsonObject = {}
    for name, raw in _pairs(given, listed):
        value = reader.value(raw, (place, name))
        if value is OMITTED:
            continue
        if name in found and version_of(node) >= _LISTS:
            found[name] = [*(found[name] if isinstance(found[name], list) else [found[name]]), value]
        else:
            found[name] = value
    return found


def _pairs(given: JsonObject, listed: str) -> list[tuple[str, Json]]:
    rows = dict_at(given, listed).get("parameters")
    pairs: list[tuple[str, Json]] = []
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict) or not row.get("name"):
            continue
        if is_expression(row["name"]) or row.get("parameterType") == "formBinaryData":
            raise NotSimple("a name is an expression, or a value is a file")
        pairs.append((str(row["name"]), row.get("value", "")))
    return pairs


def _body(node: JsonObject, given: JsonObject, reader: Reader, method: str) -> tuple[Json, str | None]:
    """Return the body, and its content type if it is not the one that our node sets."""
    content, specified = given.get("contentType", "json"), given.get("specifyBody", "keypair")
    if content == "raw":
        return reader.value(given.get("body", ""), ("body",)), given.get("rawContentType") or None
    if content == "json" and specified == "json":
        return reader.json_text(given.get("jsonBody", ""), ("body",)), None
    if content == "json" and specified == "keypair":
        return _fields(_pairs(given, "bodyParameters"), reader, nests=version_of(node) >= _NESTS), None
    if content != "form-urlencoded" or method not in {"GET", "PATCH", "POST", "PUT"}:
        raise NotSimple(f"its body is of the kind {content}, which our nodes do not send")
    kind = "application/x-www-form-urlencoded"
    if specified == "string":
        return reader.value(given.get("body", ""), ("body",)), kind
    pairs = _pairs(given, "bodyParameters")
    if len({name for name, _ in pairs}) != len(pairs):
        raise NotSimple("a name occurs twice in its form")
    return "&".join(f"{quote_plus(name)}={reader.form_text(raw, ('form', name))}" for name, raw in pairs), kind


def _fields(pairs: list[tuple[str, Json]], reader: Reader, *, nests: bool) -> JsonObject:
    body: JsonObject = {}
    for name, raw in pairs:
        if nests and "[" in name:
            raise NotSimple("a name in its body has an index")
        *outer, last = name.split(".") if nests else [name]
        value = reader.value(raw, ("body", *outer, last))
        if value is OMITTED:
            continue
        held = body
        for key in outer:
            if not isinstance(held.setdefault(key, {}), dict):
                raise NotSimple("a name in its body leads into a text")
            held = held[key]
        held[last] = value
    return body
