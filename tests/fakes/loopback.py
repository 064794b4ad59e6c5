"""A tiny HTTP server on this machine, for the few tests that go through the real client."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answering = Callable[[Any], tuple[int, Any]]
"""Takes the parsed body and gives status and document."""


@contextlib.contextmanager
def loopback(responses: Mapping[str, Answering]) -> Iterator[str]:
    """Yield the base URL of a server that answers by ``METHOD /path``; no header of it depends on the moment."""

    class Handler(BaseHTTPRequestHandler):
        def _response(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            known = responses.get(f"{self.command} {self.path}", lambda _body: (404, {"message": "Not Found"}))
            status, document = known(json.loads(raw) if raw else None)
            said = json.dumps(document).encode()
            self.send_response_only(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST = _response  # noqa: N815  the standard library's names

        def log_message(self, *_words: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def issue(body: Any) -> tuple[int, Any]:
    """Answer as an issue tracker does: 422 without a title, a failure inside a 200 for the title ``gone``."""
    title = body.get("title")
    if not title:
        errors = [{"resource": "Issue", "field": "title", "code": "missing_field"}]
        return 422, {"message": "Validation Failed", "errors": errors}
    return (
        (200, {"ok": False, "error": "channel_not_found"}) if title == "gone" else (201, {"number": 7, "title": title})
    )


def greeting(base: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """A workflow that fetches a user and opens an issue."""
    return {
        "nodes": [
            {"id": "fetch", "type": "http", "params": {"url": f"{base}/user", "auth_token": "${key}"}},
            {"id": "greet", "type": "http", "params": {"url": f"{base}/issues", "body": dict(body)}},
        ],
        "edges": [{"from": "fetch", "to": "greet"}],
        "inputs": {"key": {"type": "string"}},
        "outputs": {"said": {"source": "${greet.response.title}"}},
    }
