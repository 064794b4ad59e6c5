"""One line of ``trials.jsonl``: a trial, its events, and its judgement.

Long texts are in ``texts.jsonl`` (:mod:`mendbench.trial.long_texts`). Everything that depends on
the machine or the time is under ``timing``, and nowhere else.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from mendbench.cassettes.cassette import Entry
from mendbench.config.prices import UNKNOWN, Cost, Price, amount, costs_of, given_before
from mendbench.config.tables import ModelConfig
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import canonical_json, digest, pretty_json
from mendbench.model.case import Case, CasePart
from mendbench.model.exchange import Exchange
from mendbench.model.execution import Execution, NodeRecord
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Reply
from mendbench.model.trial import Attempt, Evidence, StopReason, Trajectory, TrialKey, TrialRow, Where
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.scoring.judging.evidence import attempt_evidence, trial_evidence
from mendbench.scoring.judging.level import level_of
from mendbench.scoring.judging.progress import best
from mendbench.scoring.judging.recall import Recall, context_recall, facts_of, where_is_value
from mendbench.strategies.tokens import estimate
from mendbench.trial.long_texts import LONG_TEXT, shortened

if TYPE_CHECKING:
    from mendbench.model.trial_row import (
        AttemptRow,
        ExchangeDigest,
        ExchangeRow,
        ExecutionRow,
        Format,
        KeyRow,
        MeaningRow,
        NodeEvidenceRow,
        NodeStatesRow,
        WeighedRow,
    )
    from mendbench.scoring.judging.judge import Judged

FORMAT: Format = 6

IDENTITY = frozenset({"key", *(part.name for part in dataclasses.fields(TrialKey))})
"""Fields that identify a trial: they are in the row regardless of length."""

DEFAULT_MODEL = ModelConfig()
"""For a repairer that is not a model, and for a model that is not configured."""

SHORT = 8
"""Digits of a digest that has to be unique only within its case."""


def trial_key(key: TrialKey) -> str:
    """Return the key of a trial's row: its parts in the sort order of rows."""
    return " | ".join(part or "-" for part in key.order())


def key_of(row: TrialRow) -> TrialKey:
    """Return the key of a row's trial."""
    return TrialKey(**{part.name: row[part.name] for part in dataclasses.fields(TrialKey)})  # type: ignore[literal-required]


