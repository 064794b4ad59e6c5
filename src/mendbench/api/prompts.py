"""Exports prompts without a response, imports responses, and shows how an edited strategy changes prompts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import not_
from pathlib import Path

from mendbench.api.plans import plan_of, refuse_unknown
from mendbench.api.settings import Progress, RunOptions, open_context
from mendbench.cassettes.cassette import BatchPlace
from mendbench.cassettes.recordings import Recordings
from mendbench.config.config_file import Loaded, load_config
from mendbench.corpus.credentials import refuse_cases_with_credentials
from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.model.json import JsonObject
from mendbench.model.trial import SELF_REPAIR, TrialKey
from mendbench.prompts.batches import read_batches
from mendbench.prompts.collecting import Collected, collect_all
from mendbench.prompts.importing import (
    Deposit,
    Placed,
    place_labels,
    place_responses,
    refuse_other_models,
    refuse_others,
    renamed,
    sort_lines,
    write_responses,
)
from mendbench.prompts.label_requests import LabelRequests, label_requests
from mendbench.prompts.prompt_diff import Nearest, nearest
from mendbench.prompts.prompt_lines import custom_id, in_order, prompt_line, read_prompts
from mendbench.prompts.response_lines import ResponseLine, read_responses
from mendbench.prompts.trials_asking import CHAT, detectors_of_policies, trials_asking
from mendbench.trial.components import BenchContext

SHOWN = 3
"""Default number of missing prompts shown with a difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The model requests of the selected trials."""

    trials: int
    cases: int
    answered: int
    """Distinct model requests with a recorded response, per case."""
    missing: int
    """Distinct model requests without a response, per case."""
    waiting: int
    """Trials that stop at a model request without a response: their later requests are not known yet."""
    stopped: tuple[tuple[str, str], ...]
    """Trials that stop for another reason, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """The prompts that have no response yet."""

    lines: tuple[str, ...]
    """The prompts, each as a line of OpenAI's batch input."""
    models: tuple[tuple[str, int], ...]
    """The requested models, with the number of lines of each."""
    asking: Asking

    @property
    def text(self) -> str:
        """All lines as the text of a file."""
        return "".join(f"{line}\n" for line in self.lines)


def export_label_prompts(path: Path, models: Sequence[str]) -> Exported:
    """Return the prompts that ask models for the labels of API responses, without those that have a reply.

    Raises:
        UnknownName, BadInput: the file or a model cannot be used, or no model is named.
    """
    labels = _labels(path, models)
    missing = [
        request
        for model in labels.parameters
        for request, reply in zip(labels.requests(model), labels.replies(model), strict=True)
        if reply is None
    ]
    model_requests = in_order(missing)
    asked = [str(model_request["model"]) for model_request in model_requests]
    answered = len(labels.responses) * len(models) - len(missing)
    return Exported(
        lines=tuple(map(prompt_line, model_requests)),
        models=tuple((model, asked.count(model)) for model in dict.fromkeys(asked)),
        asking=Asking(trials=0, cases=0, answered=answered, missing=len(missing), waiting=0, stopped=()),
    )


