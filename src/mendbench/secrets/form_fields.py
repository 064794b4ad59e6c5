"""Fields of forms in a text, by their names: parts of a multipart body (RFC 7578), and HTML's elements with a name and a value.

Each piece of a text is read a fixed number of times, regardless of how often it contains ``name=``.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Held = Callable[[str, str], str]
"""Returns the displayable form of a value, from the name and the value of a field."""

_OUTSIDE_TAGS = re.compile(r"[^<>]+")
_HEAD = re.compile(
    r"^(?:[^\r\nn]++|(?!\bname=)n)*\bname=\"?([^\"\r\n;]++)[^\r\n]*+(?:\r?\n[^\r\n]++){0,20}\r?\n\r?\n",
    re.IGNORECASE | re.MULTILINE,
)
"""The maximum number of header lines of a part, from the one that names it to the empty line."""
_END = re.compile(r"\r?\n--")
_TAG = re.compile(r"<[^<>]+")
_NAME = re.compile(r"\bname=[\"']([^\"'<>]++)[\"']", re.IGNORECASE)
_VALUE = re.compile(r"\bvalue=[\"']([^\"'<>]++)", re.IGNORECASE)


def parts_shown(text: str, held: Held) -> str:
    """Return a text with the contents of multipart fields sanitised. A field ends before ``--`` on a new line."""
    return _OUTSIDE_TAGS.sub(lambda found: _parts(found.group(), held), text) if "\n--" in text else text


def _parts(text: str, held: Held) -> str:
    shown: list[str] = []
    at = 0
    while head := _HEAD.search(text, at):
        end = _END.search(text, head.end())
        if end is None:
            break
        shown += [text[at : head.end()], held(head.group(1), text[head.end() : end.start()])]
        at = end.start()
    return "".join([*shown, text[at:]])


def elements_shown(text: str, held: Held) -> str:
    """Return a text with the values of HTML elements sanitised, each under the last name before it."""
    return _TAG.sub(lambda found: _element(found.group(), held), text) if "<" in text else text


def _element(tag: str, held: Held) -> str:
    value = max(_VALUE.finditer(tag), key=re.Match.start, default=None)
    name = max(_NAME.finditer(tag, 0, value.start()), key=re.Match.start, default=None) if value else None
    if value is None or name is None:
        return tag
    return tag[: value.start(1)] + held(name.group(1), value.group(1)) + tag[value.end(1) :]
