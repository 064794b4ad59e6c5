"""Runs right calls, breaks them, and keeps what the server answers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from mendbench.errors import BadInput, UnknownName
from mendbench.exchanges.bodies import parse_body
from mendbench.importing.matching import cleaned
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Response
from mendbench.model.json import JsonObject
from mendbench.probing.answers import Answer, answer_of, lost
from mendbench.probing.calls import Call, calls_from_schemas, checked, placed
from mendbench.probing.connection import Connection, Lost, ServerInfo
from mendbench.probing.drafts import NoCalls, draft_of
from mendbench.probing.faults import OPERATORS, Fault, faults_of
from mendbench.probing.findings import VERDICTS, examine
from mendbench.probing.hints import network_hint, start_hint
from mendbench.probing.result import BrokenCall, NotRun, Probe, RightCall
from mendbench.probing.servers import Target
from mendbench.probing.tools import Tool, tools_of
from mendbench.secrets.redaction import Redactor

BUDGET_S = 10.0
"""How long broken calls are sent if their number is not limited, in seconds."""
NO_CALL = "no right call: give --calls"
_HEADERS = (("content-type", "application/json"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What to probe."""

    calls: tuple[Call, ...] = ()
    """Right calls; if there are none, those of the tools' schemas."""
    limit: int | None = None
    """The number of broken calls; None for as many as :data:`BUDGET_S` allows."""
    only: frozenset[str] = frozenset()
    """Ids of broken calls; empty for all."""
    allow_writes: bool = False
    redactor: Redactor = field(default_factory=lambda: Redactor({}))


