"""Tries a strategy against another one with a model, until the difference is clear or the budget is spent."""

from __future__ import annotations

import json
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.api.estimating import estimate_recording
from mendbench.api.settings import RunOptions, open_context
from mendbench.api.strategies import Survey, surveys
from mendbench.api.trials import Bench, RanTrial
from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import model_file
from mendbench.config.config_file import Loaded, load_config
from mendbench.corpus.corpus import select
from mendbench.corpus.split import in_part
from mendbench.errors import BadInput
from mendbench.io.files import ignore_folder
from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialKey
from mendbench.prompts.estimate import ModelEstimate
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.statistics.confidence_sequence import mean_difference
from mendbench.scoring.statistics.exact import Interval
from mendbench.trial.components import BenchContext

POLICY = "first-answer"
"""The policy of the trials: one response each, so that a small budget covers many cases."""

LEDGER = "tries.jsonl"
"""File of earlier tries, beside the private recordings."""

AGAINST = "summary"

_SEED = 20261127
"""Fixed, so that all tries meet the cases in one order, and the responses to the other strategy are requested once."""

_BUDGET = re.compile(r"(?P<amount>\d+(?:\.\d+)?) ?(?P<unit>s|sec|seconds?|m|min|minutes?|h|hours?|usd|\$|prompts?)")
_SECONDS = {"s": 1, "m": 60, "h": 3600}

_MODEL_PLACES = ("models.", "repairers.")
"""Errors at these places concern every case. Others concern the world of one case, such as a shell command that may not run."""

