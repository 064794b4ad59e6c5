"""Schemas of the three files of a run, as its readers expect them. :mod:`mendbench.trial.row` writes rows of this shape."""

from __future__ import annotations

from typing import get_args

from mendbench.model.case import Kind
from mendbench.model.execution import NodeState
from mendbench.model.trial import AttemptLabel, ResponseStatus, StopReason
from mendbench.model.verdict import Outcome, VerdictName
from mendbench.values.schema import (
    COUNT,
    FLAG,
    MAYBE_TEXT,
    NUMBER,
    OBJECT,
    TEXT,
    TEXTS,
    among,
    fields,
    many,
    matching,
    maybe,
    named,
    of,
    text_or,
)

LONG = text_or(fields({"$text": text_or(TEXTS)}))
"""A text, or the digest of one."""

MAYBE_LONG = maybe(LONG)
_COUNT = maybe(COUNT)
_AMOUNT = maybe(of(int, float, least=0))
_SHARE = maybe(NUMBER)
_LEVEL = maybe(of(int, least=0))
_STATE = among(get_args(NodeState))

_WARNED = fields({"node_id": LONG, "message": LONG})

_EXECUTION = fields(
    {
        "outcome": TEXT,
        "nodes": many(
            fields(
                {"node": LONG, "state": TEXT},
                {
                    "type": LONG, "message": MAYBE_LONG, "cached": FLAG, "modified": FLAG, "confidence": NUMBER,
                    "evidence": many(fields({"path": LONG, "found": LONG, "weight": NUMBER})),
                },
            )
        ),
        "failures": many(
            fields(
                {"category": LONG, "message": LONG},
                {"node": MAYBE_LONG, "status": maybe(NUMBER), "fixable": maybe(FLAG), "suggestion": MAYBE_LONG},
            )
        ),
        "warnings": many(_WARNED),
    },
    {"duration_ms": maybe(NUMBER)},
)  # fmt: skip

_ATTEMPT = fields(
    {
        "number": of(int, least=1),
        "system": LONG, "frame": LONG, "response": LONG, "reply": TEXT,
        "sections": many(fields({"name": TEXT, "label": TEXT, "cut": FLAG, "text": LONG})),
        "context_tokens": COUNT, "truncated": FLAG,
        "facts": fields({"found": many(LONG), "missing": many(LONG)}),
        "leaks": MAYBE_TEXT, "model_request": MAYBE_TEXT, "model": MAYBE_LONG,
        "prompt_tokens": _COUNT, "completion_tokens": _COUNT, "cost_usd": _AMOUNT,
        "repeat": FLAG, "status": among(get_args(ResponseStatus)), "problem": MAYBE_LONG,
        "label": among(get_args(AttemptLabel), absent=True), "progress": _LEVEL,
        "workflow": MAYBE_LONG, "edits": many(LONG), "execution": maybe(_EXECUTION),
    },
    {
        "elapsed_ms": NUMBER, "evidence": maybe(OBJECT), "provenance": MAYBE_TEXT,
        "batch": maybe(fields({"name": TEXT, "position": COUNT, "size": COUNT})),
    },
)  # fmt: skip

_REQUEST = fields(
    {
        "method": LONG, "url": LONG, "body": MAYBE_LONG, "status": COUNT, "fault": MAYBE_TEXT, "response": MAYBE_LONG,
        "accepted": FLAG, "changed": maybe(FLAG), "key": TEXT,
    },
    {
        "phase": maybe(of(int, str)), "node": MAYBE_LONG, "origin": TEXT,
        "meaning": maybe(fields({"method": LONG, "url": LONG, "body": MAYBE_LONG})),
    },
)  # fmt: skip

_CHECK = fields(
    {"check": LONG, "held": FLAG, "why": MAYBE_LONG}, {"harm": FLAG, "in_trial": FLAG, "variant": MAYBE_LONG}
)

_EXCHANGE = matching("[^,:]+:[^,:]+", "REQUEST:RESPONSE")

