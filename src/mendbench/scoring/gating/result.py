"""Input and output of the gate: data classes only.

An entry is a trial as in a baseline: its verdict, its outcome, and digests of its responses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialKey
from mendbench.scoring.chance import ResponseDigest
from mendbench.scoring.records import Treatment, TrialRecord
from mendbench.scoring.score import Measure
from mendbench.scoring.statistics.exact import ALPHA, Interval

FORMAT = 3
"""Format of the result as JSON. 3: entries have ``context_tokens``, ``facts`` and ``elapsed_ms``.
2: entries have ``exchanges`` instead of ``world``. 1: the first version."""

GateVerdict: TypeAlias = Literal["pass", "fail", "inconclusive", "incomplete", "incomparable"]

EXIT_CODES: dict[GateVerdict, int] = {"pass": 0, "fail": 1, "inconclusive": 3, "incomplete": 3, "incomparable": 3}
"""The exit code of ``mendbench gate`` for each verdict."""

Level: TypeAlias = Literal["fail", "open", "show"]
"""fail: it makes the gate fail. open: it makes the gate inconclusive. show: it is reported, and decides nothing."""

Change: TypeAlias = Literal[
    "secret", "crashed", "lost", "worse", "wasted", "attempts", "recording", "incomparable", "unjudged", "new", "gone", "won", "better",
    "changed", "facts", "tokens", "slower",
]  # fmt: skip
"""How a trial changed, most severe first; then what its first prompt and its time cost, whatever its result is.

