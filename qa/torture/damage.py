"""Damage: what people, editors, merges, disks and attackers make of a file that was right."""

from __future__ import annotations

import copy
import json
import random
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import yaml

DIGITS = "9" * 5000
TOKENS = {
    "@@inf@@": "1e400",
    "@@nan@@": "NaN",
    "@@digits@@": DIGITS,
    "@@infinity@@": "-Infinity",
    "@@hex@@": "0xffffffffffffffffffffffff",
}
"""Stand in a value for what no serialiser writes."""

NASTY: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, -0.0, 1e308, 2**63, 10**400, "", " ", "x", "0", "null", "\x00", "\x1b[31m", "\u2028", "\ufeff", "é" * 400,
    "a" * 100_000, "${a.b}", "${", "{{ 7 * 7 }}", "../../../etc/passwd", "/", "2026-11-22", "1:20", "no", "[", "(", "(a+)+$", "http://[", "http://a:b@c:99999/",
    [], {}, [[]], [None], {"": None}, {"$text": []}, {"$text": "x"}, {"$text": None}, {"a": {"b": {"c": []}}}, ["a"] * 300, *TOKENS,
)  # fmt: skip


def nested(levels: int) -> Any:
    """Return lists within objects within lists."""
    value: Any = "end"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def changed(value: Any, chance: random.Random) -> Any:
    """Return a parsed document with one to three things wrong in it."""
    value = {"root": copy.deepcopy(value)}
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        places = list(_places(value))
        holder, key = chance.choice(places)
        chance.choice(_CHANGES)(holder, key, chance, places)
    return value.get("root")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from _places(item)


def _delete(holder: Any, key: Any, _chance: random.Random, _places: list[Any]) -> None:
    if isinstance(holder, dict):
        holder.pop(key, None)
    elif key < len(holder):
        del holder[key]


def _retype(holder: Any, key: Any, chance: random.Random, _places: list[Any]) -> None:
    if isinstance(holder, dict) or key < len(holder):
        holder[key] = copy.deepcopy(chance.choice(NASTY))


def _double(holder: Any, key: Any, chance: random.Random, _places: list[Any]) -> None:
    if isinstance(holder, dict):
        holder[f"{key}{chance.choice(('', '2', 's', ' ', chr(0), 'a' * 5000))}"] = copy.deepcopy(holder.get(key))
    elif key < len(holder):
        holder.insert(key, copy.deepcopy(holder[key]))


def _swap(holder: Any, key: Any, chance: random.Random, places: list[Any]) -> None:
    other, name = chance.choice(places)
    try:
        holder[key], other[name] = copy.deepcopy(other[name]), copy.deepcopy(holder[key])
    except (LookupError, TypeError):
        return


def _wrap(holder: Any, key: Any, chance: random.Random, _places: list[Any]) -> None:
    if isinstance(holder, dict) or key < len(holder):
        holder[key] = chance.choice(
            (lambda: [holder[key]], lambda: {"a": holder[key]}, lambda: nested(150), lambda: nested(400))
        )()


def _unknown(holder: Any, _key: Any, chance: random.Random, _places: list[Any]) -> None:
    if isinstance(holder, dict):
        holder[chance.choice(("zzz", "x" * 3000, "", "\n", "é", "__class__", "$text", "<<"))] = copy.deepcopy(
            chance.choice(NASTY)
        )


_CHANGES: tuple[Callable[[Any, Any, random.Random, list[Any]], None], ...] = (
    _delete, _retype, _retype, _retype, _double, _swap, _wrap, _unknown
)  # fmt: skip


def _untokened(text: str) -> str:
    for token, word in TOKENS.items():
        text = text.replace(f'"{token}"', word).replace(token, word)
    return text


def _json(value: Any) -> str:
    return _untokened(json.dumps(value))


def _yaml(value: Any) -> str:
    return _untokened(yaml.safe_dump(value, sort_keys=False, allow_unicode=False))


