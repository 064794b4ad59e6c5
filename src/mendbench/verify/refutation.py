"""Whether a wrong fix or a mutant is wrong whatever a live API would answer to a request that is never sent.

A wrong fix or a mutant gets recorded responses only. Where one is missing, the clean run stops at a request whose answer nobody knows.
What came before it is certain, and that it would be sent is certain. The workflow is *refuted* if one of these rules applies, on the
case's own data or on a variant's:

1. The table of verdicts has no right verdict for an edit of this kind of case, or none for an edit whose checks do not all hold. All
   rules below need the second.
2. A protected parameter differs (``unchanged``), or a node that must stay is gone (``kept``). No run is needed.
3. A ``no_request`` check forbids a request up to and including the unanswered one: it forbids the request, not the answer.
4. Accepted requests before it exceed the ``times`` of a ``request`` check.
5. The unanswered request goes to the method and URL of a ``request`` check, which does not accept it; the check is short of requests; and
   nothing else can supply them: the sender is no batch, is on no cycle, and no other node can send that method there.
   Without the last condition a later node could still send the right request, also where the check has ``only`` or its ``times`` are
   used up: one answer would then pass, so ``only`` and ``times`` decide nothing by themselves. They count through what the check
   accepts (``only``) and what it is short of (``times``).
6. The run on this data needs no unknown answer, and a check of it, or of how it ends, does not hold.

Otherwise some answer might let it pass, and it is *unproved (live)*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import get_args
from urllib.parse import urlsplit

from mendbench.detectors import detector
from mendbench.errors import ReplayMiss
from mendbench.exchanges.urls import normalise_url
from mendbench.model.case import Check, KeptCheck, Kind, NoRequestCheck, RequestCheck, UnchangedCheck, Variant
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.execution import State
from mendbench.model.json import JsonObject
from mendbench.model.trial import CleanRun
from mendbench.model.workflow import Node
from mendbench.ports.world import World
from mendbench.recording.scope_recording import Recording
from mendbench.replay.guard import guarded
from mendbench.runtime.graph import order_of
from mendbench.runtime.parse import salvaged
from mendbench.scoring.judging.checks import changed, describe, own_results, variant_results
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.scoring.judging.effects import unrequested_result
from mendbench.scoring.judging.handling import handled_result
from mendbench.scoring.judging.matching import is_forbidden, is_wanted
from mendbench.scoring.judging.outcomes import KEPT, Facts, rule_for
from mendbench.trial.components import TRUTH_DETECTOR
from mendbench.trial.right_runs import right_runs
from mendbench.trial.scope import open_scope
from mendbench.values.json_patch import node_ids
from mendbench.verify.bench import ProofParts

_NO_HTTP = frozenset({"llm", "mcp", "read-file", "shell", "transform", "write-file"})
"""Types of nodes that send no HTTP request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """A clean run from recordings alone, as far as they go."""

    traffic: tuple[Exchange, ...]
    """Everything before the unanswered request."""
    unanswered: Exchange | None = None
    """The request without a recorded answer; its response means nothing."""
    whole: CleanRun | None = None
    """The run, if it needed no other answer."""


