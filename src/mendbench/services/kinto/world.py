"""The real Kinto, a JSON store with schemas and permissions: ``https://kinto.northwind.example/v1/buckets/…``.

It starts empty. A case's state creates buckets, collections and records, and names the users of access tokens::

    {"tokens": {"${canary:kinto}": "editor"},
     "buckets": {"website": {"permissions": {"read": ["oidc:editor"]}, "collections": {"posts": {
         "data": {"schema": {"type": "object", "required": ["title"], …}}, "permissions": {"write": ["oidc:editor"]},
         "records": {"welcome": {"title": "…"}}}}}}}

A token is sent as ``Authorization: Bearer …``, as to a Kinto with an OpenID provider; its user has the principal ``oidc:NAME``.
Objects of the state belong to an administrator. Kinto's clock stands still, so that each change of a collection raises its time by 1 ms.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator

from mendbench.model.json import JsonObject
from mendbench.services.local_server import refuse_absent
from mendbench.services.pinning_proxy import Pins, with_header
from mendbench.services.real_server import ProxiedServer, entries, json_request
from mendbench.services.request_seeds import SEEDED_ENVIRONMENT, SERVE_SEEDED, RequestSeeds

HOST = "kinto.northwind.example"
PINS = Pins(headers={"date": "Thu, 01 Jan 2026 00:00:00 GMT", "server": None})
_LAUNCH = f"""{SERVE_SEEDED}
import json, pathlib
import kinto, kinto.core.utils
from pyramid.authentication import CallbackAuthenticationPolicy
kinto.core.utils.msec_time = lambda: 1767225600000
class Tokens(CallbackAuthenticationPolicy):
    def __init__(self, **_):
        pass
    def unauthenticated_userid(self, request):
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        users = json.loads(pathlib.Path("tokens.json").read_text())
        return users.get(token) if scheme.lower() == "bearer" else None
    def forget(self, request):
        return [("WWW-Authenticate", 'Bearer realm="Realm"')]
serve_seeded(kinto.main({{}}, **json.loads(sys.argv[1])))
"""
_SETTINGS = {
    **{f"kinto.{what}_backend": f"kinto.core.{what}.memory" for what in ("storage", "permission", "cache")},
    "kinto.includes": "kinto.plugins.flush",
    "kinto.flush_endpoint_enabled": "true",
    "kinto.experimental_collection_schema_validation": "true",
    "kinto.http_scheme": "https",
    "kinto.userid_hmac_secret": "constant",
    "kinto.bucket_create_principals": "oidc:administrator",
    "multiauth.policies": "oidc",
    "multiauth.policy.oidc.use": "__main__.Tokens",
}
_ADMINISTRATOR = "administrator"


class Kinto(ProxiedServer):
    """A real server with its data in memory. It starts once and is reset before each scope."""

    name = "kinto"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        self._seeds = RequestSeeds()
        self._token = secrets.token_hex(24)
        super().__init__(PINS, self._seeds.seeded)

    def start(self) -> str:
        """Start the server, and return the base URL of its proxy.

        Raises:
            BadInput: Kinto is not installed, or does not start.
        """
        refuse_absent(self.name, "kinto", "werkzeug")
        with self._starting("kinto") as folder:
            environ = {**SEEDED_ENVIRONMENT, "HOME": str(folder)}
            self._front.behind = self._server.start(_LAUNCH, json.dumps(_SETTINGS), log=folder / "log", environ=environ)
            return self._front.open()

    def reset(self, state: dict[str, object]) -> None:
        """Remove all data, and create that of the state.

        Raises:
            BadInput: Kinto refuses a part of the state, or the server was not started.
        """
        tokens = {**dict(entries(state, "tokens")), self._token: _ADMINISTRATOR}
        (self._started_folder() / "tokens.json").write_text(json.dumps(tokens), "utf-8")
        self._send("reset", "POST", "/v1/__flush__", None)
        self._seeds.clear()
        for path, body in objects_of(state):
            self._send(path, "PUT", f"/v1/{path}", body)

    def _send(self, place: str, method: str, target: str, body: JsonObject | None) -> None:
        asked = json_request(method, HOST, target, body)
        self._created(place, with_header(asked, "Authorization", f"Bearer {self._token}"))


def objects_of(state: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield the path and body of each object of a state, parents first."""
    for bucket_id, bucket in entries(state, "buckets"):
        yield f"buckets/{bucket_id}", _body(bucket)
        for collection_id, collection in entries(bucket, "collections"):
            path = f"buckets/{bucket_id}/collections/{collection_id}"
            yield path, _body(collection)
            for record_id, record in entries(collection, "records"):
                yield f"{path}/records/{record_id}", {"data": record}


def _body(given: JsonObject) -> JsonObject:
    return {key: given[key] for key in ("data", "permissions") if given.get(key) is not None}