def _toml(value: Any) -> str:
    if not isinstance(value, dict):
        return f"value = {_toml_value(value)}"
    return "".join(f"{json.dumps(str(name))} = {_toml_value(item)}\n" for name, item in value.items())


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(name))} = {_toml_value(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    words = {
        "@@inf@@": "inf",
        "@@nan@@": "nan",
        "@@digits@@": DIGITS,
        "@@hex@@": "1979-05-27T07:32:00Z",
        "@@infinity@@": "07:32:00",
    }
    return words.get(value, json.dumps(value)) if isinstance(value, str) else json.dumps(value)


def _lines(value: Any) -> str:
    return "".join(_json(line) + "\n" for line in value) if isinstance(value, list) else _json(value)


def _table(value: Any) -> str:
    if not isinstance(value, list):
        return _json(value)
    return "".join("\t".join(map(str, line)) + "\n" if isinstance(line, list) else f"{line}\n" for line in value)


def _fronted(value: Any) -> str:
    front, body = (value.get("front"), value.get("body")) if isinstance(value, dict) else (value, "")
    return f"---\n{_yaml(front)}---\n{body if isinstance(body, str) else _json(body)}"


def _unfronted(text: str) -> Any:
    _, front, body = text.split("---\n", 2)
    return {"front": yaml.safe_load(front), "body": body}


FORMATS: dict[str, tuple[Callable[[str], Any], Callable[[Any], str]]] = {
    "json": (json.loads, _json),
    "yaml": (yaml.safe_load, _yaml),
    "toml": (tomllib.loads, _toml),
    "jsonl": (lambda text: [json.loads(line) for line in text.splitlines()], _lines),
    "tsv": (lambda text: [line.split("\t") for line in text.splitlines()], _table),
    "csv": (
        lambda text: [line.split(",") for line in text.splitlines()],
        lambda value: _table(value).replace("\t", ","),
    ),
    "template": (_unfronted, _fronted),
}
"""How a format is parsed, and written again."""


def broken(data: bytes, chance: random.Random) -> bytes:
    """Return bytes with what happens to bytes."""
    for _ in range(chance.choice((1, 1, 2, 5))):
        data = chance.choice(_BYTES)(data, chance, chance.randrange(len(data) + 1))
    return data


def _flip(data: bytes, chance: random.Random, at: int) -> bytes:
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


_PIECES = (
    b"\0", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r", b"\t", b"\x1b[2J", b"[" * 500, b"{" * 500, b'"', b"'", b"\n---\n", b"&a ", b"*a", b"!!python/name:os.system ",
    b"{{", b"}}", b"{% for x in failures %}", b"{% endblock %}", b": ", b"- ", b"\n\n", b"\\", b"\\ud800", b"1e999", b"\xe2\x80\xa8", b"<<<<<<< HEAD\n", b"#", b"|", b"%YAML 9.9\n",
)  # fmt: skip

_BYTES: tuple[Callable[[bytes, random.Random, int], bytes], ...] = (
    _flip,
    _flip,
    lambda data, _chance, at: data[:at],
    lambda data, _chance, at: data[at:],
    lambda data, chance, at: data[:at] + chance.choice(_PIECES) + data[at:],
    lambda data, chance, at: data[:at] + chance.choice(_PIECES) + data[at:],
    lambda data, chance, at: data[:at] + data[chance.randrange(len(data) + 1) :][: chance.randrange(200)] + data[at:],
    lambda data, chance, at: data[:at] + data[at + chance.randrange(60) :],
    lambda data, _chance, _at: data.replace(b"\n", b"\r\n"),
    lambda data, _chance, _at: b"\xef\xbb\xbf" + data,
    lambda data, chance, _at: data.decode("utf-8", "replace").encode(chance.choice(("utf-16", "utf-16-le", "latin-1", "utf-32")), "replace"),
    lambda data, chance, at: data[:at] + chance.randbytes(20) + data[at:],
)  # fmt: skip
