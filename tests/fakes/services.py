"""A client that drives one service through its states, as a workflow's nodes would."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mendbench.model.exchange import Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.ports.world import Service
from mendbench.values.merge_patch import merge_patch

NOW_MS = 1_767_225_600_000
JSON_UTF8 = "application/json; charset=utf-8"


class Client:
    """Sends requests to one service and keeps the state that they lead to."""

    def __init__(
        self, service: Service, state: JsonObject | None = None, *, base: str, headers: Mapping[str, str]
    ) -> None:
        self.service, self.base, self.headers = service, base, dict(headers)
        self.state: JsonObject = merge_patch(service.seed(), state or {})
        self.now_ms = NOW_MS

    def send(
        self,
        method: str,
        path: str,
        json_body: Json = ...,
        *,
        raw: bytes = b"",
        headers: Mapping[str, str | None] | None = None,
    ) -> Response:
        """Send one request. A header of None is left out."""
        wanted = {**self.headers, **(headers or {})}
        if json_body is not ...:
            raw = json.dumps(json_body).encode()
            wanted.setdefault("content-type", JSON_UTF8)
        pairs = tuple((name, value) for name, value in wanted.items() if value is not None)
        request = Request(method=method, url=f"{self.base}{path}", headers=pairs, body=raw)
        self.state, response = self.service.response(self.state, request, self.now_ms)
        return response


def body_of(response: Response) -> Json:
    """Return the response's JSON."""
    return json.loads(response.body)
