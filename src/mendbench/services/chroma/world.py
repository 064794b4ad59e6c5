"""The real Chroma: ``http://chroma.northwind.example/api/v2/tenants/default_tenant/databases/default_database/collections``.

It starts empty. A case's state creates collections and their records, in order::

    {"collections": {"help-articles": {"metadata": {"owner": "support"}, "configuration": {"hnsw": {"space": "cosine"}},
                                       "records": {"kb-1": {"embedding": [0.1, 0.9], "document": "…", "metadata": {"lang": "en"}}}}}}

Chroma gives each collection a random id, which requests name in their path. The proxy shows an id that depends on the collection's first
name alone, and translates it back in requests.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from operator import itemgetter
from uuid import UUID

from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.services.local_server import refuse_absent
from mendbench.services.pinning_proxy import Incoming, Pins
from mendbench.services.real_server import ProxiedServer, entries, json_request
from mendbench.services.sandboxed import ENVIRONMENT

HOST = "chroma.northwind.example"
COLLECTIONS = "/api/v2/tenants/default_tenant/databases/default_database/collections"
_READS = re.compile(r"/(?:get|query|search|count)$")
"""The operations that read by POST."""
_UNORDERED = frozenset({"metadata", "metadatas", "keys"})
_LAUNCH = """
import json, pathlib, socket, threading, time
import chromadb_rust_bindings
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
def announce():
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return print(f"http://127.0.0.1:{port}", flush=True)
        time.sleep(0.05)
threading.Thread(target=announce, daemon=True).start()
settings = {"port": port, "listen_address": "127.0.0.1", "persist_path": "data", "allow_reset": True}
pathlib.Path("chroma.yaml").write_text(json.dumps(settings))
chromadb_rust_bindings.cli(["chroma", "run", "chroma.yaml"])
"""
"""``chroma run`` does not print the port that it picks for port 0, so the program picks a free one."""


class Chroma(ProxiedServer):
    """A real server. It starts once and is reset before each scope."""

    name = "chroma"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}
        threads = (re.compile(r'("num_threads":)[0-9]+'), r"\g<1>4")  # as many as the machine has
        headers = {"date": "Thu, 01 Jan 2026 00:00:00 GMT"}
        super().__init__(Pins(headers=headers, texts=(threads,), rewritten=self._with_shown_ids), self._with_real_ids)

    def start(self) -> str:
        """Start the server, and return the base URL of its proxy.

        Raises:
            BadInput: Chroma is not installed, or does not start.
        """
        refuse_absent(self.name, "chromadb")
        with self._starting("chroma") as folder:
            environ = {**ENVIRONMENT, "HOME": str(folder)}
            self._front.behind = self._server.start(_LAUNCH, log=folder / "log", environ=environ)
            return self._front.open()

    def reset(self, state: dict[str, object]) -> None:
        """Remove all collections, and create those of the state.

        Raises:
            BadInput: Chroma refuses a part of the state, or the server was not started.
        """
        self._started_folder()
        self._created("reset", json_request("POST", HOST, "/api/v2/reset", None))
        self._shown.clear()
        for name, collection in entries(state, "collections"):
            self._create(name, collection)

    def reads(self, request: Request) -> bool | None:
        """Return whether a request is read-only. Queries are sent by POST."""
        return True if _READS.search(request.url.partition("?")[0]) else None

    def _create(self, name: str, collection: JsonObject) -> None:
        place = f"collections.{name}"
        own = {key: collection[key] for key in ("metadata", "configuration") if collection.get(key) is not None}
        made = self._created(place, json_request("POST", HOST, COLLECTIONS, {"name": name, **own}))
        records = dict(entries(collection, "records"))
        if records:
            columns = {
                f"{key}s": [record.get(key) for record in records.values()]
                for key in ("embedding", "document", "metadata")
            }
            asked = json_request("POST", HOST, f"{COLLECTIONS}/{made['id']}/add", {"ids": list(records), **columns})
            self._created(f"{place}.records", asked)

    def _with_shown_ids(self, body: str) -> str:
        try:
            value = json.loads(body)
        except ValueError:
            return body
        collections = [each for each in (value if isinstance(value, list) else [value]) if _is_collection(each)]
        for collection in collections:
            self._shown.setdefault(collection["id"], shown_id(collection["name"]))
        if isinstance(value, list) and len(collections) == len(value):
            value.sort(key=itemgetter("name"))
        return _replaced(json.dumps(ordered(value), ensure_ascii=False, separators=(",", ":")), self._shown)

    def _with_real_ids(self, asked: Incoming) -> Incoming:
        return replace(asked, target=_replaced(asked.target, {shown: real for real, shown in self._shown.items()}))


def shown_id(name: str) -> str:
    """Return the id of the collection that was created with a name."""
    return str(UUID(bytes=hashlib.sha256(name.encode()).digest()[:16], version=4))


def ordered(value: Json, *, by_name: bool = False) -> Json:
    """Return a value with the entries of metadata and of schemas sorted by name. Chroma lists them in random order."""
    if isinstance(value, list):
        return [ordered(each, by_name=by_name) for each in value]
    if not isinstance(value, dict):
        return value
    names = sorted(value) if by_name else list(value)
    return {name: ordered(value[name], by_name=by_name or name in _UNORDERED) for name in names}


def _is_collection(value: Json) -> bool:
    return isinstance(value, dict) and {"id", "name", "schema"} <= value.keys()


def _replaced(text: str, ids: dict[str, str]) -> str:
    for old, new in ids.items():
        text = text.replace(old, new)
    return text
