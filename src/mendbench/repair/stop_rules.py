"""The repair loop: follow a rollout until it succeeds or a stop rule applies."""

from __future__ import annotations

from mendbench.api_errors.patterns import PatternHistory, noted, should_stop
from mendbench.model.execution import Execution
from mendbench.model.policy import Policy
from mendbench.model.trial import Attempt, StopReason, Trajectory
from mendbench.repair.rollout import Rollout, Step
from mendbench.repair.signature import signature

_UNUSABLE = frozenset({"unparsable", "invalid", "cut"})
"""Statuses of responses that did not yield a runnable workflow."""


def repair(rollout: Rollout, policy: Policy) -> Trajectory:
    """Follow a rollout from its first execution to where the policy stops, and return the trajectory.

    The policy decides only when to stop: it never changes a prompt, so the attempts under any policy are the first ones
    under ``naive``. An exception of the repairer's code ends the trial as ``crashed``; the last attempt then contains
    the message as its ``problem``. Other exceptions propagate, see :class:`Rollout`.
    """
    made, first = 0, rollout.step(0).execution
    while (stop := _reason(policy, rollout.step(made), first)) is None:
        made += 1
    return rollout.trajectory(made, stop)


def _reason(policy: Policy, step: Step, first: Execution) -> StopReason | None:
    """Return why the policy stops after this step; None if it continues."""
    if step.over is not None:
        return step.over
    last = step.attempts[-1] if step.attempts else None
    if last is not None and last.execution is None:
        return _reason_without_execution(policy, step.attempts)
    if step.execution.outcome == "success":
        return "succeeded"
    if step.execution.outcome == "warning":
        return "warned"
    executions = [first, *(attempt.execution for attempt in step.attempts if attempt.execution is not None)]
    name = policy.signature
    if name and len(executions) > 1 and signature(executions[-1], name) == signature(executions[-2], name):
        return "no_progress"
    if policy.patterns and should_stop(_struck(executions)):
        return "pattern"
    return "attempts_exhausted" if len(step.attempts) >= policy.max_responses else None


def _reason_without_execution(policy: Policy, attempts: tuple[Attempt, ...]) -> StopReason | None:
    """Return why the policy stops after an attempt without an execution."""
    if attempts[-1].status == "unchanged" and policy.signature:
        return "no_progress"
    if len(attempts) < policy.max_responses:
        return None
    return "validation_failed" if all(attempt.status in _UNUSABLE for attempt in attempts) else "attempts_exhausted"


def _struck(executions: list[Execution]) -> PatternHistory:
    """Return the history of the failed executions: one error each, with the messages of all its failures as text."""
    history = PatternHistory()
    for execution in executions:
        if execution.outcome == "error":
            messages = "\n".join(failure.message for failure in execution.failures)
            history = noted(history, messages, execution.failures[0].node_id if execution.failures else None)
    return history
