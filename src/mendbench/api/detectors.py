"""Evaluate detectors on labelled responses, and explain what they make of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mendbench.api_errors.envelopes import SUCCESSES, failure_in
from mendbench.config.config_file import load_config
from mendbench.config.shipped import shipped_root
from mendbench.corpus.labelled_responses import LabelledResponse, read_responses
from mendbench.detectors import detector
from mendbench.errors import BadInput
from mendbench.exchanges.urls import effective_method
from mendbench.model.execution import Judgement, Observation, State
from mendbench.model.prompt import Reply
from mendbench.ports.engine import Detector, observes
from mendbench.prompts.label_requests import label_requests, state_in
from mendbench.scoring.detector_scores import DetectorScore, JudgedResponse, assisted_score, detector_score

COMPARED = ("weighted", "structural", "coded", "minimal", "status-table")
"""The detectors that are evaluated unless others are named."""

PARTS = ("evaluation", "development")
"""The shipped sets of labelled responses. The detector ``weighted`` was written with the second in sight, and without the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Detectors on one file of labelled responses."""

    path: Path
    responses: tuple[LabelledResponse, ...]
    scores: tuple[DetectorScore, ...]
    """In the order in which the detectors were named; then the models."""
    tokens: Mapping[str, int]
    """The tokens that each model took for one response, on average: as reported, or estimated."""
    unread: Mapping[str, int]
    """The replies of each model in which no state can be read. They count as ``error``, as an unclear failure does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What a detector makes of one response."""

    response: LabelledResponse
    noticed: str | None
    """The message of the failure that was noticed; None if none was."""
    judgement: Judgement


def shipped_responses(part: str | None = None) -> Path:
    """Return the file of a shipped set of labelled responses; without a name, that of the first set that is shipped.

    Raises:
        BadInput: there is no such set.
    """
    if part is not None and part not in PARTS:
        raise BadInput("part", repr(part), f"write {' or '.join(PARTS)}")
    paths = [shipped_root() / "responses" / f"{name}.jsonl" for name in ([part] if part else PARTS)]
    return next((path for path in paths if path.is_file()), paths[0])


def evaluate_detectors(
    path: Path | None = None, names: Sequence[str] = (), models: Sequence[str] = (), unsure: float | None = None
) -> Evaluation:
    """Return the scores of detectors, and of models that labelled the same responses.

    ``path`` is a file of labelled responses, by default the shipped evaluation set. ``names`` are the detectors, by default
    :data:`COMPARED`. The labels of ``models`` are recorded beside the file. With ``unsure``, the first detector is scored again with each
    model's labels of the failures that it noticed and is less sure of than this.

    Raises:
        BadInput, UnknownName: the file or a name cannot be used, or a model has not labelled all responses.
    """
    chosen = path or shipped_responses()
    detectors = [detector(name) for name in names or COMPARED]
    responses = read_responses(chosen)
    labels = {model: _replies(chosen, model) for model in models}  # refuses a wrong name before the detectors run
    judged = {one.name: [_judged(row, one) for row in responses] for one in detectors}
    scores = [detector_score(name, own) for name, own in judged.items()]
    tokens, unread = {}, {}
    for model, replies in labels.items():
        states = [state_in(reply.text) for reply in replies]
        pairs = zip(responses, states, strict=True)
        labelled = [_scored(row, state or "error") for row, state in pairs]
        scores.append(detector_score(model, labelled))
        if unsure is not None:
            scores.append(assisted_score(judged[detectors[0].name], labelled, unsure, (detectors[0].name, model)))
        tokens[model] = round(sum(map(_tokens, replies)) / len(replies))
        unread[model] = states.count(None)
    return Evaluation(path=chosen, responses=responses, scores=tuple(scores), tokens=tokens, unread=unread)


def _replies(path: Path, model: str) -> tuple[Reply, ...]:
    """Return a model's labels of the responses in a file.

    Raises:
        BadInput: some are not recorded.
    """
    labels = label_requests(path, (model,), load_config().config.models)
    replies = next(labels.replies(name) for name in labels.parameters)
    found = tuple(reply for reply in replies if reply is not None)
    if len(found) < len(replies):
        raise BadInput(
            str(path), f"{len(replies) - len(found)} of {len(replies)} responses have no label of {model}",
            f"write the prompts with `mendbench prompts export --labelled {path} --model {model}`, and import the answers",
        )  # fmt: skip
    return found


def _tokens(reply: Reply) -> int:
    return (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)


def explain_responses(path: Path, name: str = COMPARED[0]) -> tuple[Explanation, ...]:
    """Return what a detector makes of each response in a file. The responses need no label.

    Raises:
        BadInput, UnknownName: the file or the name cannot be used.
    """
    judging = detector(name)
    return tuple(explain(row, judging) for row in read_responses(path, labelled=False))


def explain(response: LabelledResponse, judging: Detector) -> Explanation:
    """Return what a detector makes of a response, noticed as the engine notices it."""
    observation = observation_of(response, judging)
    if observation is None:
        return Explanation(response=response, noticed=None, judgement=Judgement(state="success", message=""))
    return Explanation(response=response, noticed=observation.message, judgement=judging.judge(observation))


def observation_of(response: LabelledResponse, judging: Detector) -> Observation | None:
    """Return the failure that the engine notices in a response to an HTTP request, or None."""
    status, body = response.status, response.body
    if status not in SUCCESSES:
        kind, message = "http", f"HTTP {status}"
    else:
        embedded = failure_in(body)
        found = embedded.message if embedded is not None else None
        if found is None and observes(judging):
            found = judging.failure_in(status, body, effective_method(response.method, response.url))
        if found is None:
            return None
        kind, message = "envelope", found
    return Observation(
        kind="http" if kind == "http" else "envelope", message=message, node_id="call", node_type="http", status=status,
        headers=response.headers, body=body, method=effective_method(response.method, response.url),
        outputs={"response": body, "status_code": status, "response_headers": response.headers},
    )  # fmt: skip


def _judged(response: LabelledResponse, judging: Detector) -> JudgedResponse:
    judgement = explain(response, judging).judgement
    return _scored(response, judgement.state, judgement.confidence)


def _scored(response: LabelledResponse, state: State, confidence: float | None = None) -> JudgedResponse:
    return JudgedResponse(
        id=response.id, service=response.service, truth=response.truth or "success", got=state, confidence=confidence
    )
