"""The components of a trial, built from the names in its key, so that a worker process needs only the key."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from mendbench.api_errors.chat_responses import limit_in
from mendbench.cassettes.recordings import RecordMode
from mendbench.config.prices import UNKNOWN, Price, model_price, program_price
from mendbench.config.tables import EngineConfig, ModelConfig, RepairerConfig
from mendbench.corpus.corpus import Corpus, load_corpus
from mendbench.corpus.split import Split, read_split
from mendbench.detectors import detector
from mendbench.errors import BadInput, UnknownName
from mendbench.model.case import Case, CasePart
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt
from mendbench.model.trial import SELF_REPAIR, TrialKey
from mendbench.ports.engine import Detector, Engine
from mendbench.ports.repair import Repairer, Strategy
from mendbench.repairers import Options, is_repairer, repairer, repairer_names
from mendbench.repairers.callable import callable_model
from mendbench.repairers.command import command_model
from mendbench.strategies import TemplateStrategy
from mendbench.strategies.frame import Budget
from mendbench.trial.engines import OURS, build_engine
from mendbench.trial.strategies import trial_strategy
from mendbench.values.lru import LruCache

__all__ = ["TRUTH_DETECTOR", "BenchContext", "TrialComponents", "build_components", "build_engine"]

NO_STRATEGY = "none"
"""The strategy of trials whose engine repairs by itself and does not use our prompts."""
NO_REPAIRER = "noop"
"""The repairer of trials whose engine repairs by itself."""

TRUTH_DETECTOR = "structural"
"""The detector of every clean run, so that judgement does not depend on the trial's policy."""

_SESSIONS = 1
"""Sessions kept. Trials run in the order of their sessions, and the largest session takes about 10 MB."""

_FIRST_EXECUTIONS = 8
"""First executions kept: enough for all detectors of two cases."""

_FIRST_PROMPTS = 128
"""First prompts kept: enough for all strategies of a case under each detector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateLayer:
    """Where recordings go that do not belong to the corpus: those of trials with a component that no configured matrix has."""

    folder: Path
    engines: frozenset[str]
    """The configured engines, and so on: trials of these alone use the corpus's recordings."""
    strategies: frozenset[str]
    repairers: frozenset[str]
    models: frozenset[str]

    def holds(self, key: TrialKey) -> bool:
        """Return whether a trial's recordings go here."""
        return (
            key.engine not in self.engines
            or key.strategy not in self.strategies
            or key.repairer not in self.repairers
            or (key.model is not None and key.model not in self.models)
        )


@dataclass(frozen=True, kw_only=True)
class BenchContext:
    """Where the components of trials come from, and whether anything may be recorded."""

    cases_dir: Path
    cassettes_dir: Path
    strategy_dirs: tuple[Path, ...] = ()
    template_files: Mapping[str, str] = field(default_factory=dict)
    """Strategies named by a path whose file is elsewhere on this machine: the file by that path."""
    models: Mapping[str, ModelConfig] = field(default_factory=dict)
    repairers: Mapping[str, RepairerConfig] = field(default_factory=dict)
    """Configured repairers by name."""
    engines: Mapping[str, EngineConfig] = field(default_factory=dict)
    """Configured engines by name."""
    record: RecordMode = "none"
    allow_shell: bool = False
    allow_writes: bool = False
    config_file: str = "the configuration"
    """The file that configures the models."""
    tolerant: bool = False
    """Whether a broken case leaves the other cases usable."""
    proofs_dir: Path | None = None
    """Folder of stored proofs; None to store none."""
    private: PrivateLayer | None = None
    """The private layer of recordings; None if all belong to the corpus."""

    @cached_property
    def corpus(self) -> Corpus:
        """The cases, loaded once per process."""
        return load_corpus(self.cases_dir, self.cassettes_dir, tolerant=self.tolerant)

    @cached_property
    def sessions(self) -> LruCache[object, Any]:
        """LRU cache of trial sessions (:mod:`mendbench.trial.session`). It stays in this process."""
        return LruCache(_SESSIONS)

    @cached_property
    def first_executions(self) -> LruCache[object, bytes]:
        """LRU cache of first executions (:mod:`mendbench.trial.session`). It stays in this process."""
        return LruCache(_FIRST_EXECUTIONS)

    @cached_property
    def first_prompts(self) -> LruCache[object, Prompt]:
        """LRU cache of first prompts (:mod:`mendbench.trial.session`). It stays in this process."""
        return LruCache(_FIRST_PROMPTS)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state that is sent to another process."""
        own = {"sessions", "first_executions", "first_prompts"}
        return {name: value for name, value in self.__dict__.items() if name not in own}

    @cached_property
    def split(self) -> Split | None:
        """The split of the corpus, read once per process; None if there is none."""
        return read_split(self.cases_dir)

    def part_of(self, case: Case) -> CasePart | None:
        """Return the part of the split that a case is in: ``train`` or ``test``; None if in neither."""
        return self.split.part_of(case) if self.split is not None else None

    def private_recordings(self, key: TrialKey) -> Path | None:
        """Return the folder of a trial's private recordings; None if all of them belong to the corpus."""
        return self.private.folder / key.case if self.private is not None and self.private.holds(key) else None

    def strategy(self, name: str, case: Case | None = None) -> TemplateStrategy:
        """Return a strategy for a case.

        Raises:
            UnknownName, BadInput: as :func:`mendbench.trial.strategies.trial_strategy`.
        """
        return trial_strategy(self.template_files.get(name, name), self.strategy_dirs, case)

    def model(self, name: str) -> ModelConfig:
        """Return a model's configuration; for one that is not configured, the default parameters."""
        return self.models.get(name) or ModelConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialComponents:
    """The components of one trial."""

    engine: Engine
    strategy: Strategy
    repairer: Repairer
    detector: Detector | None
    budget: Budget
    price: Price = UNKNOWN
    """Price of the repairer's responses."""
    model: str | None = None
    """The model that a self-repairing engine may use, by its server's name for it."""
    judged_engine: Engine | None = None
    """Another engine as clean runs use it: failures are judged by the detector, not by the engine. None for our own."""


