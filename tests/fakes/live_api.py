"""A live API on this machine that wants a real token, notes what it is sent, and says the token again.

It does so under names that mean nothing: a credential's name would have it taken out, declared or not.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.fakes import cases

CASE = "http/live-desk"
VARIABLE = "LIVE_DESK_TOKEN"
TOKEN = 'k3/+y "real" &%41 token-7f8a9b0c'
"""Holds what each place spells otherwise: signs of base64, of JSON, of URLs and of markup."""
PEOPLE = cases.DESK["collections"]["people"]


@dataclass
class LiveApi:
    """What the API was sent, and what it says besides its responses."""

    token: str
    echoes: tuple[str, ...] = ()
    base: str = ""
    received: list[tuple[str, str, str]] = field(default_factory=list)
    """Method, path and body of each request."""
    authorized: list[bool] = field(default_factory=list)
    """Whether each held the real token."""

    @property
    def writes(self) -> list[str]:
        """The bodies of what was written."""
        return [body for method, _, body in self.received if method == "POST"]

    def respond(self, method: str, path: str, body: str, authorization: str) -> tuple[int, Any]:
        """Return status and document."""
        self.received.append((method, path, body))
        self.authorized.append(authorization == f"Bearer {self.token}")
        if not self.authorized[-1]:
            return 401, {"detail": "who are you?"}
        if path == "/echo":
            return 200, "\n".join(self.echoes)
        echo = {"seen": self.token}
        person = PEOPLE.get(path.partition("?")[0].rpartition("/")[2])
        if method == "GET":
            return (404, {"detail": "no such person", **echo}) if person is None else (200, {**person, **echo})
        return 201, {"id": "n-1", **json.loads(body), **echo}


@contextlib.contextmanager
def live_api(token: str = TOKEN, echoes: tuple[str, ...] = ()) -> Iterator[LiveApi]:
    """Yield the API while it runs. No header of it depends on the moment."""
    api = LiveApi(token=token, echoes=echoes)

    class Handler(BaseHTTPRequestHandler):
        def _respond(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
            sent = self.headers.get("authorization", "")
            status, document = api.respond(self.command, self.path, body, sent)
            text = isinstance(document, str)
            said = (document if text else json.dumps(document)).encode()
            self.send_response_only(status)
            self.send_header("Content-Type", "text/plain; charset=utf-8" if text else "application/json")
            self.send_header("X-Seen", sent.removeprefix("Bearer "))
            for number, echo in enumerate(one for one in api.echoes if one.isascii() and one.isprintable()):
                self.send_header(f"X-Echo-{number}", echo)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST = _respond  # noqa: N815  the standard library's names

        def log_message(self, *_words: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        api.base = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()


def write_live_case(root: Path, base: str, **more: object) -> None:
    """Write the repairable case of the invented corpus with that API as its world, and with wrong fixes that its record answers."""
    truth = cases.renamed_case()
    leave_out = [{"op": "remove", "path": "/nodes/note"}, {"op": "remove", "path": "/edges/0"}]
    truth |= {
        "recorded_from": {"json_api": "live"}, "state": {"json_api": {"host": "127.0.0.1"}},
        "secrets": {"desk": f"${{env:{VARIABLE}}}"},
        "wrong_fixes": [truth["wrong_fixes"][0], {"why": "leaves the note out", "patch": leave_out}], **more,
    }  # fmt: skip
    document = cases.workflow("Hello ${person.response.name}!")
    truth, document = (json.loads(json.dumps(one).replace(cases.HOST, base)) for one in (truth, document))
    cases.write_case(root, CASE, truth, document)
    (root / "mendbench.toml").write_text(
        'format = 1\n[matrix]\nstrategies = ["full-context"]\npolicies = ["naive"]\nrepairers = ["rules"]\n', "utf-8"
    )


UNRECORDED = {"why": "greets the town", "patch": cases.set_text("Hello ${person.response.town}!")}
"""A wrong fix that would send a write of its own."""
