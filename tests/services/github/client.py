"""How the GitHub tests call the service."""

from __future__ import annotations

from mendbench.services import simulated
from tests.fakes.services import Client, body_of

REPO = "/repos/tern-and-tide/sluicegate"
DOCS = "https://docs.github.com/rest"
CREATE_ISSUE = f"{DOCS}/issues/issues#create-an-issue"


def github(state=None, token="any-token"):
    headers = {"user-agent": "test", "accept": "application/vnd.github+json"}
    return Client(
        simulated("github"), state, base="https://api.github.com",
        headers=headers | ({"authorization": f"Bearer {token}"} if token else {}),
    )  # fmt: skip


def seen(response):
    """Return status and body."""
    return response.status, body_of(response)


def refusal(status, message, docs, errors=None):
    body = {"message": message, "documentation_url": docs, "status": str(status)}
    return status, body | ({"errors": errors} if errors is not None else {})
