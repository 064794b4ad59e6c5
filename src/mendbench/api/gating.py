"""The gate: compares a run with the last accepted baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from functools import partial as bound
from pathlib import Path

from mendbench.api.plans import refuse_unknown
from mendbench.api.settings import Progress, RunOptions, open_context, open_corpus
from mendbench.config.config_file import Loaded, load_config
from mendbench.config.tables import Config
from mendbench.errors import BadInput, MendbenchError
from mendbench.io.temporary_folders import scratch
from mendbench.model.trial import TrialKey
from mendbench.report.html import trial_link
from mendbench.results.acceptance import Update, accept
from mendbench.results.baseline import baseline_of, digests_of, entry_of, read_baseline
from mendbench.results.gate_evidence import changed_responses, lost_facts, prompt_hints, reasons, secrets_in
from mendbench.results.stale_cases import changed_since
from mendbench.results.store import StoredRun, open_run, read_run
from mendbench.runs.trial_keys import TrialKeys
from mendbench.runs.trials import run_trials
from mendbench.scoring.gating.gate import gate as gated
from mendbench.scoring.gating.limits import read_limits
from mendbench.scoring.gating.result import COSTS, Baseline, GateResult, LimitSelection, Present, Rules, TrialChange
from mendbench.strategies import strategy
from mendbench.strategies.interface import parts_of
from mendbench.trial.components import BenchContext
from mendbench.trial.row import digest_of_keys
from mendbench.values.name_lists import few

REPORT = "index.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTest:
    """Number of false alarms of the gate when nothing changed."""

    times: int
    """Number of gate runs."""
    alarms: int
    """Number of gate runs that did not pass."""
    trials: int
    """Trials in each replay."""
    judged: int
    """Number of these with a verdict, which can raise an alarm."""
    unstable: tuple[str, ...]
    """Keys of trials with different results across replays, whether or not that raised an alarm."""

    @property
    def rate(self) -> float:
        """Share of false alarms."""
        return self.alarms / self.times


def gate(
    run: str | Path | StoredRun | None = None,
    *,
    baseline: str | Path | None = None,
    new: bool = False,
    executed: bool = False,
) -> GateResult:
    """Return whether a run is worse than the baseline, by the rules of the configuration.

    Defaults: the run that ``mendbench run`` wrote last, and ``gate.baseline``. With ``new``, trials that the
    baseline does not have can fail too. With ``executed``, the run itself must have executed every trial.

    Raises:
        BadInput: there is no run, or no baseline; a case changed since the run; a line of the baseline is broken; one of the two is empty;
            they share no trial; a limit cannot be applied to the run; or ``executed`` is set and the run took trials from earlier runs.
    """
    loaded = load_config()
    stored = _stored(run, loaded)
    if executed and stored.inputs is not None and stored.inputs.reused:
        found = f"{stored.inputs.reused} of its {len(stored.rows)} trials were executed by earlier runs"
        raise BadInput(str(stored.folder), found, "make the run with --fresh, or accept them with --reuse")
    _refuse_stale(stored, loaded)
    rules = rules_of(loaded.config, stored, place=loaded.place)
    held = read_baseline(Path(baseline or loaded.baseline))
    return gate_run(stored, held, replace(rules, new=rules.new or new))


def gate_run(stored: StoredRun, baseline: Baseline, rules: Rules) -> GateResult:
    """Return whether a run is worse than a baseline, with reasons from its rows and links to its report.

    Raises:
        BadInput: as :func:`gate`.
    """
    present = Present(
        place=str(stored.folder),
        digests=digests_of(stored.run),
        entries=tuple(entry_of(row) for row in stored.rows),
        records=stored.records,
        secrets=secrets_in(stored),
        shard=_shard(stored),
    )
    return _with_reasons(gated(baseline, present, rules), stored, load_config())


def accept_run(
    run: str | Path | StoredRun | None = None, *, baseline: str | Path | None = None, partial: bool = False
) -> Update:
    """Make a run the baseline.

    With ``partial``, trials that the run lacks, or has no verdict on, stay in the baseline as they are.

    Raises:
        CheckFailed: a trial contains a declared secret.
        Incomplete: a trial is unjudged or crashed, and ``partial`` is not set.
        BadInput: there is no run, or the baseline cannot be read or written.
    """
    loaded = load_config()
    return accept(Path(baseline or loaded.baseline), _stored(run, loaded), partial=partial)


def self_test(
    run: str | Path | StoredRun | None, times: int, on_progress: Progress, *,
    cases: Path | None = None, cassettes: Path | None = None, workers: int = 0,
) -> SelfTest:  # fmt: skip
    """Replay the trials of a run ``times`` + 1 times, gate each replay against the first, and return how often that failed.

    Only the replays are judged, without limits: the run's own verdicts may be older than the code.

    Raises:
        BadInput: no trial of the run has a verdict, or something that a trial needs cannot be used.
    """
    loaded = load_config()
    stored = _stored(run, loaded)
    context = open_context(loaded, RunOptions(cases=cases, cassettes=cassettes))
    keys = TrialKeys(entry_of(row).trial for row in stored.rows)
    if not keys:
        raise BadInput(str(stored.folder), "a run without trials", "run at least one with `mendbench run`")
    refuse_unknown(keys, context, loaded)
    rules = replace(_rules(loaded.config), limits=())
    with scratch("gate") as folder:
        first: Baseline | None = None
        alarms, unstable = 0, set[str]()
        for number in range(times + 1):
            steps = bound(_shown_of, on_progress, number * len(keys), (times + 1) * len(keys))
            again = _replayed(folder / f"replay-{number}", stored, keys, context, workers, steps)
            if first is None:
                first = baseline_of(again, again.folder)
                continue
            result = gate_run(again, first, rules)
            alarms += result.exit_code != 0
            before, after = {entry.key: entry for entry in first.entries}, baseline_of(again, again.folder).entries
            unstable |= before.keys() ^ {entry.key for entry in after}
            unstable |= {entry.key for entry in after if before.get(entry.key) != entry}
    judged = len(first.entries) if first else 0
    return SelfTest(times=times, alarms=alarms, trials=len(keys), judged=judged, unstable=tuple(sorted(unstable)))


def rules_of(config: Config, stored: StoredRun, *, place: str) -> Rules:
    """Return the configured rules for a run: its bounds have no limits. ``place`` names the configuration's file.

    Raises:
        UnknownName, BadInput: the score of a limit does not exist, or cannot have the limit's value.
    """
    own = config.gate
    matrix = stored.run.get("matrix") or []
    bounds = {name for sweep in matrix for name in sweep.get("bounds") or ()}
    asked = {name for sweep in matrix for name in sweep.get("repairers") or ()}
    selection = LimitSelection(
        engines=tuple(own.engines), strategies=tuple(own.strategies), policies=tuple(own.policies),
        repairers=tuple(own.repairers), models=tuple(own.models), part=None if own.part == "all" else own.part,
        bounds=tuple(sorted(bounds - asked)), place=f"{place}: gate",
    )  # fmt: skip
    return replace(_rules(config), limits=read_limits(own.limits, f"{selection.place}.limits"), selection=selection)


def _rules(config: Config) -> Rules:
    own = config.gate
    return Rules(
        worse_outcome=own.worse_outcome, more_wasted=own.more_wasted, more_attempts=own.more_attempts,
        fewer_facts=own.fewer_facts, more_tokens=own.more_tokens, token_tolerance=own.token_tolerance, slower=own.slower,
        time_tolerance=own.time_tolerance,
        changed_recording="open" if own.changed_recording == "inconclusive" else own.changed_recording,
        gone=own.gone, new=own.new, margin=own.margin, alpha=own.alpha,
    )  # fmt: skip


def _refuse_stale(stored: StoredRun, loaded: Loaded) -> None:
    """Refuse a run whose cases changed since, so that a gate without a new run does not pass.

    Raises:
        BadInput: configured cases of the run have other content now.
    """
    try:
        corpus = open_corpus(loaded, None, None, tolerant=True)
    except BadInput:
        return
    if changed := changed_since(stored, corpus):
        hint = "make the run again with `mendbench run`"
        raise BadInput(str(stored.folder), f"changed since this run: {few(changed)}", hint)


def _stored(run: str | Path | StoredRun | None, loaded: Loaded) -> StoredRun:
    return run if isinstance(run, StoredRun) else read_run(Path(run or loaded.out))


def _shard(stored: StoredRun) -> str | None:
    shard = stored.run.get("shard")
    return f"{shard.get('number')} of {shard.get('of')}" if isinstance(shard, dict) else None


def _with_reasons(result: GateResult, stored: StoredRun, loaded: Loaded) -> GateResult:
    """Return the result with the reason from the run's row for each changed trial, and the link to it in the report."""
    texts = cache(bound(_fact_texts, loaded))
    return replace(result, findings=tuple(_with_reason(one, stored, texts, loaded) for one in result.findings))


