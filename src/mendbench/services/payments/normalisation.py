"""Normalises calls: equivalent calls become identical. Parameters may be in the query or in the form, in any order."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import quote, urlencode

from mendbench.model.exchange import Request
from mendbench.services.payments.errors import StripeError
from mendbench.services.payments.form import read_pairs
from mendbench.services.payments.routes import find_route
from mendbench.services.wire import read_call

FORM = "application/x-www-form-urlencoded"
_API = "https://api.stripe.com/"
_ABOUT_THE_BODY = frozenset({"content-type", "content-length"})


def meant(request: Request) -> Request | None:
    """Return the normalised call, or None if no endpoint matches or its body is not a form.

    A normalised POST has all parameters in its form, any other call in its query. Parameters that only affect the
    response (``expand``) are left out.
    """
    call = read_call(request)
    if find_route(call) is None:
        return None
    try:
        pairs = sorted(pair for pair in read_pairs(call) if pair[0].partition("[")[0] != "expand")
    except StripeError:
        return None
    url = _API + "/".join(quote(part, safe="", errors="replace") for part in call.segments)
    headers = tuple(pair for pair in request.headers if pair[0].lower() not in _ABOUT_THE_BODY)
    written = urlencode(pairs, errors="replace")
    if call.method == "POST":
        typed = (*headers, ("content-type", FORM)) if written else headers
        return replace(request, method="POST", url=url, headers=typed, body=written.encode())
    return replace(request, method=call.method, url=f"{url}?{written}" if written else url, headers=headers, body=b"")
