"""Lists, shows, renders and compares strategies, without any model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

from mendbench.api.plans import refuse_unknown_model
from mendbench.api.settings import RunOptions, open_context
from mendbench.cassettes.recordings import Recordings
from mendbench.config.config_file import Loaded, load_config
from mendbench.corpus.corpus import select
from mendbench.corpus.split import in_part
from mendbench.errors import BadInput, ReplayMiss
from mendbench.model.case import Case, Kind
from mendbench.model.prompt import Prompt, View
from mendbench.model.trial import StopReason, TrialKey, Where
from mendbench.recording.scope_recording import Recording
from mendbench.repair.policies import policy
from mendbench.repair.rollout import Event, Rollout
from mendbench.repair.stop_rules import repair
from mendbench.replay.guard import guarded
from mendbench.replay.model_cassette import ModelCassette
from mendbench.scoring.judging.recall import PLACES, Recall, context_recall, facts_of, where_is_value
from mendbench.strategies import StrategyInfo, TemplateStrategy, build_prompt, strategies, variations
from mendbench.strategies.front_matter import template_text
from mendbench.trial.components import BenchContext, TrialComponents, build_components
from mendbench.trial.record_hint import record_hint
from mendbench.trial.scope import Scope, open_scope
from mendbench.trial.strategies import trial_strategy

LONGEST = "naive"
"""The policy of which every other one is a prefix: it makes every model request of the others."""

_HINT = "mendbench case check --record new_episodes"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyPage:
    """The details of a strategy."""

    strategy: TemplateStrategy
    text: str
    """The template file, unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A strategy's prompt for a case, and its contents."""

    case: str
    kind: Kind
    prompt: Prompt
    recall: Recall
    holds_fix: Where | None
    """Where the prompt contains the fix's new value: frame, raw, state, derived or nowhere. None if there is no fix."""
    attempt: int = 1
    asked: bool = True
    """Whether there is a model request: there is none if the first execution does not fail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A strategy's first prompts over many cases."""

    strategy: str
    rows: tuple[Rendering, ...]
    """One for each case with a model request."""
    unrequested_writes: tuple[str, ...] = ()
    """Cases whose first execution does not fail: there is no prompt."""
    missing: dict[str, str] = field(default_factory=dict)
    """Cases whose first execution is not recorded, with what is missing."""

    @property
    def context_tokens(self) -> float | None:
        """Estimated mean number of tokens of the contexts."""
        return _mean(row.prompt.context.tokens for row in self.rows)

    @property
    def context_recall(self) -> float | None:
        """Mean share of the facts that a context states, over the cases with facts."""
        return _mean(share for row in self.rows if (share := row.recall.share) is not None)

    @property
    def places(self) -> dict[str, int]:
        """How often the fix's value is in each place."""
        found = [row.holds_fix for row in self.rows if row.holds_fix is not None]
        return {place: found.count(place) for place in PLACES}

    @property
    def fix_shown(self) -> float | None:
        """Share of the cases whose context contains the fix's value, among those whose frame does not."""
        needed = [row.holds_fix for row in self.rows if row.holds_fix not in {None, "frame"}]
        return _mean(place != "nowhere" for place in needed)


def list_strategies() -> tuple[StrategyInfo, ...]:
    """Return all strategies, and then the treatments and the frames that any of them can have."""
    folders = load_config().strategy_dirs
    return (*strategies(folders), *variations(folders))


def show_strategy(name: str) -> StrategyPage:
    """Return the details of a strategy, given by name or template file, optionally without some sections.

    Raises:
        MendbenchError: the strategy does not exist, or cannot be used.
    """
    found = trial_strategy(name, load_config().strategy_dirs)
    return StrategyPage(strategy=found, text=template_text(found.path))


def render_strategy(
    name: str, case_id: str, cases: Path | None, cassettes: Path | None, attempt: int = 1, model: str | None = None
) -> Rendering:
    """Return a strategy's prompt for a case, without a model request.

    The first attempt's prompt describes the case's first execution. Later prompts follow from the recorded responses of the
    ``model``, by default the first one of the configuration.

    Raises:
        MendbenchError: a name is unknown, a file cannot be used, or there is no such attempt.
        ReplayMiss: what happened before that attempt is not recorded.
    """
    loaded = load_config()
    context = open_context(loaded, RunOptions(cases=cases, cassettes=cassettes), tolerant=True)
    if model is not None:
        refuse_unknown_model(model, context, loaded)
    case, asked = context.corpus.case(case_id), model or main_model(loaded)
    if attempt == 1:
        (rendering,) = _first(context, case, (name,), asked)
        return rendering
    return _later(context, case, name, asked, attempt)


def survey_strategies(
    names: Sequence[str], wanted: Iterable[str], part: str, cases: Path | None, cassettes: Path | None
) -> tuple[Survey, ...]:
    """Return each strategy's first prompts for many cases; every case is executed once for all strategies.

    Raises:
        MendbenchError: a name is unknown, a file cannot be used, or no case is selected.
    """
    loaded = load_config()
    context = open_context(loaded, RunOptions(cases=cases, cassettes=cassettes), tolerant=True)
    return surveys(context, select(context.corpus, wanted), part, names, main_model(loaded))


