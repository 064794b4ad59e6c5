"""Cases made of refused calls: a workflow of one node that sends the broken call, with the probe's own exchanges as its world."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import yaml

from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.case_file import load_case
from mendbench.detectors import detector
from mendbench.errors import ReplayMiss
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import host_of
from mendbench.io.canonical_json import canonical_json
from mendbench.io.files import write_atomically
from mendbench.model.case import Case
from mendbench.model.exchange import Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.probing.answers import Answer
from mendbench.probing.result import BrokenCall, NotRun, Probe
from mendbench.recording.scope_recording import Recording
from mendbench.trial.components import TRUTH_DETECTOR, build_engine
from mendbench.trial.record_hint import recording_command
from mendbench.trial.right_runs import right_workflows
from mendbench.trial.scope import open_scope
from mendbench.values.json_patch import apply_patch

MOST_WRONG_FIXES = 4
"""Other broken calls whose refusals become wrong fixes."""

_NODE = "call"
_SHOWN = 300
"""Characters of a message that a label quotes."""
_HEADERS = (("content-type", "application/json"),)
_NO_CALL: JsonObject = {
    "why": "reports a result without calling the tool",
    "patch": [
        {"op": "replace", "path": f"/nodes/{_NODE}/type", "value": "transform"},
        {"op": "replace", "path": f"/nodes/{_NODE}/params", "value": {"data": {}, "expression": "@"}},
    ],
}


class _Dumper(yaml.SafeDumper):
    """Writes equal values twice: a reader of a case knows no anchors."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - the library's signature
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFolder:
    """A written case."""

    id: str
    broken: str
    """The id of the broken call."""


def write_cases(
    probe: Probe, cases_dir: Path, cassettes_dir: Path
) -> tuple[tuple[CaseFolder, ...], tuple[NotRun, ...]]:
    """Write a case for each refused call of a probe, and return the cases and the refused calls without one.

    The folders are expected to be new: a case that exists is overwritten.
    """
    written: list[CaseFolder] = []
    left: list[NotRun] = []
    family = family_of(probe)
    accepted = {canonical_json([one.call.tool, one.call.arguments]): one.answer for one in probe.right}
    for broken in probe.broken:
        if broken.findings.heed != "refused" or broken.answer.kind == "lost":
            continue
        why = _unfit(broken)
        if why:
            left.append(NotRun(what=broken.id, why=why))
            continue
        right = accepted[canonical_json([broken.call.tool, broken.call.arguments])]
        name = _slug(broken.id)
        _write_case(broken, probe, family, cases_dir / family / name)
        case = load_case(cases_dir / family / name, family)
        _record(case, _world(broken, right, probe, family), cassettes_dir / family / name)
        written.append(CaseFolder(id=case.id, broken=broken.id))
    return tuple(written), tuple(left)


def family_of(probe: Probe) -> str:
    """Return the family of a server's cases, which is also the server's name in their workflows."""
    return _slug(probe.info.name or urlsplit(probe.server).hostname or Path(probe.server.split()[0]).name) or "server"


def _unfit(broken: BrokenCall) -> str:
    if not broken.call.request:
        return "no case: its right call has no request: give it in --calls"
    if "${" in json.dumps([broken.fault.arguments, broken.call.arguments]):
        return "no case: its arguments hold ${, which a workflow reads as a template"
    return ""


def _write_case(broken: BrokenCall, probe: Probe, family: str, folder: Path) -> None:
    node = {
        "id": _NODE,
        "type": "mcp",
        "params": {"server": family, "tool": broken.call.tool, "arguments": broken.fault.arguments},
    }
    workflow = {"ir_version": "0.1.0", "inputs": {}, "nodes": [node], "edges": []}
    text = yaml.dump(_document(broken, probe, family), Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=140)
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "case.yaml", text)
    write_atomically(folder / "workflow.json", json.dumps(workflow, indent=2, ensure_ascii=False) + "\n")


