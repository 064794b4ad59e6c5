"""The words of a prompt that tell a fact, as they stand there: what a reader looks for in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from mendbench.scoring.judging.recall import readings

MOST = 12
"""How many different words tell one fact at most: a loose pattern would mark all there is."""


def matched_words(facts: Iterable[str], texts: Sequence[str]) -> tuple[str, ...]:
    """Return the words in ``texts`` that match one of the facts between word boundaries, the longest first.

    Facts are those that a prompt was found to tell, so they are regular expressions; one of a damaged row, which is none, has no words.
    A word that only reads so once JSON's escapes are undone is returned as it is written there.
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
