"""Tools that call a Slack workspace: the ``slack`` service behind a wrapper, with its data and its error codes."""

from __future__ import annotations

import json
from urllib.parse import urlencode

from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.services.mcp_sim.spec import Tool
from mendbench.services.slack.routes import METHODS
from mendbench.services.slack.service import Slack
from mendbench.values.merge_patch import merge_patch

_WHOLE = "whole_workspace"
"""The key of a server's record for its workspace, present after the first write."""


def call_slack(record: JsonObject, tool: Tool, arguments: JsonObject, now_ms: int) -> Json:
    """Call the tool's method with ``arguments``, store its changes in ``record`` and return Slack's response."""
    before = record.get(_WHOLE) or merge_patch(Slack().seed(), record.get("workspace") or {})
    if METHODS[tool.method].takes_json:
        kind, body = "application/json; charset=utf-8", json.dumps(arguments).encode()
    else:
        pairs = {name: value if isinstance(value, str) else json.dumps(value) for name, value in arguments.items()}
        kind, body = "application/x-www-form-urlencoded", urlencode(pairs, errors="replace").encode()
    token = str(record.get("token", "connected-account"))
    headers = (("authorization", f"Bearer {token}"), ("content-type", kind))
    request = Request(method="POST", url=f"https://slack.com/api/{tool.method}", headers=headers, body=body)
    after, response = Slack().response(before, request, now_ms)
    if after != before:
        record[_WHOLE] = after
    answer: Json = json.loads(response.body)
    return answer
