"""The row of a trial: one line of ``trials.jsonl``. Schemas, the checks of readers and the columns of data frames follow from it.

:mod:`mendbench.trial.row` computes the fields. In a row that was read, long texts are replaced by references.
"""

from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from mendbench.model.case import Api, CasePart, Kind, Level, Provenance
from mendbench.model.exchange import Fault, Origin
from mendbench.model.execution import NodeState, Severity, State
from mendbench.model.field_types import Amount, Count, Document, LongName, LongText, Mark, Name
from mendbench.model.json import JsonObject
from mendbench.model.prompt import ReplyStatus, SectionLabel
from mendbench.model.trial import AttemptLabel, ResponseStatus, StopReason, Where
from mendbench.model.verdict import Outcome, VerdictName

Format: TypeAlias = Literal[6]
"""6: rows have the level of the case (before: its difficulty). 5: attempts have model_request, response and progress
(before: ask, answer, ladder), rows have progress, requests have response. 4: rows have api, and how their model was
sampled and asked; checks have in_trial; evidence has exchanges. 3: rows have adversarial_to, and the facts that
verdict, labels, progress levels and costs follow from. 2: rows have part, used and costs, and run.json a list of
sweeps. 1: the first."""

ExchangeDigest: TypeAlias = Annotated[str, ("title", "REQUEST:RESPONSE"), ("pattern", "^[^,:]+:[^,:]+$")]


class WarningRow(TypedDict):
    """A warning of an execution."""

    node_id: Annotated[LongText, "The node that warned."]
    message: Annotated[LongText, "The message to the user."]
    severity: Annotated[Severity, "Whether it stopped the run."]


class NodeEvidenceRow(TypedDict):
    """A piece of evidence that a detector weighed."""

    path: Annotated[LongText, "Where it is: a path in the body, `status`, `header NAME` or `text`."]
    found: Annotated[LongText, "The value there."]
    weight: Annotated[float, "Log odds."]


class WeighedRow(TypedDict):
    """What a detector weighed at a node; absent if the detector does not say."""

    confidence: NotRequired[Annotated[float, "How probable its state is to the detector."]]
    evidence: NotRequired[Annotated[list[NodeEvidenceRow], "What the detector weighed."]]


class NodeRow(WeighedRow):
    """A node in one execution."""

    node: Annotated[LongText, "Its id."]
    type: Annotated[LongName, "Its type."]
    state: Annotated[NodeState, "How it ended."]
    action: Annotated[LongName | None, "The action by which the run continued."]
    cached: Annotated[bool, "Whether it was taken from the checkpoint and did not run again."]
    modified: Annotated[bool, "Whether it ran again after it had completed, as its dependencies changed."]
    message: Annotated[LongText | None, "Its error or warning."]
    ms: Annotated[Count, Mark.NO_COLUMN, "Its time on the virtual clock, in milliseconds."]


class FailureRow(TypedDict):
    """A failure of an execution."""

    node: Annotated[LongText | None, "The node that failed."]
    category: Annotated[LongText, "The category of the error."]
    message: Annotated[LongText, "The message of the runtime."]
    status: Annotated[float | None, "The HTTP status."]
    fixable: Annotated[bool | None, "Whether an edit may help."]
    suggestion: Annotated[LongText | None, "The diagnosis of the runtime: the closest path that exists."]


class ExecutionRow(TypedDict):
    """One execution of a workflow."""

    outcome: Annotated[State, "How it ended."]
    duration_ms: Annotated[float, "Its time on the virtual clock, in milliseconds."]
    nodes: Annotated[list[NodeRow], "All nodes in workflow order."]
    failures: Annotated[list[FailureRow], "Its failures."]
    warnings: Annotated[list[WarningRow], "Its warnings."]


class SectionRow(TypedDict):
    """A section of a prompt's context."""

    name: Annotated[str, "Its name in the template."]
    label: Annotated[SectionLabel, "Its source: raw from the API, state of the run, or derived by mendbench."]
    cut: Annotated[bool, "Whether the budget removed some or all of it."]
    text: Annotated[Document, "Its text."]


class PromptFactsRow(TypedDict):
    """The case's facts about the error, by whether a prompt contains them."""

    found: Annotated[list[LongText], "The facts in the prompt."]
    missing: Annotated[list[LongText], "The other facts."]


class BatchRow(TypedDict):
    """The place of a prompt in a batch of prompts that a model answered in one context."""

    name: Annotated[str, "The name of the batch."]
    position: Annotated[Count, "From 1, in the order in which the model read them."]
    size: Annotated[Count, "The number of prompts in the batch."]