Unit: TypeAlias = Literal["seconds", "usd", "prompts"]
Ended: TypeAlias = Literal["clear", "budget", "no more groups", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TryBudget:
    """What a try may spend."""

    unit: Unit
    amount: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePair:
    """One case under both strategies."""

    case: str
    own: bool
    """Whether the first response of the tried strategy was right."""
    other: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TrySpent:
    """What a try has spent so far."""

    prompts: int = 0
    """Requests that were sent. Recorded responses cost nothing."""
    tokens: int = 0
    usd: float = 0.0
    seconds: float = 0.0

    def of(self, unit: Unit) -> float:
        """Return how much of a unit."""
        return {"seconds": self.seconds, "usd": self.usd, "prompts": float(self.prompts)}[unit]


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierTries:
    """Earlier tries of the same two strategies with the same model."""

    tries: int = 0
    won: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A try as it stands after a case."""

    strategy: str
    against: str
    model: str
    budget: TryBudget
    pairs: tuple[CasePair, ...]
    groups: int
    """Groups of cases that there are: one case of each counts, because twins are not independent."""
    skipped: tuple[tuple[str, str], ...] = ()
    """Cases without a verdict, and why."""
    spent: TrySpent
    earlier: EarlierTries
    estimate: ModelEstimate | None
    """The estimate before the first response; None if everything was recorded."""
    ended: Ended | None = None

    @property
    def won(self) -> tuple[str, ...]:
        """Cases that only the tried strategy repairs."""
        return tuple(pair.case for pair in self.pairs if pair.own and not pair.other)

    @property
    def lost(self) -> tuple[str, ...]:
        """Cases that only the other strategy repairs."""
        return tuple(pair.case for pair in self.pairs if pair.other and not pair.own)

    @property
    def interval(self) -> Interval:
        """The difference in the share of repaired cases, valid whenever one looks."""
        return mean_difference([pair.own - pair.other for pair in self.pairs])

    @property
    def left(self) -> float | None:
        """How many more cases the budget is enough for, from what the cases so far cost; None if unknown."""
        used = self.spent.of(self.budget.unit)
        if not used or not self.pairs or not self.spent.prompts:
            return None
        return max(0.0, min((self.budget.amount - used) / (used / len(self.pairs)), self.groups - len(self.pairs)))


def read_budget(text: str) -> TryBudget:
    """Return the budget that a text such as ``5min``, ``2usd`` or ``200prompts`` states.

    Raises:
        BadInput: it states none.
    """
    found = _BUDGET.fullmatch(text.strip().lower())
    if found is None or not float(found["amount"]):
        raise BadInput("--budget", repr(text), "write an amount above 0 and a unit: 5min, 2usd or 200prompts")
    amount, unit = float(found["amount"]), found["unit"]
    if unit.startswith("prompt"):
        return TryBudget(unit="prompts", amount=amount)
    if unit in {"usd", "$"}:
        return TryBudget(unit="usd", amount=amount)
    return TryBudget(unit="seconds", amount=amount * _SECONDS[unit[0]])


def compare_prompts(strategy: str, against: str, options: RunOptions) -> tuple[Survey, Survey]:
    """Return what the first prompts of two strategies contain, on the cases of a try. No request is sent to a model.

    Raises:
        MendbenchError: a name is unknown, a file cannot be used, or no case is selected.
    """
    loaded = load_config()
    context = open_context(loaded, options, tolerant=True)
    one, two = surveys(context, _chosen(context, options), "all", (strategy, against), None)
    return one, two


def try_strategy(
    strategy: str,
    against: str,
    model: str,
    budget: TryBudget,
    options: RunOptions,
    *,
    now: Callable[[], float] = time.monotonic,
) -> Generator[Standing, None, None]:
    """Yield the standing before the first case and after each one; the last one says why it ended.

    Every response goes to the private layer. Closing the iterator ends the try, and the ledger has what was seen until then.

    Raises:
        MendbenchError: a name is unknown or given twice, a file cannot be used, no case is selected, or the model does not answer.
    """
    if strategy == against:
        raise BadInput("--against", f"{against!r} is the strategy itself", "name another one")
    loaded = load_config()
    options = replace(options, record="new_episodes")
    context = open_context(loaded, options, tolerant=True)
    private = context.private
    own = replace(context, private=replace(private, strategies=frozenset()) if private is not None else None)
    cases = _in_order(_chosen(context, options))
    with closing(Bench(Path.cwd(), loaded, options, own)) as bench:
        run = _Try(bench=bench, strategy=strategy, against=against, model=model, now=now)
        first = run.key(cases[0].id, strategy), run.key(cases[0].id, against)  # refuses what cannot be used
        estimate = _estimate(options, cases, (strategy, against), model, loaded)
        if budget.unit == "usd" and estimate is not None and estimate.price == "unknown":
            raise BadInput(
                "--budget",
                f"the price of {first[0].model} is not known",
                "configure prices, or give minutes or prompts",
            )
        earlier = _earlier(_ledger(loaded), run)
        standing = Standing(
            strategy=strategy, against=against, model=model, budget=budget, pairs=(), groups=len(cases), spent=TrySpent(),
            earlier=earlier, estimate=estimate,
        )  # fmt: skip
        ended: Ended = "interrupted"
        try:
            yield standing
            for case in cases:
                standing = run.after(standing, case)
                interval = standing.interval
                if interval.low > 0 or interval.high < 0:
                    ended = "clear"
                elif standing.spent.of(budget.unit) >= budget.amount:
                    ended = "budget"
                elif case is cases[-1]:
                    ended = "no more groups"
                else:
                    yield standing
                    continue
                break
        finally:
            standing = replace(standing, ended=ended)
            _note(_ledger(loaded), standing)
        yield standing


@dataclass(kw_only=True)
class _Try:
    """The trials of a try."""

    bench: Bench
    strategy: str
    against: str
    model: str
    now: Callable[[], float]
    _began: float = field(init=False)

    def __post_init__(self) -> None:
        self._began = self.now()

    def key(self, case: str, strategy: str) -> TrialKey:
        return self.bench.key(case, strategy=strategy, policy=POLICY, repairer="chat", model=self.model)

    def after(self, before: Standing, case: Case) -> Standing:
        """Return the standing after one more case."""
        spent, ran = before.spent, []
        for name in (self.strategy, self.against):
            try:
                trial, sent = self._ran(self.key(case.id, name))
            except BadInput as error:
                if error.place.startswith(_MODEL_PLACES):
                    raise
                spent = replace(spent, seconds=self.now() - self._began)
                return replace(before, skipped=(*before.skipped, (case.id, str(error))), spent=spent)
            ran.append(trial)
            if sent:
                spent = _added(spent, trial, sent)
        spent = replace(spent, seconds=self.now() - self._began)
        open_ = next((trial for trial in ran if not trial.judged), None)
        if open_ is not None:
            why = str(open_.row["problem"] or open_.verdict)
            return replace(before, skipped=(*before.skipped, (case.id, why)), spent=spent)
        pair = CasePair(case=case.id, own=_is_right(ran[0]), other=_is_right(ran[1]))
        return replace(before, pairs=(*before.pairs, pair), spent=spent)

    def _ran(self, key: TrialKey) -> tuple[RanTrial, int]:
        """Run a trial, and return it with the number of requests that were sent for it."""
        before = self._recorded(key)
        trial = self.bench.run(key)
        return trial, self._recorded(key) - before

    def _recorded(self, key: TrialKey) -> int:
        folder = self.bench.context.private_recordings(key)
        if folder is None:
            return 0
        model = self.bench.context.model(self.model)
        path = folder / model_file(model.served_as or self.model)
        return len(cassette.load(path)) if path.exists() else 0


def _is_right(trial: RanTrial) -> bool:
    return bool(trial.row["right_after_first"])


def _added(spent: TrySpent, trial: RanTrial, sent: int) -> TrySpent:
    tokens = sum((one.prompt_tokens or 0) + (one.completion_tokens or 0) for one in trial.attempts)
    usd = float(trial.row["cost_usd"] or 0)
    return replace(spent, prompts=spent.prompts + sent, tokens=spent.tokens + tokens, usd=spent.usd + usd)


def _chosen(context: BenchContext, options: RunOptions) -> list[Case]:
    """Return the cases with a fault that an edit repairs: of the training part, if there is one and no part was named."""
    part = options.part or ("all" if context.split is None else "train")
    named = select(context.corpus, options.names)
    chosen = [case for case in in_part(named, part, context.cases_dir) if case.kind in EDIT_KINDS]
    if not chosen:
        raise BadInput("cases", f"none in the part {part!r} that an edit repairs", "name others, or add --part all")
    return chosen


def _in_order(cases: Sequence[Case]) -> list[Case]:
    """Return one case of each group: in random order within strata of kind and API, which take turns."""
    draw = random.Random(_SEED)  # noqa: S311  no secret
    groups: defaultdict[str, list[Case]] = defaultdict(list)
    for case in sorted(cases, key=lambda one: one.id):
        groups[case.group].append(case)
    strata: defaultdict[tuple[str, str], list[Case]] = defaultdict(list)
    for group in groups.values():
        case = draw.choice(group)
        strata[case.kind, case.api].append(case)
    for stratum in strata.values():
        draw.shuffle(stratum)
    rounds = zip_longest(*(strata[name] for name in sorted(strata)))
    return [case for case in chain.from_iterable(rounds) if case is not None]


def _estimate(
    options: RunOptions, cases: Sequence[Case], names: tuple[str, str], model: str, loaded: Loaded
) -> ModelEstimate | None:
    wanted = replace(
        options,
        names=tuple(case.id for case in cases),
        part="all",
        strategies=names,
        policies=(POLICY,),
        repairers=("chat",),
        models=(model,),
    )
    found = estimate_recording(wanted)
    served = loaded.config.models[model].served_as if model in loaded.config.models else None
    return next((one for one in found.models if one.model == (served or model) and one.prompts), None)


def _ledger(loaded: Loaded) -> Path:
    return loaded.private_dir.with_name(LEDGER)


def _earlier(ledger: Path, run: _Try) -> EarlierTries:
    try:
        lines = ledger.read_text("utf-8").splitlines()
    except FileNotFoundError:
        return EarlierTries()
    same = [
        one
        for one in map(_entry, lines)
        if [one.get(name) for name in ("strategy", "against", "model")] == [run.strategy, run.against, run.model]
    ]
    return EarlierTries(
        tries=len(same), won=sum(int(one["won"]) for one in same), lost=sum(int(one["lost"]) for one in same)
    )


def _entry(line: str) -> JsonObject:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _note(ledger: Path, standing: Standing) -> None:
    """Add a try to the ledger; one that only looked at recorded responses is not another try."""
    if not standing.pairs or not standing.spent.prompts:
        return
    ignore_folder(ledger.parent)
    line = {
        "strategy": standing.strategy, "against": standing.against, "model": standing.model, "cases": len(standing.pairs),
        "won": len(standing.won), "lost": len(standing.lost), "ended": standing.ended,
    }  # fmt: skip
    with ledger.open("a", encoding="utf-8", newline="\n") as file:
        file.write(f"{json.dumps(line)}\n")
