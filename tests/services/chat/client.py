"""How the chat tests call the service."""

from __future__ import annotations

from mendbench.services import simulated
from tests.fakes.services import Client, body_of

GUILD, LOG, NEWS, HIDDEN, VOICE = (
    "/guilds/1180000000000001000",
    "/channels/1180000000000002001",
    "/channels/1180000000000002002",
    "/channels/1180000000000002003",
    "/channels/1180000000000002004",
)
ODALYS, SUVI = "1180000000000000101", "1180000000000000103"


def chat(state=None):
    return Client(
        simulated("chat"), state, base="https://discord.com/api/v10", headers={"authorization": "Bot any-token"}
    )


def seen(response):
    """Status, code and message of a refusal."""
    body = body_of(response)
    return response.status, body["code"], body["message"]


def problems_of(response):
    """All errors of a form, as (dotted place, code, message)."""
    assert seen(response) == (400, 50035, "Invalid Form Body")
    return sorted(_walk(body_of(response)["errors"], ()))


def _walk(tree, path):
    for key, value in tree.items():
        if key == "_errors":
            yield from ((".".join(path), one["code"], one["message"]) for one in value)
        else:
            yield from _walk(value, (*path, key))