TRIAL = fields(
    {
        **dict.fromkeys(("key", "case", "group", "family", "engine", "strategy", "policy", "repairer"), TEXT),
        **dict.fromkeys(("difficulty", "api", "case_digest"), TEXT),
        **dict.fromkeys(("model", "detector", "leaks", "sampling", "asked"), MAYBE_TEXT),
        "tokens_estimated": FLAG,
        "part": among(("train", "test"), absent=True),
        "title": LONG, "request": LONG, "workflow": LONG, "used": LONG,
        "sample": COUNT, "kind": among(get_args(Kind)),
        "verdict": among(get_args(VerdictName)), "outcome": among(get_args(Outcome), absent=True),
        "stop_reason": among(get_args(StopReason)), "end": among(("success", "warning", "error"), absent=True),
        "adversarial_to": TEXTS, "recorded_from": named(TEXT),
        "first": maybe(_EXECUTION), "attempts": many(_ATTEMPT),
        "wasted_attempts": _COUNT, "prompt_tokens": _COUNT, "completion_tokens": _COUNT, "cost_usd": _AMOUNT, "context_recall": _SHARE,
        "progress": _LEVEL, "derived": COUNT, "right_after_first": maybe(FLAG),
        "problem": maybe(fields({"kind": TEXT, "message": LONG}, {"detail": maybe(OBJECT)})),
        "nodes": named(fields({"expected": _STATE, "got": among(get_args(NodeState), absent=True)})),
        "faults_fixed": many(LONG), "warnings": many(_WARNED), "checks": many(_CHECK), "requests": many(_REQUEST), "outputs": OBJECT,
        "variants": many(fields({"name": LONG, "outcome": TEXT, "nodes": named(TEXT)})),
        "evidence": fields({"model_requests": TEXT, "world": TEXT, "exchanges": many(_EXCHANGE)}),
        "repeated_side_effects": many(OBJECT), "collateral_edits": many(LONG), "edits": many(LONG),
        "edited": FLAG, "harmful": FLAG, "said": FLAG, "timing": OBJECT,
    }
)  # fmt: skip
"""A line of ``trials.jsonl``."""

TEXT_LINE = fields({"digest": TEXT, "text": TEXT})
"""A line of ``texts.jsonl``."""

_NAMES = maybe(TEXTS)

_SCORES = (
    "repair_success", "attempt1_success", "wasted", "attempts", "plausible", "harmful", "context_recall", "context_tokens",
    "success_all_facts", "success_missing_facts", *(f"{kind}_success" for kind in get_args(Kind)),
)  # fmt: skip
"""Scores that reports show."""

_ENDS = maybe(fields({"low": NUMBER, "high": NUMBER}))
_MEASURE = fields(
    {
        "numerator": NUMBER,
        "denominator": NUMBER,
        "cases": COUNT,
        "value": maybe(NUMBER),
        "bounds": _ENDS,
        "interval": _ENDS,
    }
)

_TOTAL = fields(
    {
        **dict.fromkeys(("engine", "repairer", "strategy", "policy"), TEXT), **dict.fromkeys(("model", "detector", "part"), MAYBE_TEXT),
        "trials": COUNT, "scores": fields(dict.fromkeys(_SCORES, _MEASURE)),
    },
    {"outcomes": named(COUNT), "prompt_tokens": COUNT, "completion_tokens": COUNT, "cost_usd": _AMOUNT, "derived": COUNT},
)  # fmt: skip

RUN_DOCUMENT = fields(
    {"format": of(int), "trials": COUNT, "totals": many(_TOTAL), "bounds": fields({"unjudged": COUNT, "crashed": COUNT})},
    {
        "mendbench_version": TEXT,
        "digests": maybe(fields({}, {"prices": maybe(named(OBJECT))})),
        "matrix": maybe(
            many(fields({}, dict.fromkeys(("cases", "engines", "strategies", "policies", "repairers", "models", "controls"), _NAMES)))
        ),
        "report": fields({"main_model": MAYBE_TEXT, "control_model": MAYBE_TEXT, "note": MAYBE_TEXT}),
        "models": named(fields({"sampling": MAYBE_TEXT, "asked": MAYBE_TEXT, "provenance": TEXTS})),
        "corpus": OBJECT, "engines": named(OBJECT), "left_out": many(fields({"engine": TEXT})), "stale": named(COUNT),
        "protocol": fields({}, {"frame": FLAG, "strategies": TEXTS, "cases": named(TEXTS), "plan": OBJECT}),
        "shard": fields({"number": COUNT, "of": COUNT, "trials": COUNT}),
    },
)  # fmt: skip
"""``run.json``."""