def build_components(key: TrialKey, case: Case, context: BenchContext) -> TrialComponents:
    """Return the components that a key names.

    Raises:
        UnknownName: a component does not exist.
        BadInput: a component cannot be used.
    """
    model = context.model(key.model) if key.model else ModelConfig()
    own = context.repairers.get(key.repairer)
    limit = limit_in(model.parameters)
    answer_tokens = Budget().response if limit is None else limit[1]
    if not isinstance(answer_tokens, int):
        place = f"models.{key.model}.parameters.{limit[0] if limit else ''}"
        raise BadInput(place, repr(answer_tokens), "give a whole number of tokens")
    return TrialComponents(
        engine=build_engine(key.engine, case, context.engines),
        judged_engine=None if key.engine == OURS else build_engine(key.engine, case, context.engines, truth=True),
        model=(model.served_as or key.model) if key.repairer == SELF_REPAIR else None,
        strategy=context.strategy(NO_STRATEGY if key.strategy == SELF_REPAIR else key.strategy, case),
        repairer=_repairer(key, case, model, context),
        detector=detector(key.detector) if key.detector else None,
        budget=Budget(window=own.window if own else model.window, response=answer_tokens),
        price=price_of(key.repairer, key.model, context),
    )


def price_of(repairer_name: str, model: str | None, context: BenchContext) -> Price:
    """Return what the responses of a trial's repairer cost."""
    if model is not None:
        config = context.model(model)
        return model_price(config.served_as or model, config)
    own = context.repairers.get(repairer_name)
    return program_price(own, context.models) if own is not None or ":" in repairer_name else UNKNOWN


def prices_of(keys: Collection[TrialKey], context: BenchContext) -> JsonObject:
    """Return the price descriptions of a run, by model, program or function: if two runs differ in one, their costs are not comparable."""
    prices = {(key.model or key.repairer): price_of(key.repairer, key.model, context) for key in keys}
    asking = {name for name in prices if name in context.repairers or ":" in name}
    asking |= {key.model for key in keys if key.model}
    return {name: prices[name].described() for name in sorted(asking)}


def models_used(keys: Collection[TrialKey], context: BenchContext) -> frozenset[str]:
    """Return the names in the trials' model requests: models by their servers' names, and the operator's programs and functions."""
    models = {context.model(key.model).served_as or key.model for key in keys if key.model}
    return frozenset({*models, *filter(None, (_program(name, context) for name in {key.repairer for key in keys}))})


def _program(name: str, context: BenchContext) -> str | None:
    """Return the model name in requests to an operator's own repairer; None if ``name`` is not such a repairer."""
    own = context.repairers.get(name)
    if own is None:
        return callable_model(name) if ":" in name else None
    return command_model(own.command) if own.command else callable_model(str(own.callable))


def repairer_kinds(context: BenchContext) -> tuple[str, ...]:
    """Return the names of all repairers, ours, installed ones and configured ones, sorted."""
    return tuple(sorted({*repairer_names(), *context.repairers}))


def _repairer(key: TrialKey, case: Case, model: ModelConfig, context: BenchContext) -> Repairer:
    options = Options(
        model=model.served_as or key.model,
        recording=model.recording,
        params=model.parameters,
        response_format=model.response_format,
        base_seed=model.seed,
        patch=case.fix.patch if case.fix else None,
    )
    if key.repairer == SELF_REPAIR:
        return repairer(NO_REPAIRER, options)
    own = context.repairers.get(key.repairer)
    if own is None:
        if ":" not in key.repairer and not is_repairer(key.repairer):
            raise UnknownName("repairer", key.repairer, repairer_kinds(context))
        return repairer(key.repairer, options)
    if ":" in key.repairer or is_repairer(key.repairer):
        raise BadInput(f"repairers.{key.repairer}", "a name that stands for another repairer", "choose another name")
    kind = "command" if own.command else "callable"
    return repairer(kind, Options(argv=tuple(own.command), function=own.callable, called=key.repairer))
