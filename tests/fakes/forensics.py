"""Records of trials made by hand: no row, no text, no run."""

from __future__ import annotations

from dataclasses import replace

from mendbench.scoring.records import AttemptRecord, Treatment, TrialRecord

LETTERS = {
    "p": "productive", "h": "harmful", "l": "plausible", "i": "informative", "f": "futile", "x": "fruitless", "?": None,
}  # fmt: skip
"""A trial's attempts in short: ``xp`` is a fruitless one and then a productive one."""

DETECTORS = {"two-layer": "structural", "warn": "structural", "all": "structural", "seed": "minimal"}

OUTCOMES = {
    ("repairable", True): "repaired", ("repairable", False): "unrepaired", ("mixed", True): "repaired", ("mixed", False): "unrepaired",
    ("needs_user", True): "warned", ("needs_user", False): "missed_warning", ("transient", True): "recovered",
    ("transient", False): "unrepaired", ("control", True): "untouched", ("control", False): "disturbed",
}  # fmt: skip


def attempt(number, label, *, prompt=100, response=10, usd=0.5, **changes):
    return AttemptRecord(
        number=number, label=label, progress=None, status="edited", repeat=False, context_tokens=40, truncated=False, prompt_tokens=prompt,
        completion_tokens=response, cost_usd=usd, leaks=None, facts_found=0, facts_missing=0, **changes,
    )  # fmt: skip


def trial(
    case,
    attempts="",
    *,
    right=False,
    policy="naive",
    kind="repairable",
    sample=0,
    strategy="summary",
    repairer="chat",
    model="tiny",
    engine="mendbench",
    prices=None,
    **changes,
):
    """Return a record. ``attempts`` are letters of :data:`LETTERS`, ``prices`` words for :func:`attempt`."""
    detector = DETECTORS.get(policy)
    key = f"{case} | {engine} | {repairer} | {model} | {strategy} | {policy} | {sample}"
    made = tuple(attempt(at, LETTERS[letter], **(prices or {})) for at, letter in enumerate(attempts, start=1))
    labels = [one.label for one in made]
    plain = TrialRecord(
        key=key, case=case, group=case, family="slack", kind=kind, part=None, level=1, api="private", case_digest="d", adversarial_to=(),
        treatment=Treatment(engine=engine, repairer=repairer, model=model, strategy=strategy, policy=policy, detector=detector),
        sample=sample, verdict="correct" if right else "incorrect", outcome=OUTCOMES[kind, right],
        stop_reason="succeeded" if right else "attempts_exhausted", end="success" if right else "error",
        right_after_first=right and len(made) == 1, attempts=made,
        wasted_attempts=labels.count("futile") + labels.count("fruitless"), prompt_tokens=None, completion_tokens=None, cost_usd=None,
        context_recall=None, leaks=None, progress=None, nodes=(("greet", "error", "error"),), repeated_side_effects=0, collateral_edits=0,
        edited=right, harmful=False, said=False, derived=0, model_requests="a", world="w",
    )  # fmt: skip
    return replace(plain, **changes)


def unjudged(case, attempts="", **changes):
    """Return a trial that misses a recording after some attempts."""
    words = {"verdict": "unjudged", "outcome": None, "stop_reason": "unjudged"}
    return trial(case, "?" * len(attempts), **{**words, **changes})


def false_warning(case, attempts="", **changes):
    """Return a trial that a warning stopped where none was due."""
    words = {"policy": "two-layer", "outcome": "false_warning", "stop_reason": "warned", "end": "warning"}
    return trial(case, attempts, **{**words, **changes})


def cut(naive, policy, at, **changes):
    """Return the trial that a policy makes of one under ``naive`` by stopping after ``at`` attempts."""
    treatment = replace(naive.treatment, policy=policy, detector=DETECTORS.get(policy))
    key = naive.key.replace("| naive |", f"| {policy} |")
    own = replace(naive, treatment=treatment, key=key)
    if at >= len(naive.attempts):
        return replace(own, **changes)
    stopped = {"verdict": "incorrect", "stop_reason": "no_progress", "end": "error"}
    if naive.judged:
        stopped["outcome"] = OUTCOMES[naive.kind, False]
    return replace(own, attempts=naive.attempts[:at], **{**stopped, **changes})