def export_prompts(options: RunOptions, on_progress: Progress) -> Exported:
    """Return the prompts of the selected trials that have no response, by replaying from recordings alone.

    Raises:
        UnknownName, BadInput: something that the options name does not exist or cannot be used.
    """
    _, _, collected = _collected(options, on_progress)
    model_requests = in_order(model_request for one in collected for model_request in one.missing)
    models = [str(model_request["model"]) for model_request in model_requests]
    return Exported(
        lines=tuple(map(prompt_line, model_requests)),
        models=tuple((model, models.count(model)) for model in dict.fromkeys(models)),
        asking=_asking(collected),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of importing a file of responses."""

    prompts: int
    """Number of exported prompts."""
    new: tuple[Deposit, ...]
    """Responses that were recorded, or with ``dry_run`` would be recorded."""
    replaced: tuple[Deposit, ...]
    """The same, replacing another response, or the same response without a token count."""
    standing: tuple[Deposit, ...]
    """Responses that are recorded already."""
    repeated: tuple[ResponseLine, ...]
    """Lines that repeat another line."""
    unanswered: tuple[ResponseLine, ...]
    """Lines that report no response."""
    absent: int
    """Exported prompts without a line."""
    unknown: tuple[ResponseLine, ...]
    """Lines whose id was not exported."""
    unplaced: tuple[ResponseLine, ...]
    """Responses to prompts that no trial uses."""
    broken: tuple[BadInput, ...]
    """Lines that cannot be read and were left out."""
    renamed: tuple[tuple[str, str, int], ...]
    """Models whose response names another model: requested name, name in the response, number of responses."""
    dry_run: bool
    place: str
    """What the responses belong to: a case or a file."""


def import_responses(
    responses: Path,
    prompts: Path,
    options: RunOptions,
    on_progress: Progress,
    *,
    provenance: str | None = None,
    dry_run: bool = False,
    replacing: bool = False,
    skip_broken: bool = False,
    batches: Path | None = None,
    labelled: Path | None = None,
) -> Imported:
    """Write external responses to the cassettes of all cases whose trials request them, and return the result.

    If ``labelled`` names a file of API responses, the responses are labels of these and are written beside it.

    ``prompts`` is the exported file. The requests of trials are computed again, under every strategy;
    the options need not be those of the export. Only strategies from template files must be given. The import is all or
    nothing: an unreadable line, two responses to one prompt, or a response that differs from the recorded one
    (unless ``replacing``) is refused before anything is written; ``skip_broken`` skips unreadable lines.
    ``options.models`` are the responding models: a response to a request for another model is refused. ``batches`` is a file
    that states which prompts were answered together.

    Raises:
        BadInput: as above; the message names file and line.
    """
    model_requests = read_prompts(prompts)
    lines, broken = read_responses(responses)
    if broken and not skip_broken:
        raise _first(broken)
    found = sort_lines(lines, model_requests)
    refuse_other_models(found.responses, model_requests, options.models)
    together = read_batches(batches) if batches is not None else {}
    if labelled is not None:
        models = options.models or tuple({str(request["model"]): None for request in model_requests.values()})
        labels = _labels(labelled, models)
        placed = place_labels(found.responses, model_requests, labels, provenance, together)
    else:
        placed = _placed(found.responses, model_requests, options, on_progress, provenance, together)
    if not replacing:
        refuse_others(placed.deposits)
    stays = [one.same and not (replacing and one.counts_more) for one in placed.deposits]
    written = tuple(compress(placed.deposits, map(not_, stays)))
    if not dry_run:
        write_responses(written)
    return Imported(
        prompts=len(model_requests),
        new=tuple(one for one in written if one.standing is None),
        replaced=tuple(one for one in written if one.standing is not None),
        standing=tuple(compress(placed.deposits, stays)),
        repeated=found.repeated,
        unanswered=found.unanswered,
        absent=len(model_requests.keys() - found.responses.keys() - {line.custom_id for line in found.unanswered}),
        unknown=found.unknown,
        unplaced=placed.unplaced,
        broken=broken,
        renamed=tuple(
            (*pair, count) for pair, count in sorted(renamed(found.responses.values(), model_requests).items())
        ),
        dry_run=dry_run,
        place="case" if labelled is None else "file",
    )


def _placed(
    responses: Mapping[str, ResponseLine], model_requests: Mapping[str, JsonObject], options: RunOptions,
    on_progress: Progress, provenance: str | None, together: Mapping[str, BatchPlace],
) -> Placed:  # fmt: skip
    """Return where responses to the requests of trials belong."""
    loaded, context = _context(options)
    collected: tuple[Collected, ...] = ()
    placed = Placed(deposits=(), unplaced=tuple(responses.values()))
    detecting = dict.fromkeys((*((options.detector,) if options.detector else ()), *detectors_of_policies()))
    for detectors in ((), tuple(detecting)):
        if placed.unplaced:
            wanted = [model_requests[line.custom_id] for line in placed.unplaced]
            given = options.strategies
            keys = trials_asking(wanted, loaded.config, context, strategies=given, detectors=detectors)
            collected += collect_all(context, keys, options.workers, on_progress)
            placed = place_responses(responses, model_requests, collected, context.corpus, provenance, together)
    return placed


def _labels(path: Path, models: Sequence[str]) -> LabelRequests:
    """Return the requests for labels of the responses in a file.

    Raises:
        UnknownName, BadInput: the file or a model cannot be used, or no model is named.
    """
    if not models:
        raise BadInput("--labelled", "no model", "name the model that labels the responses with --model")
    return label_requests(path, models, load_config().config.models)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPrompt:
    """A prompt without a response, and the recorded one that is most like it."""

    case: str
    custom_id: str
    model: str
    trials: tuple[TrialKey, ...]
    """The trials with this prompt."""
    nearest: Nearest | None
    """None if this model has no recordings, or if no difference was requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptDiff:
    """The prompts of the selected trials, and how they differ from what is recorded."""

    asking: Asking
    missing: tuple[MissingPrompt, ...]
    """Those with a difference come first."""
    shown: int


def diff_prompts(options: RunOptions, on_progress: Progress, *, shown: int | None = SHOWN) -> PromptDiff:
    """Return the prompts of the selected trials without a response, and the most similar recorded ones.

    At most ``shown`` prompts are compared with recordings, None for all.

    Raises:
        UnknownName, BadInput: something that the options name does not exist or cannot be used.
    """
    _, context, collected = _collected(options, on_progress)
    asked: dict[tuple[str, str], tuple[JsonObject, list[TrialKey]]] = {}
    for one in collected:
        for model_request in one.missing:
            asked.setdefault((one.trial.case, digest(model_request)), (model_request, []))[1].append(one.trial)
    missing = [
        MissingPrompt(
            case=case_id, custom_id=custom_id(model_request), model=str(model_request["model"]), trials=tuple(trials),
            nearest=_nearest(context, case_id, model_request) if shown is None or at < shown else None,
        )
        for at, ((case_id, _), (model_request, trials)) in enumerate(asked.items())
    ]  # fmt: skip
    count = len(missing) if shown is None else min(shown, len(missing))
    return PromptDiff(asking=_asking(collected), missing=tuple(missing), shown=count)


def _collected(options: RunOptions, on_progress: Progress) -> tuple[Loaded, BenchContext, tuple[Collected, ...]]:
    """Return the model requests of the selected trials whose repairer is a chat model."""
    loaded, context = _context(options)
    given = (options.engines, options.strategies, options.policies, options.detector, options.models, options.samples)
    if any(given):
        options = replace(options, repairers=(CHAT,))
    planned = plan_of(loaded.config, replace(options, all=True), context.corpus).keys
    keys = tuple(key for key in planned if key.repairer == CHAT)
    alone = sorted({key.engine for key in planned if key.repairer == SELF_REPAIR})
    if alone and not keys:
        raise BadInput(
            f"engine {alone[0]}", "it asks the model by itself while it runs, so that none of its prompts can leave and come back",
            "have them answered at once: mendbench run --engine NAME --model MODEL --record new_episodes",
        )  # fmt: skip
    if not keys:
        raise BadInput("matrix", "no selected trial asks a model", "name one with --model")
    refuse_unknown(keys, context, loaded)
    refuse_cases_with_credentials(context.corpus, {key.case for key in keys}, context.record)
    return loaded, context, collect_all(context, keys, options.workers, on_progress)


def _context(options: RunOptions) -> tuple[Loaded, BenchContext]:
    loaded = load_config()
    return loaded, open_context(loaded, replace(options, record="none", repairers=()))


def _asking(collected: Collection[Collected]) -> Asking:
    return Asking(
        trials=len(collected),
        cases=len({one.trial.case for one in collected}),
        answered=len({(one.trial.case, key) for one in collected for key in one.answered}),
        missing=len({(one.trial.case, digest(model_request)) for one in collected for model_request in one.missing}),
        waiting=sum(bool(one.missing) for one in collected),
        stopped=tuple((_named(one.trial), one.problem) for one in collected if one.problem is not None),
    )


def _named(key: TrialKey) -> str:
    return " | ".join((key.case, key.strategy, key.policy, key.model or "", str(key.sample)))


def _first(broken: Sequence[BadInput]) -> BadInput:
    """Return the first error, with the number of further errors."""
    first, more = broken[0], len(broken) - 1
    also = f" (and {more} more such {'line' if more == 1 else 'lines'})" if more else ""
    return BadInput(first.place, first.found + also, f"{first.hint}; or leave such lines out with --skip-broken")


def _nearest(context: BenchContext, case_id: str, model_request: JsonObject) -> Nearest | None:
    folder = context.corpus.cassettes(context.corpus.case(case_id))
    return nearest(model_request, Recordings.open(folder).model_entries(str(model_request["model"])))
