"""Why a workflow ran as it did: the errors of its nodes, and the validator's messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case, Variant
from mendbench.model.execution import Execution, NodeRecord
from mendbench.model.trial import CleanRun
from mendbench.scoring.judging.checks import short


def error_of(record: NodeRecord) -> str:
    """Return the message of a node that failed, with the body that came with it, on one line; empty if it did not fail."""
    noticed = record.observation
    if noticed is None and record.state not in {"error", "warning"}:
        return ""
    message = record.message or (noticed.message if noticed else "") or "no message"
    body = noticed.body if noticed else None
    text = body if isinstance(body, str) else canonical_json(body)
    return short(message) if body in (None, "", {}, []) or text in message else f"{short(message)}: {short(text)}"


def stop_of(execution: Execution) -> str:
    """Return what ended an execution early: the validator's messages, or each failed node with its error. Empty if nothing did."""
    refused = tuple(
        f"{failure.message}{f' ({failure.hint})' if failure.hint else ''}"
        for failure in execution.failures
        if failure.category == "static_validation"
    )
    if refused:
        return f"the workflow does not validate: {'; '.join(refused)}"
    failed = [(record.node_id, error_of(record)) for record in execution.nodes]
    return "; ".join(f"{node} failed with {error}" for node, error in failed if error)


def stops(case: Case, run_on: Callable[[Variant | None], CleanRun]) -> Iterable[str]:
    """Yield what ended the clean runs of a workflow early, of those that should end in success, each with its data."""
    for variant in (None, *case.variants):
        run, expected = run_on(variant), variant.final if variant else case.final
        if run.execution.outcome != expected and (reason := stop_of(run.execution)):
            yield f"on {f'the variant {variant.name!r}' if variant else 'its own data'}: {reason}"
