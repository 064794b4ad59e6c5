"""Lists: newest first, with a cursor (https://docs.stripe.com/api/pagination)."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.services.payments.schema import Param
from mendbench.services.payments.state import Context

DEFAULT_LIMIT, MOST = 10, 100
PAGED = (
    Param(name="limit", kind="integer", least=1, most=MOST),
    Param(name="starting_after"),
    Param(name="ending_before"),
)


def listed(context: Context, collection: str, *filters: str) -> JsonObject:
    """Return one page of a collection; ``filters`` are parameters that the objects have to match.

    Raises:
        StripeError: a cursor is not an id of the collection.
    """
    values = context.values
    wanted = {name: values[name] for name in filters if name in values}
    shown = [context.show(collection, key) for key in reversed(list(context.part(collection)))]
    shown = [entry for entry in shown if all(entry.get(name) == value for name, value in wanted.items())]
    shown.sort(key=lambda entry: -int(entry["created"]))
    ids = [entry["id"] for entry in shown]
    limit = int(values.get("limit", DEFAULT_LIMIT))
    start, end = 0, len(shown)
    if values.get("starting_after"):
        start = _after(context, collection, values["starting_after"], "starting_after", ids) + 1
    if values.get("ending_before"):
        end = _after(context, collection, values["ending_before"], "ending_before", ids)
        start = max(start, end - limit)
        more = start > 0
    else:
        more = end - start > limit
    return {"object": "list", "url": context.url, "has_more": more, "data": shown[start : min(end, start + limit)]}


def _after(context: Context, collection: str, given: str, param: str, ids: list[str]) -> int:
    context.named(collection, given, param)
    return ids.index(given) if given in ids else len(ids)
