"""Schemas of the other files of a run, as its readers expect them: ``run.json`` and the lines of ``texts.jsonl``."""

from __future__ import annotations

from typing import get_args

from mendbench.model.case import Kind
from mendbench.values.schema import COUNT, FLAG, MAYBE_TEXT, NUMBER, OBJECT, TEXT, TEXTS, fields, many, maybe, named, of

TEXT_LINE = fields({"digest": TEXT, "text": TEXT})
"""A line of ``texts.jsonl``."""

_NAMES = maybe(TEXTS)
_AMOUNT = maybe(of(int, float, least=0))

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
            many(fields({}, dict.fromkeys(("cases", "engines", "strategies", "policies", "repairers", "models", "bounds"), _NAMES)))
        ),
        "report": fields({"main_model": MAYBE_TEXT, "control_model": MAYBE_TEXT, "note": MAYBE_TEXT}),
        "models": named(fields({"sampling": MAYBE_TEXT, "asked": MAYBE_TEXT, "provenance": TEXTS})),
        "corpus": OBJECT, "engines": named(OBJECT), "left_out": many(fields({"engine": TEXT})), "stale": named(COUNT),
        "protocols": named(fields({}, {"frame": FLAG, "scorer": FLAG, "strategies": TEXTS, "plan": OBJECT})),
        "shard": fields({"number": COUNT, "of": COUNT, "trials": COUNT}),
    },
)  # fmt: skip
"""``run.json``."""
