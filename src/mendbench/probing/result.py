"""The result of a probe: facts, and what follows from them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.probing.answers import Answer
from mendbench.probing.calls import Call
from mendbench.probing.connection import ServerInfo
from mendbench.probing.faults import Fault
from mendbench.probing.findings import VERDICTS, Findings, Verdict
from mendbench.probing.tools import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class RightCall:
    """A right call and its answer."""

    call: Call
    answer: Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenCall:
    """A broken call, its answer, and what the answer states."""

    id: str
    """``tool/operator/argument``: unique in a probe, and the same in each probe of the same calls."""
    call: Call
    """The right call."""
    fault: Fault
    answer: Answer
    findings: Findings

    def document(self) -> JsonObject:
        """Return it as JSON."""
        return {
            "id": self.id, "tool": self.call.tool, "operator": self.fault.operator, "argument": self.fault.argument,
            "right_name": self.fault.right_name, "fault": self.fault.what, "expected": list(self.fault.expected),
            "request": self.call.request, "right_arguments": self.call.arguments, "arguments": self.fault.arguments,
            "kind": self.answer.kind, "message": self.answer.text, "response": self.answer.response,
            "elapsed_ms": self.answer.elapsed_ms, **self.findings.document(),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRun:
    """A tool or a call that is not in the result, and why."""

    what: str
    """The name of the tool, or the id of the broken call."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The result of a probe."""

    server: str
    """The command or URL."""
    info: ServerInfo
    tools: tuple[Tool, ...]
    right: tuple[RightCall, ...]
    broken: tuple[BrokenCall, ...]
    """Worst first."""
    not_run: tuple[NotRun, ...]
    seconds: float
    sandbox: bool
    """Whether the server ran in the sandbox."""

    def counts(self, tool: str | None = None) -> dict[Verdict, int]:
        """Return the number of broken calls by verdict, of one tool or of all."""
        found = Counter(one.findings.verdict for one in self.broken if tool in {None, one.call.tool})
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}

    @property
    def wrong(self) -> tuple[RightCall, ...]:
        """The calls that were given as right and that failed."""
        return tuple(one for one in self.right if not one.answer.accepted)

    def document(self) -> JsonObject:
        """Return everything as JSON."""
        return {
            "server": {"command": self.server, "name": self.info.name, "version": self.info.version, "tools": len(self.tools)},
            "counts": dict(self.counts()),
            "tools": {tool.name: dict(self.counts(tool.name)) for tool in self.tools},
            "broken_calls": [one.document() for one in self.broken],
            "right_calls": [
                {
                    "tool": one.call.tool, "place": one.call.place, "request": one.call.request,
                    "arguments": one.call.arguments, "accepted": one.answer.accepted, "kind": one.answer.kind,
                    "message": one.answer.text, "response": one.answer.response,
                }
                for one in self.right
            ],
            "not_run": [{"what": one.what, "why": one.why} for one in self.not_run],
            "seconds": round(self.seconds, 1),
        }  # fmt: skip