def _document(broken: BrokenCall, probe: Probe, family: str) -> JsonObject:
    """Return ``case.yaml``: the right call is the truth."""
    call, fault = broken.call, broken.fault
    url = f"mcp://{family}/{quote(call.tool, safe='')}"
    accepted = {"request": {"method": "POST", "url": url, "json": call.arguments, "only": True}}
    said = (
        f"The server accepted the call with the right arguments, and answered this one: {_quoted(broken.answer.text)}"
    )
    version = " ".join(filter(None, (probe.info.name, probe.info.version))) or probe.server
    return {
        "title": f"{call.tool}: {fault.what}",
        "group": _slug(f"{family}-{call.tool}-{fault.operator}"),
        "request": call.request,
        "recorded_from": {"mcp_sim": "live"},
        "api": "private",
        "inputs": {},
        "state": {"mcp_sim": {"servers": {family: {"tools": {}}}}},
        "faults": [
            {
                "id": fault.operator, "cause": [_NODE], "surfaces": _NODE, "state": "error", "who": "edit",
                "category": "api_validation", "evidence": said,
            }
        ],
        "expect": {"first": {_NODE: "error"}, "after_fix": {_NODE: "success"}, "final": "success"},
        "checks": [accepted, {"kept": [_NODE]}],
        "variants": [
            {
                "name": "another server is there too",
                "state": {"mcp_sim": {"servers": {f"{family}-2": {"tools": {}}}}},
                "checks": [accepted],
            }
        ],
        "fix": [_replacing(call.arguments)],
        "wrong_fixes": _wrong_fixes(broken, probe),
        "source": f"mendbench tools probe of {version}: {broken.id}",
    }  # fmt: skip


def _replacing(arguments: JsonObject) -> JsonObject:
    return {"op": "replace", "path": f"/nodes/{_NODE}/params/arguments", "value": arguments}


def _wrong_fixes(broken: BrokenCall, probe: Probe) -> list[JsonObject]:
    """Return the other refused calls of the right call, and one that calls nothing."""
    others = [
        {"why": f"sends {one.fault.what}", "patch": [_replacing(one.fault.arguments)]} for one in _others(broken, probe)
    ]
    empty: JsonObject = {"why": "sends no arguments", "patch": [_replacing({})]}
    return [*others, _NO_CALL, *([] if others else [empty])]


def _others(broken: BrokenCall, probe: Probe) -> list[BrokenCall]:
    same = [
        one
        for one in probe.broken
        if one.call == broken.call and one.answer.kind in {"tool_error", "protocol_error"}
        and one.fault.arguments != broken.fault.arguments
    ]  # fmt: skip
    distinct = {canonical_json(one.fault.arguments): one for one in same}
    return list(distinct.values())[:MOST_WRONG_FIXES]


def _world(broken: BrokenCall, right: Answer, probe: Probe, family: str) -> _ProbedWorld:
    tool = next(tool for tool in probe.tools if tool.name == broken.call.tool)
    answers = {canonical_json(one.fault.arguments): one.answer for one in (broken, *_others(broken, probe))}
    answers[canonical_json(broken.call.arguments)] = right
    return _ProbedWorld(server=family, tool=tool.name, read_only=tool.read_only, answers=answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class _ProbedWorld:
    """A live world that knows what a probe saw."""

    server: str
    tool: str
    read_only: bool
    answers: Mapping[str, Answer]
    """By the call's arguments as canonical JSON."""

    def serves(self, request: Request) -> bool:
        """Return whether the probe sent this call."""
        return self._answer(request) is not None

    def resets(self, request: Request) -> bool:  # noqa: ARG002 - the protocol's
        """Return that no earlier writes are needed."""
        return False

    def send(self, request: Request) -> Response:
        """Return the server's response.

        Raises:
            LookupError: the probe did not send this call.
        """
        answer = self._answer(request)
        if answer is None:
            raise LookupError(request.url)
        body = canonical_json(answer.response).encode("utf-8", "surrogatepass")
        return Response(status=200, headers=_HEADERS, body=body, elapsed_ms=answer.elapsed_ms)

    def reads(self, request: Request) -> bool | None:  # noqa: ARG002 - the protocol's
        """Return True for a tool that its server calls read-only; else None."""
        return True if self.read_only else None

    def _answer(self, request: Request) -> Answer | None:
        if host_of(request.url) != self.server or unquote(urlsplit(request.url).path.lstrip("/")) != self.tool:
            return None
        arguments: Json = parse_body(request.body, "application/json")
        return self.answers.get(canonical_json(arguments or {}))


def _record(case: Case, world: _ProbedWorld, folder: Path) -> None:
    """Record what the case's own workflows and its wrong fixes send, on its own data and on its variants'."""
    wrong = [apply_patch(case.workflow, fix.patch) for fix in case.wrong_fixes]
    for workflow in (case.workflow, *right_workflows(case), *wrong):
        for variant in (None, *case.variants):
            recording = Recording(mode="new_episodes", live=world)
            scope = open_scope(case, variant, Recordings.open(folder), recording, recording_command(case))
            try:
                build_engine("mendbench", case).execute(
                    workflow, scope.inputs, scope.world,
                    checkpoint=None, detector=detector(TRUTH_DETECTOR), clock=scope.clock,
                )  # fmt: skip
            except ReplayMiss:  # a wrong fix that the probe did not send
                continue


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", text).lower()).strip("-")
