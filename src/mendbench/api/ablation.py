"""Ablation of a strategy: leave out each section, and count the changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from mendbench.api.estimating import estimate_recording
from mendbench.api.runs import run
from mendbench.api.settings import Progress, RunOptions, in_silence, open_context
from mendbench.api.strategies import LONGEST, Survey, main_model, surveys
from mendbench.config.config_file import Loaded, load_config
from mendbench.corpus.corpus import select
from mendbench.errors import BadInput
from mendbench.model.trial import TrialRow
from mendbench.prompts.estimate import Estimate
from mendbench.results.store import Note, StoredRun
from mendbench.results.totals import is_judged
from mendbench.scoring.comparing.comparison import Difference, compare_scores
from mendbench.scoring.comparing.pairing import pair_trials
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.scores import score
from mendbench.strategies import TemplateStrategy, strategy
from mendbench.strategies.interface import WITHOUT
from mendbench.trial.components import BenchContext

SCORE = "repair_success"
"""The score in which a strategy without a section is compared with the whole."""

FOLDER = "ablation"
"""Default output folder of an ablation's trials, next to the configured folder of runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repairs:
    """Results of the trials of one strategy. Repair success counts cases with an edit fault."""

    right: int
    cases: int
    unjudged: int
    """Of ``cases``: those without a verdict, because a recording is missing or the trial crashed."""
    difference: Difference | None
    """Difference in repair success from the whole strategy, with an interval over groups of cases. None for the whole strategy."""
    shared: int
    """Number of cases of all kinds in which both are judged."""
    wasted_per_trial: float | None
    """Wasted attempts per trial over the shared cases."""
    whole_wasted_per_trial: float | None
    """The same for the whole strategy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationRow:
    """A strategy without some of its sections."""

    what: str
    strategy: str
    left_out: tuple[str, ...]
    survey: Survey
    changed: int
    """Number of cases whose first prompt differs from the whole strategy's."""
    repairs: Repairs | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """The whole strategy first, then the reduced ones."""

    rows: tuple[AblationRow, ...]
    part: str
    model: str | None
    """The model whose responses were replayed; None if none were."""
    run: StoredRun | None
    """The trials behind it."""


def ablate_strategy(
    name: str,
    options: RunOptions,
    on_progress: Progress,
    on_note: Note = lambda _line: None,
    *,
    prompts_only: bool = False,
) -> Ablation:
    """Leave out one section at a time, then all derived ones, and count the changes.

    ``options`` selects the cases and the model; the default part is the training part, if the corpus has one.
    The trials run under ``naive``, of which every other policy is a prefix, and are written to a run's folder. ``on_note`` is as in
    :func:`mendbench.api.run`.

    Raises:
        MendbenchError: a name or a file cannot be used, or no case is selected.
    """
    loaded = load_config()
    context = open_context(loaded, options, tolerant=True)
    part, model = _part_and_model(loaded, context, options)
    whole = strategy(name, context.strategy_dirs)
    if not whole.sections:
        raise BadInput(f"strategy {name}", "no section that could be left out", "name a strategy that has sections")
    named = {_without(name, left_out): (what, left_out) for what, left_out in _plans(whole)}
    found = surveys(context, select(context.corpus, options.names), part, tuple(named), model)
    asked = (
        None
        if prompts_only or model is None
        else _asked(loaded, options, found[0], tuple(named), model, on_progress, on_note)
    )
    repairs = _repairs(asked, name) if asked else {}
    rows = tuple(
        AblationRow(
            what=what, strategy=one, left_out=left_out, survey=survey, changed=_changed(found[0], survey),
            repairs=repairs.get(one),
        )
        for (one, (what, left_out)), survey in zip(named.items(), found, strict=True)
    )  # fmt: skip
    return Ablation(rows=rows, part=part, model=model if asked else None, run=asked)


