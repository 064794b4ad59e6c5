"""mendbench's own runtime as a command engine: the reference adapter, which must get the verdicts that the runtime gets in process.

    mendbench run --engine 'cmd: python examples/engines/mendbench_cli.py' --repairer reference --strategy none

It keeps the original URLs, so that no message of the runtime is cut at another place, and asks for them at MENDBENCH_WORLD_URL itself.
"""

from __future__ import annotations

import base64
import dataclasses
import http.client
import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit

from mendbench.api_errors.envelopes import accepted
from mendbench.detectors import detector
from mendbench.exchanges.bodies import parse_body
from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.execution import Checkpoint, Completed, Execution
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.engine import MendbenchEngine
from mendbench.secrets.redaction import Redactor
from mendbench.version import __version__

WORLD = os.environ.get("MENDBENCH_WORLD_URL", "")
_WIRE_SAFE = "!#$%&'()*+,/:;=?@[]~"


def as_written(text: str) -> str:
    """Return a text with the world's URLs as they stood in the user's workflow."""
    return re.sub(re.escape(WORLD) + r"/(http:)?(?=[A-Za-z0-9_$-])", lambda m: "http://" if m[1] else "https://", text)


def mapped(value: Json) -> Json:
    """Return a JSON value with all its texts as written."""
    return json.loads(as_written(json.dumps(value, ensure_ascii=False)))