def surveys(
    context: BenchContext, cases: Sequence[Case], part: str, names: Sequence[str], model: str | None
) -> tuple[Survey, ...]:
    """Return a survey for each strategy over the cases of a part.

    Raises:
        MendbenchError: as :func:`survey_strategies`.
    """
    chosen = in_part(cases, part, context.cases_dir)
    if not chosen:
        raise BadInput("cases", f"none of those named is in the part {part!r}", "name another, or add --part all")
    rows: list[list[Rendering]] = [[] for _ in names]
    unrequested_writes: list[str] = []
    missing: dict[str, str] = {}
    for case in chosen:
        try:
            made = _first(context, case, names, model)
        except ReplayMiss as error:
            missing[case.id] = str(error)
            continue
        if not made[0].asked:
            unrequested_writes.append(case.id)
            continue
        for own, rendering in zip(rows, made, strict=True):
            own.append(rendering)
    return tuple(
        Survey(strategy=name, rows=tuple(own), unrequested_writes=tuple(unrequested_writes), missing=missing)
        for name, own in zip(names, rows, strict=True)
    )


def main_model(loaded: Loaded) -> str | None:
    """Return the first model of the configured matrix; None if it has none."""
    return loaded.config.matrix.models[0] if loaded.config.matrix.models else None


def _first(context: BenchContext, case: Case, names: Sequence[str], model: str | None) -> list[Rendering]:
    """Return the first prompts of these strategies for one execution of a case."""
    parts = [_parts(context, case, name, model) for name in names]
    engine = parts[0].engine
    scope = open_scope(case, None, Recordings.open(context.corpus.cassettes(case)), Recording(), _HINT)
    execution = engine.execute(
        case.workflow, scope.inputs, scope.world, checkpoint=None, detector=None, clock=scope.clock
    )
    agent = engine.describe(case.workflow, execution)
    view = View(request=case.request, workflow=case.workflow, execution=execution, agent=agent)
    prompts = (build_prompt(view, one.strategy, budget=one.budget) for one in parts)
    return [replace(_rendering(case, prompt), asked=execution.outcome == "error") for prompt in prompts]


def _later(context: BenchContext, case: Case, name: str, model: str | None, number: int) -> Rendering:
    """Return the prompt of a later attempt of the recorded trial under the longest policy."""
    if model is None:
        raise BadInput("matrix.models", "no model whose responses led there", "configure one, or leave --attempt away")
    hint = record_hint(case, _key(case, name, model))
    private = context.private_recordings(_key(case, name, model))
    recordings = Recordings.open(context.corpus.cassettes(case), private=private)
    scope = open_scope(case, None, recordings, Recording(), hint)
    model_world = ModelCassette(recordings=recordings, redactor=scope.redactor, record_hint=hint)
    prompts: list[Prompt] = []

    def noted(event: Event) -> None:
        if isinstance(event, Prompt):
            prompts.append(event)

    miss: ReplayMiss | None = None
    try:
        with guarded():
            stop = _repaired(case, _parts(context, case, name, model), scope, model_world, number, noted)
    except ReplayMiss as error:  # the wanted prompt may precede the missing response
        miss = error
    if len(prompts) >= number:
        return replace(_rendering(case, prompts[number - 1]), attempt=number)
    if miss is not None:
        raise miss
    found = f"the trial has {len(prompts)} attempt{'' if len(prompts) == 1 else 's'} and then stops ({stop})"
    raise BadInput(f"--attempt {number}", found, "give the number of one that there is")


def _repaired(
    case: Case,
    parts: TrialComponents,
    scope: Scope,
    model_world: ModelCassette,
    limit: int,
    noted: Callable[[Event], None],
) -> StopReason:
    rules = policy(LONGEST)
    course = Rollout(
        workflow=case.workflow, inputs=scope.inputs, request=case.request, engine=parts.engine, world=scope.world,
        model_world=model_world, strategy=parts.strategy, repairer=parts.repairer, detector=parts.detector, clock=scope.clock,
        budget=parts.budget, on_event=noted,
    )  # fmt: skip
    return repair(course, replace(rules, max_responses=min(limit, rules.max_responses))).stop_reason


def _parts(context: BenchContext, case: Case, name: str, model: str | None) -> TrialComponents:
    return build_components(_key(case, name, model), case, context)


def _key(case: Case, name: str, model: str | None) -> TrialKey:
    return TrialKey(
        case=case.id, strategy=name, policy=LONGEST, repairer="chat" if model else "noop", model=model, detector=None
    )


def _rendering(case: Case, prompt: Prompt) -> Rendering:
    sections = prompt.context.sections
    return Rendering(
        case=case.id,
        kind=case.kind,
        prompt=prompt,
        recall=context_recall(facts_of(case), prompt.context.text),
        holds_fix=where_is_value(case.workflow, case.fix, prompt.frame, sections) if case.fix else None,
    )


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return round(fmean(found), 3) if found else None