def estimate_ablation(name: str, options: RunOptions, on_progress: Progress = in_silence) -> Estimate:
    """Return what recording an ablation would request. Nothing is sent or written.

    Raises:
        MendbenchError: as :func:`ablate_strategy`.
    """
    loaded = load_config()
    context = open_context(loaded, options, tolerant=True)
    part, model = _part_and_model(loaded, context, options)
    if model is None:
        raise BadInput("matrix.models", "no model to ask", "configure one, or give --model")
    names = tuple(_without(name, left_out) for _, left_out in _plans(strategy(name, context.strategy_dirs)))
    return estimate_recording(replace(_trials(options, names, model), part=part), on_progress)


def _part_and_model(loaded: Loaded, context: BenchContext, options: RunOptions) -> tuple[str, str | None]:
    """Return the part of the corpus and the model that the options name, or the default ones."""
    part = options.part or ("all" if context.split is None else "train")
    return part, options.models[0] if options.models else main_model(loaded)


def _plans(whole: TemplateStrategy) -> list[tuple[str, tuple[str, ...]]]:
    """Return what each row leaves out; several derived sections add a row without all of them."""
    names = [spec.name for spec in whole.sections]
    derived = tuple(spec.name for spec in whole.sections if spec.label == "derived")
    plans: list[tuple[str, tuple[str, ...]]] = [("whole", ()), *((f"without {name}", (name,)) for name in names)]
    if len(derived) > 1:
        return [*plans, ("derived sections off", derived)]
    return [
        (f"{what} (derived sections off)" if derived and left_out == derived else what, left_out)
        for what, left_out in plans
    ]


def _without(name: str, left_out: Sequence[str]) -> str:
    return name + "".join(f"{WITHOUT}{section}" for section in left_out)


def _asked(
    loaded: Loaded,
    options: RunOptions,
    whole: Survey,
    names: tuple[str, ...],
    model: str,
    on_progress: Progress,
    on_note: Note,
) -> StoredRun | None:
    """Run the trials of all rows over the cases with a model request; None if there is no such case."""
    if not whole.rows:
        return None
    out = options.out or loaded.out.with_name(FOLDER)
    chosen = replace(options, names=tuple(row.case for row in whole.rows), part="all", out=out)
    return run(_trials(chosen, names, model), on_progress, on_note)


def _trials(options: RunOptions, names: tuple[str, ...], model: str) -> RunOptions:
    """Return the options that select the trials of an ablation."""
    return replace(options, strategies=names, policies=(LONGEST,), repairers=("chat",), models=(model,), samples=1)


def _repairs(run: StoredRun, whole: str) -> dict[str, Repairs]:
    """Return the results of the trials of each strategy."""
    rows: dict[str, dict[str, TrialRow]] = {}
    for row in run.rows:
        rows.setdefault(row["strategy"], {})[row["case"]] = row
    return {
        name: _against(rows[whole], own, None if name == whole else _difference(run.records, whole, name))
        for name, own in rows.items()
    }


def _difference(records: Records, whole: str, name: str) -> Difference:
    def of(strategy: str) -> Records:
        return records.where("treatment", lambda treatment: treatment.strategy == strategy)

    (pair,) = pair_trials(of(whole), of(name), ("strategy",)).pairs
    (found,) = compare_scores(pair, {SCORE: score(SCORE)})
    return found


def _against(whole: Mapping[str, TrialRow], own: Mapping[str, TrialRow], difference: Difference | None) -> Repairs:
    shared = [(whole[case], row) for case, row in sorted(own.items()) if is_judged(row) and is_judged(whole[case])]
    edits = [row for row in own.values() if row["kind"] in EDIT_KINDS]
    return Repairs(
        right=sum(bool(row["verdict"] == "correct") for row in edits),
        cases=len(edits),
        unjudged=sum(not is_judged(row) for row in edits),
        difference=difference,
        shared=len(shared),
        wasted_per_trial=_wasted(row for _, row in shared),
        whole_wasted_per_trial=_wasted(before for before, _ in shared),
    )


def _wasted(rows: Iterable[TrialRow]) -> float | None:
    found = [row["wasted_attempts"] or 0 for row in rows]
    return round(fmean(found), 3) if found else None


def _changed(whole: Survey, other: Survey) -> int:
    prompts = ((one.prompt, two.prompt) for one, two in zip(whole.rows, other.rows, strict=True))
    return sum(one.user != two.user for one, two in prompts)
