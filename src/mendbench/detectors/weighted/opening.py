"""Open a response body: JSON, XML, form data, HTML or text, as one tree of objects, lists and texts."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import parse_qsl
from xml.etree.ElementTree import Element, ParseError, XMLParser

from mendbench.model.json import Json, JsonObject

Form: TypeAlias = Literal["empty", "data", "html", "text"]

MAX_CHARS = 200_000
"""The maximum number of characters of a text that are parsed."""

MAX_XML_DEPTH = 30

_HTML = re.compile(
    r"^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*(?:<!doctype html|<html|<(?:head|body|h1|h2|div|p|span|center|pre|table|font|b|strong)\b)",
    re.IGNORECASE | re.DOTALL,
)
_SHOWN = re.compile(r"<(?P<tag>title|h1|h2)\b[^<>]*>(?P<text>[^<]{1,500})", re.IGNORECASE)
_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_CALLBACK = re.compile(r"^\s*[\w.$]{1,60}\((?P<json>[\[{].*[\]}])\)\s*;?\s*$", re.DOTALL)
_FORM = re.compile(r"^[\w.\[\]-]+=[^\s&]*(?:&[\w.\[\]-]+=[^\s&]*)+$")
_PART = re.compile(r"^HTTP/\d(?:\.\d)? (?P<status>\d{3})[^\n]*\n(?P<rest>.*)", re.DOTALL | re.MULTILINE)
_EXTERNAL_DTD = re.compile(r"<!DOCTYPE[^<>\[]*>")
"""A document type that is defined elsewhere, which is not fetched."""
_BOUNDARY = re.compile(r"^\s*--(?P<boundary>\S{3,70})\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A body after parsing."""

    form: Form
    value: Json
    """The tree of ``data``; for ``html`` what a reader sees, title first; for ``text`` the text."""


def opened(body: Json) -> Opened:
    """Return what a body contains. A text that is JSON, XML, form data or a multipart batch is parsed; nothing is executed or fetched."""
    if body is None or body == "":
        return Opened(form="empty", value=None)
    if not isinstance(body, str):
        return Opened(form="data", value=body)
    text = body[:MAX_CHARS].strip("\ufeff \t\r\n")
    if not text:
        return Opened(form="empty", value=None)
    if _HTML.match(text):
        return Opened(form="html", value=_seen(text))
    parsed = parsed_text(text)
    return Opened(form="text", value=text) if parsed is None else Opened(form="data", value=parsed)


def parsed_text(text: str) -> Json:
    """Return the object or list that a text is, or None."""
    start = text.lstrip()[:1]
    if start in {"{", "["}:
        return _json(text)
    if start == "<":
        return _xml(text)
    if (callback := _CALLBACK.match(text)) is not None:
        return _json(callback["json"])
    if (boundary := _BOUNDARY.match(text)) is not None:
        return _parts(text, boundary["boundary"])
    return _form_data(text)


def _json(text: str) -> Json:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = _json_lines(text)
    return value if isinstance(value, dict | list) else None


def _json_lines(text: str) -> Json:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _form_data(text: str) -> Json:
    return dict(parse_qsl(text, keep_blank_values=True)) if _FORM.match(text) else None


def _parts(text: str, boundary: str) -> Json:
    """Return the responses in a multipart batch (OData 4.01 section 11.7), each as its status and body."""
    found = [match for part in text.split(f"--{boundary}") if (match := _PART.search(part.replace("\r\n", "\n")))]
    responses: list[Json] = []
    for match in found:
        body = match["rest"].partition("\n\n")[2].strip() or match["rest"].strip()
        responses.append({"status": int(match["status"]), "body": parsed_text(body) if body else None})
    return {"responses": responses} if responses else None


def _seen(text: str) -> str:
    """Return what a reader of a page sees: title and headings first, one a line, then the rest."""
    plain = _UNSEEN.sub(" ", text)
    heads = [html.unescape(" ".join(match["text"].split())) for match in _SHOWN.finditer(plain)]
    rest = html.unescape(" ".join(_TAG.sub(" ", plain).split()))
    return "\n".join([*dict.fromkeys(heads), rest])


def _xml(text: str) -> Json:
    """Return an XML document as an object with its root as the only slot. A document that declares entities is not parsed."""
    text = _EXTERNAL_DTD.sub("", text, count=1)
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        return None
    parser = XMLParser()  # noqa: S314  no DTD, so no entities
    try:
        parser.feed(text)
        root = parser.close()
    except (ParseError, ValueError, RecursionError):
        return None
    return {_local(root.tag): _element(root, 0)}


def _local(tag: object) -> str:
    return str(tag).rpartition("}")[2]


def _element(element: Element, depth: int) -> Json:
    """Return an element: its text if it has nothing else, otherwise its attributes and children by name."""
    text = " ".join((element.text or "").split())
    if not len(element) and not element.attrib:
        return text
    found: JsonObject = {_local(name): value for name, value in element.attrib.items()}
    for child in element if depth < MAX_XML_DEPTH else ():
        name, value = _local(child.tag), _element(child, depth + 1)
        if name not in found:
            found[name] = value
            continue
        before = found[name]
        if isinstance(before, list):
            before.append(value)
        else:
            found[name] = [before, value]
    if text:
        found["#text"] = text
    return found
