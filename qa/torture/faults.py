"""Faults of the wire: recorded from servers that really misbehave, and replayed on the virtual clock to the same execution."""

from __future__ import annotations

import contextlib
import email.utils
import gzip
import json
import os
import random
import socket
import ssl
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock

import httpx2

from mendbench.api_errors.retry import PATIENCE_S, retry_after_s
from mendbench.cassettes.recordings import Recordings, RecordMode
from mendbench.config.tables import ModelConfig
from mendbench.detectors import detector
from mendbench.errors import BadInput, EffectEscape, Incomplete, MendbenchError
from mendbench.io.virtual_clock import START_MS, VirtualClock
from mendbench.live.chat_model import ATTEMPTS, ChatCaller
from mendbench.live.mcp_servers import McpLive
from mendbench.live.sandbox_files import FileLive, lay_out
from mendbench.live.shell import ShellLive
from mendbench.live.world import HttpLive, Live
from mendbench.model.exchange import Exchange, Response
from mendbench.model.execution import Execution
from mendbench.recording.recorder import Recorder
from mendbench.replay.model_cassette import ModelCassette
from mendbench.replay.world import ScopedWorld
from mendbench.runtime.engine import MendbenchEngine
from mendbench.secrets.redaction import Redactor
from mendbench.trial.runner import run_trial
from qa.torture.tally import Attempt
from tests.fakes import cases
from tests.fakes.misbehaving import (
    Authority,
    Behaviour,
    deaf,
    drips,
    full,
    http,
    keeps,
    misbehaving,
    sends,
    sends_and_resets,
    sends_and_stays,
)  # fmt: skip
from tests.fakes.misbehaving_mcp import Reached, Reply, as_json, misbehaving_mcp, result_of, texts, whatever
from tests.fakes.worlds import post

T = TypeVar("T")

MCP_OVER_HTTP = "mcp over HTTP"

LONG = 2_000
"""Of headers that say how long to wait, drawn at random; of the others, all there are."""

SHORT_S = 0.2
"""How long a response is waited for that does not come."""

BODY = b'{"ok": true, "number": 7}'
RESPONSE = http(body=BODY, Content_Type="application/json")
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What has to come of a cell, in the recording and in the replay alike."""

    state: str
    fault: str | None = None
    """Of the last exchange."""
    status: int = 0
    sent: int = 1
    waited_s: tuple[float, float] = (0, 0)
    """Least and most that the virtual clock waited between tries."""
    says: str = ""
    """Part of what the node says of it, or whoever records."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One fault of one effect."""

    effect: str
    name: str
    wanted: Wanted | None
    """None where only this counts: that the replay is equal to the recording."""
    script: Sequence[Behaviour] = ()
    calls: Sequence[Reply] = ()
    """Of an MCP server over HTTP: what it does to the tool calls."""
    first: Sequence[Reply] = ()
    """What such a server does to those who connect, until it lets one in."""
    method: str = "GET"
    server: str = "plain"
    params: dict[str, Any] = field(default_factory=dict)


def _busy(status: str, *after: str) -> tuple[Behaviour, ...]:
    return tuple(sends(http(status, Retry_After=each) if each else http(status)) for each in after)


def _fault(fault: str, sent: int = 1, waited_s: tuple[float, float] = (0, 0), says: str = "") -> Wanted:
    return Wanted(state="warning", fault=fault, sent=sent, waited_s=waited_s, says=says)


NOT_RECORDED = "not recorded"
"""The state of a node that was not reached: the operator has something to mend, and the recording ends."""

FINE = Wanted(state="success", status=200)
TWICE_S, ONCE_S = (1.5, 3.0), (0.5, 1.0)
"""Waits before the third and the second try: 1 s and 2 s, of which half is jitter."""
GOOD = sends(RESPONSE)

