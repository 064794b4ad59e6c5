"""Strategies: listed and rendered, without any model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mendbench.api.settings import open_corpus, strategy_dirs
from mendbench.bench.config import load_config
from mendbench.bench.parts import build_engine
from mendbench.bench.proof import first_prompt
from mendbench.bench.scope import Recording, open_scope
from mendbench.model.prompt import Prompt
from mendbench.replay.recordings import Recordings
from mendbench.scoring.recall import Recall, context_recall, facts_of, where_is_value
from mendbench.strategies import StrategyInfo, strategies, strategy


def list_strategies() -> tuple[StrategyInfo, ...]:
    """Return all strategies."""
    loaded = load_config(Path.cwd())
    return strategies(strategy_dirs(loaded))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendering:
    """A strategy's prompt for a case's first execution, and what it tells."""

    case: str
    prompt: Prompt
    recall: Recall
    holds_fix: str | None
    """Where the prompt holds the fix's new value: frame, raw, state, derived or nowhere."""


def render_strategy(name: str, case_id: str, cases: Path | None, cassettes: Path | None) -> Rendering:
    """Return the prompt that a strategy makes of a case's first execution, without any model."""
    loaded = load_config(Path.cwd())
    corpus = open_corpus(loaded, cases, cassettes, tolerant=True)
    case = corpus.case(case_id)
    strategy(name, strategy_dirs(loaded))
    engine = build_engine("mendbench", case)
    scope = open_scope(
        case, None, Recordings.open(corpus.cassettes(case)), Recording(), "mendbench case check --record new_episodes"
    )
    execution = engine.execute(
        case.workflow, scope.inputs, scope.world, checkpoint=None, detector=None, clock=scope.clock
    )
    prompt = first_prompt(engine, case, execution, name, strategy_dirs(loaded))
    where = where_is_value(case.workflow, case.fix, prompt.frame, prompt.context.sections) if case.fix else None
    return Rendering(
        case=case.id, prompt=prompt, recall=context_recall(facts_of(case), prompt.context.text), holds_fix=where
    )
