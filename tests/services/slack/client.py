"""How the Slack tests call the service."""

from __future__ import annotations

from mendbench.services import simulated
from tests.fakes.services import Client, body_of

LOBBY, TIDES, DOCKS, OLD, PAYROLL, INCIDENT = (
    "C05LOBBY11", "C05TIDES22", "C06DOCKS33", "C04OLDWH55", "C07CREWP66", "C07INCID77",
)  # fmt: skip


def slack(state=None):
    return Client(
        simulated("slack"), state, base="https://slack.com/api/", headers={"authorization": "Bearer any-token"}
    )


def call(client, method, arguments=None, **sent):
    """Call a method with a JSON body and return the answer's body."""
    return body_of(client.send("POST", method, arguments or {}, **sent))


def get(client, method_and_query):
    return body_of(client.send("GET", method_and_query))


def with_scopes(*scopes):
    """A state with one token that has these scopes, and the header that carries it."""
    return {"tokens": {"tok": {"user": "U05BOTLAMP", "scopes": list(scopes)}}}, {"authorization": "Bearer tok"}