def _own_template(strategy_name: str, loaded: Loaded) -> Path | None:
    """Return a strategy's template file, relative to the current folder; None if it is not below this folder."""
    try:
        path = strategy(parts_of(strategy_name).base, loaded.strategy_dirs).path.resolve()
    except MendbenchError:
        return None
    here = Path.cwd().resolve()
    return path.relative_to(here) if path.is_relative_to(here) else None


def _fact_texts(loaded: Loaded, case_id: str, case_digest: str) -> Mapping[str, str]:
    """Return the plain text of each fact of a case by its pattern; nothing if the configured corpus does not have this case."""
    try:
        case = open_corpus(loaded, None, None, tolerant=True).case(case_id)
    except MendbenchError:
        return {}
    if case.digest != case_digest:
        return {}
    return {fact: text for fault in case.faults for fact, text in zip(fault.facts, fault.fact_texts, strict=False)}


def _with_reason(
    finding: TrialChange, stored: StoredRun, texts: Callable[[str, str], Mapping[str, str]], loaded: Loaded
) -> TrialChange:
    row = None if finding.after is None else stored.row(finding.key)
    if row is None:
        return finding
    why = list(finding.why)
    if finding.change in {"lost", "worse", "facts"} and finding.before and finding.after:
        known = texts(finding.trial.case, finding.after.case_digest)
        why += lost_facts(row, stored.texts, finding.before, lambda fact: known.get(fact, fact))
        template = _own_template(finding.trial.strategy, loaded)
        why += prompt_hints(finding.trial, finding.before, finding.after, template, loaded.baseline)
    why += changed_responses(row, stored.texts, finding.changed_exchanges)
    if finding.change not in {"recording", *COSTS}:
        why += reasons(row, stored.texts)
    return replace(finding, why=tuple(why), link=f"{stored.folder / REPORT}{trial_link(finding.key)}")


def _replayed(
    place: Path, stored: StoredRun, keys: Sequence[TrialKey], context: BenchContext, workers: int, on_progress: Progress
) -> StoredRun:
    """Replay the same trials into a separate folder, and return the stored run."""
    with open_run(place, {"keys": digest_of_keys(keys)}, resume=False) as folder:
        for done, (row, texts) in enumerate(run_trials(context, keys, workers), start=1):
            folder.add(row, texts)
            on_progress(done, len(keys), row["key"])
        folder.finish(dict(stored.run), {})
    return read_run(place)


def _shown_of(on_progress: Progress, before: int, total: int, done: int, _of: int, last: str) -> None:
    on_progress(before + done, total, last)