class AttemptRow(TypedDict):
    """One prompt, one response, and the resumed execution."""

    number: Annotated[int, ("minimum", 1), "From 1."]
    label: Annotated[AttemptLabel | None, "How the attempt contributed; null without a judgement."]
    status: Annotated[ResponseStatus, "How the response was processed."]
    reply: Annotated[ReplyStatus, "How the response ended: answered, cut, or refused because the prompt is too long."]
    repeat: Annotated[bool, "Whether the trial sent the same prompt before."]
    progress: Annotated[Count | None, "The progress level, 0 to 7; null if no edit is right, or without a judgement."]
    context_tokens: Annotated[Count, "The estimated length of the context in tokens."]
    truncated: Annotated[bool, "Whether the budget cut the context."]
    leaks: Annotated[Where | None, "Where the prompt contains the fix's new value; null without a fix."]
    prompt_tokens: Annotated[Count | None, "Tokens of the prompt; null if not known."]
    completion_tokens: Annotated[Count | None, "Tokens of the response; null if not known."]
    cost_usd: Annotated[Amount | None, "The cost of the response in US dollars; null if not known."]
    elapsed_ms: Annotated[Count, "How long the response took, in milliseconds of the virtual clock."]
    problem: Annotated[LongText | None, "Why the response was unparsable or invalid."]
    response: Annotated[LongText, "The text of the response."]
    model_request: Annotated[str | None, "The digest of the model request; null if no model was asked."]
    model: Annotated[LongText | None, "The model as its response names it."]
    provenance: Annotated[str | None, "The source of an imported response, at most 200 bytes."]
    batch: Annotated[BatchRow | None, "The batch in which an imported response was given."]
    system: Annotated[Document, "The system message."]
    frame: Annotated[Document, "The part of the prompt that all strategies share."]
    sections: Annotated[list[SectionRow], "The context, in sections."]
    facts: Annotated[PromptFactsRow, "The case's facts about the error in the prompt."]
    evidence: Annotated[
        JsonObject | None, "The facts that `label` and `progress` follow from; null without a judgement."
    ]
    workflow: Annotated[Document | None, "The workflow after the edits, as JSON; null if none came of the response."]
    edits: Annotated[list[LongText], "The paths at which that workflow differs from the broken one."]
    execution: Annotated[ExecutionRow | None, "The resumed execution; null if the workflow did not run."]


class NodeStatesRow(TypedDict):
    """The state of a node in the first execution, as labelled and as executed."""

    expected: Annotated[NodeState, "The labelled state."]
    got: Annotated[NodeState | None, "The state; null if nothing ran."]


class CheckRow(TypedDict):
    """The result of a check."""

    check: Annotated[LongText, "The check in a line."]
    held: Annotated[bool, "Whether it passed."]
    why: Annotated[LongText, "Why it failed; empty if it passed."]
    variant: Annotated[LongText | None, "The variant that it is a check of; null: the case's own data."]
    harm: Annotated[bool, "Whether its failure makes the trial harmful."]
    in_trial: Annotated[
        bool, "Whether it failed because of the trial's own actions, and not only those of a clean run."
    ]


class MeaningRow(TypedDict):
    """A request in its service's normal form."""

    method: Annotated[LongText, "The method."]
    url: Annotated[LongText, "The URL."]
    body: Annotated[LongText | None, "The body."]


class ExchangeRow(TypedDict):
    """A request to the world and its response."""

    phase: Annotated[Count, "The execution that it belongs to: 0 is the first, n follows attempt n."]
    node: Annotated[LongText | None, "The node that sent it."]
    method: Annotated[LongText, "The method."]
    url: Annotated[LongText, "The URL."]
    body: Annotated[LongText | None, "The body."]
    status: Annotated[Count, "The status of the response; 0 without one."]
    fault: Annotated[Fault | None, "Why there was no complete response."]
    response: Annotated[LongText | None, "The body of the response."]
    accepted: Annotated[bool, "Whether the request succeeded."]
    changed: Annotated[bool, "Whether it changed the world."]
    meaning: Annotated[MeaningRow | None, "The request in its service's normal form, if it was sent in another form."]
    origin: Annotated[Origin, "Where the response came from."]
    key: Annotated[str, "The key of the exchange."]


class VariantRow(TypedDict):
    """The clean run of the final workflow on a variant of the case's data."""

    name: Annotated[LongText, "The name of the variant."]
    outcome: Annotated[State, "How the run ended."]
    nodes: Annotated[dict[str, NodeState], "The state of each node."]


class ProblemRow(TypedDict):
    """Why a trial has no judgement."""

    kind: Annotated[Literal["unjudged", "crashed"], "Which of the two verdicts without a judgement it is."]
    message: Annotated[LongText, "The message to the user."]
    detail: Annotated[JsonObject, "Its subject."]


class RepeatedEffectRow(TypedDict):
    """A write that the world accepted in more than one execution."""

    method: Annotated[LongText, "The method."]
    url: Annotated[LongText, "The URL."]
    phases: Annotated[list[Count], "The executions in which it was accepted."]


class EvidenceRow(TypedDict):
    """What the trial's results follow from."""

    model_requests: Annotated[str, "A digest of all model requests."]
    world: Annotated[str, "A digest of the keys of all exchanges with the world, those of clean runs included."]
    exchanges: Annotated[
        list[ExchangeDigest], "Each request with the digest of its response, as `KEY@SECONDS:RESPONSE`."
    ]
    workflow_asks_models: Annotated[bool, "Whether a node of the workflow asked a model."]
    verdict: Annotated[JsonObject | None, "The facts that the verdict follows from; null without a judgement."]
    first_right: Annotated[
        bool | None, "The fact that `right_after_first` follows from; null if the first attempt did not run."
    ]


