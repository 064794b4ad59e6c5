"""How the payments tests call the service."""

from __future__ import annotations

from urllib.parse import urlencode

from mendbench.services import simulated
from tests.fakes.services import Client, body_of

CLUB, WHARF = "cus_Qh7Tallowmere2", "cus_Rm2Osgodwharf9"
CLEAT, BERTH, OLD = "price_1QcLt7gbp4490", "price_1QwBrthMon320", "price_1QfEndrOld870"
GOOD, POOR, BAD = "pm_1Qx4Tallowmere", "pm_1Qx5Osgodlow77", "pm_1Qx6Looseleaf3"
PAID, OPEN, CHARGE = "pi_3Qa9Tallowmere1", "pi_3Qb2Osgodwharf5", "ch_3Qa9Tallowmere1"
FORM = "application/x-www-form-urlencoded"


def account(state=None, *, key="any-key"):
    headers = {"authorization": f"Bearer {key}", "content-type": FORM}
    return Client(simulated("payments"), state, base="https://api.stripe.com/v1/", headers=headers)


def get(client, path):
    return body_of(client.send("GET", path))


def post(client, path, params=(), **headers):
    """Send a form and return the answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.send("POST", path, raw=urlencode(params).encode(), headers=named)


def error(response, status=400):
    """The ``error`` of a refusal, without its links."""
    assert response.status == status, response.body
    said = dict(body_of(response)["error"])
    said.pop("doc_url", None)
    said.pop("request_log_url", None)
    return said
