"""Parses each string that contains a JSON object or list once, when a template path leads into it."""

from __future__ import annotations

from mendbench.io.json_documents import finite_json
from mendbench.model.json import Json

MAX_JSON_TEXT = 10 * 1024 * 1024
"""Longest text, in characters, that is parsed as JSON while following a path."""

MAX_JSON_TEXTS = 20_000_000
"""Maximum total characters of all distinct texts that one execution parses this way."""

_BLANK = " \t\n\r"
"""Whitespace allowed before a JSON value (RFC 8259, section 2)."""

_BEGINS = frozenset("{[" + _BLANK)


class TooLarge(ValueError):
    """The resolved value exceeds the size limit."""


class JsonTexts:
    """Cache of the texts parsed in one execution. The same text returns the same object or list."""

    def __init__(self) -> None:
        self._known: dict[str, Json] = {}
        self._room = MAX_JSON_TEXTS

    def container(self, text: str) -> Json:
        """Return the object or list that ``text`` encodes as JSON, or ``text`` itself. Do not modify the returned value.

        Raises:
            TooLarge: this text, or an earlier one, exceeds the total that one execution may parse.
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
