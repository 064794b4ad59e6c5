"""How the tests call simulated MCP servers."""

from __future__ import annotations

import json

from mendbench.model.exchange import Request
from mendbench.services import simulated
from mendbench.values.merge_patch import merge_patch
from tests.fakes.services import NOW_MS

JSON = (("content-type", "application/json"),)


class Caller:
    """Calls tools and keeps the state that they lead to."""

    def __init__(self, patch=None):
        self.service = simulated("mcp_sim")
        self.state = merge_patch(self.service.seed(), {"servers": patch or {}})

    def send(self, server, tool, arguments=None, *, raw=None):
        body = raw if raw is not None else json.dumps(arguments or {}).encode()
        request = Request(method="POST", url=f"mcp://{server}/{tool}", headers=JSON, body=body)
        self.state, response = self.service.response(self.state, request, NOW_MS)
        return response

    def call(self, server, tool, arguments=None, **sent):
        return json.loads(self.send(server, tool, arguments, **sent).body)

    def text(self, server, tool, arguments=None):
        """Return whether the result is an error, and its one text."""
        result = self.call(server, tool, arguments)["result"]
        (block,) = result["content"]
        return result.get("isError", False), block["text"]

    def wrapped(self, server, tool, arguments=None):
        """Return what a wrapper's text holds."""
        is_error, text = self.text(server, tool, arguments)
        assert not is_error
        return json.loads(text)