class _Watched:
    """A world that remembers the last request sent to it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.last: tuple[Request, str | None] | None = None

    def send(self, request: Request, *, node: str | None = None) -> Response:
        self.last = request, node
        return self._world.send(request, node=node)

    def traffic(self) -> tuple[Exchange, ...]:
        return self._world.traffic()

    def begin_execution(self) -> None:
        self._world.begin_execution()


def refutation(bench: ProofParts, workflow: JsonObject) -> str | None:
    """Return why an edited workflow is wrong whatever a live API would answer; None if some answer might let it pass.

    Nothing is sent and nothing is recorded.
    """
    case = bench.case
    if not diff_paths(case.workflow, workflow):
        return None
    if not _may_be_right(case.kind, passes=True):
        return f"no edit of a {case.kind} case is right"
    if _may_be_right(case.kind, passes=False):
        return None
    return next((reason for variant in (None, *case.variants) for reason in _broken(bench, workflow, variant)), None)


@lru_cache(maxsize=16)
def _may_be_right(kind: Kind, *, passes: bool) -> bool:
    """Return whether the table of verdicts has a right one for a trial of one edit whose checks hold, or do not all hold."""
    flags = (False, True)
    return any(
        rule_for(
            Facts(
                kind=kind, end=end, edited=end in KEPT, warned=warned, harmed=harmed, would_harm=harms, passes=passes,
                fixed_some=some, expected_final=final,
            )
        ).right
        for end, warned, harmed, harms, some, final in product(
            get_args(State), flags, flags, flags, flags, get_args(State)
        )
    )  # fmt: skip


def _broken(bench: ProofParts, workflow: JsonObject, variant: Variant | None) -> Iterator[str]:
    """Yield why the checks on this data cannot all hold."""
    checks = variant.checks if variant else bench.case.checks
    data = f" (variant {variant.name!r})" if variant else ""
    static = ((check, _against(check, bench.case.workflow, workflow)) for check in checks)
    yield from (f"{describe(check)}{data}: {why}" for check, why in static if why)
    run = _run(bench, workflow, variant)
    if run.whole is not None:
        yield from _failed(bench, workflow, run.whole)
    for check in checks:
        if why := _decided(check, run, workflow):
            yield f"{describe(check)}{data}: {why}"


def _against(check: Check, original: JsonObject, workflow: JsonObject) -> str:
    """Return how a document breaks a check that needs no run; empty if it does not."""
    match check:
        case UnchangedCheck():
            return changed(check, original, workflow)
        case KeptCheck():
            gone = [name for name in check.nodes if name not in node_ids(workflow)]
            return f"{', '.join(gone)} is gone" if gone else ""
    return ""


def _run(bench: ProofParts, workflow: JsonObject, variant: Variant | None) -> _Run:
    """Run a workflow from its start, from recordings alone."""
    scope = open_scope(bench.case, variant, bench.recordings, Recording(), bench.hint)
    world = _Watched(scope.world)
    try:
        with guarded():
            execution = bench.engine.execute(
                workflow, scope.inputs, world,
                checkpoint=None, detector=detector(TRUTH_DETECTOR), clock=scope.clock,
            )  # fmt: skip
    except ReplayMiss:
        traffic = scope.world.traffic()
        if world.last is None:
            return _Run(traffic=traffic)
        request, node = world.last
        return _Run(
            traffic=traffic,
            unanswered=Exchange(
                request=scope.redactor.request(request), response=Response(status=0), origin="recorded", key="",
                accepted=False, node=node,
            ),
        )  # fmt: skip
    run = CleanRun(variant=variant.name if variant else None, execution=execution, traffic=scope.world.traffic())
    return _Run(traffic=run.traffic, whole=run)


def _failed(bench: ProofParts, workflow: JsonObject, run: CleanRun) -> Iterator[str]:
    """Yield the checks that a whole run breaks."""
    case = bench.case
    right = right_runs(case, bench.clean)[run.variant]
    results = own_results(case, workflow, run) if run.variant is None else variant_results(case, workflow, run)
    more = (handled_result(case, workflow, run), unrequested_result(run, None, right, edited=True))
    for one in (*results, *more):
        if not one.held:
            yield f"{one.check}{f' (variant {one.variant!r})' if one.variant else ''}: {one.why}"


def _decided(check: Check, run: _Run, workflow: JsonObject) -> str:
    """Return why a check cannot hold, whatever comes after the part of the run that is known; empty if it may."""
    pending = run.unanswered
    match check:
        case NoRequestCheck():
            sent = (*run.traffic, *([pending] if pending else []))
            found = next((one for one in sent if is_forbidden(one, check)), None)
            return f"it sends {found.request.method} {found.request.url}" if found else ""
        case RequestCheck():
            done = sum(one.accepted and is_wanted(one, check) for one in run.traffic)
            if check.times.most is not None and done > check.times.most:
                return f"accepted {done} times"
            if pending and done < check.times.least and _spends(pending, check, workflow):
                return f"only {pending.node} can send it, and it sends another body or header"
    return ""


def _spends(pending: Exchange, check: RequestCheck, workflow: JsonObject) -> bool:
    """Return whether the unanswered request goes where a check wants another one, and no other request can go there."""
    request, url = pending.request, normalise_url(check.url)
    if (
        request.method.upper() != check.method.upper()
        or normalise_url(request.url) != url
        or urlsplit(url).scheme not in {"http", "https"}
        or is_wanted(pending, check)
    ):
        return False
    whole = salvaged(workflow)
    senders = [node for node in whole.nodes if node.id == pending.node]
    if len(senders) != 1 or senders[0].batch is not None or order_of(whole).cyclic:
        return False
    return not any(_may_send(node, check.method.upper(), url) for node in whole.nodes if node is not senders[0])


def _may_send(node: Node, method: str, url: str) -> bool:
    """Return whether a node might send a request with this method to this normalised URL. In doubt, it might."""
    if node.type in _NO_HTTP:
        return False
    params = node.params
    if node.type != "http":
        return True
    named = params.get("method", "GET" if "body" not in params else None)
    if isinstance(named, str) and "${" not in named and named.upper() != method:
        return False
    written = params.get("url")
    return not isinstance(written, str) or _may_be(written.strip(), url)


def _may_be(written: str, url: str) -> bool:
    """Return whether a URL with templates may become ``url``: nothing in front of its first template contradicts that."""
    fixed, template, _ = written.partition("${")
    parts, wanted = urlsplit(normalise_url(fixed)), urlsplit(url)
    if not template:
        return parts[:3] == wanted[:3]
    if fixed.count("/") < 3:  # noqa: PLR2004 - the template is in scheme or host
        return True
    return parts[:2] == wanted[:2] and ("?" in fixed or "%" in fixed or wanted.path.startswith(parts.path))
