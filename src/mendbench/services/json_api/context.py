"""One request that a route handles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mendbench.model.exchange import Headers, find_header
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.refusal import RefusedError
from mendbench.services.json_api.spec import Api, Route


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One request that a route handles. ``data`` is the API's part of the new state."""

    api: Api
    route: Route
    data: JsonObject
    path: JsonObject
    query: JsonObject
    body: JsonObject
    now_ms: int
    headers: Headers = ()
    url_path: str = "/"
    tried: int = 0
    """How often this exact request was sent since the last accepted write, where tries are counted."""

    @property
    def items(self) -> JsonObject:
        """The route's collection by id."""
        return cast("JsonObject", self.data.setdefault("collections", {}).setdefault(self.route.collection, {}))

    @property
    def item_id(self) -> str:
        """The path's last parameter."""
        return str(list(self.path.values())[-1])

    @property
    def missing(self) -> RefusedError:
        """The error for an object that does not exist."""
        detail = self.route.options.get("missing")
        if detail:
            return RefusedError(404, str(detail))
        wanted = self.item_id if self.path else next(iter(self.query.values()), "")
        return RefusedError(404, f"{singular(self.route.collection)} not found", reason="missing_thing", value=wanted)

    def stored(self) -> JsonObject:
        """Return the object that the path names.

        Raises:
            RefusedError: the object does not exist.
        """
        item = self.items.get(self.item_id)
        if not isinstance(item, dict):
            raise self.missing
        return item

    def header(self, name: str) -> str | None:
        """Return the first value of that header, or None."""
        return find_header(self.headers, name)

    def in_place(self, text: Json, **more: Json) -> str:
        """Return a text with the path's parameters (``{id}``) filled in."""
        result = str(text)
        for name, value in {**self.path, **more}.items():
            result = result.replace(f"{{{name}}}", str(value))
        return result


def at(item: Json, path: str) -> Json:
    """Return the value under a dotted path, or None."""
    for part in path.split("."):
        item = item.get(part) if isinstance(item, dict) else None
    return item


def equals(value: Json, text: Json) -> bool:
    """Compare a stored value with one from a URL."""
    if isinstance(value, bool):
        return str(value).lower() == str(text).lower()
    return value is not None and (value == text or str(value) == str(text))


def singular(collection: str) -> str:
    """Return a collection's name for one object: ``notes`` is ``Note``."""
    word = collection.replace("_", " ")
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("people", "person"), ("s", "")):
        if word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)] + instead
            break
    return word[:1].upper() + word[1:]
