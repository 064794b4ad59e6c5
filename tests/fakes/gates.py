"""Baselines and runs made by hand, as the gate gets them."""

from __future__ import annotations

from mendbench.model.trial import TrialKey
from mendbench.scoring.chance import ResponseDigest
from mendbench.scoring.gating.result import Baseline, BaselineEntry, Digests, FactDigest, Present
from mendbench.scoring.records import Treatment
from mendbench.trial.row import trial_key
from tests.fakes.scored import record

DIGESTS = Digests(engine="mendbench 1", scorer="1.1", prices=(("m", "cheap"),))


def response(prompt="p1", text="a1", *, asked=True):
    return ResponseDigest(prompt=prompt, response=text, asked=asked)


def facts(stated="", missing=""):
    """Return facts of a case, each named by one hexadecimal digit."""
    by_digest = {name * 8: name in stated for name in sorted(stated + missing)}
    return tuple(FactDigest(digest=digest, stated=one) for digest, one in by_digest.items())


def entry(case="a", *, strategy="summary", policy="two-layer", model="m", sample=0, right=True, **changes):
    """Return a repairable case's trial that was repaired at its first attempt, or else unrepaired after it."""
    detector = "structural" if policy == "two-layer" else None
    key = TrialKey(
        case=case, strategy=strategy, policy=policy, repairer="chat" if model else "rules", model=model, detector=detector, sample=sample
    )  # fmt: skip
    responses = changes.pop("responses", (response(asked=model is not None),))
    return BaselineEntry(**{
        "key": trial_key(key), "trial": key, "case_digest": "c1", "kind": "repairable", "verdict": "correct" if right else "incorrect",
        "outcome": "repaired" if right else "unrepaired", "stop_reason": "succeeded" if right else "no_progress",
        "attempts": len(responses), "wasted": 0 if right else len(responses), "responses": responses, "exchanges": "k1@30:r1",
        "context_tokens": 100 if responses else None, "facts": facts(stated="a") if responses else (), "elapsed_ms": 1000, **changes,
    })  # fmt: skip


def unjudged(case="a", **changes):
    return entry(case, verdict="unjudged", outcome=None, wasted=None, stop_reason="unjudged", responses=(), **changes)


def crashed(case="a", **changes):
    return entry(case, verdict="crashed", outcome=None, wasted=None, stop_reason="crashed", **changes)


def baseline(*entries, digests=DIGESTS):
    return Baseline(place="baseline.tsv", version="1", digests=digests, entries=entries)


def present(*entries, digests=DIGESTS, groups=None, secrets=(), parts=None):
    """Return the run of these trials. Every case is a group of its own, unless ``groups`` say otherwise."""
    return Present(
        place="reports/latest", digests=digests, entries=entries, secrets=secrets,
        records=tuple(_record(one, (groups or {}).get(one.trial.case, one.trial.case), (parts or {}).get(one.trial.case)) for one in entries),
    )  # fmt: skip


def _record(one, group, part):
    own = one.trial
    treatment = Treatment(
        engine=own.engine, repairer=own.repairer, model=own.model, strategy=own.strategy, policy=own.policy, detector=own.detector
    )  # fmt: skip
    return record(
        own.case, own.sample, key=one.key, group=group, part=part, kind=one.kind, treatment=treatment, verdict=one.verdict,
        outcome=one.outcome, wasted_attempts=one.wasted,
    )  # fmt: skip
