"""Renders a template on every save: what changed, how many recorded responses still match, and what the rule book repairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mendbench.api.settings import RunOptions
from mendbench.api.strategies import main_model
from mendbench.api.trials import Bench, open_bench
from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.corpus import select
from mendbench.corpus.split import in_part
from mendbench.errors import BadInput, MendbenchError, ReplayMiss
from mendbench.io.canonical_json import digest
from mendbench.model.case import Case
from mendbench.model.prompt import View
from mendbench.recording.scope_recording import Recording
from mendbench.repair.policies import FIRST_RESPONSE
from mendbench.replay.model_cassette import ModelCassette
from mendbench.scoring.judging.recall import context_recall, facts_of
from mendbench.scoring.records import EDIT_KINDS
from mendbench.strategies import build_prompt
from mendbench.trial.components import build_components
from mendbench.trial.scope import Scope, open_scope

AGAINST = "summary"
"""The strategy that a template is compared with unless another is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedPrompt:
    """A template's first prompt for one case."""

    case: str
    changed: bool
    """Whether it differs from the one before the last save. True for the first snapshot."""
    tokens: int
    """Estimated tokens of its context."""
    facts: int
    """Facts that the context states."""
    other_facts: int
    """Facts that the other strategy's context states."""
    all_facts: int
    recorded: bool
    """Whether the main model's response to this prompt is recorded."""
    repaired: bool | None
    """Whether the rule book repairs the case with it; None if the case has no fault that an edit fixes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One snapshot of a template over all watched cases."""

    strategy: str
    against: str
    model: str | None
    prompts: tuple[WatchedPrompt, ...]
    missing: tuple[str, ...] = ()
    """Cases whose first execution is not recorded."""


@dataclass(kw_only=True)
class Watching:
    """The cases of a watch: each is executed once, then only prompts are built."""

    bench: Bench
    name: str
    against: str
    cases: tuple[Case, ...]
    _views: dict[str, tuple[View, Scope]] = field(default_factory=dict)
    _missing: set[str] = field(default_factory=set)
    _digests: dict[str, str] = field(default_factory=dict)
    _repaired: dict[tuple[str, str], bool] = field(default_factory=dict)

    def snapshot(self) -> Snapshot:
        """Render the template as it is now.

        Raises:
            BadInput: the template cannot be used.
        """
        self.bench.context.strategy(self.name)
        prompts = tuple(prompt for case in self.cases if (prompt := self._prompt(case)) is not None)
        return Snapshot(
            strategy=self.name, against=self.against, model=main_model(self.bench.loaded), prompts=prompts,
            missing=tuple(sorted(self._missing)),
        )  # fmt: skip

    def _prompt(self, case: Case) -> WatchedPrompt | None:
        """Return what the template says about a case; None if there is no prompt."""
        found = self._view(case)
        if found is None:
            return None
        view, scope = found
        model = main_model(self.bench.loaded)
        key = self.bench.key(
            case.id, strategy=self.name, policy=FIRST_RESPONSE, repairer="chat" if model else "rules", model=model
        )
        parts = build_components(key, case, self.bench.context)
        prompt = build_prompt(view, parts.strategy, budget=parts.budget)
        other = build_prompt(view, self.bench.context.strategy(self.against), budget=parts.budget)
        mark = digest([prompt.system, prompt.user])
        changed = self._digests.get(case.id) != mark
        self._digests[case.id] = mark
        own, others = (context_recall(facts_of(case), one.context.text) for one in (prompt, other))
        cassette = ModelCassette(
            recordings=Recordings.open(
                self.bench.context.corpus.cassettes(case), private=self.bench.context.private_recordings(key)
            ),
            redactor=scope.redactor,
        )
        try:
            parts.repairer.reply(prompt, cassette, sample=0, times_asked=0)
            recorded = model is not None
        except ReplayMiss:
            recorded = False
        return WatchedPrompt(
            case=case.id, changed=changed, tokens=prompt.context.tokens, facts=len(own.found), other_facts=len(others.found),
            all_facts=len(facts_of(case)), recorded=recorded,
            repaired=self._rule_book(case, mark) if case.kind in EDIT_KINDS else None,
        )  # fmt: skip

    def _rule_book(self, case: Case, mark: str) -> bool:
        """Return whether the rule book repairs a case; a prompt is tried once."""
        if (case.id, mark) not in self._repaired:
            key = self.bench.key(case.id, strategy=self.name, policy=FIRST_RESPONSE, repairer="rules")
            self._repaired[case.id, mark] = self.bench.run(key).right
        return self._repaired[case.id, mark]

    def _view(self, case: Case) -> tuple[View, Scope] | None:
        if case.id not in self._views and case.id not in self._missing:
            try:
                self._views[case.id] = self._executed(case)
            except ReplayMiss:
                self._missing.add(case.id)
        found = self._views.get(case.id)
        return found if found is not None and found[0].execution.outcome == "error" else None

    def _executed(self, case: Case) -> tuple[View, Scope]:
        """Run a case's workflow once: its prompts describe this execution."""
        key = self.bench.key(case.id, strategy=self.against, policy=FIRST_RESPONSE, repairer="rules")
        engine = build_components(key, case, self.bench.context).engine
        scope = open_scope(case, None, Recordings.open(self.bench.context.corpus.cassettes(case)), Recording(), "")
        execution = engine.execute(
            case.workflow, scope.inputs, scope.world, checkpoint=None, detector=None, clock=scope.clock
        )
        agent = engine.describe(case.workflow, execution)
        return View(request=case.request, workflow=case.workflow, execution=execution, agent=agent), scope


def watch_strategy(
    name: str,
    wanted: Sequence[str] = (),
    *,
    against: str = AGAINST,
    cases: Path | None = None,
    cassettes: Path | None = None,
) -> Watching:
    """Return a watch of a template over cases, those of the training part by default: the test part is not for tuning.

    Raises:
        MendbenchError: a name is unknown, a file cannot be used, or no case is selected.
    """
    bench = open_bench(RunOptions(cases=cases, cassettes=cassettes), Path.cwd())
    context = bench.context
    for one in (name, against):
        context.strategy(one)
    chosen = select(context.corpus, wanted)
    if not wanted and context.split is not None:
        chosen = in_part(chosen, "train", context.cases_dir)
    if not chosen:
        raise BadInput("cases", "none to watch", "name one")
    return Watching(bench=bench, name=name, against=against, cases=tuple(chosen))


def snapshots(watching: Watching, changes: Iterator[object]) -> Iterator[Snapshot | MendbenchError]:
    """Yield a snapshot now and after each change; for a template that cannot be used, the error."""
    yield _snapshot_or_error(watching)
    for _change in changes:
        yield _snapshot_or_error(watching)


def _snapshot_or_error(watching: Watching) -> Snapshot | MendbenchError:
    try:
        return watching.snapshot()
    except MendbenchError as error:
        return error
