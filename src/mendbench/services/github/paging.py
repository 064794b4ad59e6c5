"""GitHub's pages: ``per_page`` and ``page``, and the Link header (https://docs.github.com/rest/using-the-rest-api/using-pagination-in-the-rest-api)."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from mendbench.model.exchange import Headers
from mendbench.model.json import Json
from mendbench.services.github.state import API, Context, Reply
from mendbench.services.wire import Call

DEFAULT_PAGE, MAX_PAGE = 30, 100


def page_numbers(call: Call) -> tuple[int, int]:
    """Return the page and its size. A value that is not a number counts as absent; a value that is too large becomes the maximum."""
    size = _number(call.parameter("per_page"))
    return max(1, _number(call.parameter("page"))), min(size, MAX_PAGE) if size > 0 else DEFAULT_PAGE


def page_of(context: Context, items: list[Json]) -> Reply:
    """Return the requested page, with its Link header."""
    page, size = page_numbers(context.call)
    start, last = (page - 1) * size, max(1, -(-len(items) // size))
    return Reply(body=items[start : start + size], headers=_link_header(context.call, page, last))


def _link_header(call: Call, page: int, last: int) -> Headers:
    """Return the Link header of a page among ``last`` pages; none if there is only one."""
    if last == 1 and page == 1:
        return ()
    around = {"prev": page - 1, "first": 1} if page > 1 else {}
    around |= {"next": page + 1, "last": last} if page < last else {}
    rest = sorted((pair for pair in call.query if pair[0] != "page"), key=lambda pair: pair[0])
    links = [
        f'<{API}{call.path}?{urlencode([*rest, ("page", str(number))], errors="replace")}>; rel="{name}"'
        for name, number in around.items()
    ]
    return (("link", ", ".join(links)),)


def _number(text: str | None) -> int:
    return int(text) if text and re.fullmatch(r"[0-9]{1,9}", text) else 0
