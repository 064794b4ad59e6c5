"""Texts that are the JSON of an object or a list, where a template leads into one: each is parsed once."""

from __future__ import annotations

from mendbench.io.json_documents import finite_json
from mendbench.model.json import Json

MAX_JSON_TEXT = 10 * 1024 * 1024
"""Longest text, in characters, that is parsed as JSON on the way of a path."""

MAX_JSON_TEXTS = 20_000_000
"""Characters of all different texts that one execution parses on such ways."""

_BLANK = " \t\n\r"
"""What may stand before a JSON value (RFC 8259, section 2)."""

_BEGINS = frozenset("{[" + _BLANK)


class TooLarge(ValueError):
    """What is being resolved has become larger than it may."""


class JsonTexts:
    """What the texts of one execution are the JSON of. A text that led to an object or a list leads to the same one again."""

    def __init__(self) -> None:
        self._known: dict[str, Json] = {}
        self._room = MAX_JSON_TEXTS

    def container(self, text: str) -> Json:
        """Return the object or list that ``text`` is the JSON of, or ``text`` itself. Nobody may change what is returned.

        Raises:
            TooLarge: it would be more text than one execution may parse, or another text before it was.
        """
        if text[:1] not in _BEGINS or len(text) > MAX_JSON_TEXT:
            return text
        if text not in self._known:
            self._known[text] = self._parsed(text)
        return self._known[text]

    def _parsed(self, text: str) -> Json:
        if self._room >= 0:
            if not text.lstrip(_BLANK).startswith(("{", "[")):
                return text
            self._room -= len(text)
        if self._room < 0:
            raise TooLarge
        try:
            parsed = finite_json(text)
        except (ValueError, RecursionError):
            return text
        return parsed if isinstance(parsed, dict | list) else text
