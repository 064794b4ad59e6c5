"""What the gate works on and what it answers: data alone.

An entry is a trial as a baseline keeps it: its verdict, how it came out, and digests of what it was answered.
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

FORMAT = 2
"""Of the result as JSON. 2: entries have ``exchanges`` instead of ``world``. 1: the first."""

GateVerdict: TypeAlias = Literal["pass", "fail", "inconclusive", "incomplete", "incomparable"]

EXIT_CODES: dict[GateVerdict, int] = {"pass": 0, "fail": 1, "inconclusive": 3, "incomplete": 3, "incomparable": 3}
"""What ``mendbench gate`` returns for each."""

Level: TypeAlias = Literal["fail", "open", "show"]
"""fail: the gate fails for it. open: the gate cannot tell because of it. show: it is told, and decides nothing."""

Change: TypeAlias = Literal[
    "secret", "crashed", "lost", "worse", "wasted", "attempts", "recording", "incomparable", "unjudged", "new", "gone", "won", "better",
    "changed",
]  # fmt: skip
"""What became of a trial, the gravest first.

secret: a declared secret stands in its record. crashed: foreign code raised. lost: right before, wrong now. worse: wrong in a graver
way. wasted: the same, with more wasted attempts. attempts: the same, with more attempts and no more wasted ones. recording: the world
responded otherwise to a request that was sent before too; another finding says what became of the trial. incomparable: its case is
another one. unjudged: a recording is missing. new, gone: the baseline or the run does not have it. won: wrong before, right now.
better: a lesser wrong, or fewer attempts. changed: otherwise wrong, and no worse.
"""

Regime: TypeAlias = Literal["exact", "resampled"]
"""exact: nothing random lies between the two trials. resampled: they were answered otherwise, so chance may tell them apart."""

Side: TypeAlias = Literal["repairs", "restraint", "harm"]
"""What a kind of case asks for: an edit (repairable, mixed), or none (needs_user, transient, control). harm: that no kind comes to harm."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One trial, as a line of the baseline has it."""

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
    """``REQUEST:RESPONSE`` for each exchange with the world in it and in the runs that judge it, by digest, with commas between."""

    def described(self) -> str:
        """Return how it came out, in a few words."""
        if self.outcome is None:
            return self.verdict
        tries = f"{self.attempts} {'attempt' if self.attempts == 1 else 'attempts'}"
        return f"{self.outcome} ({self.stop_reason}, {tries}, {self.wasted} wasted)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """What two sets of trials must share to be compared at all."""

    engine: str
    scorer: str
    prices: tuple[tuple[str, str], ...] = ()
    """By who is paid, sorted. Only those that both sides have are compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What trials came to when somebody last accepted it."""

    place: str
    """The file."""
    version: str
    """Of the mendbench that wrote it."""
    digests: Digests
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """The run that is gated."""

    place: str
    """Its folder."""
    digests: Digests
    entries: tuple[Entry, ...]
    records: Sequence[TrialRecord]
    """The same trials, as scores are computed from them."""
    secrets: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Keys of trials whose record holds a declared secret, and where it stands."""
    shard: str | None = None
    """Which part of a run it is: ``2 of 4``. None where it is a whole one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A bound that a score has to keep."""

    name: str
    """As configured: ``max_wasted``."""
    score: str
    side: Literal["max", "min"]
    bound: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The treatments that limits hold for. An empty field selects all; of repairers, all but the controls."""

    engines: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    repairers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    part: str | None = None
    controls: tuple[str, ...] = ()
    """Repairers that are a run's floor and ceiling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What fails the gate."""

    worse_outcome: Literal["fail", "show"] = "fail"
    more_wasted: Literal["fail", "show"] = "fail"
    more_attempts: Literal["fail", "show"] = "show"
    changed_recording: Level = "open"
    gone: Literal["fail", "show"] = "show"
    new: bool = False
    """Whether a trial that the baseline does not have fails if it is wrong."""
    margin: float = 0.05
    """Share of what was at stake, of the cases answered again those right before or now, that may be lost, net of those won, before it
    matters that chance may have done it."""
    alpha: float = ALPHA
    """Chance of failing where nothing changed but the responses drawn."""
    limits: tuple[Limit, ...] = ()
    selection: Selection = field(default_factory=Selection)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What became of one trial."""

    change: Change
    level: Level
    key: str
    trial: TrialKey
    before: Entry | None
    after: Entry | None
    regime: Regime | None
    """None where no verdict was compared."""
    why: tuple[str, ...] = ()
    """One line each: what in the trial is another, and what the run says of it."""
    changed_exchanges: tuple[str, ...] = ()
    """The requests, as its entries name them, to which the world responded otherwise."""
    link: str = ""
    """Opens the trial in the report."""

    @property
    def was(self) -> str:
        """How it came out before."""
        return self.before.described() if self.before else "not in the baseline"

    @property
    def now(self) -> str:
        """How it comes out now."""
        return self.after.described() if self.after else "not in the run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """Who answered what: trials under several policies of one arm share their responses."""

    engine: str
    repairer: str
    model: str | None
    strategy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """How trials that were answered again did against the baseline, case by case."""

    side: Side
    arm: Arm | None
    """None: all arms together, by which the gate tells whether it can tell."""
    cases: int
    groups: int
    at_stake: float
    """Of these, how many are right before or now; for harm, all. A case counts by the share of its trials."""
    won: int
    """Cases that did better."""
    lost: int
    change: float
    """Mean over the cases of the share of right trials now, less before; for harm, of harmless ones."""
    interval: Interval | None
    """None where no group of cases differs from another."""
    p: float
    """One-sided: that chance alone would make it so much worse."""
    adjusted: float
    """The same, adjusted for the number of shifts looked at (Holm)."""
    status: Literal["worse", "open", "holds"]
    """worse: beyond noise. open: beyond the margin, and perhaps noise. holds: within the margin, or beyond it by no more
    than noise would."""
    needed: int | None
    """How many more cases would tell, if they went on as these did."""
    beyond_margin: bool = False
    """Whether the cases lost, net of those won, are more than the margin of what was at stake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitResult:
    """A limit, held against one treatment in one part of the corpus."""

    limit: Limit
    part: str | None
    treatment: Treatment
    measure: Measure
    status: Literal["holds", "broken", "open", "undefined"]
    """open: unjudged trials decide. undefined: the treatment has nothing that the score counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A digest in which baseline and run differ, so that they cannot be compared."""

    what: str
    before: str
    after: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many trials there were of what."""

    baseline: int
    run: int
    compared: int
    resampled: int
    """Of those compared, how many were answered otherwise."""
    alike: int
    """Of those compared, how many came out the same."""
    other_ways: int
    """Of those that came out the same, how many got there by other prompts, answers or exchanges with the world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """What the gate says."""

    verdict: GateVerdict
    headline: str
    """The verdict in one line of words."""
    notes: tuple[str, ...]
    """What else a reader has to know: how much was compared, and what was not."""
    baseline: str
    run: str
    tally: Tally
    findings: tuple[Finding, ...]
    """What is not as it was, trial by trial, worst first."""
    shifts: tuple[Shift, ...]
    limits: tuple[LimitResult, ...]
    differences: tuple[Difference, ...]

    @property
    def exit_code(self) -> int:
        """What ``mendbench gate`` returns."""
        return EXIT_CODES[self.verdict]

    def document(self) -> JsonObject:
        """Return it as JSON."""
        return {"format": FORMAT, "exit_code": self.exit_code, **dataclasses.asdict(self)}
