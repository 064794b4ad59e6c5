"""Optional parts of the contract that an engine leaves out, and the consequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mendbench.engines.contract.finding import Finding
from mendbench.engines.contract.repairing import ASKED
from mendbench.engines.declared import Declared
from mendbench.engines.document import OWN
from mendbench.engines.failures import as_list, as_object
from mendbench.model.json import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreported:
    """One part that an engine does not report."""

    part: str
    """Where it would be in the engine's output."""
    cost: str
    """What mendbench cannot do without it."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part, the case of the kit that should produce it, and how to find it in a document."""

    case: str
    part: str
    cost: str
    reported: Callable[[JsonObject], bool]


def unreported(declared: Declared, findings: Sequence[Finding]) -> tuple[Unreported, ...]:
    """Return the parts that are missing from every document of their case. A case without a document is ignored."""
    documents = {finding.case: finding.documents for finding in findings}
    return (
        *(Unreported(part=part, cost=cost) for part, cost in _undeclared(declared)),
        *(
            Unreported(part=entry.part, cost=entry.cost)
            for entry in _parts(declared)
            if documents.get(entry.case) and not any(map(entry.reported, documents[entry.case]))
        ),
    )


def _undeclared(declared: Declared) -> Iterator[tuple[str, str]]:
    if declared.version is None:
        yield "version", "run.json and compare cannot distinguish two versions of the engine"
    if not declared.resume and not declared.repairs:
        yield (
            "resume",
            "each edit starts the workflow again, and a write that is sent twice counts as a repeated side effect",
        )


def _parts(declared: Declared) -> Iterator[_Part]:
    yield from _OF_ALL
    yield from _OF_REPAIRS if declared.repairs else _FOR_STRATEGIES
    if declared.judge != "mendbench":
        cost = "a run that should end in a warning counts as a success or an error"
        yield _Part("error-edge", "status or warnings", cost, _warns)


def _warns(document: JsonObject) -> bool:
    return any("warnings" in part for part in (document, _own(document))) or "status" in document


def _own(document: JsonObject) -> JsonObject:
    return as_object(document.get(OWN))


def _failure_with(name: str) -> Callable[[JsonObject], bool]:
    """Return whether a failure in a document has that part. If no failure is reported, the part is not missing."""

    def reported(document: JsonObject) -> bool:
        errors = as_list(document.get("errors"))
        return not errors or any(_has(failure, name) for failure in (*errors, *as_list(_own(document).get("failures"))))

    return reported


def _has(failure: object, name: str) -> bool:
    return isinstance(failure, Mapping) and failure.get(name) not in (None, "", [], {})


def _has_steps(document: JsonObject) -> bool:
    return bool(as_object(document.get("execution")).get("steps") or _own(document).get("nodes"))


def _has_node_outputs(document: JsonObject) -> bool:
    return any(as_object(node).get("outputs") for node in as_object(_own(document).get("nodes")).values())


_OF_ALL = (
    _Part(
        "refused", "errors", "no failure is reported: it passes for a success, and nothing is repaired",
        lambda document: bool(document.get("errors")),
    ),
    _Part(
        "refused", "errors[].category", "every failure counts as execution_failure, so none is a warning and reports cannot name its kind",
        _failure_with("category"),
    ),
    _Part("refused", "errors[].message", "prompts and reports have no words for a failure", _failure_with("message")),
    _Part("steps", "execution.steps", "which nodes ran is guessed from their requests", _has_steps),
    _Part(
        "inputs-and-outputs", "mendbench.nodes[].outputs",
        "of an http node only the response to its last request is known, and of other nodes nothing", _has_node_outputs,
    ),
    _Part(
        "inputs-and-outputs", "outputs", "checks of the workflow's outputs do not hold", lambda document: bool(document.get("outputs")),
    ),
)  # fmt: skip

_FOR_STRATEGIES = (
    _Part("refused", "errors[].status_code", "strategies that print the status have nothing to print", _failure_with("status_code")),
    _Part(
        "refused", "errors[].raw_response", "strategies that print the API's response have nothing to print", _failure_with("raw_response"),
    ),
    _Part(
        "refused", "errors[].response_headers", "a failure is judged without the headers of its response",
        _failure_with("response_headers"),
    ),
    _Part(
        "no-such-field", "errors[].available_fields", "full-context and suggestions list no fields that a template can name",
        _failure_with("available_fields"),
    ),
    _Part(
        "refused", "mendbench.failures[].request_sent", "full-context prints neither method, URL nor body of the request that failed",
        _failure_with("request_sent"),
    ),
    _Part(
        "steps", "mendbench.failures[].problems", "full-context and mend do not know which fields the API refused",
        _failure_with("problems"),
    ),
    _Part(
        "no-such-field", "mendbench.failures[].unresolved", "mend does not know which template names nothing", _failure_with("unresolved"),
    ),
    _Part(
        "no-such-field", "mendbench.failures[].upstream", "full-context does not say where the data of the failed node comes from",
        _failure_with("upstream"),
    ),
)  # fmt: skip
"""The parts that an engine that repairs by itself adds to its own prompts."""

_OF_REPAIRS = (
    _Part(ASKED, "mendbench.first", "the first failure is guessed from the traffic", lambda document: "first" in _own(document)),
    _Part(
        ASKED, "mendbench.attempts", "every attempt but the last counts as wasted", lambda document: "attempts" in _own(document),
    ),
)  # fmt: skip
