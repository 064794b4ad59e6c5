"""The real Prefect server, which orchestrates workflows: ``https://prefect.northwind.example/api/…``.

It starts with the block types that Prefect ships. A case's state creates the rest, in this order::

    {"work_pools": {"k8s-prod": {"body": {"type": "kubernetes", "concurrency_limit": 10}, "queues": {"nightly": {"priority": 2}}}},
     "flows": {"load-orders": {"tags": ["sales"], "deployments": {"prod": {
         "body": {"work_pool_name": "k8s-prod", "work_queue_name": "nightly", "parameters": {"region": "eu"}},
         "runs": {"load-orders-0412": {"parameters": {"region": "us"}, "state": {"type": "FAILED", "message": "…"}}}}}}},
     "variables": {"release_freeze": {"value": true}}, "concurrency_limits": {"warehouse": {"limit": 4}}}

The state is created on the last day of 2025. After that the server's clock stands still at the start of 2026. An id depends on the request
that creates the object.
"""

from __future__ import annotations

import re

from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.services.local_server import refuse_absent
from mendbench.services.pinning_proxy import Pins, with_header
from mendbench.services.real_server import ProxiedServer, copy_database, entries, json_request
from mendbench.services.request_seeds import SEEDED_ENVIRONMENT, RequestSeeds

HOST = "prefect.northwind.example"
API = "/api"
_READS = re.compile(r"/(?:filter|paginate|count|history|lateness)$")
"""The operations that read by POST."""
_SETTINGS = {
    "PREFECT_LOGGING_LEVEL": "ERROR",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_SERVER_UI_ENABLED": "false",
}
_LAUNCH = """
import random, sys, types, uuid
from contextvars import ContextVar
drawing = ContextVar("drawing", default=random.Random(0))
class Drawn(random.Random):
    def random(self):
        return drawing.get().random()
    def getrandbits(self, bits):
        return drawing.get().getrandbits(bits)
drawn = Drawn()
uuid.uuid4 = lambda: uuid.UUID(int=drawn.getrandbits(128), version=4)
import coolname, sqlalchemy, uvicorn
import prefect.types._datetime as times
from prefect._internal import uuid7
coolname.replace_random(drawn)
uuid7.os = types.SimpleNamespace(urandom=drawn.randbytes)
uuid7.time = types.SimpleNamespace(time_ns=lambda: 1767225600000000000)
times.day = ContextVar("day", default="2026-01-01")
times.now.__code__ = (lambda tz="UTC": create_datetime_instance(datetime.datetime.fromisoformat(day.get() + "T00:00:00Z"))).__code__
@sqlalchemy.event.listens_for(sqlalchemy.Engine, "before_cursor_execute", retval=True)
def at_that_time(connection, cursor, statement, parameters, context, executemany):
    return statement.replace("'now'", f"'{times.day.get()}'"), parameters
from prefect.server.api.server import create_app
app = create_app(webserver_only=True)  # without what acts later on its own, such as the scheduler
async def seeded(scope, receive, send):
    if scope["type"] == "http":
        headers = dict(scope["headers"])
        drawing.set(random.Random(headers.get(b"x-mendbench-seed")))
        times.day.set(headers.get(b"x-mendbench-day", b"2026-01-01").decode())
    await app(scope, receive, send)
uvicorn.run(seeded, host="127.0.0.1", port=0, server_header=False, access_log=False)
"""
"""Prefect draws ids and names in tasks that run side by side, so each request has a random generator of its own. The code of ``now`` is
replaced in place, since other modules have imported it by then."""


class Prefect(ProxiedServer):
    """A real server. It starts once; before each scope its database is reset to the state after the start."""

    name = "prefect"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        self._seeds = RequestSeeds()
        super().__init__(Pins(headers={"date": "Thu, 01 Jan 2026 00:00:00 GMT"}), self._seeds.seeded)

    def start(self) -> str:
        """Start the server without its background services, and return the base URL of its proxy.

        Raises:
            BadInput: Prefect is not installed, or does not start.
        """
        refuse_absent(self.name, "prefect")
        with self._starting("prefect") as folder:
            own = {
                "HOME": str(folder),
                "PREFECT_HOME": str(folder),
                "PREFECT_SERVER_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{folder / 'prefect.db'}",
            }
            environ = {**SEEDED_ENVIRONMENT, **_SETTINGS, **own}
            self._front.behind = self._server.start(_LAUNCH, log=folder / "log", environ=environ)
            copy_database(folder / "prefect.db", folder / "empty.db")
            return self._front.open()

    def reset(self, state: dict[str, object]) -> None:
        """Reset the database, and create the objects of the state.

        Raises:
            BadInput: Prefect refuses a part of the state, or the server was not started.
        """
        folder = self._started_folder()
        copy_database(folder / "empty.db", folder / "prefect.db")
        self._seeds.clear()
        for name, limit in entries(state, "concurrency_limits"):
            self._create(f"concurrency_limits.{name}", "v2/concurrency_limits/", {"name": name, **limit})
        for name, variable in entries(state, "variables"):
            self._create(f"variables.{name}", "variables/", _variable(name, variable))
        for name, pool in entries(state, "work_pools"):
            self._create_pool(f"work_pools.{name}", name, pool)
        for name, flow in entries(state, "flows"):
            self._create_flow(f"flows.{name}", name, flow)

    def reads(self, request: Request) -> bool | None:
        """Return whether a request is read-only. Queries are sent by POST."""
        return True if _READS.search(request.url.partition("?")[0]) else None

    def _create(self, place: str, path: str, body: JsonObject) -> Json:
        asked = json_request("POST", HOST, f"{API}/{path}", body)
        return self._created(place, with_header(asked, "X-Mendbench-Day", "2025-12-31"))

    def _create_pool(self, place: str, name: str, pool: JsonObject) -> None:
        self._create(place, "work_pools/", {"name": name, **(pool.get("body") or {})})
        for queue, body in entries(pool, "queues"):
            self._create(f"{place}.queues.{queue}", f"work_pools/{name}/queues", {"name": queue, **body})

    def _create_flow(self, place: str, name: str, flow: JsonObject) -> None:
        flow_id = self._create(place, "flows/", {"name": name, "tags": flow.get("tags") or []})["id"]
        for title, deployment in entries(flow, "deployments"):
            below = f"{place}.deployments.{title}"
            body = {"name": title, "flow_id": flow_id, **(deployment.get("body") or {})}
            made = self._create(below, "deployments/", body)
            for run, body in entries(deployment, "runs"):
                self._create(f"{below}.runs.{run}", f"deployments/{made['id']}/create_flow_run", {"name": run, **body})


def _variable(name: str, given: JsonObject) -> JsonObject:
    return {"name": name, "value": given.get("value"), "tags": given.get("tags") or []}
