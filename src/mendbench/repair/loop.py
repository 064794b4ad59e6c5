"""The repair loop: execute, ask, apply, resume, until it succeeds or a rule says stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from mendbench.errors import MendbenchError
from mendbench.kit.canonical import canonical_json
from mendbench.kit.patterns import PatternHistory, noted, should_stop
from mendbench.model.exchange import Exchange
from mendbench.model.execution import Execution
from mendbench.model.json import JsonObject
from mendbench.model.policy import Policy
from mendbench.model.prompt import Prompt, Reply, View
from mendbench.model.trial import Attempt, StopReason, Trajectory
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector, Engine
from mendbench.ports.repair import Repairer, Strategy
from mendbench.ports.world import World
from mendbench.repair.answers import Candidate, Declined, Unusable, read_answer, sentence
from mendbench.repair.signature import signature
from mendbench.strategies.frame import DEFAULT_BUDGET, Budget, build_prompt

CUT = "The answer was cut off at its token limit; answer with fewer and shorter edits."
"""What the next prompt says of an answer that hit its limit."""

_UNUSABLE = frozenset({"unparsable", "invalid", "cut"})
"""Answers that never became a workflow which could run."""

Event: TypeAlias = Execution | Prompt | Attempt
"""What is told as it happens: the first execution; then for each attempt its prompt, before it is asked, and the
attempt when it is over."""


class PromptBuilder(Protocol):
    """Makes the whole prompt: the frame and one strategy's context."""

    def __call__(self, view: View, strategy: Strategy, problem: str | None, budget: Budget, /) -> Prompt:
        """Return the prompt. ``problem`` is why the last answer could not be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """What a trial's loop works with, unchanged throughout."""

    inputs: JsonObject
    request: str
    engine: Engine
    world: World
    asks: World
    strategy: Strategy
    repairer: Repairer
    policy: Policy
    detector: Detector | None
    clock: Clock
    budget: Budget
    sample: int
    build_prompt: PromptBuilder
    on_event: Callable[[Event], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """Where the loop stands."""

    document: JsonObject
    """The last workflow that ran."""
    execution: Execution
    attempts: tuple[Attempt, ...] = ()
    problem: str | None = None
    """Why the last answer could not be used; nothing of the answers before it."""
    patterns: PatternHistory = field(default_factory=PatternHistory)
    """The failed executions, each as one error. Only policies that look for patterns fill it; no prompt reads it."""
    stop: StopReason | None = None


def repair(
    *,
    workflow: JsonObject,
    inputs: JsonObject,
    request: str,
    engine: Engine,
    world: World,
    asks: World,
    strategy: Strategy,
    repairer: Repairer,
    policy: Policy,
    detector: Detector | None,
    clock: Clock,
    budget: Budget = DEFAULT_BUDGET,
    sample: int = 0,
    build_prompt: PromptBuilder = build_prompt,
    on_event: Callable[[Event], None] | None = None,
) -> Trajectory:
    """Run one trial from its first execution to its stop reason, and return everything that happened.

    The policy decides only when to stop: it never changes a prompt, so that the attempts under any policy are the first
    ones under ``naive``. What a repairer's code raises ends the trial as ``crashed``; the last attempt then holds the
    text as its ``problem``. ``sample`` is the repairer's draw.

    Errors on purpose (:class:`~mendbench.errors.MendbenchError`), ``EffectEscape`` and what an engine or a strategy
    raises pass through. Nothing is lost by that: whatever had happened was told to ``on_event`` before, an attempt
    whose execution broke off included (without its execution).
    :func:`trajectory_of` makes a trajectory of what was told.
    """
    parts = _Parts(
        inputs=inputs,
        request=request,
        engine=engine,
        world=world,
        asks=asks,
        strategy=strategy,
        repairer=repairer,
        policy=policy,
        detector=detector,
        clock=clock,
        budget=budget,
        sample=sample,
        build_prompt=build_prompt,
        on_event=on_event or (lambda _event: None),
    )
    first = engine.execute(workflow, inputs, world, checkpoint=None, detector=detector, clock=clock)
    parts.on_event(first)
    state = _settled(parts, _State(document=workflow, execution=first), None)
    while state.stop is None:
        state = _advanced(parts, state)
    return _trajectory(first, state.attempts, workflow, state.stop, world.traffic())


def trajectory_of(
    events: Iterable[Event], *, workflow: JsonObject, stop_reason: StopReason, traffic: tuple[Exchange, ...]
) -> Trajectory | None:
    """Return the trajectory of a trial that broke off, from the events told until then; None if no execution ended.

    ``workflow`` is the broken document that the trial began with.
    """
    told = tuple(events)
    first = next((event for event in told if isinstance(event, Execution)), None)
    if first is None:
        return None
    return _trajectory(first, tuple(e for e in told if isinstance(e, Attempt)), workflow, stop_reason, traffic)


def _trajectory(
    first: Execution,
    attempts: tuple[Attempt, ...],
    workflow: JsonObject,
    stop_reason: StopReason,
    traffic: tuple[Exchange, ...],
) -> Trajectory:
    end, document = first, workflow
    for attempt in attempts:
        if attempt.execution is not None and attempt.candidate is not None:
            end, document = attempt.execution, attempt.candidate
    return Trajectory(
        first=first, attempts=attempts, stop_reason=stop_reason, end=end.outcome, workflow=document, traffic=traffic
    )


def _advanced(parts: _Parts, state: _State) -> _State:
    """Make one attempt: one prompt, one answer, and what becomes of it."""
    parts.world.begin_execution()
    parts.asks.begin_execution()
    agent = parts.engine.describe(state.document, state.execution)
    view = View(request=parts.request, workflow=state.document, execution=state.execution, agent=agent)
    prompt = parts.build_prompt(view, parts.strategy, state.problem, parts.budget)
    parts.on_event(prompt)
    asked = sum(_same(prompt, attempt.prompt) for attempt in state.attempts)
    attempt = Attempt(
        number=len(state.attempts) + 1, prompt=prompt, reply=Reply(text=""), status="unparsable", repeat=asked > 0
    )
    try:
        reply = parts.repairer.reply(prompt, parts.asks, sample=parts.sample, times_asked=asked)
    except MendbenchError:
        raise
    except Exception as error:  # noqa: BLE001 - a repairer is foreign code: what it raises is data
        problem = sentence(f"The repairer raised {type(error).__name__}: {error}")
        return _noted(parts, state, replace(attempt, problem=problem), "crashed")
    return _answered(parts, state, replace(attempt, reply=reply))


def _answered(parts: _Parts, state: _State, attempt: Attempt) -> _State:
    """Read the attempt's reply and do what it says."""
    if attempt.reply.status == "prompt_too_long":
        return _noted(parts, state, replace(attempt, status="prompt_too_long"), "prompt_too_long")
    if attempt.reply.status == "cut":
        return _noted(parts, state, replace(attempt, status="cut", problem=CUT))
    answer = read_answer(attempt.reply.text, state.document)
    if isinstance(answer, Declined):
        return _noted(parts, state, replace(attempt, status="declined"), "declined")
    if isinstance(answer, Unusable):
        return _noted(parts, state, replace(attempt, status=answer.status, problem=answer.problem))
    return _tried(parts, state, replace(attempt, candidate=answer.document), answer)


def _tried(parts: _Parts, state: _State, attempt: Attempt, answer: Candidate) -> _State:
    """Validate the candidate and, if it is a new one that holds, run it."""
    if canonical_json(answer.document) == canonical_json(state.document):
        stop: StopReason | None = "no_progress" if parts.policy.signature else None
        return _noted(parts, state, replace(attempt, status="unchanged"), stop)
    if problems := parts.engine.validate(answer.document, parts.inputs):
        return _noted(parts, state, replace(attempt, status="invalid", problem=sentence(problems[0])))
    return _resumed(parts, state, replace(attempt, status="edited"), answer.document)


def _noted(parts: _Parts, state: _State, attempt: Attempt, stop: StopReason | None = None) -> _State:
    """Return the state after an attempt that led to no execution."""
    parts.on_event(attempt)
    attempts = (*state.attempts, attempt)
    if stop is None and len(attempts) >= parts.policy.max_answers:
        all_unusable = all(made.status in _UNUSABLE for made in attempts)
        stop = "validation_failed" if all_unusable else "attempts_exhausted"
    return replace(state, attempts=attempts, problem=attempt.problem, stop=stop)


def _resumed(parts: _Parts, state: _State, attempt: Attempt, candidate: JsonObject) -> _State:
    """Return the state after the candidate was executed from the last checkpoint."""
    try:
        execution = parts.engine.execute(
            candidate,
            parts.inputs,
            parts.world,
            checkpoint=state.execution.checkpoint,
            detector=parts.detector,
            clock=parts.clock,
        )
        attempt = replace(attempt, execution=execution)
    finally:
        parts.on_event(attempt)
    attempts = (*state.attempts, attempt)
    after = _State(document=candidate, execution=execution, attempts=attempts, patterns=state.patterns)
    return _settled(parts, after, state.execution)


def _settled(parts: _Parts, state: _State, before: Execution | None) -> _State:
    """Return ``state`` with the reason to stop that its execution gives, if it gives one."""
    if parts.policy.patterns and state.execution.outcome == "error":
        state = replace(state, patterns=_struck(state.patterns, state.execution))
    return replace(state, stop=_reason(parts.policy, state, before))


def _struck(history: PatternHistory, execution: Execution) -> PatternHistory:
    """Return the history after a failed execution: one error, whose text is the messages of all its failures."""
    messages = "\n".join(failure.message for failure in execution.failures)
    return noted(history, messages, execution.failures[0].node_id if execution.failures else None)


def _reason(policy: Policy, state: _State, before: Execution | None) -> StopReason | None:
    if state.execution.outcome == "success":
        return "succeeded"
    if state.execution.outcome == "warning":
        return "warned"
    name = policy.signature
    if name and before is not None and signature(state.execution, name) == signature(before, name):
        return "no_progress"
    if should_stop(state.patterns):
        return "pattern"
    return "attempts_exhausted" if len(state.attempts) >= policy.max_answers else None


def _same(one: Prompt, other: Prompt) -> bool:
    return (one.system, one.user) == (other.system, other.user)