class World:
    """The exchange port over the loopback server: HTTP as HTTP, all else as exchanges."""

    def __init__(self, clock: VirtualClock, redactor: Redactor, earlier: list[JsonObject]) -> None:
        self._clock, self._redactor = clock, redactor
        self._traffic = [_remembered(one) for one in earlier]

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the world's answer."""
        web = request.url.lower().startswith(("http://", "https://"))
        response, changed = self._over_http(request, node) if web else self._exchanged(request, node)
        self._clock.advance(response.elapsed_ms)
        did = accepted(response, parse_body(response.body, response.header("content-type")))
        clean = self._redactor.request(request)
        self._traffic.append(
            Exchange(
                request=clean, response=response, origin="recorded", key="", accepted=did, node=node, changed=changed
            )
        )
        return response

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all exchanges of the trial so far."""
        return tuple(self._traffic)

    def begin_execution(self) -> None:
        """Do nothing: one run of this program is one execution."""

    def _over_http(self, request: Request, node: str | None) -> tuple[Response, bool]:
        parts = urlsplit(request.url)
        prefix = "http:" if parts.scheme.lower() == "http" else ""
        target = f"/{prefix}{parts.netloc}{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        connection = http.client.HTTPConnection(urlsplit(WORLD).netloc)
        try:
            connection.putrequest(
                request.method, quote(target, safe=_WIRE_SAFE), skip_host=True, skip_accept_encoding=True
            )
            own = {
                "Mendbench-Node": node,
                "Mendbench-Timeout-S": request.timeout_s,
                "Content-Length": len(request.body),
            }
            for name, value in (*request.headers, ("Host", urlsplit(WORLD).netloc), *own.items()):
                if value is not None:
                    connection.putheader(name, str(value).encode("utf-8", "replace"))
            connection.endheaders(request.body)
            came = connection.getresponse()
            body = came.read()
        except http.client.IncompleteRead as error:
            return self._fault(error.partial)
        except (http.client.HTTPException, OSError):
            return self._fault()
        finally:
            connection.close()
        added = {*(came.headers.get("Mendbench-Added") or "").lower().split(", "), "connection"}
        headers = tuple(
            (name, as_written(value))
            for name, value in came.headers.items()
            if name.lower() not in added and not name.lower().startswith("mendbench-")
        )
        response = Response(
            status=came.status,
            headers=headers,
            body=_bytes_as_written(body),
            elapsed_ms=int(came.headers["Mendbench-Elapsed-Ms"]),
        )
        return response, came.headers["Mendbench-Changed"] == "true"

    def _fault(self, body: bytes = b"") -> tuple[Response, bool]:
        last = _posted("/-/last", None)
        return Response(status=0, fault=last["fault"] or "reset", elapsed_ms=last["elapsed_ms"], body=body), False

    def _exchanged(self, request: Request, node: str | None) -> tuple[Response, bool]:
        message = {
            "method": request.method, "url": request.url, "headers": list(request.headers), "timeout_s": request.timeout_s, "node": node,
            "body_base64": base64.b64encode(request.body).decode(),
        }  # fmt: skip
        came = _posted("/-/exchange", message)
        response = Response(
            status=came["status"], headers=tuple((name, as_written(value)) for name, value in came["headers"]), fault=came["fault"],
            body=_bytes_as_written(base64.b64decode(came["body_base64"])), elapsed_ms=came["elapsed_ms"],
        )  # fmt: skip
        return response, came["changed"]


def _posted(path: str, document: JsonObject | None) -> JsonObject:
    """Return what the loopback server says. Where it says nothing, the execution is over, and nobody reads what this program prints."""
    connection = http.client.HTTPConnection(urlsplit(WORLD).netloc)
    try:
        body = None if document is None else json.dumps(document).encode()
        connection.request("GET" if document is None else "POST", path, body=body)
        return json.loads(connection.getresponse().read())
    except (http.client.HTTPException, OSError):
        sys.exit("the world has nothing to say")
    finally:
        connection.close()


def _bytes_as_written(body: bytes) -> bytes:
    try:
        return as_written(body.decode()).encode()
    except UnicodeDecodeError:
        return body


def _remembered(stored: JsonObject) -> Exchange:
    """Return an exchange of an earlier execution, with what resuming asks of it."""
    request = Request(method=stored["method"], url=stored["url"])
    response = Response(status=stored["status"])
    return Exchange(
        request=request,
        response=response,
        origin="recorded",
        key="",
        accepted=stored["accepted"],
        node=stored["node"],
        changed=stored["changed"],
    )


def kept(execution: Execution, world: World) -> JsonObject:
    """Return what the next execution needs to go on from here."""
    traffic = [
        {"method": one.request.method, "url": one.request.url, "status": one.response.status, "accepted": one.accepted, "node": one.node,
         "changed": one.changed}
        for one in world.traffic()
    ]  # fmt: skip
    return {"checkpoint": dataclasses.asdict(execution.checkpoint), "traffic": traffic}


def checkpoint_in(stored: JsonObject) -> Checkpoint:
    """Return the checkpoint that an earlier execution left."""
    return Checkpoint(
        completed={name: Completed(**one) for name, one in stored["completed"].items()},
        items={name: tuple(Completed(**one) for one in items) for name, items in stored["items"].items()},
        failed_node=stored["failed_node"],
    )


def document_at(name: str) -> Json:
    """Return what stands in the file that a variable names; an empty object where there is none."""
    path = os.environ.get(name)
    return json.loads(Path(path).read_text(encoding="utf-8")) if path else {}


def execute() -> JsonObject:
    """Execute the workflow and return the document to print."""
    workflow, inputs, before = (
        mapped(document_at("MENDBENCH_WORKFLOW")),
        mapped(document_at("MENDBENCH_INPUTS")),
        document_at("MENDBENCH_CHECKPOINT"),
    )
    redactor, clock = Redactor(document_at("MENDBENCH_SECRETS")), VirtualClock(int(os.environ["MENDBENCH_NOW_MS"]))
    world, engine = World(clock, redactor, before.get("traffic", [])), MendbenchEngine(redact=redactor.value)
    judge = os.environ["MENDBENCH_DETECTOR"]
    execution = engine.execute(
        workflow, inputs, world, clock=clock, detector=detector(judge) if judge else None,
        checkpoint=checkpoint_in(before["checkpoint"]) if before else None,
    )  # fmt: skip
    own = {
        "virtual_time": True,
        "duration_ms": execution.duration_ms,
        "warnings": [dataclasses.asdict(one) for one in execution.warnings],
        "nodes": {
            one.node_id: {name: value for name, value in dataclasses.asdict(one).items() if name != "node_id"} for one in execution.nodes
        },
        "failures": [dataclasses.asdict(one) for one in execution.failures],
        "completed": list(execution.checkpoint.completed),
        "resume": kept(execution, world),
    }  # fmt: skip
    return {**engine.describe(workflow, execution), "mendbench": own}


def main() -> None:
    """Do what is asked for and print the document."""
    if os.environ.get("MENDBENCH_TASK") == "describe":
        document: JsonObject = {"mendbench": {"version": __version__, "resume": True, "judge": "named"}}
    else:
        document = execute()
    sys.stdout.write(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
