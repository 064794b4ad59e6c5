"""A small API on this machine, for what other tools record of it."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PEOPLE = {"p-1": {"id": "p-1", "called": "Runa"}, "p-2": {"id": "p-2", "called": "Leif"}}


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def _response(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "session=abcdef0123456789; Path=/")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].rpartition("/")[2]
        self._response(200 if name in PEOPLE else 404, PEOPLE.get(name, {"detail": "no such person"}))

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if not sent.get("text"):
            self._response(422, {"detail": "text is required", "seen": self.headers.get("Authorization")})
        else:
            self._response(201, {"id": "n-1", "text": sent["text"]})


@contextlib.contextmanager
def local_api() -> Iterator[str]:
    """Yield the base URL of the API while it runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