class KeyRow(TypedDict):
    """What identifies a trial: the fields of :class:`mendbench.model.trial.TrialKey`."""

    case: Annotated[str, "The case."]
    engine: Annotated[Name, "The engine that executes the workflow."]
    repairer: Annotated[Name, "What answers prompts: chat, rules, reference, noop, …"]
    model: Annotated[Name | None, "The model; null for a repairer without one."]
    strategy: Annotated[Name, "The strategy that renders the error context."]
    policy: Annotated[Name, "The policy that stops the repair."]
    detector: Annotated[Name | None, "The detector that judges failures: the policy's, or the one that replaced it."]
    sample: Annotated[Count, "The number of the draw, from 0."]


class TrialRow(KeyRow):
    """One line of `trials.jsonl`: a trial, its events and its judgement. Only `timing` depends on the machine or the time."""

    format: Annotated[Format, Mark.NO_COLUMN, "The version of this format."]
    key: Annotated[str, "The parts of the trial's key, in the sort order of rows."]
    kind: Annotated[Kind, "The kind of case: who can mend its faults."]
    part: Annotated[CasePart | None, "The case's part of the corpus split."]
    group: Annotated[str, "The case's group in the corpus split."]
    family: Annotated[Name, "The folder of the case."]
    level: Annotated[
        Level | None, "How far the fix is from what the first execution shows, 0 to 5; null if no edit is right."
    ]
    api: Annotated[Api, "Whether an engineer who knows the public API could name the fix without seeing the error."]
    title: Annotated[LongText, "The title of the case."]
    case_digest: Annotated[str, "A digest of the case."]
    adversarial_to: Annotated[list[str], "The strategies that the case was written to mislead."]
    recorded_from: Annotated[dict[str, Provenance], "Each service of the case, and the source of its responses."]
    verdict: Annotated[VerdictName, "Whether the trial ended as the case's truth requires."]
    outcome: Annotated[Outcome | None, "How it ended; null without a judgement."]
    stop_reason: Annotated[StopReason, "Why the repair stopped."]
    end: Annotated[State | None, "The outcome of the last execution."]
    right_after_first: Annotated[bool | None, "Whether the first attempt was right; null without a judgement."]
    wasted_attempts: Annotated[Count | None, "Attempts that could not help; null without a judgement."]
    progress: Annotated[Count | None, "The best progress level of the attempts, 0 to 7."]
    prompt_tokens: Annotated[Count | None, "Tokens of all prompts; null if not known."]
    completion_tokens: Annotated[Count | None, "Tokens of all responses; null if not known."]
    cost_usd: Annotated[Amount | None, "The cost of all responses in US dollars; null if not known."]
    context_recall: Annotated[float | None, "The share of the case's facts about the error in the first prompt."]
    leaks: Annotated[Where | None, "Where the first prompt contains the fix's new value; null without a fix."]
    edited: Annotated[bool, "Whether an edit is left applied."]
    harmful: Annotated[bool, "Whether the trial did harm, or leaves an edit applied whose workflow does harm."]
    said: Annotated[
        bool, "Whether the end reports what the truth requires; if nothing is required, whether it reports anything."
    ]
    sampling: Annotated[Literal["unknown"] | None, "`unknown` if the sampling parameters of the model are not known."]
    asked: Annotated[LongText | None, "How the model was asked, if not one prompt at a time."]
    tokens_estimated: Annotated[bool, "Whether tokens are estimates."]
    derived: Annotated[Count, "Responses that a simulated service derived without a recording."]
    problem: Annotated[ProblemRow | None, "Why the trial has no judgement."]
    request: Annotated[Document, "The user's request."]
    workflow: Annotated[Document, "The broken workflow, as JSON."]
    first: Annotated[ExecutionRow | None, "The first execution."]
    attempts: Annotated[list[AttemptRow], "The attempts."]
    nodes: Annotated[dict[str, NodeStatesRow], "The labelled nodes of the first execution."]
    faults_fixed: Annotated[list[LongText], "The faults that the last executed workflow mends."]
    warnings: Annotated[list[WarningRow], "The warnings of the last execution."]
    checks: Annotated[list[CheckRow], "The results of the checks."]
    requests: Annotated[list[ExchangeRow], "The exchanges with the world, over all executions."]
    outputs: Annotated[JsonObject, "The outputs of the last execution."]
    variants: Annotated[list[VariantRow], "The clean runs of the final workflow on variants."]
    evidence: Annotated[EvidenceRow, "What the results follow from."]
    repeated_side_effects: Annotated[list[RepeatedEffectRow], "Writes that the world accepted more than once."]
    collateral_edits: Annotated[list[LongText], "Paths of the last executed workflow that no right edit touches."]
    edits: Annotated[list[LongText], "Paths at which the last workflow differs from the broken one."]
    used: Annotated[
        Document, "The keys of the responses that the trial used: those of models, and those that their edits led to."
    ]
    timing: Annotated[JsonObject, "What depends on the machine or the time."]
