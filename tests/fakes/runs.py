"""Runs made by hand: rows as the bench writes them, from trials that never ran."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path

from mendbench.model.failure import Failure
from mendbench.model.prompt import Context, Prompt, Reply, Section
from mendbench.model.trial import Attempt, Evidence, Problem, Trajectory, TrialKey
from mendbench.results.run_document import totals_of_trials
from mendbench.results.store import StoredRun
from mendbench.scoring.judging.judge import judge
from mendbench.scoring.record_table import records_of
from mendbench.trial.row import FORMAT, build_row
from tests.fakes.scoring import (
    BROKEN,
    GREEN,
    WARNED,
    clean_run,
    exchange,
    execution,
    fixed_workflow,
    make_case,
    right_of,
    user_fault,
)

FAILED = replace(
    execution("error", fetch="success", greet="error"),
    failures=(Failure(source="runtime", category="template_error", message="Unresolved variables", node_id="greet"),),
)
MODEL = "tiny-coder"
STRATEGIES = ("none", "summary", "full-context")
POLICIES = ("naive", "two-layer")
WRONG = fixed_workflow("Hi ada!")
"""Hard-codes the name, so that the variant fails."""


def repairable(name="greeting", **changes):
    return make_case(name=name, title=f"The {name} uses a field that is not there", **changes)


def user_only(name="absent", **changes):
    return make_case(
        name=name, title="The channel does not exist", faults=(user_fault(),), fix=None, variants=(), checks=(), final="warning",
        first={"fetch": "success", "greet": "warning"}, after_fix={}, **changes,
    )  # fmt: skip


def attempt(number, candidate, ran, *, response="{}", context="the API answers `name`", frame="frame"):
    sections = (
        Section(name="api_answer", label="raw", text=context),
        Section(name="fields", label="state", text="fetch.response.user.name"),
        Section(name="hint", label="derived", text="did you mean `name`?", cut=True),
    )
    prompt = Prompt(
        system="You mend workflows.", frame=frame, context=Context(strategy="s", sections=sections, tokens=40)
    )
    reply = Reply(text=response, model=MODEL, prompt_tokens=300, completion_tokens=25, model_request=f"ask{number}")
    return Attempt(number=number, prompt=prompt, reply=reply, status="edited", candidate=candidate, execution=ran)


def trial(*attempts, stop, first=FAILED, workflow=None, traffic=None):
    ran = [one for one in attempts if one.execution is not None]
    sent = (
        traffic
        if traffic is not None
        else tuple(exchange({"text": "Hi ada!", "channel": "C1"}, phase=one.number) for one in ran)
    )
    return Trajectory(
        first=first, attempts=attempts, stop_reason=stop, end=(ran[-1].execution if ran else first).outcome,
        workflow=workflow or (ran[-1].candidate if ran else BROKEN), traffic=sent,
    )  # fmt: skip


def repaired(**words):
    run = execution("success", fetch="success", greet="success")
    return trial(attempt(1, fixed_workflow(), run, **words), stop="succeeded"), "Hi bob!"


def plausible(**words):
    return trial(attempt(1, WRONG, GREEN, **words), stop="succeeded"), "Hi ada!"


def unrepaired(**words):
    broken = fixed_workflow("Hi ${fetch.nothing}!")
    tries = [attempt(number, broken, FAILED, **words) for number in (1, 2)]
    return trial(*tries, stop="no_progress", traffic=()), None


def warned(**words):
    return trial(first=WARNED, stop="warned", traffic=()), None


def hopeless(**words):
    tries = [attempt(number, WRONG, FAILED, **words) for number in (1, 2, 3)]
    return trial(*tries, stop="attempts_exhausted", traffic=()), None


def key_of(case, strategy="summary", policy="two-layer", *, repairer="chat", model=MODEL, sample=0):
    detector = {"two-layer": "structural", "seed": "minimal"}.get(policy)
    return TrialKey(
        case=case.id, strategy=strategy, policy=policy, repairer=repairer, detector=detector,
        model=model if repairer == "chat" else None, sample=sample,
    )  # fmt: skip


def row_of(case, happened, key, *, problem=None, seconds=0.5, **more):
    """Return one row and its texts, judged as the bench judges; ``more`` is for :func:`build_row`."""
    trajectory, variant_text = happened
    own = (
        clean_run("Hi ada!")
        if variant_text
        else clean_run(of=trajectory.attempts[-1].execution if trajectory.attempts else WARNED)
    )
    clean = () if problem else (own, *(clean_run(variant_text, variant=one.name) for one in case.variants))
    by_attempt = {0: clean_run(of=FAILED), **{one.number: own for one in trajectory.attempts}}
    evidence = Evidence(
        trajectory=trajectory, clean=clean, attempt_clean=by_attempt, model_requests=("ask1",), problem=problem
    )
    first_clean = () if problem or len(trajectory.attempts) < 2 else clean[1:]
    judged = judge(case, replace(evidence, right=right_of(case), first_clean=first_clean))
    return build_row(case, key, evidence, judged, {"seconds": seconds}, **more)


def stored_run(rows_and_texts, **run):
    rows, texts = [], {}
    for row, own in rows_and_texts:
        rows.append(row)
        texts.update(own)
    matrix = {"strategies": ["none", "full-context", "summary"], "policies": ["naive", "two-layer"], "models": [MODEL]}
    about = {
        "format": FORMAT,
        "mendbench_version": "0.0.1",
        "digests": {"cases": "c0ffee"},
        "matrix": [matrix],
        **totals_of_trials(records_of(rows)),
        **run,
    }
    return StoredRun(
        folder=Path("reports/latest"), run=about, rows=tuple(sorted(rows, key=lambda row: row["key"])), texts=texts
    )


def small_run(*, seconds=0.5, extra=(), **words):
    """Return two repairable cases and a user's one, three strategies, two policies, and floor and ceiling."""
    return _small_run(seconds, extra, **words) if extra or words else deepcopy(_usual_run(seconds))


