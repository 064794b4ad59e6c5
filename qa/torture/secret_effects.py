"""Secrets through every effect: sent in each part of a request that a node can make, and echoed in each part of a response."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mendbench.model.case import Case, Variant
from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.recording.recorder import Recorder
from mendbench.recording.scope_recording import Recording
from mendbench.secrets.redaction import canary
from mendbench.trial.runner import run_trial
from qa.torture.planting import CARRIERS, PROVIDERS, SPELLINGS, planted, undeclared
from qa.torture.searching import files_below, searched
from qa.torture.tally import Attempt
from tests.fakes import cases
from tests.fakes.worlds import completion

SECRET = "${password}"
SPELLED = 6
"""Spellings of the declared secret in one response, beside those that nobody declared."""


@dataclass(frozen=True, kw_only=True)
class Effect:
    """A node that sends the secret, and the shape in which what it asks says it again."""

    node: JsonObject
    says: str
    """Which of the responses below."""
    service: str = "json_api"


def _http(says: str = "HTTP body", **params: Json) -> Effect:
    return Effect(node={"type": "http", "params": {"url": f"{cases.HOST}/rows", **params}}, says=says)


def _mcp(says: str, **arguments: Json) -> Effect:
    params = {"server": "harbour-tickets", "tool": "find_tickets", "arguments": arguments}
    return Effect(node={"type": "mcp", "params": params}, says=says, service="mcp_sim")


def _shell(says: str = "shell", **params: Json) -> Effect:
    return Effect(node={"type": "shell", "params": {"command": "ls", **params}}, says=says, service="shell")


EFFECTS: dict[str, Effect] = {
    "an HTTP header": _http(headers={"X-Note": SECRET, "Cookie": f"theme=dark; sid={SECRET}"}),
    "HTTP's own token": _http("HTTP headers", auth_token=SECRET),
    "HTTP's own key": _http(api_key=SECRET),
    "an HTTP query": _http(params={"access_token": SECRET, "note": f"it is {SECRET}"}),
    "an HTTP path": _http("HTTP headers", url=f"{cases.HOST}/hooks/{SECRET}/send"),
    "an HTTP form": _http(body=f"user=kim&word={SECRET}", headers={"Content-Type": "application/x-www-form-urlencoded"}),
    "HTTP JSON": _http(body={"login": {"word": SECRET, "also": f"Bearer {SECRET}"}}),
    "HTTP text": _http("HTTP text", body=f"<login><word>{SECRET}</word></login>", headers={"Content-Type": "text/xml"}),
    "MCP arguments, a tool that fails": _mcp("MCP failure", word=SECRET, inside=[{"note": f"it is {SECRET}"}]),
    "MCP arguments, a structured result": _mcp("MCP structure", word=SECRET),
    "MCP arguments, an error of the protocol": _mcp("MCP error", word=SECRET),
    "a shell command": _shell(command=f"mysql --password={SECRET} -e 'select 1'"),
    "a shell's input": _shell(stdin=f"login kim {SECRET}"),
    "a shell's folder": _shell(cwd=f"of/{SECRET}"),
    "a file's name": Effect(node={"type": "read-file", "params": {"file_path": f"keys/{SECRET}.txt"}}, says="file", service="file"),
    "a file's text": Effect(node={"type": "write-file", "params": {"file_path": "a.txt", "content": f"word={SECRET}"}}, says="refusal", service="file"),
    "a model's prompt": Effect(node={"type": "llm", "params": {"model": "small", "system": f"The word is {SECRET}.", "prompt": f"Say {SECRET}."}}, says="model", service="model"),
}  # fmt: skip
"""Every part of what is sent: of HTTP, MCP, shell, file and model nodes."""

_JSON: Headers = (("Content-Type", "application/json"),)


def _response(says: str, echoes: list[str], asked: str) -> Response:
    """Return a response of that shape with all texts in it. What can fail does, so that failures are reported."""
    lines, cookie = "\n".join([asked, *echoes]), next(iter(asked.split()), "")
    said: dict[str, tuple[int, Json]] = {
        "HTTP body": (422, {"error": "no such row", "asked": asked, "echo": echoes}),
        "HTTP headers": (401, {"error": "who are you?"}),
        "MCP failure": (200, {"jsonrpc": "2.0", "id": 1, "result": {"isError": True, "content": [{"type": "text", "text": text} for text in (asked, *echoes)]}}),
        "MCP structure": (200, {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"error": "none", "asked": asked, "echo": echoes}}}),
        "MCP error": (200, {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": asked, "data": {"echo": echoes}}}),
        "shell": (200, {"stdout": lines, "stderr": lines, "exit_code": 3}),
    }  # fmt: skip
    if says == "model":
        return completion(lines)
    if says in {"HTTP text", "file", "refusal"}:
        status = {"HTTP text": 400, "file": 200, "refusal": 418}[says]
        return Response(status=status, headers=(("Content-Type", "text/plain; charset=utf-8"),), body=lines.encode())
    status, body = said[says]
    echoed = [(f"X-Echo-{n}", text) for n, text in enumerate(echoes) if text.isprintable()]
    headers = (
        (*_JSON, ("Set-Cookie", f"sid={cookie}"), ("X-Asked", cookie), *echoed) if says == "HTTP headers" else _JSON
    )
    return Response(status=status, headers=headers, body=json.dumps(body).encode())


@dataclass
class _Echoing:
    """A live world that says again whatever it is asked, and more."""

    says: str
    echoes: list[str]
    got: list[str] = field(default_factory=list)

    def serves(self, request: Request) -> bool:
        return True

    def resets(self, request: Request) -> bool:
        return False

    def send(self, request: Request) -> Response:
        self.got.append(f"{request.url}\n{request.headers}\n{request.body.decode('utf-8', 'replace')}")
        return _response(self.says, self.echoes, self.got[-1])


class _Recorder(cases.ScriptedRecorder):
    """Records that world and two models: one whom the nodes ask, and one that repairs and says again what it received."""

    def __init__(self, live: _Echoing) -> None:
        super().__init__(
            lambda model_request: json.dumps({"cannot_fix": model_request["messages"][-1]["content"][:4000]})
        )
        self.live = live

    def for_trial(self, case: Case, variant: Variant | None) -> Recording:
        return Recording(mode=self.mode, live=self.live, caller=self, trajectory=True)

    def send(self, model_request: JsonObject) -> Response:
        if model_request["model"] != "small":
            return super().send(model_request)
        self.live.got.append(json.dumps(model_request))
        return _response("model", self.live.echoes, self.live.got[-1])


_STATES: dict[str, JsonObject] = {
    "json_api": {"host": cases.DESK["host"]},
    "model": {"names": ["small"]},
}


def _truth(service: str) -> JsonObject:
    return {
        "title": "It says it again", "group": "echo", "request": "Look.", "source": "invented",
        "recorded_from": {service: "live"}, "inputs": {"password": "${canary:desk}"}, "state": {service: _STATES.get(service, {})},
        "faults": [{"id": "stated", "surfaces": "it", "state": "warning", "who": "user", "category": "non_repairable", "says": "it", "evidence": "It says so."}],
        "expect": {"first": {"it": "warning"}, "final": "warning"}, "checks": [{"warning": {"node": "it", "says": "it"}}],
        "variants": [{"name": "another", "inputs": {"password": "${canary:other}"}, "checks": [{"warning": {"node": "it", "says": "it"}}], "final": "warning"}],
        "wrong_fixes": [{"why": "leaves it out", "patch": [{"op": "remove", "path": "/nodes/it"}]}, {"why": "is another", "patch": [{"op": "replace", "path": "/nodes/it/type", "value": "x"}]}],
    }  # fmt: skip


def echoed(count: int, seed: int, root: Path) -> Iterator[Attempt]:
    """Record a trial of each effect whose world says all again, replay it, and look through what was recorded and what came of both.

    ``count`` secrets that nobody declared are spread over the responses, each with the declared one in some spellings. A model
    never receives a secret, so that what its response has under a credential's name is its own invention and stays, and in another
    spelling too: only what has a provider's shape goes.
    """
    draw = random.Random(seed)
    loose = undeclared(max(count, len(EFFECTS)), seed)
    enough = len(SPELLINGS) * (1 + count // len(EFFECTS))
    shaped = [one for one in planted(enough, seed, PROVIDERS) if one.spelling == "plain"]
    for number, (name, effect) in enumerate(EFFECTS.items()):
        case = f"mixed/echo-{number:02}"
        password = canary(case, "desk")
        asked_of_a_model = effect.says == "model"
        own = shaped if asked_of_a_model else loose[number :: len(EFFECTS)]
        ways = draw.sample(sorted(SPELLINGS), SPELLED)
        spelled = [CARRIERS[draw.choice(sorted(CARRIERS))](SPELLINGS[way](password)) for way in ways]
        live = _Echoing(effect.says, [*(one.text for one in own), *spelled])
        desk = root / f"{number:02}"
        document = {"ir_version": "0.1.0", "inputs": {"password": {"type": "string"}}, "nodes": [{"id": "it", **effect.node}], "edges": []}  # fmt: skip
        cases.write_case(desk, case, _truth(effect.service), document)
        key = cases.key(case, "full-context", "naive")
        rows = [run_trial(cases.context_of(desk), key, who)[0] for who in (_Recorder(live), Recorder("none"))]
        same = [
            json.dumps({field: value for field, value in row.items() if field != "timing"}).replace('"live"', '"recorded"')
            for row in rows
        ]  # fmt: skip
        kind = "sent and said again, by effect"
        sent = any(password in got for got in live.got)
        yield Attempt(kind=kind, what=f"{name}: sent", failure=None if sent is not asked_of_a_model else f"{live.got}")
        yield Attempt(kind=kind, what=f"{name}: replayed", failure=None if same[0] == same[1] else "the rows differ")
        secrets = {f"{name}: the declared one": password, **{f"{name}: {one.what}": one.secret for one in own}}
        yield from searched(kind, secrets, {**files_below(desk), "rows": json.dumps(rows).encode()})
