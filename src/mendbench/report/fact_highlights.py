"""The words of a prompt that state a fact, for highlighting."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from mendbench.scoring.judging.recall import readings

MOST = 12
"""Maximum number of different words per fact: a loose pattern would mark everything."""


def matched_words(facts: Iterable[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return the words in ``texts`` that match one of the facts between word boundaries, the longest first.

    Facts are regular expressions that matched a prompt. An invalid expression in a damaged row yields no words.
    A word that matches only after JSON unescaping is returned in its escaped form.
    """
    found = {word for fact in facts for word in _of_fact(fact, texts)}
    return tuple(sorted(found, key=lambda word: (-len(word), word)))


def _of_fact(fact: str, texts: Sequence[str]) -> Sequence[str]:
    try:
        pattern = re.compile(rf"(?<!\w)(?:{fact})(?!\w)")
    except (re.error, OverflowError):
        return ()
    matches = (match.group() for text in texts for form in readings(text) for match in pattern.finditer(form))
    words = dict.fromkeys(word for word in matches if word.strip())
    return list(dict.fromkeys(written for word in words for written in _as_written(word, texts)))[:MOST]


def _as_written(word: str, texts: Sequence[str]) -> Iterator[str]:
    forms = (word, json.dumps(word, ensure_ascii=False)[1:-1], json.dumps(word)[1:-1])
    return (form for form in forms if any(form in text for text in texts))