class _Sessions:
    """A server that begins afresh after each call that may have changed its data.

    A call may have if its tool has no ``readOnlyHint``, unless it was refused and left all files as they were: a refusal that changes
    only the server's memory is not noticed.
    """

    def __init__(self, target: Target, redactor: Redactor) -> None:
        self._target, self._redactor = target, redactor
        self._connection: Connection | None = None
        self._stale = False

    def current(self) -> Connection:
        """Return a session with fresh data.

        Raises:
            Lost: the server cannot be started.
        """
        if self._stale or self._connection is None:
            self.close()
            self._connection, self._stale = self._target.open(), False
        return self._connection

    def run(self, tool: Tool, arguments: JsonObject) -> Answer:
        """Return the answer to a call, without secrets.

        Raises:
            Lost: the server cannot be started.
        """
        connection = self.current()
        self._stale = self._target.resets and not tool.read_only
        before = self._target.files() if self._stale else 0
        began = time.perf_counter()
        try:
            message = connection.call(tool.name, arguments)
        except Lost as error:
            self.close()
            return lost(self._redactor.text(str(error)))
        took = round((time.perf_counter() - began) * 1000)
        clean, held_secrets = _clean(message, self._redactor)
        answer = answer_of(clean, took, held_secrets=held_secrets)
        self._stale = self._stale and (answer.kind == "result" or self._target.files() != before)
        return answer

    def close(self) -> None:
        """End the server."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _clean(message: JsonObject, redactor: Redactor) -> tuple[JsonObject, bool]:
    """Return a message without secrets, and whether it held any."""
    body = canonical_json(message).encode("utf-8", "replace")
    clean = cleaned(Response(status=200, headers=_HEADERS, body=body), redactor).body
    found = parse_body(clean, "application/json")
    return (found if isinstance(found, dict) else {}), clean != body


def probe(target: Target, wish: Wish, on_progress: Callable[[int, int, str], None]) -> Probe:
    """Run right calls, then each of their faults, and return the answers and what they state.

    Raises:
        BadInput: the server does not start or has no tools.
        NoCalls: no right call is known.
        UnknownName: a right call is of an unknown tool, or no fault has an id.
    """
    began = time.monotonic()
    sessions = _Sessions(target, wish.redactor)
    try:
        info, tools = _listed(sessions, target, wish.redactor)
        run = _Run(sessions, target, wish, tools)
        broken = run.broken(run.right_calls(), on_progress)
        seconds = time.monotonic() - began
        return Probe(
            server=target.shown, info=info, tools=tools, right=tuple(run.right), broken=broken, not_run=tuple(run.not_run),
            seconds=seconds, sandbox=target.sandbox,
        )  # fmt: skip
    finally:
        sessions.close()


def _started(sessions: _Sessions, target: Target, redactor: Redactor, again: str = "") -> Connection:
    """Return a session with a server.

    Raises:
        BadInput: it does not start.
    """
    try:
        return sessions.current()
    except Lost as error:
        found = f"it does not start{again}: {redactor.text(str(error))}"
        raise BadInput(target.shown, found, start_hint(str(error), target.program, sandboxed=target.sandbox)) from None


def draft_calls(target: Target, redactor: Redactor) -> str:
    """Return the draft of a file with a right call of each tool of a server.

    Raises:
        BadInput: the server does not start or has no tools.
    """
    sessions = _Sessions(target, redactor)
    try:
        return draft_of(_listed(sessions, target, redactor)[1])
    finally:
        sessions.close()


def _listed(sessions: _Sessions, target: Target, redactor: Redactor) -> tuple[ServerInfo, tuple[Tool, ...]]:
    """Return what a server says about itself, and its tools.

    Raises:
        BadInput: it does not start or has no tools.
    """
    connection = _started(sessions, target, redactor)
    try:
        info, tools = connection.info, tools_of(connection.list_tools())
    except Lost as error:
        found = f"it does not list its tools (tools/list): {redactor.text(str(error))}"
        raise BadInput(target.shown, found, start_hint(str(error), "", sandboxed=target.sandbox)) from None
    if not tools:
        raise BadInput(target.shown, "it has no tools", "name a server with tools")
    return info, tools


@dataclass(frozen=True, slots=True)
class _Job:
    id: str
    call: Call
    fault: Fault


class _Run:
    """One probe in progress."""

    def __init__(self, sessions: _Sessions, target: Target, wish: Wish, tools: tuple[Tool, ...]) -> None:
        self._sessions, self._target, self._wish = sessions, target, wish
        self._tools = {tool.name: tool for tool in tools}
        self._answers: dict[str, Answer] = {}
        self.right: list[RightCall] = []
        self.not_run: list[NotRun] = []

    def right_calls(self) -> list[RightCall]:
        """Run the right calls, and return those that were accepted.

        Raises:
            BadInput: the server cannot be started again.
            NoCalls: no right call is known.
            UnknownName: one is of an unknown tool.
        """
        tools = list(self._tools.values())
        calls = checked(self._wish.calls, tools) or calls_from_schemas(tools)
        if not calls:
            raise NoCalls(self._target.shown, draft_of(tools))
        refused = {tool.name: why for tool in tools if (why := self._refused(tool))}
        known = {call.tool for call in calls}
        self.not_run += [NotRun(what=name, why=why) for name, why in refused.items()]
        self.not_run += [NotRun(what=name, why=NO_CALL) for name in self._tools if name not in {*known, *refused}]
        for call in calls:
            if call.tool in refused:
                continue
            folder = self._target.folder
            own = replace(call, arguments=placed(call.arguments, folder), request=placed(call.request, folder))
            _started(self._sessions, self._target, self._wish.redactor, " again")
            self.right.append(RightCall(call=own, answer=self._answer(own.tool, own.arguments)))
        accepted = [one for one in self.right if one.answer.accepted]
        if not accepted:
            raise self._nothing_right()
        return accepted

    def _nothing_right(self) -> BadInput:
        """Return the error that no right call can be broken."""
        if not self.right:
            why = next(iter(self.not_run)).why
            return BadInput(self._target.shown, f"none of its tools with a right call may be run: {why}", _GIVE_CALLS)
        first = self.right[0]
        hint = network_hint(first.answer.text, sandboxed=self._target.sandbox)
        found = f"no right call is accepted; {first.call.tool}: {first.answer.first_line}"
        return BadInput(first.call.place, found, hint or "give calls that succeed")

    def broken(
        self, right: Iterable[RightCall], on_progress: Callable[[int, int, str], None]
    ) -> tuple[BrokenCall, ...]:
        """Run the faults of right calls, and return them with their findings, worst first.

        Raises:
            UnknownName: no fault has an id that is asked for.
        """
        jobs = self._jobs(right)
        found: list[BrokenCall] = []
        began = time.monotonic()
        for number, job in enumerate(jobs):
            spent = self._wish.limit is None and not self._wish.only and time.monotonic() - began > BUDGET_S
            over = self._wish.limit is not None and number >= self._wish.limit
            if spent or over:
                why = (
                    f"{BUDGET_S:g} s are over: --limit {len(jobs)} runs all" if spent else f"--limit {self._wish.limit}"
                )
                self.not_run += [NotRun(what=left.id, why=why) for left in jobs[number:]]
                break
            try:
                one = self._broken(job)
            except Lost as error:
                why = f"the server does not start again: {self._wish.redactor.text(str(error))}"
                self.not_run += [NotRun(what=left.id, why=why) for left in jobs[number:]]
                break
            if one.fault.operator == "unknown" and one.answer.accepted:
                self.not_run.append(NotRun(what=one.id, why=_ANY_VALUE))
            else:
                found.append(one)
            on_progress(number + 1, len(jobs), job.id)
        return tuple(sorted(found, key=_badness))

    def _refused(self, tool: Tool) -> str:
        """Return why a tool may not be run; empty if it may."""
        if self._wish.allow_writes or tool.read_only:
            return ""
        if tool.destructive:
            return "its destructiveHint is true: --allow-writes runs it"
        return "it has no readOnlyHint, and the server is remote: --allow-writes runs it" if self._target.remote else ""

    def _jobs(self, right: Iterable[RightCall]) -> list[_Job]:
        """Return the faults in the order in which they are run: reads first, and each operator on each tool before the next of its kind."""
        jobs: dict[str, tuple[tuple[int, ...], _Job]] = {}
        ranks: dict[tuple[str, str], int] = {}
        for one in right:
            tool = self._tools[one.call.tool]
            for fault in faults_of(tool, one.call.arguments):
                id_ = f"{tool.name}/{fault.operator}/{fault.right_name or fault.argument}"
                if id_ in jobs:
                    continue
                rank = ranks[tool.name, fault.operator] = ranks.get((tool.name, fault.operator), -1) + 1
                order = (int(not tool.read_only), rank, OPERATORS.index(fault.operator), len(jobs))
                jobs[id_] = order, _Job(id_, one.call, fault)
        for wanted in sorted(self._wish.only - set(jobs)):
            raise UnknownName("broken call", wanted, jobs, "--only")
        chosen = [pair for id_, pair in jobs.items() if not self._wish.only or id_ in self._wish.only]
        return [job for _, job in sorted(chosen, key=lambda pair: pair[0])]

    def _broken(self, job: _Job) -> BrokenCall:
        """Run one broken call.

        Raises:
            Lost: the server cannot be started.
        """
        answer = self._answer(job.call.tool, job.fault.arguments)
        same_as_right = same_as_without = False
        if answer.accepted:
            same_as_right = self._same(answer, job.call.tool, job.call.arguments)
            without = {name: value for name, value in job.call.arguments.items() if name != job.fault.right_name}
            optional = job.fault.right_name not in {"", *self._tools[job.call.tool].required}
            same_as_without = optional and self._same(answer, job.call.tool, without)
        findings = examine(
            job.fault, answer, tool=job.call.tool, same_as_right=same_as_right, same_as_without=same_as_without
        )
        return BrokenCall(id=job.id, call=job.call, fault=job.fault, answer=answer, findings=findings)

    def _same(self, answer: Answer, tool: str, arguments: JsonObject) -> bool:
        """Return whether a call has the same answer, apart from numbers where two answers to it differ in numbers alone."""
        other = self._answer(tool, arguments)
        if not other.accepted or answer.text == other.text:
            return other.accepted
        if _NUMBERS.sub("0", answer.text) != _NUMBERS.sub("0", other.text):
            return False
        again = self._sessions.run(self._tools[tool], arguments)
        return again.text != other.text

    def _answer(self, tool: str, arguments: JsonObject) -> Answer:
        """Return the answer to a call; the same one each time."""
        key = canonical_json([tool, arguments])
        if key not in self._answers:
            self._answers[key] = self._sessions.run(self._tools[tool], arguments)
        return self._answers[key]


def _badness(one: BrokenCall) -> tuple[int, int]:
    return VERDICTS.index(one.findings.verdict), OPERATORS.index(one.fault.operator)


_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_ANY_VALUE = "left out: the tool accepts any name, so a misspelt one is not wrong"
_GIVE_CALLS = "give right calls: --calls FILE, or --log FILE"
