"""The ways through which a secret might come out: a live recording and all that is made of it, an import, a run, a program."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import yaml

from mendbench import api
from mendbench.cassettes.cassette import Entry, dump, load
from mendbench.cli.exits import Exit, code_of
from mendbench.config.config_file import load_config
from mendbench.corpus.credentials import in_file
from mendbench.errors import BadInput, MendbenchError
from mendbench.importing.drafting import Wish
from mendbench.importing.making import import_case
from mendbench.model.case import Case, Variant
from mendbench.model.exchange import Request, Response
from mendbench.model.json import JsonObject
from mendbench.recording.recorder import Recorder
from mendbench.recording.scope_recording import Recording
from mendbench.repairers.programs import CommandCaller
from mendbench.runtime.trace_file import read_trace
from mendbench.secrets.redaction import canary
from mendbench.trial.runner import run_trial
from mendbench.workflow_app.mcp_server import tools
from qa.torture.planting import CARRIERS, PROVIDERS, SHAPES, SPELLINGS, planted, undeclared
from qa.torture.searching import files_below, found_in, searched, views
from qa.torture.tally import Attempt
from tests.fakes import cases
from tests.fakes.loopback import loopback

CASE = "http/hands-out"


class _HandsOut:
    """A live API that signs in with a password, hands out a token, and echoes all sorts of secrets."""

    def __init__(self, token: str, password: str, echoes: list[str], asked: list[Request]) -> None:
        self.token, self.password, self.echoes, self.asked = token, password, echoes, asked

    def serves(self, request: Request) -> bool:
        return request.url.startswith(cases.HOST)

    def resets(self, request: Request) -> bool:
        return False

    def send(self, request: Request) -> Response:
        self.asked.append(request)
        headers = (("Content-Type", "application/json"), ("Location", f"{cases.HOST}/in?access_token={self.token}"), ("Set-Cookie", f"sid={self.token}; Path=/"), ("WWW-Authenticate", f'Bearer realm="{self.password}", error="{self.token}"'))  # fmt: skip
        if request.url.endswith("/login"):
            right = json.loads(request.body or b"{}").get("password") == self.password
            body = {"access_token": self.token} if right else {"error": "wrong password"}
            return Response(status=200 if right else 401, headers=headers, body=json.dumps(body).encode())
        if request.header("authorization") != f"Bearer {self.token}":
            return Response(status=401, headers=headers, body=b'{"error": "who are you?"}')
        echo = {"error": "no such row", "echo": self.echoes, "headers": dict(request.headers), "at": request.url}
        return Response(status=422, headers=headers, body=json.dumps(echo).encode())


class _Recorder(cases.ScriptedRecorder):
    """Records that API, and a model that says again what it received, and a key."""

    def __init__(self, live: _HandsOut, model, mode: str = "new_episodes") -> None:
        super().__init__(model, mode)
        self.live = live

    def for_trial(self, case: Case, variant: Variant | None) -> Recording:
        return Recording(mode=self.mode, live=self.live, caller=self, trajectory=True)


def _document() -> JsonObject:
    return {
        "ir_version": "0.1.0",
        "inputs": {"password": {"type": "string"}},
        "nodes": [
            {"id": "login", "type": "http", "params": {"method": "POST", "url": f"{cases.HOST}/login", "body": {"user": "kim", "password": "${password}"}}},
            {"id": "row", "type": "http", "params": {"url": f"{cases.HOST}/rows?state=open", "auth_token": "${login.response.access_token}"}},
        ],
        "edges": [{"from": "login", "to": "row"}],
    }  # fmt: skip


def _truth() -> JsonObject:
    return {
        "title": "The row is not there", "group": "hands-out", "request": "Fetch the row.",
        "recorded_from": {"json_api": "live"}, "inputs": {"password": "${canary:desk}"}, "state": {"json_api": {"host": cases.DESK["host"]}}, "source": "invented",
        "faults": [{"id": "no-row", "surfaces": "row", "state": "warning", "who": "user", "category": "non_repairable", "says": "no such row", "evidence": "It was deleted."}],
        "expect": {"first": {"login": "success", "row": "warning"}, "final": "warning"},
        "checks": [{"warning": {"node": "row", "says": "no such row"}}],
        "variants": [{"name": "closed rows", "inputs": {}, "state": {"json_api": {"collections": {"spare": {}}}}, "checks": [{"warning": {"node": "row", "says": "no such row"}}], "final": "warning"}],
        "wrong_fixes": [{"why": "leaves it out", "patch": [{"op": "remove", "path": "/nodes/row"}, {"op": "remove", "path": "/edges/0"}]}, {"why": "asks for others", "patch": [{"op": "replace", "path": "/nodes/1/params/url", "value": f"{cases.HOST}/rows"}]}],
    }  # fmt: skip


def recorded(
    count: int, seed: int, root: Path, *, commands: tuple[tuple[tuple[str, ...], int], ...] = ()
) -> Iterator[Attempt]:
    """Record a live API that hands out and echoes secrets, run it, and look for them in all that was written and printed.

    ``commands`` stand with the exit codes that they have to end with: what one does not come to cannot be searched.
    """
    draw = random.Random(seed)
    token, key = SHAPES["session id"](draw), PROVIDERS["Anthropic key"](draw)
    password = canary(CASE, "desk")
    loose = undeclared(count, seed)
    spelled = [CARRIERS[draw.choice(sorted(CARRIERS))](SPELLINGS[name](password)) for name in sorted(SPELLINGS)]
    asked: list[Request] = []
    live = _HandsOut(token, password, [*(one.text for one in loose), *spelled], asked)
    cases.write_case(root, CASE, _truth(), _document())
    (root / "mendbench.toml").write_text('format = 1\n[matrix]\nstrategies = ["full-context"]\npolicies = ["naive"]\nrepairers = ["chat"]\n' f'models = ["{cases.MODEL}"]\nbounds = ["noop"]\n[models.{cases.MODEL}]\n', "utf-8")  # fmt: skip
    trial = cases.key(CASE, "full-context", "naive")

    def model(model_request: JsonObject) -> str:
        return json.dumps({"cannot_fix": f"{model_request['messages'][-1]['content'][:2000]} {key} {password}"})

    rows = [
        run_trial(cases.context_of(root), trial, recorder)[0] for recorder in (_Recorder(live, model), Recorder("none"))
    ]
    same = [
        json.dumps({name: value for name, value in row.items() if name != "timing"}).replace('"live"', '"recorded"')
        for row in rows
    ]
    right = any(request.header("authorization") == f"Bearer {token}" for request in asked)
    yield Attempt(kind="a token that is handed out still opens", what="live recording", failure=None if right else "the world never got it")  # fmt: skip
    yield Attempt(kind="a replay after redaction is the recording", what="live recording", failure=None if same[0] == same[1] else "the rows differ")  # fmt: skip
    said = json.dumps(rows).encode()
    for words, code in ((("run", "--out", "out"), 0), *commands):
        done = _ran(root, *words)
        said += done.stdout + done.stderr
        yield _ended(done, words, code)
    secrets = {
        "the token of the session": token,
        "the declared password": password,
        "a key that the model made up": key,
    }
    found = {**files_below(root), "printed": said}
    yield from searched(
        "recorded, replayed and reported", {**secrets, **{one.what: one.secret for one in loose}}, found
    )


def imported(count: int, seed: int, root: Path) -> Iterator[Attempt]:
    """Import a production failure whose trace is full of secrets, and look for them in the case."""
    from mendbench.importing.engine.trace import read_engine_trace  # noqa: PLC0415
    from mendbench.importing.har import read_har  # noqa: PLC0415

    draw = random.Random(seed)
    sources = ((read_engine_trace, _engine_trace), (read_har, _har))
    ways = ((*source, provenance) for source in sources for provenance in ("live", "simulator"))
    for number, (reader, made, provenance) in enumerate(ways):
        token, password = PROVIDERS["GitHub token"](draw), SHAPES["password with metacharacters"](draw)
        loose = undeclared(count, seed + number)
        document, inputs = _document(), {"password": password}
        document["nodes"][1]["params"]["headers"] = {"X-Api-Key": SHAPES["Twilio auth token"](draw)}
        hard = document["nodes"][1]["params"]["headers"]["X-Api-Key"]
        place = root / f"from-{number}" / "source.json"
        place.parent.mkdir(parents=True)
        place.write_text(made(token, password, [one.text for one in loose]), "utf-8")
        source = reader(place)
        to = root / f"made-{number}"
        kind = f"imported from {made.__name__[1:].replace('_', ' ')}, {provenance}"
        try:
            report = import_case(
                Wish(case=CASE, source=source, workflow=document, inputs=inputs, provenance=provenance),
                to / "cases",
                to / "cassettes",
            )
        except MendbenchError as error:
            yield Attempt(kind=kind, what="import", failure=str(error))
            continue
        yield Attempt(
            kind=kind,
            what="both exchanges are kept",
            failure=None if len(report.kept) == 2 else repr((report.notes, report.dropped)),
        )
        secrets = {"the token": token, "the password": password, "the key in the workflow": hard}
        written = {**files_below(to), "report": repr(report).encode()}
        yield from searched(kind, {**secrets, **{one.what: one.secret for one in loose}}, written)


def _engine_trace(token: str, password: str, echoes: list[str]) -> str:
    def event(node: str, status: int, response: object, at: int) -> JsonObject:
        output = {"response": response, "status_code": status, "response_headers": {"Set-Cookie": f"sid={token}", "Location": f"/in?access_token={token}"}, "response_time": 0.2}  # fmt: skip
        return {
            "kind": "event", "id": at, "seq": at, "parent_id": None, "node_id": node, "node_type": "HttpNode", "duration_ms": 200, "status": "success",
            "node_output": output, "node_params": {"auth_token": token, "body": {"password": password}},
            **({"error": f"HTTP {status}: {echoes[0]} {password} Bearer {token}"} if status >= 400 else {}),
        }  # fmt: skip

    lines = [
        {"kind": "meta", "format_version": "2.8.0", "inputs": {"password": password}},
        event("login", 200, {"access_token": token, "user": {"name": "kim"}}, 1),
        event("row", 422, {"error": "no such row", "echo": echoes, "you": {"password": password}}, 2),
    ]
    return "\n".join(json.dumps(line) for line in lines) + "\n"


def _har(token: str, password: str, echoes: list[str]) -> str:
    def entry(method: str, url: str, status: int, response: object, body: object = None) -> JsonObject:
        sent = {"postData": {"mimeType": "application/json", "text": json.dumps(body)}} if body else {}
        headers = [{"name": "Authorization", "value": f"Bearer {token}"}, {"name": "Cookie", "value": f"sid={token}"}]
        back = [{"name": "Content-Type", "value": "application/json"}, {"name": "Set-Cookie", "value": f"sid={token}"}]
        content = {"mimeType": "application/json", "text": json.dumps(response)}
        return {"startedDateTime": "2026-01-01T00:00:00Z", "time": 12, "request": {"method": method, "url": url, "headers": headers, **sent}, "response": {"status": status, "headers": back, "content": content}}  # fmt: skip

    login = entry("POST", f"{cases.HOST}/login", 200, {"access_token": token}, {"user": "kim", "password": password})
    row = entry("GET", f"{cases.HOST}/rows?state=open", 422, {"error": "no such row", "echo": echoes})
    other = entry("GET", f"{cases.HOST}/other?access_token={token}", 200, {})
    return json.dumps({"log": {"version": "1.2", "entries": [login, row, other]}})


def run_outside(count: int, seed: int, root: Path) -> Iterator[Attempt]:
    """Run a workflow against a server that echoes secrets, and look at the trace, at what is printed, and at what is reported of it later."""
    draw = random.Random(seed)
    token, password = SHAPES["session id"](draw), SHAPES["password with metacharacters"](draw)
    loose = undeclared(count, seed)
    got: list[object] = []
    spelled = [CARRIERS[draw.choice(sorted(CARRIERS))](SPELLINGS[name](password)) for name in sorted(SPELLINGS)]

    def login(body: object) -> tuple[int, object]:
        got.append(body)
        return 200, {"access_token": token}

    def row(_body: object) -> tuple[int, object]:
        return 422, {"error": f"no row for {password}", "echo": [*(one.text for one in loose), *spelled]}

    said = b""
    with loopback({"POST /login": login, "GET /rows?state=open": row}) as base:
        root.mkdir(parents=True, exist_ok=True)
        written = json.dumps(_document()).replace(cases.HOST, base)
        (root / "workflow.json").write_text(written, "utf-8")
        run = ("workflow", "run", "workflow.json", "--secret", "password=DESK_WORD")
        tried = [((*run, "--output-format", form), 1) for form in ("json", "text")]
        later = [(("errors", "list"), 0), (("node", "inspect", "row"), 0), (("debug", "node-io", "--node", "row"), 0), ((*run, "--detector", "nobody"), 2)]  # fmt: skip
        for words, code in (*tried, *later):
            done = _ran(root, *words, DESK_WORD=password)
            said += done.stdout + done.stderr
            yield _ended(done, words, code)
    yield Attempt(kind="a declared secret is sent", what="workflow run", failure=None if got and got[0] == {"user": "kim", "password": password} else repr(len(got)))  # fmt: skip
    secrets = {"the token": token, "the declared password": password, **{one.what: one.secret for one in loose}}
    yield from searched("run outside, traced and inspected", secrets, {**files_below(root), "printed": said})


def in_files(count: int, seed: int, root: Path) -> Iterator[Attempt]:
    """Plant secrets in files of every kind, and look whether each is refused, with its place and without the secret."""
    root.mkdir(parents=True, exist_ok=True)
    writers = {"case.yaml": _as_yaml, "trace.json": _as_json, "world.yaml": _as_cassette, "notes.txt": str, "rows.jsonl": _as_json, "page.har.gz": _as_gzip}  # fmt: skip
    for number, one in enumerate(undeclared(count, seed)):
        name = sorted(writers)[number % len(writers)]
        path = root / name
        written = writers[name](one.text)
        path.write_bytes(written if isinstance(written, bytes) else written.encode())
        found = [str(problem) for problem in in_file(path)]
        shown = "\n".join(found).encode()
        failure = None if found else "it is not refused"
        failure = failure or (None if all(line.startswith(f"{path}:") for line in found) else f"no place: {found}")
        failure = failure or (f"it is shown: {found}" if found_in(views(shown), one.secret) else None)
        yield Attempt(kind="a file with a credential is refused", what=f"{one.what} in {name}", failure=failure)


def in_recordings(count: int, seed: int, root: Path) -> Iterator[Attempt]:
    """Plant secrets by hand in recordings of a sound corpus, and look whether a run is refused and leaves nothing of them."""
    cases.build(root)
    kind = "a run with a credential in a recording is refused"
    world, model = (root / "cassettes" / cases.RENAMED / name for name in ("world.yaml", f"{cases.MODEL}.yaml"))
    in_world = [(world, one.text, one) for one in undeclared(count, seed)]
    in_responses = [(model, one.secret, one) for one in planted(count // 2, seed + 1, PROVIDERS)]
    for path, text, one in (*in_world, *in_responses):
        sound = path.read_bytes()
        first, *others = load(path)
        path.write_text(
            dump([replace(first, response=replace(first.response, body=f"It said:\n{text}".encode())), *others]),
            "utf-8",
        )
        said = ""
        with contextlib.chdir(root):
            try:
                api.run(api.RunOptions(out=Path("out"), workers=1))
            except BadInput as error:
                said = str(error)
        path.write_bytes(sound)
        failure = None if re.search(rf"/{path.name}:\d+: ", said) else f"it is not: {said or 'it runs'}"
        yield Attempt(kind=kind, what=f"{one.what}, in {path.name}", failure=failure)
        yield from searched(kind, {one.what: one.secret}, {**files_below(root), "said": said.encode()})


def reports(count: int, seed: int, root: Path) -> Iterator[Attempt]:
    """Put secrets into workflows that are checked and inspected, and into files that are broken, and look at what is said of them."""
    root.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(undeclared(count, seed)):
        document, fault = _document(), None
        document["nodes"][0]["params"]["headers"] = {"X-Note": one.text}
        document["nodes"][1] |= {"purpose": one.text, "params": {"url": one.text, "what is this": one.text}}
        document["inputs"]["password"]["default"] = one.secret
        said = [tools.validate_workflow(document, {}).text, tools.inspect_workflow(document).text]
        said.append(str(tools.validate_workflow(f'{{"nodes": [{one.text}', {}).text))
        path = root / f"{number}.yaml"
        path.write_text(f"{one.text}\n", "utf-8")
        for read in (load, load_config, read_trace):
            with contextlib.redirect_stderr(io.StringIO()) as err:
                try:
                    read(path)
                except Exception as error:  # noqa: BLE001  whatever a reader says
                    fault = f"{type(error).__name__} of {read.__name__}" if code_of(error) == Exit.INTERNAL else fault
            said.append(err.getvalue())
        way = found_in(views("\n".join(said).encode("utf-8", "replace")), one.secret)
        yield Attempt(kind="checked, inspected, and refused as broken", what=one.what, failure=f"it is there: {way}" if way else fault)  # fmt: skip


def _ended(done: subprocess.CompletedProcess[bytes], words: tuple[str, ...], code: int) -> Attempt:
    """Return whether a command ended as it had to."""
    failure = None if done.returncode == code else f"{done.returncode} instead of {code}: {done.stderr[-300:]!r}"
    return Attempt(
        kind="the command whose output is searched does what it should", what=" ".join(words), failure=failure
    )


def _as_json(text: str) -> str:
    return json.dumps({"executions": [{"nodes": [{"said": text}]}]})


def _as_yaml(text: str) -> str:
    return yaml.safe_dump({"title": "t", "state": {"json_api": {"rows": {"r-1": {"body": text}}}}}, allow_unicode=True)


def _as_cassette(text: str) -> str:
    entry = Entry(
        key="0123456789abcdef", service="json_api",
        request=Request(method="GET", url=f"{cases.HOST}/rows"), response=Response(status=200, body=text.encode()),
    )  # fmt: skip
    return dump([entry])


def _as_gzip(text: str) -> bytes:
    return gzip.compress(_as_json(text).encode())


def from_programs(count: int, seed: int) -> Iterator[Attempt]:
    """Let programs print what they inherit."""
    draw = random.Random(seed)
    for shape in draw.sample(sorted(SHAPES), min(count, len(SHAPES))):
        secret = SHAPES[shape](draw).replace("\0", "")
        os.environ["DESK_API_TOKEN"] = secret
        try:
            for code in (
                "sys.exit(os.environ['DESK_API_TOKEN'])",
                "print(base64.b64encode(os.environ['DESK_API_TOKEN'].encode()).decode())",
            ):
                asked = {"messages": [{"role": "user", "content": "x"}]}
                try:
                    shown = (
                        CommandCaller(argv=(sys.executable, "-c", f"import sys, os, base64; {code}")).send(asked).body
                    )
                except MendbenchError as error:
                    shown = str(error).encode()
                way = found_in(views(shown), secret)
                yield Attempt(kind="a program prints its environment", what=f"{shape}: {code[:5]}", failure=f"it is there: {way}" if way else None)  # fmt: skip
        finally:
            del os.environ["DESK_API_TOKEN"]


def _ran(folder: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "mendbench", *words], cwd=folder, env={**os.environ, **environ}, capture_output=True, check=False
    )  # fmt: skip
