"""The parts of a trial, built from the names in its key. Works in a worker process too: names are all that has to travel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from mendbench.bench.config import ModelConfig
from mendbench.bench.corpus import Corpus, load_corpus
from mendbench.bench.scope import redactor_of
from mendbench.detectors import detector
from mendbench.errors import BadInput, UnknownName
from mendbench.model.case import Case
from mendbench.model.trial import TrialKey
from mendbench.ports.engine import Detector, Engine
from mendbench.ports.repair import Repairer, Strategy
from mendbench.repairers import Options, repairer
from mendbench.replay.recordings import RecordMode
from mendbench.runtime.engine import MendbenchEngine
from mendbench.strategies import strategy
from mendbench.strategies.frame import Budget

TRUTH_DETECTOR = "mend"
"""The detector of every clean run, whatever the trial's policy: a workflow is judged by one and the same."""

ENGINES = {"mendbench": MendbenchEngine}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where a trial's parts come from, and whether anything may be recorded."""

    cases_dir: Path
    cassettes_dir: Path
    strategy_dirs: tuple[Path, ...] = ()
    models: Mapping[str, ModelConfig] = field(default_factory=dict)
    record: RecordMode = "none"
    allow_shell: bool = False
    tolerant: bool = False
    """Whether a broken case keeps nobody from the others."""
    proofs_dir: Path | None = None
    """Where proofs are kept; None for nowhere."""

    @cached_property
    def corpus(self) -> Corpus:
        """The cases, loaded once per process."""
        return load_corpus(self.cases_dir, self.cassettes_dir, tolerant=self.tolerant)

    def model(self, name: str) -> ModelConfig:
        """Return a model's configuration; for one that is not configured, the default parameters."""
        return self.models.get(name) or ModelConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a trial is made of."""

    engine: Engine
    strategy: Strategy
    repairer: Repairer
    detector: Detector | None
    budget: Budget


def build_engine(name: str, case: Case) -> Engine:
    """Return the engine of that name, which shows nothing of the case's secrets.

    Raises:
        UnknownName: there is none.
    """
    if name not in ENGINES:
        raise UnknownName("engine", name, ENGINES)
    return ENGINES[name](redact=redactor_of(case).value)


def build_parts(key: TrialKey, case: Case, setting: Setting) -> Parts:
    """Return the parts that a key names.

    Raises:
        UnknownName: something it names does not exist.
        BadInput: something it names cannot be used.
    """
    model = setting.model(key.model) if key.model else ModelConfig()
    options = Options(
        model=key.model,
        params=model.parameters,
        response_format=model.response_format,
        patch=case.fix.patch if case.fix else None,
    )
    answer_tokens = model.parameters.get("max_tokens", Budget().answer)
    if not isinstance(answer_tokens, int):
        raise BadInput(
            f"models.{key.model}.parameters.max_tokens", repr(answer_tokens), "give a whole number of tokens"
        )
    return Parts(
        engine=build_engine(key.engine, case),
        strategy=strategy(key.strategy, setting.strategy_dirs),
        repairer=repairer(key.repairer, options),
        detector=detector(key.detector) if key.detector else None,
        budget=Budget(window=model.window, answer=answer_tokens),
    )
