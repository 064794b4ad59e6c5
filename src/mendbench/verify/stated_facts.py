"""Facts that nothing states: no prompt can contain them, so every strategy would be charged for missing them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case
from mendbench.model.trial import CleanRun
from mendbench.scoring.judging.checks import short
from mendbench.scoring.judging.recall import context_recall, facts_of
from mendbench.trial.right_runs import right_workflows
from mendbench.verify.bench import ProofParts
from mendbench.verify.reasons import stop_of


def unstated_facts(bench: ProofParts, contexts: Iterable[str]) -> tuple[str, ...]:
    """Return one text for each fact that nothing states, with what the first execution said.

    A fact may stand in a response, a failure or an output of the first execution, or in one of ``contexts``, which are the
    strategies' parts of the first prompt. They are read only if they are needed. If a case has several faults, one may show
    only after another one is mended: then the failing runs of partial and wrong fixes count too.
    """
    case = bench.case
    first = bench.clean(case.workflow, None)
    missing = facts_of(case)
    for text in (*_texts_of(first), *_later(bench, case)):
        missing = context_recall(missing, text).missing
        if not missing:
            return ()
    for text in contexts:
        missing = context_recall(missing, text).missing
    said = short(stop_of(first.execution)) or "nothing that failed"
    return tuple(
        f"fact {fact!r} stands in nothing that the first execution returned; it said: {said}" for fact in missing
    )


def _texts_of(run: CleanRun) -> Iterator[str]:
    for exchange in run.traffic:
        headers = (f"{name}: {value}" for name, value in exchange.response.headers)
        yield "\n".join((*headers, exchange.response.body.decode("utf-8", "replace")))
    yield from (canonical_json(dataclasses.asdict(failure)) for failure in run.execution.failures)
    for record in run.execution.nodes:
        yield f"{record.message or ''}\n{canonical_json(record.outputs)}"


def _later(bench: ProofParts, case: Case) -> Iterator[str]:
    """Yield what the failing runs of other workflows state on the case's own data, if it has several faults."""
    if len(case.faults) < 2:  # noqa: PLR2004 - nothing waits behind a single fault
        return
    right = right_workflows(case)
    for workflow, run in bench.own_runs():
        if workflow not in right:
            yield from _texts_of(run)
