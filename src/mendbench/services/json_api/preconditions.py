"""Protection against lost updates: entity tags (RFC 9110 section 13), required tags (428, RFC 6585 section 3), version fields."""

from __future__ import annotations

from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.services.json_api.context import Context, singular
from mendbench.services.json_api.refusal import RefusedError
from mendbench.services.json_api.shaping import elapsed_of

_CHANGED, _UNCONDITIONAL = 412, 428


def etag_of(item: Json) -> str:
    """Return the strong entity tag of an object, with its quotes."""
    return f'"{digest(item)}"'


def not_modified(context: Context, item: Json) -> Response | None:
    """Return a 304 if the caller has the current version of the object, else None."""
    seen = context.header("if-none-match")
    if not context.route.options.get("etag") or seen is None or not _names(seen, etag_of(item), weakly=True):
        return None
    return Response(status=304, headers=(("etag", etag_of(item)),), elapsed_ms=elapsed_of(context.route))


def check_match(context: Context, item: Json) -> None:
    """Check If-Match where the route has entity tags; ``"etag": "required"`` makes it mandatory.

    Raises:
        RefusedError: 412 for another tag, 428 for none.
    """
    wanted = context.route.options.get("etag")
    if not wanted:
        return
    seen = context.header("if-match")
    if seen is None and wanted == "required":
        detail = "This request is required to be conditional; try using If-Match."
        raise RefusedError(_UNCONDITIONAL, detail, reason="unconditional", about="If-Match")
    if seen is not None and not _names(seen, etag_of(item), weakly=False):
        detail = f"{singular(context.route.collection)} has changed since it was read"
        raise RefusedError(_CHANGED, detail, reason="changed", about="If-Match", value=seen)


def check_version(context: Context, item: JsonObject) -> JsonObject:
    """Return the next value of the route's ``version`` field, as an object; empty if the route has no such field.

    Raises:
        RefusedError: 409, the body does not contain the stored version.
    """
    name = context.route.options.get("version")
    if not name:
        return {}
    stored = item.get(str(name), 0)
    if context.body.get(str(name)) != stored:
        detail = f"{singular(context.route.collection)} is at {name} {stored}, not {context.body.get(str(name))}"
        raise RefusedError(409, detail, reason="changed", about=str(name), value=context.body.get(str(name)))
    return {str(name): stored + 1} if isinstance(stored, int) else {}


def _names(header: str, tag: str, *, weakly: bool) -> bool:
    tags = [part.strip() for part in header.split(",")]
    return "*" in tags or tag in [part.removeprefix("W/") if weakly else part for part in tags]
