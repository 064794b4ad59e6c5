"""How the GraphQL tests call the service."""

from __future__ import annotations

from mendbench.services import simulated
from tests.fakes.services import Client, body_of

TRACKER, LAB = "https://api.marlstone.example/graphql", "https://inventory.quillmere.example/graphql"
REPO = 'repository(owner: "saltpan", name: "tidegauge")'


def tracker(state=None):
    return Client(simulated("graphql"), state, base=TRACKER, headers={"authorization": "Bearer any-one"})


def lab(state=None):
    return Client(simulated("graphql"), state, base=LAB, headers={"authorization": "Bearer any-one"})


def ask(client, query, variables=None, **more):
    """Ask and return the answer's body."""
    return body_of(client.send("POST", "", {"query": query, "variables": variables, **more}))


def first_error(client, query, variables=None, **more):
    return ask(client, query, variables, **more)["errors"][0]


def first_message(client, query, variables=None, **more):
    return first_error(client, query, variables, **more)["message"]
