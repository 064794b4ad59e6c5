"""Other spellings of a name, as people and models write them by mistake."""

from __future__ import annotations

import re
from collections.abc import Iterator

SYNONYMS: tuple[tuple[str, ...], ...] = (
    ("id", "identifier", "uid"),
    ("name", "title", "label"),
    ("text", "message", "content", "body"),
    ("email", "mail", "email_address"),
    ("url", "link", "href"),
    ("number", "no", "num"),
    ("amount", "total", "sum"),
    ("created_at", "created", "date_created"),
    ("updated_at", "updated", "modified"),
    ("user", "username", "member"),
    ("items", "results", "data", "entries"),
    ("state", "status"),
    ("channel", "channel_id"),
    ("description", "summary", "details"),
    ("customer", "customer_id"),
    ("count", "quantity", "qty"),
    ("start", "from", "begin"),
    ("end", "to", "until"),
)
"""Names that APIs use for the same thing. Each is one that a public API has where another one has its neighbour."""


def misspellings(name: str) -> Iterator[str]:
    """Yield other spellings of a name, the most plausible first, none twice: another case style, a synonym, number, a typing error."""
    seen = {name}
    for other in _candidates(name):
        if other and other not in seen and re.fullmatch(r"[A-Za-z_][\w-]*", other):
            seen.add(other)
            yield other


def _candidates(name: str) -> Iterator[str]:
    yield _other_style(name)
    for group in SYNONYMS:
        if name.lower() in group:
            yield from group
    for group in SYNONYMS:
        head, _, last = name.rpartition("_")
        if head and last in group:
            yield from (f"{head}_{other}" for other in group)
    yield name[:-1] if name.endswith("s") and not name.endswith("ss") else f"{name}s"
    if len(name) > 3:  # noqa: PLR2004 - a shorter name with two letters swapped is another word
        middle = len(name) // 2
        yield name[:middle] + name[middle + 1] + name[middle] + name[middle + 2 :] if middle + 1 < len(name) else ""
        yield name[:middle] + name[middle + 1 :]


def _other_style(name: str) -> str:
    if "_" in name.strip("_"):
        head, *rest = name.split("_")
        return head + "".join(part.capitalize() for part in rest)
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found.group(1).lower()}", name)
