"""Seeds for the random values of a real server: ids, names, tokens.

A seed depends only on the request and on its repeat count, so a recording that sends its requests in another order gets the same values.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace

from mendbench.io.canonical_json import canonical_json
from mendbench.services.pinning_proxy import Incoming, with_header
from mendbench.services.sandboxed import ENVIRONMENT

SEEDED_ENVIRONMENT = {**ENVIRONMENT, "PYTHONHASHSEED": "0"}
"""The variables of a Python program whose sets of texts have to keep their order, whenever it is started."""
_HEADER = "X-Mendbench-Seed"
SERVE_SEEDED = """
import logging, random, uuid
from werkzeug.serving import make_server
logging.getLogger("werkzeug").setLevel(logging.ERROR)
uuid.uuid4 = lambda: uuid.UUID(int=random.getrandbits(128), version=4)
def serve_seeded(app):
    def seeded(environ, start_response):
        random.seed(environ.pop("HTTP_X_MENDBENCH_SEED", ""))
        return app(environ, start_response)
    server = make_server("127.0.0.1", 0, seeded)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
"""
"""Python code in front of a server's own imports: ``serve_seeded`` serves a WSGI application, one request at a time, with ``random``
and ``uuid4`` seeded by the header of :meth:`RequestSeeds.seeded`."""


class RequestSeeds:
    """The seeds since the last reset."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def clear(self) -> None:
        """Forget all requests."""
        self._counts.clear()

    def next(self, asked: Incoming, *more: str) -> str:
        """Return the seed of a request, 12 hexadecimal digits. ``more`` are headers that tell requests apart."""
        whole = "\n".join((asked.method, asked.host, asked.target, *more, asked.body.decode("utf-8", "replace")))
        self._counts[whole] += 1
        return hashlib.sha256(f"{self._counts[whole]}\n{whole}".encode()).hexdigest()[:12]

    def seeded(self, asked: Incoming) -> Incoming:
        """Return the request with its seed in a header, for a program that serves with :data:`SERVE_SEEDED`.

        The seed does not depend on the order of keys in a JSON body, as the key of a recording does not.
        """
        return with_header(asked, _HEADER, self.next(replace(asked, body=_canonical(asked.body))))


def _canonical(body: bytes) -> bytes:
    try:
        return canonical_json(json.loads(body)).encode("utf-8", "surrogatepass")
    except ValueError:
        return body