@cache
def _usual_run(seconds):
    """Make it once: half of the report's tests begin with it."""
    return _small_run(seconds)


def _small_run(seconds, extra=(), **words):
    made = list(extra)
    for strategy in STRATEGIES:
        for policy in POLICIES:
            first = {"none": unrepaired, "summary": plausible, "full-context": repaired}[strategy]
            second = repaired if (strategy, policy) == ("full-context", "naive") else unrepaired
            third = hopeless if policy == "naive" else warned
            for case, happened in ((repairable(), first), (repairable("farewell"), second), (user_only(), third)):
                made.append(row_of(case, happened(**words), key_of(case, strategy, policy), seconds=seconds))
    for repairer, happened in (("noop", unrepaired), ("reference", repaired)):
        both = (repairable(), repairable("farewell"))
        made += [row_of(case, happened(), key_of(case, "none", repairer=repairer), seconds=seconds) for case in both]
    return stored_run(made)


ENDINGS = {"r": "repaired", "p": "plausible", "u": "unrepaired", "?": "unrepaired", "x": "unrepaired"}
"""What happened, by a letter; ? is unjudged and x crashed."""


def lettered_run(strategies, *, policies=("two-layer",), extra=(), **run):
    """Return a run in which each strategy has a case for each letter of its word (:data:`ENDINGS`), each case a group of its own.

    ``strategies`` are words by strategy, or by (strategy, policy); a hyphen is a case that was not run.
    """
    made = list(extra)
    for chosen, word in strategies.items():
        strategy, only = (chosen, None) if isinstance(chosen, str) else chosen
        for policy in policies if only is None else (only,):
            for at, letter in enumerate(word):
                if letter != "-":
                    case = repairable(f"case{at:03}", group=f"group{at:03}")
                    problem = {"?": unjudged, "x": crashed}.get(letter, lambda: None)()
                    happened = globals()[ENDINGS[letter]]()
                    made.append(row_of(case, happened, key_of(case, strategy, policy), problem=problem))
    return stored_run(made, **run)


def unjudged(command="mendbench run slack/greeting --record new_episodes"):
    """Return why a trial has no verdict: its recording is missing."""
    detail = {"request": "model://tiny-coder/chat", "nearest": None, "differs": [], "record": command}
    return Problem(kind="unjudged", message=f"no recording answers; record it with: {command}", detail=detail)


def crashed(message="ValueError: boom"):
    """Return why a trial has no verdict: foreign code raised."""
    return Problem(kind="crashed", message=message)