secret: its record contains a declared secret. crashed: foreign code raised. lost: right before, wrong now. worse: a more severe wrong
outcome. wasted: the same outcome, with more wasted attempts. attempts: the same outcome, with more attempts but no more wasted ones.
recording: the world's response to a request that was sent before changed; another finding reports the trial itself. incomparable: its
case changed. unjudged: a recording is missing. new, gone: the baseline or the run does not have the trial. won: wrong before, right now.
better: a less severe wrong outcome, or fewer attempts. changed: another wrong outcome of the same severity. facts: its first prompt states
fewer facts of the case. tokens: the context of its first prompt is longer. slower: it takes longer on the virtual clock.
"""

COSTS: tuple[Change, ...] = ("facts", "tokens", "slower")
"""Changes that say nothing about the result of a trial."""

Regime: TypeAlias = Literal["exact", "resampled"]
"""exact: no chance is involved in a difference. resampled: the responses differ, so chance may explain a difference."""

Side: TypeAlias = Literal["repairs", "restraint", "harm"]
"""repairs: cases that need an edit (repairable, mixed). restraint: cases that need none (needs_user, transient, control). harm: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactDigest:
    """A fact that a case's repair needs, by the digest of its pattern."""

    digest: str
    stated: bool
    """Whether the context of the first prompt states it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineEntry:
    """One trial, as in a line of the baseline."""

    key: str
    """As in its row."""
    trial: TrialKey
    case_digest: str
    kind: str
    verdict: str
    outcome: str | None
    """None where it crashed or has no verdict."""
    stop_reason: str
    attempts: int
    wasted: int | None
    """None where it crashed or has no verdict."""
    responses: tuple[ResponseDigest, ...]
    """One for each attempt."""
    exchanges: str
    """``REQUEST:RESPONSE`` digests, separated by commas, of each exchange with the world in the trial and in the runs that judge it."""
    context_tokens: int | None
    """Estimated tokens of the first prompt's context; None without an attempt."""
    facts: tuple[FactDigest, ...]
    """One for each fact of the case; empty without an attempt."""
    elapsed_ms: int
    """Time on the virtual clock, of executions and responses."""

    @property
    def stated(self) -> frozenset[str]:
        """The digests of the facts that the first prompt states."""
        return frozenset(fact.digest for fact in self.facts if fact.stated)

    def described(self) -> str:
        """Return the result of the trial in a few words."""
        if self.outcome is None:
            return self.verdict
        tries = f"{self.attempts} {'attempt' if self.attempts == 1 else 'attempts'}"
        return f"{self.outcome} ({self.stop_reason}, {tries}, {self.wasted} wasted)"

    def measured(self, change: Change) -> str:
        """Return what a change is about: the facts, tokens or time of the trial for one of :data:`COSTS`, else its result."""
        if change == "facts":
            return f"{len(self.stated)} of {len(self.facts)} facts in the prompt"
        if change == "tokens":
            return f"{self.context_tokens} context tokens"
        return f"{self.elapsed_ms} ms" if change == "slower" else self.described()


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """The digests that two sets of trials must share to be comparable."""

    engine: str
    scorer: str
    prices: tuple[tuple[str, str], ...] = ()
    """Digest of each price by name of the model, program or function, sorted. Only those that both sides have are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The last accepted results of trials."""

    place: str
    """The file."""
    version: str
    """The version of mendbench that wrote the baseline."""
    digests: Digests
    entries: tuple[BaselineEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The run that is gated."""

    place: str
    """Its folder."""
    digests: Digests
    entries: tuple[BaselineEntry, ...]
    records: Sequence[TrialRecord]
    """The records of the same trials, for scores."""
    secrets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Keys of trials whose record contains a declared secret, and the places of the secret."""
    shard: str | None = None
    """The shard, for example ``2 of 4``; None for a whole run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A bound on a score."""

    name: str
    """The name in the configuration, for example ``max_wasted``."""
    score: str
    side: Literal["max", "min"]
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSelection:
    """The treatments that limits apply to. An empty field selects all, or for repairers, all but the bounds."""

    engines: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    repairers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    part: str | None = None
    bounds: tuple[str, ...] = ()
    """Repairers that serve as lower and upper reference of a run."""
    place: str = "gate"
    """Where it is written, for errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What fails the gate."""

    worse_outcome: Literal["fail", "show"] = "fail"
    more_wasted: Literal["fail", "show"] = "fail"
    more_attempts: Literal["fail", "show"] = "show"
    fewer_facts: Literal["fail", "show"] = "show"
    more_tokens: Literal["fail", "show"] = "show"
    token_tolerance: float = 0.1
    """Share of the tokens before that may be added."""
    slower: Literal["fail", "show"] = "show"
    time_tolerance: float = 0.1
    """Share of the time before that may be added."""
    changed_recording: Level = "open"
    gone: Literal["fail", "show"] = "show"
    new: bool = False
    """Whether a trial that the baseline does not have fails if it is wrong."""
    margin: float = 0.05
    """Share of the resampled cases at stake (right before or now) whose net loss is tolerated if chance may explain it."""
    alpha: float = ALPHA
    """Probability of failing if nothing changed but the sampled responses."""
    limits: tuple[Limit, ...] = ()
    selection: LimitSelection = field(default_factory=LimitSelection)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialChange:
    """How one trial changed."""

    change: Change
    level: Level
    key: str
    trial: TrialKey
    before: BaselineEntry | None
    after: BaselineEntry | None
    regime: Regime | None
    """None if no verdict was compared."""
    why: tuple[str, ...] = ()
    """The differences and the reasons in the run's rows, one line each."""
    changed_exchanges: tuple[str, ...] = ()
    """The requests whose response from the world changed, as the entries name them."""
    link: str = ""
    """Link to the trial in the report."""

    @property
    def was(self) -> str:
        """The result in the baseline."""
        return self.before.measured(self.change) if self.before else "not in the baseline"

    @property
    def now(self) -> str:
        """The result in the run."""
        return self.after.measured(self.change) if self.after else "not in the run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """The source of responses: trials of one arm under several policies share their responses."""

    engine: str
    repairer: str
    model: str | None
    strategy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """The change of resampled trials from the baseline, case by case."""

    side: Side
    arm: Arm | None
    """None: all arms together."""
    cases: int
    groups: int
    at_stake: float
    """Cases of these that are right before or now; for harm, all. A case counts by the share of its trials."""
    won: int
    """Cases that improved."""
    lost: int
    change: float
    """Mean over the cases of the share of right trials now minus before; for harm, of harmless ones."""
    interval: Interval | None
    """None if no group of cases differs from another."""
    p: float
    """One-sided p-value."""
    adjusted: float
    """The p-value adjusted for the number of shifts (Holm)."""
    status: Literal["worse", "open", "holds"]
    """worse: beyond noise. open: beyond the margin, but possibly noise. holds: within the margin, or beyond it within
    ordinary noise."""
    needed: int | None
    """Number of additional cases that would decide, if they behave as these do."""
    beyond_margin: bool = False
    """Whether the net loss of cases is more than the margin of what was at stake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitResult:
    """The result of a limit for one treatment in one part of the corpus."""

    limit: Limit
    part: str | None
    treatment: Treatment
    measure: Measure
    status: Literal["holds", "broken", "open", "undefined"]
    """open: it depends on unjudged trials. undefined: the treatment has nothing that the score counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestDifference:
    """A digest that differs between baseline and run, so that they cannot be compared."""

    what: str
    before: str
    after: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Numbers of trials."""

    baseline: int
    run: int
    compared: int
    resampled: int
    """Trials compared that had different responses."""
    alike: int
    """Trials compared that had the same result."""
    other_ways: int
    """Trials with the same result but different prompts, responses or exchanges with the world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The result of the gate."""

    verdict: GateVerdict
    headline: str
    """The verdict in one line of text."""
    notes: tuple[str, ...]
    """Further information for the reader: how much was compared, and what was not."""
    baseline: str
    run: str
    tally: Tally
    findings: tuple[TrialChange, ...]
    """The changes by trial, worst first."""
    shifts: tuple[Shift, ...]
    limits: tuple[LimitResult, ...]
    differences: tuple[DigestDifference, ...]

    @property
    def exit_code(self) -> int:
        """The exit code of ``mendbench gate``."""
        return EXIT_CODES[self.verdict]

    def document(self) -> JsonObject:
        """Return the result as JSON."""
        return {"format": FORMAT, "exit_code": self.exit_code, **dataclasses.asdict(self)}
