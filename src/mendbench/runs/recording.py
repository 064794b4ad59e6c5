"""Records a matrix: trials run one after the other while model requests of earlier trials are pending."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from mendbench.model.policy import MAX_RESPONSES
from mendbench.model.trial import SELF_REPAIR, TrialKey, TrialRow
from mendbench.recording.recorder import Recorder
from mendbench.replay.request_queue import RequestQueue, ResponsePending
from mendbench.trial.components import BenchContext
from mendbench.trial.row import trial_key
from mendbench.trial.runner import run_trial

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTrial:
    """One trial, recorded up to the end of a round."""

    done: int
    total: int
    label: str
    """A message about the step."""
    row: tuple[TrialRow, dict[str, str]] | None = None
    """The trial's row and its long texts, once it is complete."""


def record_all(context: BenchContext, keys: Sequence[TrialKey], recorder: Recorder) -> Iterator[RecordedTrial]:
    """Record the matrix in rounds: the first responses of all cases, then the second ones, then the third ones. Yield each step.

    So a complete sub-matrix exists at any time, and the prompts of one case follow one another, which suits a model server's prefix
    cache.

    Raises:
        MendbenchError: as :func:`mendbench.trial.runner.run_trial`. All responses received before are kept.
    """
    rounds = _rounds(keys)
    total, done = sum(len(each) for _, each in rounds) + len(keys), 0
    for limit, each in rounds:
        for key, _ in in_turn(
            each, partial(run_trial, context, recorder=recorder, max_responses=limit), recorder.queue
        ):
            done += 1
            yield RecordedTrial(done=done, total=total, label=f"answer {limit} of {trial_key(key)}")
    for _, row in in_turn(keys, partial(run_trial, context, recorder=recorder), recorder.queue):
        done += 1
        yield RecordedTrial(done=done, total=total, label=str(row[0]["key"]), row=row)


def in_turn(
    keys: Iterable[TrialKey], run: Callable[[TrialKey], T], queue: RequestQueue | None
) -> Iterator[tuple[TrialKey, T]]:
    """Yield the result of ``run`` for each trial, in an order that does not depend on which response arrives first.

    A trial that waits for a response runs again when the response has arrived, after all trials before it.

    Raises:
        MendbenchError: as ``run``, or a model request failed.
    """
    todo = deque[tuple[TrialKey, str | None]]((key, None) for key in keys)
    while todo:
        key, awaited = todo.popleft()
        if awaited is not None and queue is not None:
            queue.release(awaited)
        try:
            yield key, run(key)
        except ResponsePending as pending:
            todo.append((key, pending.key))
    if queue is not None:
        queue.settle()


def _rounds(keys: Sequence[TrialKey]) -> list[tuple[int, list[TrialKey]]]:
    asking = [key for key in keys if key.model is not None and key.repairer != SELF_REPAIR]
    order = sorted(asking, key=lambda key: (key.case, key.model or "", key.sample, key.strategy, key.policy))
    return [(limit, order) for limit in range(1, MAX_RESPONSES + 1)] if asking else []
