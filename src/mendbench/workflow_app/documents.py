"""Reads documents from files and the command line, and writes documents."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.files import why_unwritable, write_atomically
from mendbench.io.json_documents import load_json, refuse_repeated_keys
from mendbench.io.reading import MAX_DOCUMENT, read_text
from mendbench.model.json import Json, JsonObject


def read_workflow(path: Path) -> JsonObject:
    """Return the workflow document in a file, without validation.

    Raises:
        BadInput: it cannot be read, is not a JSON object, or an object in it has a key twice.
    """
    hint = "name a workflow's JSON file"
    text = read_text(path, MAX_DOCUMENT, hint, hint)
    document = load_json(text, str(path))
    refuse_repeated_keys(text, str(path))
    if not isinstance(document, dict):
        raise BadInput(str(path), f"a JSON {type(document).__name__}", "a workflow is a JSON object with 'nodes'")
    return document


_NO_PAIR = {"--secret": ("no pair", "write NAME=ENVVAR: the name of an environment variable, never the secret itself")}
"""What is found and what to do, for an option whose word may be a secret by mistake."""


def read_inputs(given: Iterable[str], option: str = "--input") -> dict[str, str]:
    """Return the pairs of ``NAME=VALUE`` words. A value is text; its declared type determines how it is parsed.

    Raises:
        BadInput: a word is not a pair, or a name is repeated.
    """
    pairs: dict[str, str] = {}
    for word in given:
        name, equals, value = word.partition("=")
        if not equals or not name.strip():
            raise BadInput(option, *_NO_PAIR.get(option, (repr(word), "write NAME=VALUE")))
        if name in pairs:
            raise BadInput(option, f"{name!r} is given twice", "give it once")
        pairs[name] = value
    return pairs


def as_text(document: Json) -> str:
    """Return a document as every front end writes it."""
    return json.dumps(document, indent=2, ensure_ascii=False, default=str)


def save_workflow(document: JsonObject, path: Path) -> None:
    """Write a workflow atomically.

    Raises:
        BadInput: the file cannot be written.
    """
    try:
        write_atomically(path, as_text(document) + "\n")
    except OSError as error:
        raise BadInput(str(path), why_unwritable(error), "name another file") from None