HTTP_CELLS = (
    Cell(effect="http", name="nobody listens", server="deaf", wanted=_fault("refused", 3, TWICE_S, "Could not connect")),
    Cell(effect="http", name="nobody listens, a write", server="deaf", method="POST", wanted=_fault("refused", 3, TWICE_S)),
    Cell(effect="http", name="connect timeout", server="full", wanted=_fault("timeout", 3, TWICE_S, "timed out")),
    Cell(effect="http", name="read timeout", script=[sends_and_stays()], wanted=_fault("timeout", 3, TWICE_S, "timed out")),
    Cell(effect="http", name="read timeout, a write", method="POST", script=[sends_and_stays()], wanted=_fault("timeout")),
    Cell(effect="http", name="timeout within the body", script=[sends_and_stays(http(body=b"{", length=99))], wanted=_fault("timeout", 3, TWICE_S)),
    Cell(effect="http", name="slower than the node waits", params={"timeout": 0.04}, script=[drips(RESPONSE, pieces=2, pause_s=0.04)], wanted=_fault("timeout", 3, TWICE_S, "after 0.04 seconds")),
    Cell(effect="http", name="slow, and whole", script=[drips(RESPONSE, pieces=4, pause_s=0.02)], wanted=FINE),
    Cell(effect="http", name="reset before the response", script=[sends_and_resets()], wanted=_fault("reset", 3, TWICE_S, "reset")),
    Cell(effect="http", name="reset before the response, a write", method="POST", script=[sends_and_resets()], wanted=_fault("reset")),
    Cell(effect="http", name="reset once, then a response", script=[sends_and_resets(), GOOD], wanted=replace(FINE, sent=2, waited_s=ONCE_S)),
    Cell(effect="http", name="reset within the body", script=[sends_and_resets(http(body=BODY, length=99_999))], wanted=_fault("reset", 3, TWICE_S)),
    Cell(effect="http", name="ended before the response", script=[sends()], wanted=_fault("reset", 3, TWICE_S)),
    Cell(effect="http", name="ended within the headers", script=[sends(b"HTTP/1.1 200 OK\r\nContent-Ty")], wanted=_fault("reset", 3, TWICE_S)),
    Cell(effect="http", name="the name does not exist", server="unknown", wanted=_fault("dns", says="does not resolve")),
    Cell(effect="http", name="a host that is not declared", params={"url": "https://other.test/"}, wanted=_fault("dns", says="does not resolve")),
    Cell(effect="http", name="certificate has expired", server="expired", script=[GOOD], wanted=_fault("tls", says="TLS")),
    Cell(effect="http", name="certificate of another host", server="other", script=[GOOD], wanted=_fault("tls")),
    Cell(effect="http", name="self-signed certificate", server="own", script=[GOOD], wanted=_fault("tls")),
    Cell(effect="http", name="good certificate", server="good", script=[GOOD], wanted=FINE),
    Cell(effect="http", name="no TLS where it is expected", server="plain as tls", script=[GOOD], wanted=_fault("tls")),
    Cell(effect="http", name="body shorter than declared", script=[sends(http(body=BODY, length=99))], wanted=_fault("truncated", 3, TWICE_S, "broke off")),
    Cell(effect="http", name="body shorter than declared, a write", method="POST", script=[sends(http(body=BODY, length=99))], wanted=_fault("truncated")),
    Cell(effect="http", name="cut within a chunk", script=[sends(CHUNKED + b"19\r\n" + BODY[:5])], wanted=_fault("truncated", 3, TWICE_S)),
    Cell(effect="http", name="cut between chunks", script=[sends(CHUNKED + b"19\r\n" + BODY + b"\r\n")], wanted=_fault("truncated", 3, TWICE_S)),
    Cell(effect="http", name="a chunk's size is no number", script=[sends(CHUNKED + b"zz\r\n" + BODY)], wanted=_fault("truncated", 3, TWICE_S)),
    Cell(effect="http", name="whole in chunks", script=[sends(CHUNKED + b"19\r\n" + BODY + b"\r\n0\r\n\r\n")], wanted=FINE),
    Cell(effect="http", name="body longer than declared", script=[sends(http(body=BODY + b"and more", length=len(BODY)))], wanted=FINE),
    Cell(effect="http", name="JSON cut, declared whole", script=[sends(http(body=BODY[:9], Content_Type="application/json"))], wanted=FINE),
    Cell(effect="http", name="bytes that are no UTF-8", script=[sends(http(body=b'{"name": "\xe9\xff"}', Content_Type="application/json; charset=utf-8"))], wanted=FINE),
    Cell(effect="http", name="a charset that does not exist", script=[sends(http(body=BODY, Content_Type="application/json; charset=klingon"))], wanted=FINE),
    Cell(effect="http", name="UTF-16 declared as UTF-8", script=[sends(http(body='{"a": 1}'.encode("utf-16"), Content_Type="application/json"))], wanted=FINE),
    Cell(effect="http", name="a page declared as JSON", script=[sends(http(body=b"<html>Sign in</html>", Content_Type="application/json"))], wanted=FINE),
    Cell(effect="http", name="JSON declared as a picture", script=[sends(http(body=BODY, Content_Type="image/png"))], wanted=FINE),
    Cell(effect="http", name="NULs and controls in the body", script=[sends(http(body=bytes(range(32)), Content_Type="text/plain"))], wanted=FINE),
    Cell(effect="http", name="no gzip, but declared", script=[sends(http(body=b"not packed", Content_Encoding="gzip"))], wanted=_fault("truncated", 3, TWICE_S)),
    Cell(effect="http", name="gzip cut", script=[sends(http(body=gzip.compress(BODY * 9)[:-12], Content_Encoding="gzip"))], wanted=_fault("truncated", 3, TWICE_S)),
    Cell(effect="http", name="gzip whole", script=[sends(http(body=gzip.compress(BODY), Content_Encoding="gzip"))], wanted=FINE),
    Cell(effect="http", name="an encoding that does not exist", script=[sends(http(body=BODY, Content_Encoding="zap"))], wanted=None),
    Cell(effect="http", name="429, wait 2 seconds, then a response", script=[*_busy("429 Too Many Requests", "2"), GOOD], wanted=replace(FINE, sent=2, waited_s=(2, 2))),
    Cell(effect="http", name="429 to a write, wait 1.5 seconds, then a response", method="POST", script=[*_busy("429 Too Many Requests", "1.5"), GOOD], wanted=replace(FINE, sent=2, waited_s=(1.5, 1.5))),
    Cell(effect="http", name="429, wait 0", script=_busy("429 Too Many Requests", "0"), wanted=Wanted(state="warning", status=429, sent=3)),
    Cell(effect="http", name="429, wait for years", script=_busy("429 Too Many Requests", "999999999"), wanted=Wanted(state="warning", status=429, sent=1)),
    Cell(effect="http", name="429, wait less than nothing", script=_busy("429 Too Many Requests", "-5"), wanted=Wanted(state="warning", status=429, sent=3, waited_s=TWICE_S)),
    Cell(effect="http", name="429, wait for what is no time", script=_busy("429 Too Many Requests", "soon"), wanted=Wanted(state="warning", status=429, sent=3, waited_s=TWICE_S)),
    Cell(effect="http", name="429, wait nan and infinitely long", script=_busy("429 Too Many Requests", "nan", "inf"), wanted=Wanted(state="warning", status=429, sent=3, waited_s=TWICE_S)),
    Cell(effect="http", name="429, no word of waiting", script=_busy("429 Too Many Requests", ""), wanted=Wanted(state="warning", status=429, sent=3, waited_s=TWICE_S)),
    Cell(effect="http", name="429 until a date, by the server's own clock", script=[sends(http("429 Too Many Requests", Date="Sun, 22 Nov 2026 12:00:00 GMT", Retry_After="Sun, 22 Nov 2026 12:00:07 GMT")), GOOD], wanted=replace(FINE, sent=2, waited_s=(7, 7))),
    Cell(effect="http", name="429 until a date that is over", script=[sends(http("429 Too Many Requests", Date="Sun, 22 Nov 2026 12:00:00 GMT", Retry_After="Sun, 22 Nov 2026 11:00:00 GMT")), GOOD], wanted=replace(FINE, sent=2)),
    Cell(effect="http", name="429 until a date in another century", script=[sends(http("429 Too Many Requests", Date="Sun, 22 Nov 2026 12:00:00 GMT", Retry_After="Sun, 22 Nov 2126 12:00:00 GMT"))], wanted=Wanted(state="warning", status=429, sent=1)),
    Cell(effect="http", name="503, then a response", script=[*_busy("503 Service Unavailable", ""), GOOD], wanted=replace(FINE, sent=2, waited_s=ONCE_S)),
    Cell(effect="http", name="503 for ever", script=_busy("503 Service Unavailable", "3"), wanted=Wanted(state="warning", status=503, sent=3, waited_s=(6, 6))),
    Cell(effect="http", name="504 to a write", method="POST", script=_busy("504 Gateway Timeout", "3"), wanted=Wanted(state="warning", status=504, sent=1)),
    Cell(effect="http", name="100 Continue before the response", script=[sends(b"HTTP/1.1 100 Continue\r\n\r\n", RESPONSE)], wanted=FINE),
    Cell(effect="http", name="103 Early Hints before the response", script=[sends(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", RESPONSE)], wanted=FINE),
    Cell(effect="http", name="100 Continue and no response", script=[sends(b"HTTP/1.1 100 Continue\r\n\r\n")], wanted=_fault("reset", 3, TWICE_S)),
    Cell(effect="http", name="200 with nothing in it", script=[sends(http())], wanted=FINE),
    Cell(effect="http", name="204", script=[sends(http("204 No Content"))], wanted=replace(FINE, status=204)),
    Cell(effect="http", name="HTTP/1.0 without a length", script=[sends(b"HTTP/1.0 200 OK\r\n\r\n" + BODY)], wanted=FINE),
    Cell(effect="http", name="no HTTP at all", script=[sends(b"SSH-2.0-OpenSSH_9.9\r\n")], wanted=_fault("reset", 3, TWICE_S)),
    Cell(effect="http", name="a status that is no number", script=[sends(b"HTTP/1.1 abc OK\r\n\r\n")], wanted=_fault("truncated", 3, TWICE_S)),
    Cell(effect="http", name="a status that nobody knows", script=[sends(http("799 Hm"))], wanted=Wanted(state="error", status=799)),
    Cell(effect="http", name="a header that is none", script=[sends(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n")], wanted=_fault("truncated", 3, TWICE_S)),
    Cell(effect="http", name="headers without an end", script=[sends(b"HTTP/1.1 200 OK\r\n" + b"X-A: " + b"a" * 300_000)], wanted=_fault("truncated", 3, TWICE_S)),
    Cell(effect="http", name="a redirection to itself", script=[sends(http("302 Found", Location="/"))], wanted=Wanted(state="error", status=302)),
    Cell(effect="http", name="a kept connection that is closed at the next request", script=[keeps(http("503 Service Unavailable", Connection="keep-alive")), GOOD], wanted=replace(FINE, sent=3, waited_s=TWICE_S)),
)  # fmt: skip


def _node(cell: Cell) -> dict[str, Any]:
    if cell.effect == "http":
        body = {"body": {"a": 1}} if cell.method == "POST" else {}
        return {"type": "http", "params": {"url": "https://api.test/it", "method": cell.method, **body, **cell.params}}
    kind = {"mcp": "mcp", MCP_OVER_HTTP: "mcp", "shell": "shell", "file": "read-file"}[cell.effect]
    return {"type": cell.params.get("type", kind), "params": {k: v for k, v in cell.params.items() if k != "type"}}


@contextlib.contextmanager
def _served(cell: Cell, authority: Authority) -> Iterator[Live]:
    """Yield the live HTTP world with the server that a cell wants."""
    tls = {
        "expired": lambda: authority.server(days=(-9, -1)), "other": lambda: authority.server(host="other.test"),
        "own": lambda: authority.server(own=True), "good": authority.server,
    }.get(cell.server)  # fmt: skip
    with contextlib.ExitStack() as held:
        if cell.server == "deaf":
            base = held.enter_context(deaf())
        elif cell.server == "full":
            base = held.enter_context(full())
        else:
            opened = misbehaving(
                {"/it": cell.script}, tls=tls() if tls else None, host="localhost" if tls else "127.0.0.1"
            )
            base, _ = held.enter_context(opened)
        base = base.replace("http://", "https://") if cell.server == "plain as tls" else base
        if cell.server == "unknown":
            held.enter_context(mock.patch("socket.getaddrinfo", _no_such_name))
            base = "http://gone.kelpforest.example"
        trusting = authority.trusting() if base.startswith("https") else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        wire = httpx2.HTTPTransport(verify=trusting)
        live = HttpLive({"api.test": base}, patience_s=SHORT_S, open_s=SHORT_S, transport=wire)
        held.callback(live.close)
        yield live


def _no_such_name(*_asked: object, **_more: object) -> None:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@dataclass(frozen=True, kw_only=True)
class Gone:
    """One run of a cell's workflow."""

    execution: Execution
    traffic: tuple[Exchange, ...]
    took_ms: int


def went(cell: Cell, folder: Path, *, mode: RecordMode, live: Live | None) -> Gone:
    """Run the workflow of one node, recording or replaying."""
    clock = VirtualClock()
    world = ScopedWorld(
        recordings=Recordings.open(folder), services={}, redactor=Redactor({}), clock=clock, mode=mode, live=live,
        hosts={"api.test": "api", "demo": "demo", "shell://sandbox": "shell", "file://sandbox": "file"},
    )  # fmt: skip
    return _gone(world, clock, {"id": "it", **_node(cell)})


def _gone(world: ScopedWorld, clock: VirtualClock, node: dict[str, Any]) -> Gone:
    workflow = {"ir_version": "0.1.0", "nodes": [node], "edges": []}
    execution = MendbenchEngine().execute(
        workflow, {}, world, checkpoint=None, detector=detector("structural"), clock=clock
    )
    traffic = tuple(
        replace(each, origin="recorded", request=replace(each.request, timeout_s=None)) for each in world.traffic()
    )
    return Gone(execution=execution, traffic=traffic, took_ms=clock.now_ms() - START_MS)


def tried(cell: Cell, live: Live) -> str | None:
    """Record a cell and replay it, and return what is not as it should be."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "cassettes"
        try:
            first = went(cell, folder, mode="new_episodes", live=live)
            again = went(cell, folder, mode="none", live=None)
        except (Exception, EffectEscape) as error:  # noqa: BLE001  whatever it is, it is not survived
            if cell.wanted is not None and cell.wanted.state == NOT_RECORDED:
                return _unlike_refusal(error, folder, cell.wanted)
            return f"{type(error).__name__}: {error}"
        return _differs(first, again) or (cell.wanted and _unlike(first, cell.wanted))


def _differs(first: Gone, again: Gone) -> str | None:
    for name in ("traffic", "execution", "took_ms"):
        if getattr(first, name) != getattr(again, name):
            return f"the replay's {name} is another: {getattr(first, name)!r} and {getattr(again, name)!r}"[:900]
    return None


def _unlike_refusal(error: BaseException, folder: Path, wanted: Wanted) -> str | None:
    """Return what is amiss where the operator has to mend something: one line has to say so, and nothing may be recorded."""
    kept = [each.name for each in folder.rglob("*.yaml") if each.stat().st_size]
    reported = isinstance(error, BadInput) and wanted.says in str(error) and "\n" not in str(error)
    return None if reported and not kept else f"{type(error).__name__}: {error} {kept}"


def _unlike(gone: Gone, wanted: Wanted) -> str | None:
    (node,), responses = gone.execution.nodes, [each.response for each in gone.traffic]
    waited = (gone.took_ms - sum(each.elapsed_ms for each in responses)) / 1000
    last = responses[-1]
    for what, found, good in (
        ("state", node.state, node.state == wanted.state),
        ("fault", last.fault, last.fault == wanted.fault),
        ("status", last.status, last.status == wanted.status),
        ("requests", len(responses), len(responses) == wanted.sent),
        ("waited", waited, wanted.waited_s[0] <= waited <= wanted.waited_s[1]),
        ("message", node.message or str(node.outputs)[:200], wanted.says in (node.message or str(node.outputs))),
    ):
        if not good:
            return f"{what} is {found!r}, and not {wanted}: {node.message} {last.body[:200]!r}"
    return None


MCP_SERVER = r"""
import json, sys, time, os
def say(text):
    sys.stdout.write(text + "\n"); sys.stdout.flush()
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    def reply(**more):
        say(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **more}))
    if asked["method"] == "initialize":
        reply(result={"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "demo", "version": "1"}})
    elif asked["method"] == "tools/call":
        tool = asked["params"]["name"]
        if tool == "dies": os._exit(3)
        elif tool == "silent": time.sleep(600)
        elif tool == "garbage": say("\x00\xff no JSON {"); time.sleep(600)
        elif tool == "cut": sys.stdout.write('{"jsonrpc": "2.0", "id": 1, "resul'); sys.stdout.flush(); os._exit(0)
        elif tool == "other": say(json.dumps({"jsonrpc": "2.0", "id": 4711, "result": {}})); time.sleep(600)
        elif tool == "number": reply(result=5)
        elif tool == "empty": reply(result={})
        elif tool == "refuses": reply(error={"code": -32602, "message": "no such city"})
        elif tool == "fails": reply(result={"content": [{"type": "text", "text": "rate limited"}], "isError": True})
        elif tool == "chatty": say("loading 10 %"); reply(result={"content": [{"type": "text", "text": "fine"}]})
        else: reply(result={"content": [{"type": "text", "text": "fine"}]})
    else:
        reply(error={"code": -32601, "message": "Method not found"})
"""


def _mcp(tool: str, wanted: Wanted) -> Cell:
    return Cell(effect="mcp", name=tool, params={"server": "demo", "tool": tool, "arguments": {}}, wanted=wanted)


MCP_CELLS = (
    _mcp("fine", FINE),
    _mcp("chatty", FINE),
    _mcp("empty", _fault("truncated")),
    _mcp("dies", _fault("reset", says="reset")),
    _mcp("silent", _fault("timeout", says="timed out")),
    _mcp("garbage", _fault("timeout")),
    _mcp("cut", _fault("reset")),
    _mcp("other", _fault("timeout")),
    _mcp("number", _fault("timeout")),
    _mcp("refuses", Wanted(state="error", status=200, says="no such city")),
    _mcp("fails", Wanted(state="warning", status=200, says="rate limited")),
)


def _far(
    name: str, wanted: Wanted, *calls: Reply, server: str = "plain", first: Sequence[Reply] = (), **more: Any
) -> Cell:
    params = {"server": "demo", "tool": "it", "arguments": {}, **more}
    return Cell(effect=MCP_OVER_HTTP, name=name, params=params, wanted=wanted, calls=calls, server=server, first=first)


def _busy_mcp(status: str, *after: str, body: bytes = b"") -> tuple[Reply, ...]:
    """Return replies that ask to be left alone for so long each; "" says nothing of it."""
    return tuple(
        whatever(sends(http(status, body, Retry_After=each) if each else http(status, body))) for each in after
    )


def _as_events(number: object) -> bytes:
    return b"event: message\ndata: " + _right(number) + b"\n\n"


def _right(number: object) -> bytes:
    return result_of(number, {"content": [{"type": "text", "text": "fine"}]})


EVENTS = "text/event-stream"
LATER = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "too many"}}'
WRONG = b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32602, "message": "no such city"}}'
TOO_MANY, AWAY = "429 Too Many Requests", "503 Service Unavailable"
NOON, PAST_NOON = "Sun, 22 Nov 2026 12:00:00 GMT", "Sun, 22 Nov 2026 12:00:07 GMT"

FAR_MCP_CELLS = (
    _far("a response", FINE, texts("fine")),
    _far("a response as an event", FINE, lambda number: sends(http(body=_as_events(number), Content_Type=EVENTS))),
    _far("slow, and whole", FINE, lambda number: drips(as_json(_right(number)), pieces=4, pause_s=0.02)),
    _far("slower than the node waits", _fault("timeout", says="after 0.04 seconds"), lambda number: drips(as_json(_right(number)), pieces=2, pause_s=0.04), timeout=0.04),
    _far("nobody listens any more", _fault("refused", 3, TWICE_S, "Could not connect"), texts("fine"), server="leaves"),
    _far("the name is gone", _fault("dns", says="does not resolve"), texts("fine"), server="loses its name"),
    _far("the certificate has expired meanwhile", _fault("tls", says="TLS"), texts("fine"), server="expires"),
    _far("good certificate", FINE, texts("fine"), server="good"),
    _far("read timeout", _fault("timeout", says="timed out"), whatever(sends_and_stays())),
    _far("timeout within the body", _fault("timeout"), lambda number: sends_and_stays(as_json(_right(number))[:-9])),
    _far("reset before the response", _fault("reset", says="reset"), whatever(sends_and_resets())),
    _far("ended before the response", _fault("reset"), whatever(sends())),
    _far("reset within the body", _fault("reset"), lambda number: sends_and_resets(as_json(_right(number))[:-9])),
    _far("reset within an event", _fault("reset"), lambda number: sends_and_resets(http(body=_as_events(number), length=9999, Content_Type=EVENTS)[:-9])),
    _far("body shorter than declared", _fault("truncated", says="broke off"), lambda number: sends(as_json(_right(number))[:-9])),
    _far("an event that breaks off", _fault("truncated"), lambda number: sends(http(body=_as_events(number), length=9999, Content_Type=EVENTS)[:-9])),
    _far("events without a response", _fault("reset"), whatever(sends(http(Content_Type=EVENTS)))),
    _far("gzip cut", _fault("truncated"), lambda number: sends(as_json(gzip.compress(_right(number))[:-12], Content_Encoding="gzip"))),
    _far("gzip whole, which nobody asked for", _fault("truncated"), lambda number: sends(as_json(gzip.compress(_right(number)), Content_Encoding="gzip"))),
    _far("no HTTP at all", _fault("reset"), whatever(sends(b"SSH-2.0-OpenSSH_9.9\r\n"))),
    _far("JSON cut, declared whole", Wanted(state="error", status=200, says="Failed to parse"), lambda number: sends(as_json(_right(number)[:-9]))),
    _far("429, wait 2 seconds, then a response", replace(FINE, sent=2, waited_s=(2, 2)), *_busy_mcp(TOO_MANY, "2"), texts("fine")),
    _far("429 with an error inside, wait 2 seconds, then a response", replace(FINE, sent=2, waited_s=(2, 2)), *_busy_mcp(TOO_MANY, "2", body=LATER), texts("fine")),
    _far("429 until a date, then a response", replace(FINE, sent=2, waited_s=(7, 7)), whatever(sends(http(TOO_MANY, Date=NOON, Retry_After=PAST_NOON))), texts("fine")),
    _far("429, no word of waiting", Wanted(state="warning", status=429, sent=3, waited_s=TWICE_S, says="Rate limited"), *_busy_mcp(TOO_MANY, "")),
    _far("429, wait for years", Wanted(state="warning", status=429), *_busy_mcp(TOO_MANY, "999999999")),
    _far("429 to who connects, wait 2 seconds, then a response", replace(FINE, sent=2, waited_s=(2, 2)), texts("fine"), first=_busy_mcp(TOO_MANY, "2")),
    _far("503, then a response", replace(FINE, sent=2, waited_s=ONCE_S), *_busy_mcp(AWAY, ""), texts("fine")),
    _far("503 for ever", Wanted(state="warning", status=503, sent=3, waited_s=(6, 6), says="HTTP 503"), *_busy_mcp(AWAY, "3")),
    _far("504, which may have done it", Wanted(state="warning", status=504), *_busy_mcp("504 Gateway Timeout", "3")),
    _far("400 with an error inside", Wanted(state="error", status=200, says="no such city"), whatever(sends(as_json(WRONG, "400 Bad Request")))),
    _far("401", Wanted(state="warning", status=401, says="Authentication failed"), whatever(sends(http("401 Unauthorized")))),
    _far("the session is over", Wanted(state="error", status=404, says="Session expired"), whatever(sends(http("404 Not Found")))),
    _far("a redirection elsewhere", Wanted(state="error", status=302, says="302"), whatever(sends(http("302 Found", Location="https://other.test/")))),
    _far("nobody has ever listened", Wanted(state=NOT_RECORDED, says="cannot be started"), server="deaf"),
    _far("the name has never been", Wanted(state=NOT_RECORDED, says="cannot be started"), server="unknown"),
    _far("self-signed certificate", Wanted(state=NOT_RECORDED, says="cannot be started"), server="own"),
    _far("401 to who connects", Wanted(state=NOT_RECORDED, says="cannot be started"), first=[whatever(sends(http("401 Unauthorized")))]),
)  # fmt: skip


@contextlib.contextmanager
def _far_served(cell: Cell, authority: Authority) -> Iterator[Live]:
    """Yield what asks the MCP server over HTTP that a cell wants."""
    shown = {
        "expires": lambda: (authority.server(), authority.server(days=(-9, -1))), "own": lambda: (authority.server(own=True),),
        "good": lambda: (authority.server(),),
    }.get(cell.server, tuple)()  # fmt: skip
    named = bool(shown) or cell.server == "loses its name"
    with contextlib.ExitStack() as held:
        if cell.server == "deaf":
            url = held.enter_context(deaf())
        elif cell.server == "unknown":
            held.enter_context(mock.patch("socket.getaddrinfo", _no_such_name))
            url = "http://gone.kelpforest.example/mcp"
        else:
            reached = held.enter_context(
                misbehaving_mcp(
                    cell.calls,
                    first=cell.first,
                    leaves=cell.server == "leaves",
                    tls=shown,
                    host="localhost" if named else "127.0.0.1",
                )
            )
            url = reached.url
            if named:
                held.enter_context(
                    mock.patch("socket.getaddrinfo", _names(reached, lost=cell.server == "loses its name"))
                )
        trusting = partial(httpx2.AsyncHTTPTransport, verify=authority.trusting())
        held.enter_context(mock.patch("httpx2.AsyncHTTPTransport", trusting))
        live = McpLive({"demo": url}, patience_s=2 * SHORT_S)
        held.callback(live.close)
        yield live


def _names(reached: Reached, *, lost: bool) -> Callable[..., Any]:
    """Return what knows one address of this machine, until somebody has connected there if it is lost."""
    known = socket.getaddrinfo

    def look_up(host: object, *asked: Any, **more: Any) -> Any:
        if lost and reached.connected.is_set():
            _no_such_name()
        return known("127.0.0.1", *asked, **more)

    return look_up


SHELL_CELLS = tuple(
    Cell(effect="shell", name=name, params=params, wanted=wanted)
    for name, params, wanted in (
        ("fine", {"command": "echo fine"}, FINE),
        ("timeout", {"command": "sleep 600"}, _fault("timeout", says="timed out")),
        (
            "the node waits less",
            {"command": "sleep 0.2", "timeout": 0.05},
            _fault("timeout", says="after 0.05 seconds"),
        ),
        (
            "too much output",
            {"command": "yes"},
            Wanted(state="error", status=413, says="Command was stopped: it wrote more"),
        ),
        (
            "outside",
            {"command": "true", "cwd": "../.."},
            Wanted(state="error", status=403, says="not in the sandbox's home"),
        ),
        ("killed", {"command": "kill -9 $$"}, Wanted(state="warning", status=200, says="exit code 137")),
        ("no such program", {"command": "nosuchprogram"}, Wanted(state="error", status=200, says="exit code 127")),
        ("bytes that are no text", {"command": "printf '\\377\\000\\033'"}, FINE),
    )
)

FILE_CELLS = tuple(
    Cell(effect="file", name=name, params=params, wanted=wanted)
    for name, params, wanted in (
        ("fine", {"file_path": "a.txt"}, FINE),
        ("missing", {"file_path": "gone.txt"}, Wanted(state="error", status=404, says="does not exist")),
        ("a folder", {"file_path": "folder"}, Wanted(state="error", status=409, says="is not a file")),
        ("a link that leads out", {"file_path": "out"}, Wanted(state="warning", status=403, says="Permission denied")),
        ("a link to itself", {"file_path": "loop"}, Wanted(state="error", status=409)),
        ("too large", {"file_path": "large"}, Wanted(state="error", status=413, says="too large")),
        ("bytes that are no text", {"file_path": "bytes"}, Wanted(state="error", status=200, says="is not text in UTF-8")),
        ("a pipe that nobody writes to", {"file_path": "pipe"}, Wanted(state="error", status=409)),
        ("a name that is too long", {"file_path": "x" * 300}, Wanted(state="error", status=409)),
        ("written below a file", {"type": "write-file", "file_path": "a.txt/b", "content": "x"}, Wanted(state="error", status=409)),
        ("written on a full disk", {"type": "write-file", "file_path": "full", "content": "x"}, Wanted(state="warning", status=507, says="No space")),
    )
)  # fmt: skip


def _files(folder: Path) -> FileLive:
    lay_out(folder, {"a.txt": "fine", "folder/b.txt": "x"})
    (folder / "out").symlink_to("/etc/hostname")
    (folder / "loop").symlink_to("loop")
    (folder / "bytes").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(folder / "pipe")
    with (folder / "large").open("wb") as large:
        large.truncate(10_000_001)
    return FileLive(folder)


def _full_disk(place: Path, data: bytes) -> int:
    if place.name == "full":
        raise OSError(28, "No space left on device")
    with place.open("wb") as to:
        return to.write(data)


ASK = {
    "model": "tiny", "messages": [{"role": "user", "content": "mend"}], "params": {"temperature": 0}, "response_format": None, "draw": 0,
}  # fmt: skip
COMPLETION = http(
    body=json.dumps({"choices": [{"message": {"role": "assistant", "content": "{}"}}]}).encode(),
    Content_Type="application/json",
)
ANSWERED = sends(COMPLETION)
HALF = http(
    body=b'{"choices": [{"message": {"content": "{\\"edits\\": [{\\"no"}, "finish_reason": "error"}]}',
    Content_Type="application/json",
)


@dataclass(frozen=True, kw_only=True)
class ModelCell:
    """One fault of a model's server."""

    name: str
    script: Sequence[Behaviour]
    ends: type[Exception] | None = Incomplete
    """What the model request ends with; None for a response, which is then recorded."""
    asked: int | None = None
    """How often the server was asked; None where a fault keeps it from hearing."""
    waits: tuple[float, ...] | None = None
    """Exact waits, where it is known how many there are and how long."""
    server: str = "plain"
    state: str = "success"
    """Of an ``llm`` node that gets the response."""


MODEL_CELLS = (
    ModelCell(name="a response", script=[ANSWERED], ends=None, asked=1, waits=()),
    ModelCell(name="slow, and whole", script=[drips(COMPLETION, pieces=4, pause_s=0.01)], ends=None, asked=1, waits=()),
    ModelCell(name="nobody listens", script=[], server="deaf", waits=()),
    ModelCell(name="connect timeout", script=[], server="full"),
    ModelCell(name="read timeout", script=[sends_and_stays()], asked=ATTEMPTS),
    ModelCell(name="timeout within the body", script=[sends_and_stays(COMPLETION[:-9])], asked=ATTEMPTS),
    ModelCell(name="reset", script=[sends_and_resets()], asked=ATTEMPTS),
    ModelCell(name="reset within the body, then a response", script=[sends_and_resets(COMPLETION[:-9]), ANSWERED], ends=None, asked=2),
    ModelCell(name="body shorter than declared, twice, then a response", script=[*[sends(COMPLETION[:-9])] * 2, ANSWERED], ends=None, asked=3),
    ModelCell(name="the name does not exist", script=[], server="unknown", waits=()),
    ModelCell(name="certificate has expired", script=[ANSWERED], server="expired"),
    ModelCell(name="self-signed certificate", script=[ANSWERED], server="own"),
    ModelCell(name="429, wait 3 seconds, then a response", script=[*_busy("429 Too Many Requests", "3"), ANSWERED], ends=None, asked=2, waits=(3.0,)),
    ModelCell(name="429 until a date, then a response", script=[sends(http("429 Too Many Requests", Date="Sun, 22 Nov 2026 12:00:00 GMT", Retry_After="Sun, 22 Nov 2026 12:00:09 GMT")), ANSWERED], ends=None, asked=2, waits=(9.0,)),
    ModelCell(name="429, wait for years", script=_busy("429 Too Many Requests", "999999999"), asked=1, waits=()),
    ModelCell(name="429, wait less than nothing, then a response", script=[*_busy("429 Too Many Requests", "-9"), ANSWERED], ends=None, asked=2),
    ModelCell(name="429 for ever", script=_busy("429 Too Many Requests", ""), asked=ATTEMPTS),
    ModelCell(name="503, then a response", script=[*_busy("503 Service Unavailable", ""), ANSWERED], ends=None, asked=2),
    ModelCell(name="503 for ever", script=_busy("503 Service Unavailable", "1"), asked=ATTEMPTS, waits=(1.0,) * (ATTEMPTS - 1)),
    ModelCell(name="529 for ever", script=_busy("529 Overloaded", ""), asked=ATTEMPTS),
    ModelCell(name="401", script=[sends(http("401 Unauthorized"))], ends=BadInput, asked=1, waits=()),
    ModelCell(name="404", script=[sends(http("404 Not Found"))], ends=BadInput, asked=1),
    ModelCell(name="a redirection", script=[sends(http("302 Found", Location="/login"))], ends=BadInput, asked=1),
    ModelCell(name="200 with nothing in it", script=[sends(http())], asked=1),
    ModelCell(name="JSON cut, declared whole", script=[sends(http(body=b'{"choices": [{"mess'))], asked=1),
    ModelCell(name="a page", script=[sends(http(body=b"<html>Sign in</html>", Content_Type="text/html"))], asked=1),
    ModelCell(name="no choice", script=[sends(http(body=b'{"choices": []}'))], asked=1),
    ModelCell(name="a failure inside a 200", script=[sends(http(body=b'{"error": {"message": "overloaded"}}'))], asked=ATTEMPTS),
    ModelCell(name="a failure inside a 200, then a response", script=[sends(http(body=b'{"error": {"message": "overloaded"}}')), ANSWERED], ends=None, asked=2),
    ModelCell(name="half a response that its server gave up on, then a response", script=[sends(HALF), ANSWERED], ends=None, asked=2),
    ModelCell(name="half a response for ever", script=[sends(HALF)], asked=ATTEMPTS),
    ModelCell(name="429, wait 0, for ever", script=_busy("429 Too Many Requests", "0"), asked=ATTEMPTS),
    ModelCell(name="no gzip, but declared", script=[sends(http(body=b"no", Content_Encoding="gzip"))], asked=ATTEMPTS),
    ModelCell(name="no HTTP at all", script=[sends(b"hello\r\n")], asked=ATTEMPTS),
    ModelCell(name="a prompt that is too long is a response", script=[sends(http("400 Bad Request", body=b'{"error": {"code": "context_length_exceeded"}}'))], ends=None, asked=1, state="error"),
)  # fmt: skip


def model_tried(cell: ModelCell, authority: Authority) -> str | None:
    """Ask while recording, and return what is not as it should be: of the model request, of the record, or of its replay."""
    return _asked_while_recording(
        cell, authority, _asked_by_book, lambda response, again: [("replay", again, again == response)]
    )


def llm_tried(cell: ModelCell, authority: Authority) -> str | None:
    """Run a workflow whose ``llm`` node asks while recording, and return what is not as it should be: of the node, the record, or its replay.

    The waits between the tries of a model request are the recorder's, and real: they cost the workflow no time.
    """

    def judged(first: Gone, again: Gone) -> Iterator[Check]:
        yield "state", first, [node.state for node in first.execution.nodes] == [cell.state]
        yield "time", first, first.took_ms == sum(each.response.elapsed_ms for each in first.traffic)
        differs = _differs(first, again)
        yield "replay", differs, differs is None

    return _asked_while_recording(cell, authority, _asked_by_node, judged)


Check = tuple[str, object, bool]
"""What was looked at, what it is, and whether it is as it should be."""


def _asked_while_recording(
    cell: ModelCell,
    authority: Authority,
    model_request: Callable[[Path, RecordMode, ChatCaller | None], T],
    judged: Callable[[T, T], Iterable[Check]],
) -> str | None:
    """Ask this way of the cell's server, then of what was recorded; ``judged`` looks at what came both times, where anything did."""
    waits: list[float] = []
    with tempfile.TemporaryDirectory() as place, _model_server(cell, authority) as (base, asked, trusting):
        patience = SHORT_S / 3 if cell.ends and cell.asked == ATTEMPTS else SHORT_S / 2
        wire = _Lasting(verify=trusting)
        caller = ChatCaller(base_url=f"{base}/v1", timeout_s=patience, sleep=waits.append, transport=wire)
        ended: MendbenchError | None = None
        own: list[Check] = []
        try:
            first = model_request(Path(place), "new_episodes", caller)
        except MendbenchError as error:
            ended = error
        except Exception as error:  # noqa: BLE001  it is none that a user may meet
            return f"{type(error).__name__}: {error}"
        written = [each.name for each in Path(place).rglob("*.yaml") if each.stat().st_size]
        if ended is None:
            own = list(judged(first, model_request(Path(place), "none", None)))
    tries = len(waits) + 1 if cell.asked is None else len(asked)
    expected = cell.asked or (ATTEMPTS if cell.waits is None else len(cell.waits) + 1)
    for what, found, good in (
        ("end", ended, (type(ended) if ended else None) is cell.ends and "\n" not in str(ended)),
        ("tries", tries, tries == expected),
        ("waits", waits, cell.waits in (None, tuple(waits)) and all(0 <= each <= PATIENCE_S for each in waits)),
        ("record", written, bool(written) == (ended is None)),
        *own,
    ):
        if not good:
            return f"{what} is {found!r}, and not as in {cell.name}, {cell.ends}, {cell.asked}, {cell.waits}"[:900]
    return None


def _asked_by_book(folder: Path, mode: RecordMode, caller: ChatCaller | None) -> Response:
    """Ask as the repair loop does, recording or replaying."""
    book = ModelCassette(recordings=Recordings.open(folder), redactor=Redactor({}), mode=mode, caller=caller)
    return book.send(_ask_request())


def _asked_by_node(folder: Path, mode: RecordMode, caller: ChatCaller | None) -> Gone:
    """Run the workflow of one ``llm`` node, recording or replaying."""
    clock, recordings, redactor = VirtualClock(), Recordings.open(folder), Redactor({})
    model_requests = ModelCassette(recordings=recordings, redactor=redactor, mode=mode, caller=caller)
    world = ScopedWorld(
        recordings=recordings,
        services={},
        hosts={},
        redactor=redactor,
        clock=clock,
        mode=mode,
        model_world=model_requests,
    )
    node = {"id": "it", "type": "llm", "params": {"model": "tiny", "prompt": "mend"}}
    return _gone(world, clock, node)


@contextlib.contextmanager
def _model_server(cell: ModelCell, authority: Authority) -> Iterator[tuple[str, list[str], ssl.SSLContext]]:
    """Yield a model server's base URL, the paths that it is asked for, and whom a client trusts."""
    tls = {"expired": lambda: authority.server(days=(-9, -1)), "own": lambda: authority.server(own=True)}.get(
        cell.server
    )
    trusting = authority.trusting() if tls else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if cell.server in ("deaf", "full"):
        with deaf() if cell.server == "deaf" else full() as base:
            yield base, [], trusting
    elif cell.server == "unknown":
        with mock.patch("socket.getaddrinfo", _no_such_name):
            yield "http://gone.kelpforest.example", [], trusting
    else:
        host = "localhost" if tls else "127.0.0.1"
        with misbehaving({"/v1/chat/completions": cell.script}, tls=tls() if tls else None, host=host) as (base, asked):
            yield base, asked, trusting


class _Lasting(httpx2.HTTPTransport):
    """A transport that is not closed with its first client: a caller opens one for each model request."""


def _ask_request() -> Any:
    return post("model://tiny/chat", ASK)


def waits_tried(count: int, chance: random.Random) -> Iterator[Attempt]:
    """Read headers that say how long to wait: a time, or none, and never an exception."""
    pieces = ["", "0", "1", "-1", "1e309", "-0", "nan", "inf", "1_0", "0x1", "٣", " 5 ", "9" * 400, "1.5", "\0", "a", ",", ";", "GMT", "Mon", "Jan", "0000", "9999", "99999", "25:61:61", "+9999", "-2359", "12:00:00"]  # fmt: skip
    for number in range(count):
        header = " ".join(chance.choices(pieces, k=chance.randint(1, 7)))
        if number % 3 == 0:
            moment = chance.uniform(-6e10, 2.4e11)
            with contextlib.suppress(ValueError, OverflowError, OSError):
                header = email.utils.formatdate(moment, usegmt=True)
        try:
            found = retry_after_s(header, START_MS)
            failure = None if found is None or 0 <= found < float("inf") else f"{found}"
        except Exception as error:  # noqa: BLE001  there must be none
            failure = f"{type(error).__name__}: {error}"
        yield Attempt(kind="Retry-After, drawn at random", what=repr(header), failure=failure)


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Try at most ``count`` cells of each effect, drawn from ``seed``, and ``count`` headers."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        authority = Authority(Path(place))
        for cells in (HTTP_CELLS, MCP_CELLS, FAR_MCP_CELLS, SHELL_CELLS, FILE_CELLS):
            for cell in _drawn(cells, count, chance):
                yield Attempt(kind=f"faults of {cell.effect}", what=cell.name, failure=met(cell, authority))
        for model_cell in _drawn(MODEL_CELLS, count, chance):
            failure = model_tried(model_cell, authority)
            yield Attempt(kind="faults of a model's server", what=model_cell.name, failure=failure)
        for model_cell in _drawn(MODEL_CELLS, count, chance):
            yield Attempt(kind="faults of an llm node", what=model_cell.name, failure=llm_tried(model_cell, authority))
        yield from trials_tried(authority)
    yield from waits_tried(count, chance)


def _drawn(cells: Sequence[T], count: int, chance: random.Random) -> Sequence[T]:
    return cells if count >= len(cells) else chance.sample(cells, count)


def met(cell: Cell, authority: Authority) -> str | None:
    """Try one cell with what it needs, and return what went wrong."""
    with tempfile.TemporaryDirectory() as place, contextlib.ExitStack() as held:
        if cell.effect == "http":
            live: Live = held.enter_context(_served(cell, authority))
        elif cell.effect == "mcp":
            live = McpLive({"demo": [sys.executable, "-S", "-c", MCP_SERVER]}, patience_s=2 * SHORT_S)
            held.callback(live.close)
        elif cell.effect == MCP_OVER_HTTP:
            live = held.enter_context(_far_served(cell, authority))
        elif cell.effect == "shell":
            live = ShellLive(allow_shell=True, environ={}, patience_s=4 * SHORT_S)
        else:
            live = _files(Path(place) / "files")
        if cell.name == "written on a full disk":
            held.enter_context(mock.patch("pathlib.Path.write_bytes", _full_disk))
        try:
            return tried(cell, live)
        except BadInput as error:
            return str(error)


TRIAL_CELLS: tuple[tuple[str, Behaviour, type[MendbenchError]], ...] = (
    ("a response without a choice", sends(http(body=b'{"choices": []}')), Incomplete),
    ("401", sends(http("401 Unauthorized")), BadInput),
    ("429, wait for years", sends(http("429 Too Many Requests", Retry_After="999999999")), Incomplete),
)


def trials_tried(authority: Authority) -> Iterator[Attempt]:
    """Record trials whose model's server fails: the run ends, nothing is recorded, and no verdict falls upon the strategy."""
    with tempfile.TemporaryDirectory() as place:
        desk = Path(place)
        cases.write_corpus(desk)
        for name, behaviour, wanted in TRIAL_CELLS:
            with _model_server(ModelCell(name=name, script=[behaviour]), authority) as (base, asked, _):
                models = {cases.MODEL: ModelConfig(base_url=f"{base}/v1", timeout_s=SHORT_S)}
                context = replace(cases.context_of(desk), models=models)
                with Recorder("new_episodes", models, trajectory=True) as recorder:
                    try:
                        ended: object = run_trial(context, cases.key(), recorder)[0]
                    except MendbenchError as error:
                        ended = error
            kept = [each.name for each in desk.rglob("*.yaml") if cases.MODEL in each.name]
            good = type(ended) is wanted and len(asked) == 1 and not kept
            yield Attempt(
                kind="trials whose model fails", what=name, failure=None if good else f"{ended!r} {asked} {kept}"
            )
