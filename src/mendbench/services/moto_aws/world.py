"""The real moto in server mode: AWS endpoints of one region, such as ``https://dynamodb.eu-west-1.amazonaws.com/``.

The calls of ``seed.json`` create its data, in order. The calls of the case's state are merged over them by name::

    {"calls": {"table of bales": {"target": "DynamoDB_20120810.CreateTable", "json": {…}},
               "queue": {"target": "AmazonSQS.CreateQueue", "json": {…}},
               "crate 1": {"method": "PUT", "url": "https://s3.eu-west-1.amazonaws.com/crates/1.json", "text": "…"},
               "bale 7": null}}                                     # a call of the seed to leave out

``target`` is the operation of a JSON protocol (``X-Amz-Target``). moto reads service and region from the signature,
which it does not verify. Requests arrive unsigned, as from a workflow behind a signing gateway. The proxy signs for the
requested host. Random ids depend only on the request and on its repeat count: the proxy seeds moto before each request.
"""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.model.json import JsonObject
from mendbench.services.local_server import refuse_absent
from mendbench.services.pinning_proxy import Incoming, Pins, ask_server, with_header
from mendbench.services.real_server import ProxiedServer, seed_of
from mendbench.services.request_seeds import RequestSeeds
from mendbench.services.sandboxed import ENVIRONMENT
from mendbench.values.merge_patch import merge_patch

REGION = "eu-west-1"
SERVICES = ("dynamodb", "sqs", "ssm", "s3", "sns")
"""Services whose errors have AWS's own status codes. For other services moto's differ."""
_TARGETS = {"DynamoDB_20120810": "dynamodb", "AmazonSQS": "sqs", "AmazonSSM": "ssm"}
"""The prefix of ``X-Amz-Target`` before the dot, and the first label of the host."""
_READS = re.compile(r"\.(?:Get|BatchGet|Describe|List|Query|Scan|Search|Filter)")
"""Read-only operations. ``ReceiveMessage`` hides the messages that it returns, so it is not one of them."""
_WHEN, _SECONDS, _STAMP = "Thu, 01 Jan 2026 00:00:00 GMT", "1767225600", "2026-01-01T00:00:00.000Z"
PINS = Pins(
    headers={
        "date": _WHEN, "last-modified": _WHEN, "server": None, "x-amz-crc32": None,  # a checksum that also covers pinned values
        "x-amzn-requestid": "7d1f0c9e-0000-4000-8000-000000000000", "access-control-allow-origin": None,
    },
    texts=(
        (re.compile(r'("\w*(?:Date|Time|Timestamp)\w*": )[0-9]{10}(?:\.[0-9]+)?(?=[,}\s])'), rf"\g<1>{_SECONDS}.0"),
        (re.compile(r'("\w*Timestamp": ")[0-9]{13}(?=")'), rf"\g<1>{_SECONDS}000"),
        (re.compile(r"(<(\w*(?:LastModified|Date|Time))>)[^<]*(?=</\2>)"), rf"\g<1>{_STAMP}"),
        (re.compile(r"(<RequestId>)[^<]*"), r"\g<1>7d1f0c9e-0000-4000-8000-000000000000"),
        (re.compile(rf"http://(?=sqs\.{REGION}\.amazonaws\.com/)"), "https://"),  # moto copies the scheme of the request
    ),
)  # fmt: skip
"""The pins for moto's responses: dates, request ids, checksums over them, the test server's own headers."""
_LAUNCH = """
import logging
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
"""
_CONTROL = "motoapi.amazonaws.com"
"""The host of moto's own settings. A case cannot declare it."""


class MotoAws(ProxiedServer):
    """A real server. It starts once and is reset before each scope."""

    name = "moto_aws"
    hosts: tuple[str, ...] = tuple(f"{service}.{REGION}.amazonaws.com" for service in SERVICES)

    def __init__(self) -> None:
        super().__init__(PINS, self._prepared)
        self._seeds = RequestSeeds()

    def start(self) -> str:
        """Start the server with the seed, and return the base URL of its proxy.

        Raises:
            BadInput: moto is not installed, or does not start.
        """
        refuse_absent(self.name, "moto", "flask", "boto3")
        keys = {"AWS_ACCESS_KEY_ID": "mock", "AWS_SECRET_ACCESS_KEY": "mock", "AWS_DEFAULT_REGION": REGION}
        with self._starting("moto") as folder:
            environ = {**ENVIRONMENT, **keys, "HOME": str(folder)}
            self._front.behind = self._server.start(_LAUNCH, log=folder / "log", environ=environ)
            self.reset({})
            return self._front.open()

    def reset(self, state: dict[str, object]) -> None:
        """Reset moto, and repeat the calls of the seed and of the state.

        Raises:
            BadInput: a call is invalid or fails, or the server was not started.
        """
        self._started_folder()
        calls = calls_of(state)
        self._control("reset")
        self._seeds.clear()
        for name, call in calls.items():
            self._created(f"calls.{name}", incoming(name, call))

    def reads(self, request: Request) -> bool | None:
        """Return whether a request is read-only. The JSON protocols use POST for everything."""
        target = request.header("x-amz-target")
        return None if target is None else _READS.search(target) is not None

    def _prepared(self, asked: Incoming) -> Incoming:
        """Seed moto's random ids for the request, and return it with its signature."""
        self._control(f"seed?a={int(self._seeds.next(asked, _target(asked)), 16)}")
        scope = f"20260101/{REGION}/{asked.host.partition('.')[0]}/aws4_request"
        signed = f"AWS4-HMAC-SHA256 Credential=mendbench/{scope}, SignedHeaders=host, Signature=0"
        return with_header(asked, "Authorization", signed)

    def _control(self, command: str) -> None:
        """Send a command to moto itself."""
        headers = (("Host", _CONTROL),)
        request = Incoming(method="POST", target=f"/moto-api/{command}", host=_CONTROL, headers=headers, body=b"")
        ask_server(self._front.behind, request)


def calls_of(state: JsonObject) -> dict[str, JsonObject]:
    """Return the calls that create the data, by name: the seed's, with the state's merged over them (RFC 7396)."""
    return merge_patch(seed_of(MotoAws.name), state).get("calls") or {}


def incoming(name: str, call: JsonObject) -> Incoming:
    """Return the request for a call of a state.

    Raises:
        BadInput: the call is invalid.
    """
    place = f"state of {MotoAws.name}: calls.{name}"
    target, text = str(call.get("target", "")), call.get("text")
    service = _TARGETS.get(target.partition(".")[0])
    url = urlsplit(str(call.get("url") or (f"https://{service}.{REGION}.amazonaws.com/" if service else "")))
    if url.hostname not in MotoAws.hosts:
        raise BadInput(place, f"neither target nor url is one of {', '.join(SERVICES)} in {REGION}", "name one")
    headers = {"Host": url.netloc, **dict(call.get("headers") or {})}
    headers |= {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"} if target else {}
    return Incoming(
        method=str(call.get("method", "POST")),
        target=(url.path or "/") + (f"?{url.query}" if url.query else ""),
        host=url.hostname or "",
        headers=tuple((str(key), str(value)) for key, value in headers.items()),
        body=text.encode() if isinstance(text, str) else json.dumps(call.get("json", {})).encode(),
    )


def _target(asked: Incoming) -> str:
    return next((value for key, value in asked.headers if key.lower() == "x-amz-target"), "")