def digest_of_keys(keys: Iterable[TrialKey]) -> str:
    """Return a digest of the keys of trials, in their order."""
    found = hashlib.sha256()
    for key in keys:
        found.update(trial_key(key).encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()


def build_row(
    case: Case, key: TrialKey, evidence: Evidence, judged: Judged, timing: JsonObject,
    *, trajectories: Collection[str] = (), price: Price = UNKNOWN, part: CasePart | None = None, model: ModelConfig = DEFAULT_MODEL,
    recorded: Callable[[str], Entry | None] = lambda _ask: None,
) -> tuple[TrialRow, dict[str, str]]:  # fmt: skip
    """Return a trial's row and the long texts in it by digest.

    ``trajectories`` are the keys of all exchanges that models' edits led to.
    ``price`` is the price of the repairer's responses. ``part`` is the case's part of the corpus split. ``model`` is the
    configuration of the model that responded. ``recorded`` returns the recording of a response by the digest of its request.
    """
    trajectory = evidence.trajectory
    attempts = trajectory.attempts if trajectory else ()
    facts = [_prompt_facts(case, attempt) for attempt in attempts]
    traffic = trajectory.traffic if trajectory else ()
    estimates = model.sampling == "unknown"
    responses = [estimated(attempt) if estimates else attempt.reply for attempt in attempts]
    replies = [reply for at, reply in enumerate(responses) if not given_before(responses, at)]
    costs = costs_of(responses, UNKNOWN if estimates else price)
    right = (run for runs in evidence.right.values() for run in runs)
    clean = (*evidence.clean, *evidence.attempt_clean.values(), *evidence.first_clean, *right)
    all_traffic = (*traffic, *(exchange for run in clean for exchange in run.traffic))
    proof = trial_evidence(judged.facts)
    row: TrialRow = {
        "format": FORMAT,
        "key": trial_key(key),
        **_key(key),
        "group": case.group,
        "family": case.family,
        "part": part,
        "kind": case.kind,
        "title": case.title,
        "level": level_of(case, trajectory.first) if trajectory else None,
        "api": case.api,
        "adversarial_to": list(case.adversarial_to),
        "recorded_from": case.recorded_from,
        "case_digest": case.digest,
        "verdict": judged.verdict.verdict,
        "outcome": judged.verdict.outcome,
        "stop_reason": _stop_reason(evidence),
        "end": trajectory.end if trajectory else None,
        "right_after_first": judged.right_after_first if evidence.problem is None else None,
        "problem": _plain(evidence.problem) if evidence.problem else None,
        "request": case.request,
        "workflow": pretty_json(case.workflow),
        "first": _execution(trajectory.first) if trajectory else None,
        "attempts": [
            _attempt(case, attempt, responses[at], judged, at, costs[at], facts[at], recorded)
            for at, attempt in enumerate(attempts)
        ],
        "sampling": model.sampling,
        "asked": model.asked,
        "tokens_estimated": estimates,
        "wasted_attempts": judged.wasted if evidence.problem is None else None,
        "prompt_tokens": _tokens((reply.model_request, reply.prompt_tokens) for reply in replies),
        "completion_tokens": _tokens((reply.model_request, reply.completion_tokens) for reply in replies),
        "cost_usd": amount(*costs),
        "context_recall": facts[0].recall.share if facts else None,
        "leaks": facts[0].leaks if facts else None,
        "nodes": _nodes(case, trajectory),
        "faults_fixed": list(judged.faults_fixed),
        "said": judged.said,
        "warnings": _plain(_last(trajectory).warnings) if trajectory else [],
        "checks": _plain(judged.checks),
        "progress": best(judged.progress),
        "requests": [_exchange(exchange) for exchange in traffic],
        "outputs": _last(trajectory).outputs if trajectory else {},
        "variants": [
            {"name": run.variant, "outcome": run.execution.outcome, "nodes": run.execution.states()}
            for run in evidence.clean
            if run.variant is not None
        ],
        "evidence": {
            "model_requests": digest(sorted(set(evidence.model_requests))),
            "world": digest(sorted({exchange.key for exchange in all_traffic})),
            "exchanges": _exchanges(all_traffic),
            "workflow_asks_models": any(exchange.request.is_model_request for exchange in all_traffic),
            "verdict": proof["verdict"],
            "first_right": proof["first_right"],
        },
        "repeated_side_effects": _plain(judged.repeated_side_effects),
        "collateral_edits": list(judged.collateral_edits),
        "edits": sorted(diff_paths(case.workflow, trajectory.workflow)) if trajectory else [],
        "edited": judged.edited,
        "harmful": judged.harmful,
        "derived": sum(exchange.origin == "derived" for exchange in all_traffic),
        "used": " ".join(sorted({*evidence.model_requests, *_used(all_traffic, trajectories)})),
        "timing": timing,
    }
    texts: dict[str, str] = {}
    short = {name: value if name in IDENTITY else shortened(value, texts) for name, value in row.items()}
    return json.loads(canonical_json(short)), texts


def of_key(row: TrialRow, key: TrialKey, stop_reason: StopReason, timing: JsonObject) -> TrialRow:
    """Return the row of a trial that has the same result under another policy."""
    return {
        **row, **_key(key), "key": trial_key(key), "stop_reason": stop_reason, "timing": timing
    }  # fmt: skip


def _key(key: TrialKey) -> KeyRow:
    return _plain(key)  # type: ignore[no-any-return]


def _used(traffic: Iterable[Exchange], trajectories: Collection[str]) -> Iterator[str]:
    """Yield the keys of models' responses and of the exchanges that their edits led to."""
    for exchange in traffic:
        if exchange.request.is_model_request or exchange.key in trajectories:
            yield exchange.key


def _exchanges(traffic: Iterable[Exchange]) -> list[ExchangeDigest]:
    """Return each request with the digest of its response, as ``KEY@SECONDS:RESPONSE``, in the order they were first sent.

    The seconds are the sender's timeout: it is not part of the key, and may turn a response into a timeout.
    """
    found: dict[str, str] = {}
    for exchange in traffic:
        name = f"{exchange.key[:SHORT]}@{exchange.request.timeout_s or 0:g}"
        if name not in found:
            response = exchange.response
            seen = [response.status, response.fault, response.headers, digest(response.body), exchange.changed]
            found[name] = digest(seen, SHORT)
    return [f"{name}:{value}" for name, value in found.items()]


def _plain(value: Any) -> Any:
    """Return a frozen object as JSON, or several."""
    return [_plain(one) for one in value] if isinstance(value, tuple) else dataclasses.asdict(value)


def _stop_reason(evidence: Evidence) -> StopReason:
    if evidence.problem is not None:
        return evidence.problem.kind
    return evidence.trajectory.stop_reason if evidence.trajectory else "crashed"


def estimated(attempt: Attempt) -> Reply:
    """Return the reply of an attempt, with estimates for token counts that it does not report."""
    reply, prompt = attempt.reply, attempt.prompt
    sent, received = estimate(prompt.system) + estimate(prompt.user), estimate(reply.text)
    return dataclasses.replace(
        reply,
        prompt_tokens=sent if reply.prompt_tokens is None else reply.prompt_tokens,
        completion_tokens=received if reply.completion_tokens is None else reply.completion_tokens,
    )


def _attempt(
    case: Case, attempt: Attempt, reply: Reply, judged: Judged, at: int, cost: Cost, facts: _PromptFacts,
    recorded: Callable[[str], Entry | None],
) -> AttemptRow:  # fmt: skip
    context = attempt.prompt.context
    entry = recorded(reply.model_request) if reply.model_request is not None else None
    source = entry.provenance if entry is not None else None
    return {
        "number": attempt.number,
        "system": attempt.prompt.system,
        "frame": attempt.prompt.frame,
        "sections": [
            {"name": section.name, "label": section.label, "cut": section.cut, "text": section.text}
            for section in context.sections
        ],
        "context_tokens": context.tokens,
        "truncated": context.truncated,
        "facts": {"found": list(facts.recall.found), "missing": list(facts.recall.missing)},
        "leaks": facts.leaks,
        "response": reply.text,
        "reply": reply.status,
        "model_request": reply.model_request,
        "model": reply.model,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost_usd": amount(cost),
        "elapsed_ms": reply.elapsed_ms,
        "provenance": source.encode()[:LONG_TEXT].decode(errors="ignore") if source is not None else None,
        "batch": _plain(entry.batch) if entry is not None and entry.batch is not None else None,
        "repeat": attempt.repeat,
        "status": attempt.status,
        "problem": attempt.problem,
        "evidence": attempt_evidence(judged.facts, at),
        "label": judged.labels[at] if at < len(judged.labels) else None,
        "progress": judged.progress[at] if at < len(judged.progress) else None,
        "workflow": pretty_json(attempt.candidate) if attempt.candidate is not None else None,
        "edits": sorted(diff_paths(case.workflow, attempt.candidate)) if attempt.candidate is not None else [],
        "execution": _execution(attempt.execution) if attempt.execution else None,
    }


def _weighed(record: NodeRecord) -> WeighedRow:
    """Return the fields of a node with what the detector weighed there; none if it does not say."""
    if not record.evidence or record.confidence is None:
        return {}
    evidence: list[NodeEvidenceRow] = [
        {"path": piece.path, "found": piece.found, "weight": round(piece.weight, 2)} for piece in record.evidence
    ]
    return {"confidence": round(record.confidence, 3), "evidence": evidence}


def _execution(execution: Execution) -> ExecutionRow:
    return {
        "outcome": execution.outcome,
        "duration_ms": execution.duration_ms,
        "nodes": [
            {
                "node": record.node_id,
                "type": record.node_type,
                "state": record.state,
                "action": record.action,
                "cached": record.cached,
                "modified": record.modified,
                "message": record.message,
                "ms": record.duration_ms,
                **_weighed(record),
            }
            for record in execution.nodes
        ],
        "failures": [
            {
                "node": failure.node_id,
                "category": failure.category,
                "message": failure.message,
                "status": failure.status_code,
                "fixable": failure.fixable,
                "suggestion": failure.suggestion,
            }
            for failure in execution.failures
        ],
        "warnings": _plain(execution.warnings),
    }


def _exchange(exchange: Exchange) -> ExchangeRow:
    request, response = exchange.request, exchange.response
    return {
        "phase": exchange.phase,
        "node": exchange.node,
        "method": request.method,
        "url": request.url,
        "body": _shown(request.body, request.header("content-type")),
        "status": response.status,
        "fault": response.fault,
        "response": _shown(response.body, response.header("content-type")),
        "accepted": exchange.accepted,
        "changed": exchange.changed,
        "meaning": _meaning(exchange),
        "origin": exchange.origin,
        "key": exchange.key,
    }


def _meaning(exchange: Exchange) -> MeaningRow | None:
    """Return the request in its service's canonical form, if it was sent in another form."""
    means, sent = exchange.meaning, exchange.request
    if means is None:
        return None
    shown: MeaningRow = {
        "method": means.method,
        "url": means.url,
        "body": _shown(means.body, means.header("content-type")),
    }
    bodies = [parse_body(one.body, one.header("content-type")) for one in (sent, means)]
    places = [(one.method, normalise_url(one.url)) for one in (sent, means)]
    return None if bodies[0] == bodies[1] and places[0] == places[1] else shown


def _shown(body: bytes, content_type: str | None) -> str | None:
    value = parse_body(body, content_type)
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _nodes(case: Case, trajectory: Trajectory | None) -> dict[str, NodeStatesRow]:
    """Return the labelled and the actual node states of the first execution."""
    got = trajectory.first.states() if trajectory else {}
    return {name: {"expected": state, "got": got.get(name)} for name, state in case.first.items()}


def _last(trajectory: Trajectory) -> Execution:
    executions = [attempt.execution for attempt in trajectory.attempts if attempt.execution is not None]
    return executions[-1] if executions else trajectory.first


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _PromptFacts:
    """The facts in the prompt of an attempt."""

    recall: Recall
    leaks: Where | None
    """Where the prompt contains the fix's new value; None if there is no fix."""


def _prompt_facts(case: Case, attempt: Attempt) -> _PromptFacts:
    prompt, fix = attempt.prompt, case.fix
    return _PromptFacts(
        recall=context_recall(facts_of(case), prompt.context.text),
        leaks=where_is_value(case.workflow, fix, prompt.frame, prompt.context.sections) if fix is not None else None,
    )


def _tokens(counts: Iterable[tuple[str | None, int | None]]) -> int | None:
    """Return the sum of token counts, each with its model request; None if a requested response has no count, or there are none."""
    counted = [count for model_request, count in counts if model_request is not None or count is not None]
    known = [count for count in counted if count is not None]
    return sum(known) if known and len(known) == len(counted) else None
