"""A rollout: the attempts of a trial, until a policy stops it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from mendbench.detectors import first_of
from mendbench.errors import MendbenchError
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Exchange
from mendbench.model.execution import Execution
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, Reply, View
from mendbench.model.trial import Attempt, StopReason, Trajectory
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector, Engine
from mendbench.ports.repair import Repairer, Strategy
from mendbench.ports.world import World
from mendbench.repair.earlier_attempts import earlier_attempts
from mendbench.repair.responses import Declined, Unusable, read_response, sentence
from mendbench.strategies.frame import DEFAULT_BUDGET, Budget, build_prompt

CUT = "The answer was cut off at its token limit; answer with fewer and shorter edits."
"""The next prompt's message about a response that hit its limit."""

Event: TypeAlias = Execution | Prompt | Attempt
"""An event: the first execution; then for each attempt its prompt, before it is sent, and the finished attempt."""

Begin: TypeAlias = Callable[[Callable[[], Execution]], Execution]
"""Returns the first execution: runs it, or copies a known one."""

FirstPrompt: TypeAlias = Callable[[Callable[[], Prompt]], Prompt]
"""Returns the first prompt: renders it, or takes a known one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """The state after a number of attempts."""

    document: JsonObject
    """The last workflow that ran."""
    execution: Execution
    """The last execution."""
    attempts: tuple[Attempt, ...] = ()
    problem: str | None = None
    """Why the last response could not be used."""
    over: StopReason | None = None
    """Why no policy can continue from here; None if one can."""
    seen: int = 0
    """Number of exchanges with the world so far."""
    asked: int = 0
    """Number of model requests so far."""


@dataclass(kw_only=True, eq=False, repr=False)
class Rollout:
    """The steps of one trial, each computed on first request.

    It depends on no policy: policies differ only in where they stop, so all policies with the same detector share it. An
    exception ends it. :class:`~mendbench.errors.MendbenchError`, ``EffectEscape``, and exceptions of an engine or a strategy
    propagate, each time that step is requested. The trajectory up to then is kept: see :meth:`broken_off`.
    """

    workflow: JsonObject
    inputs: JsonObject
    request: str
    engine: Engine
    world: World
    model_world: World
    strategy: Strategy
    repairer: Repairer
    detector: Detector | None
    clock: Clock
    budget: Budget = DEFAULT_BUDGET
    sample: int = 0
    """The index of the repairer's sample."""
    begun: Begin | None = None
    """May reuse the first execution from an equal world, and update this world."""
    first_prompt: FirstPrompt | None = None
    """May reuse the prompt of another rollout with an equal first execution and the same strategy."""
    on_event: Callable[[Event], None] | None = None
    """Receives every event."""
    _steps: list[Step] = field(default_factory=list, init=False)
    _broken: BaseException | None = field(default=None, init=False)
    _last: Attempt | None = field(default=None, init=False)
    """The unfinished attempt."""

    def step(self, number: int) -> Step:
        """Return the state after ``number`` attempts; 0 is after the first execution."""
        while len(self._steps) <= number:
            if self._broken is not None:
                raise self._broken
            try:
                made = self._advanced(self._steps[-1]) if self._steps else self._begun()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._broken = error.with_traceback(None)
                raise
            self._steps.append(replace(made, seen=len(self.world.traffic()), asked=len(self.model_world.traffic())))
        return self._steps[number]

    def trajectory(self, number: int, stop_reason: StopReason) -> Trajectory:
        """Return the trajectory of a trial that stopped after ``number`` attempts."""
        step = self.step(number)
        return Trajectory(
            first=self._steps[0].execution, attempts=step.attempts, stop_reason=stop_reason,
            end=step.execution.outcome, workflow=step.document, traffic=self.world.traffic()[: step.seen],
        )  # fmt: skip

    def broken_off(self, stop_reason: StopReason) -> Trajectory | None:
        """Return the trajectory up to the exception; None if the first execution did not finish.

        It includes an attempt whose execution broke off, without an execution.
        """
        if not self._steps:
            return None
        trajectory = self.trajectory(len(self._steps) - 1, stop_reason)
        attempts = trajectory.attempts if self._last is None else (*trajectory.attempts, self._last)
        return replace(trajectory, attempts=attempts, traffic=self.world.traffic())

    def model_requests(self, number: int | None = None) -> tuple[Exchange, ...]:
        """Return the model requests of the first ``number`` attempts, or all."""
        return self.model_world.traffic()[: None if number is None else self.step(number).asked]

    def _notify(self, event: Event) -> None:
        if self.on_event is not None:
            self.on_event(event)

    def _begun(self) -> Step:
        def run() -> Execution:
            return self._executed(self.workflow, None, first_of(self.detector))

        first = run() if self.begun is None else self.begun(run)
        self._notify(first)
        return Step(document=self.workflow, execution=first)

    def _executed(self, document: JsonObject, before: Execution | None, detector: Detector | None) -> Execution:
        """Run a workflow, from the checkpoint of the previous execution if there is one."""
        return self.engine.execute(
            document, self.inputs, self.world,
            checkpoint=before.checkpoint if before else None, detector=detector, clock=self.clock,
        )  # fmt: skip

    def _advanced(self, step: Step) -> Step:
        """Make one attempt: one prompt, one response, and its result."""
        self.world.begin_execution()
        self.model_world.begin_execution()
        prompt = self._prompt(step)
        self._notify(prompt)
        sent = [(attempt.prompt.system, attempt.prompt.user) for attempt in step.attempts]
        asked = sent.count((prompt.system, prompt.user))
        attempt = Attempt(
            number=len(step.attempts) + 1, prompt=prompt, reply=Reply(text=""), status="unparsable", repeat=asked > 0
        )
        try:
            reply = self.repairer.reply(prompt, self.model_world, sample=self.sample, times_asked=asked)
        except MendbenchError:
            raise
        except Exception as error:  # noqa: BLE001 - a repairer is foreign code: what it raises is data
            problem = sentence(f"The repairer raised {type(error).__name__}: {error}")
            return self._noted(step, replace(attempt, problem=problem), "crashed")
        return self._answered(step, replace(attempt, reply=reply))

    def _prompt(self, step: Step) -> Prompt:
        """Return the next prompt."""

        def rendered() -> Prompt:
            agent = self.engine.describe(step.document, step.execution)
            earlier = earlier_attempts(self._steps[0].execution, step.attempts)
            view = View(
                request=self.request, workflow=step.document, execution=step.execution, agent=agent, attempts=earlier
            )
            return build_prompt(view, self.strategy, step.problem, self.budget)

        return rendered() if self.first_prompt is None or step.attempts else self.first_prompt(rendered)

    def _answered(self, step: Step, attempt: Attempt) -> Step:
        """Read the attempt's reply, apply it, and run the candidate if it is new and valid."""
        if attempt.reply.status == "prompt_too_long":
            return self._noted(step, replace(attempt, status="prompt_too_long"), "prompt_too_long")
        if attempt.reply.status == "cut":
            return self._noted(step, replace(attempt, status="cut", problem=CUT))
        response = read_response(attempt.reply.text, step.document)
        if isinstance(response, Declined):
            return self._noted(step, replace(attempt, status="declined"), "declined")
        if isinstance(response, Unusable):
            return self._noted(step, replace(attempt, status=response.status, problem=response.problem))
        candidate = response.document
        attempt = replace(attempt, candidate=candidate)
        if canonical_json(candidate) == canonical_json(step.document):
            return self._noted(step, replace(attempt, status="unchanged"))
        if problems := self.engine.validate(candidate, self.inputs):
            return self._noted(step, replace(attempt, status="invalid", problem=sentence(problems[0])))
        return self._resumed(step, replace(attempt, status="edited"), candidate)

    def _noted(self, step: Step, attempt: Attempt, over: StopReason | None = None) -> Step:
        """Return the step after an attempt without an execution."""
        self._notify(attempt)
        return replace(step, attempts=(*step.attempts, attempt), problem=attempt.problem, over=over)

    def _resumed(self, step: Step, attempt: Attempt, candidate: JsonObject) -> Step:
        """Return the step after the candidate was executed from the last checkpoint."""
        self._last = attempt
        try:
            execution = self._executed(candidate, step.execution, self.detector)
            self._last, attempt = None, replace(attempt, execution=execution)
        finally:
            self._notify(attempt)
        return Step(document=candidate, execution=execution, attempts=(*step.attempts, attempt))
