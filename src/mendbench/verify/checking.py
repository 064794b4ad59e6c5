"""Checks many cases: reads, inspects and proves each. A problem in one case does not stop the others."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from mendbench.corpus.corpus import Corpus, selected_ids
from mendbench.corpus.credentials import of_case
from mendbench.corpus.documents import located
from mendbench.corpus.split import FILE
from mendbench.errors import BadInput, EffectEscape, LiveRefused, UnknownName, Unwritable
from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialKey
from mendbench.prompts.stale import RecordingsUsed, recordings_used, stale_files
from mendbench.recording.recorder import Recorder
from mendbench.runs.executor import run_all, workers_for
from mendbench.trial.components import BenchContext, models_used
from mendbench.trial.runner import run_trial
from mendbench.verify.contradictions import contradictions
from mendbench.verify.proof import RECORDED, UNPROVED, UNUSED, WRONG_FIX, Proof, Requirement, prove, proved_with
from mendbench.verify.proof_store import store_proof
from mendbench.verify.soundness import (
    CHANGED,
    canaries_found,
    cut_texts,
    foreign_recordings,
    said_twice,
    unsound_labels,
)

SECRET_FINDING = "no secret is on a cassette"  # noqa: S105 - the finding's name
"""The name in :func:`mendbench.verify.proof.prove` of the finding whose places :func:`canaries_found` returns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredTrials:
    """All configured trials of a case: what they use says which recorded responses are unused."""

    keys: tuple[TrialKey, ...] = ()
    known: Mapping[TrialKey, RecordingsUsed] = field(default_factory=dict)
    """What trials used that an earlier run executed. The others are executed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCase:
    """The result for one case."""

    case: str
    problems: tuple[BadInput, ...]
    """What is wrong with its files, each with its place."""
    proof: Proof | None
    """None if it could not be proved: its files are broken or refused, or the proof itself failed."""
    read: bool = True
    """Whether its files could be read: labels may be missing."""
    refused: bool = False
    """Whether its files or recordings contain a credential, so that none of its trials may run."""

    @property
    def held(self) -> bool:
        """Whether its files are sound and it is proved."""
        return not self.problems and self.proof is not None and self.proof.held

    @property
    def failed(self) -> tuple[Requirement, ...]:
        """The findings that do not hold and that nothing else explains.

        Left out are secrets that a problem reports with their place, and what follows from a case that does not hold or that
        changed since its recording: unused and missing recordings.
        """
        findings = self.proof.findings if self.proof else ()
        explained = {SECRET_FINDING} if self.problems else set()
        if any(one.found == CHANGED for one in self.problems):
            explained.add(RECORDED)
        failed = tuple(one for one in findings if one.held is False and one.what not in explained)
        alone = not self.problems and all(one.what == UNUSED for one in failed)
        return failed if alone else tuple(one for one in failed if one.what != UNUSED)

    @property
    def unproved(self) -> tuple[tuple[str, str], ...]:
        """What depends on an answer that a live API was never asked for, and why: wrong fixes first, then mutants."""
        if self.proof is None:
            return ()
        fixes = [(one.what, one.why.removeprefix(f"{UNPROVED}: ")) for one in self.proof.findings if one.held is None]
        mutants = [(f"mutant: {one.what}", one.why) for one in self.proof.mutants if one.fate == UNPROVED]
        return (*fixes, *mutants)

    @property
    def note(self) -> str | None:
        """What would make its checks stronger although they hold: no wrong fix breaks one. None if nothing."""
        fixes = sum(one.what.startswith(WRONG_FIX) for one in self.proof.findings) if self.proof else 0
        if self.proof is None or not fixes or self.proof.unchecked_fixes < fixes:
            return None
        return (
            f"no check refutes a wrong fix, because any edit is wrong in a {self.proof.kind} case; add a check that one of them breaks,"
            " such as no_request for what it sends"
        )

    def document(self) -> JsonObject:
        """Return it as JSON."""
        proof = dataclasses.asdict(self.proof) if self.proof else {}
        problems = [{"place": one.place, "found": one.found, "hint": one.hint} for one in self.problems]
        mutation_score = self.proof.mutation_score if self.proof else None
        return {
            "case": self.case, "read": self.read, "held": self.held, "problems": problems, **proof,
            "mutation_score": mutation_score, "note": self.note,
        }  # fmt: skip


def check(
    context: BenchContext,
    names: tuple[str, ...],
    workers: int,
    on_progress: Callable[[int, int, str], None],
    trials: Mapping[str, ConfiguredTrials] | None = None,
) -> tuple[CheckedCase, ...]:
    """Check the selected cases, on that many worker processes, and return the results, sorted by id.

    With ``trials``, unused recorded responses are reported.

    Recording uses only this process: real servers serve one scope at a time.

    Raises:
        UnknownName: one of ``names`` matches no case.
        BadInput: there is no corpus.
        Unwritable: a recording cannot be written.
    """
    corpus = context.corpus
    chosen = selected_ids(corpus, names)
    found = [
        CheckedCase(case=name, problems=problems, proof=None, read=False)
        for name, problems in corpus.broken.items()
        if name in chosen
    ]
    sound = [case.id for case in corpus.cases if case.id in chosen]
    twice = said_twice(corpus.cases)
    todo = [(name, (trials or {}).get(name, ConfiguredTrials())) for name in sound]
    for done, one in enumerate(_each(context, todo, workers), start=1):
        again = (twice[one.case],) if one.case in twice else ()
        found.append(dataclasses.replace(one, problems=(*again, *one.problems)))
        on_progress(done, len(sound), one.case)
    return tuple(sorted(found, key=lambda one: one.case))


def left_behind(corpus: Corpus) -> tuple[BadInput, ...]:
    """Return one line for each folder of recordings that has no case (any more)."""
    folders = sorted({path.parent for path in corpus.cassettes_dir.glob("*/*/*.yaml")})
    hint = "delete the folder, or bring its case back"
    return tuple(
        BadInput(str(folder), "recordings of no case", hint)
        for folder in folders
        if f"{folder.parent.name}/{folder.name}" not in corpus.folders
    )


def stray_groups(context: BenchContext) -> tuple[BadInput, ...]:
    """Return one line for each group of the split that no case has. A broken case may have any group, so then there is none."""
    split, corpus = context.split, context.corpus
    if split is None or corpus.broken:
        return ()
    known = {case.group for case in corpus.cases}
    named = [(part, group) for part in ("train", "test") for group in sorted(getattr(split, part) - known)]
    path = context.cases_dir / FILE
    return tuple(UnknownName("group", group, known, located(path, part)) for part, group in named)


def _each(context: BenchContext, todo: list[tuple[str, ConfiguredTrials]], workers: int) -> Iterator[CheckedCase]:
    """Yield the result of each case as it finishes."""
    if context.record != "none":
        with Recorder(
            context.record,
            context.models,
            allow_shell=context.allow_shell,
            allow_writes=context.allow_writes,
            config_file=context.config_file,
        ) as recorder:
            for case_id, _ in todo:
                yield check_case(context, case_id, recorder)
        return
    yield from run_all(partial(_check_one, context), ((one,) for one in todo), workers_for(workers, len(todo)))


def _check_one(context: BenchContext, todo: tuple[str, ConfiguredTrials]) -> CheckedCase:
    case_id, trials = todo
    return check_case(context, case_id, trials=trials)


def check_case(
    context: BenchContext,
    case_id: str,
    recorder: Recorder | None = None,
    trials: ConfiguredTrials = ConfiguredTrials(),
) -> CheckedCase:
    """Return the result for one case; errors from its files or its proof are reported as problems.

    Without ``trials``, unused recordings are not searched for.

    Raises:
        Unwritable: a recording cannot be written.
    """
    place = str(context.cases_dir / case_id)
    problems: list[BadInput] = []
    proof = None
    try:
        case = context.corpus.case(case_id)
        folder = context.corpus.cassettes(case)
        renewed = context.record == "all"
        credentials = of_case(case, None if renewed else folder)  # new recordings are searched after recording
        problems += [
            *cut_texts(case),
            *unsound_labels(case),
            *contradictions(case),
            *_undealt(context, case),
            *credentials,
        ]
        if credentials:
            return CheckedCase(case=case_id, problems=tuple(problems), proof=None, refused=True)
        if any(": fix" in one.place or ": accepts." in one.place for one in problems):
            return CheckedCase(case=case_id, problems=tuple(problems), proof=None)
        proof = prove(context, case_id, recorder)
        problems += of_case(case, folder) if renewed else ()
        problems += foreign_recordings(case, folder)
        if any(one.what == SECRET_FINDING and one.held is False for one in proof.findings):
            problems += canaries_found(case, folder)
        problems += _stale(context, case, trials)
        if context.proofs_dir is not None and (context.record == "none" or proof.held):
            # what was just recorded is proved from the disk: that proof is the one that a later check would make
            stored = proof if context.record == "none" else prove(context, case_id)
            store_proof(context.proofs_dir, case, folder, stored)
    except Unwritable:
        raise
    except BadInput as error:
        named = case_id in error.place or isinstance(error, LiveRefused)
        problems.append(error if named else BadInput(f"{place}/case.yaml: {error.place}", error.found, error.hint))
    except (Exception, EffectEscape) as error:  # noqa: BLE001 - one case must not keep the others from their proofs
        found = f"the proof ends in {type(error).__name__}: {error}"
        problems.append(BadInput(place, found, "mend the case, or report this if the case is right"))
    return CheckedCase(case=case_id, problems=tuple(problems), proof=proof)


def _undealt(context: BenchContext, case: Case) -> tuple[BadInput, ...]:
    """Return an error if the corpus is split and the case's group is in no part."""
    if context.split is None or context.split.part_of(case) is not None:
        return ()
    found = f"the group {case.group!r} of {case.id} is in no part"
    hint = "put it under test, or under train if strategies were tuned on it"
    return (BadInput(str(context.cases_dir / FILE), found, hint),)


def _stale(context: BenchContext, case: Case, trials: ConfiguredTrials) -> tuple[BadInput, ...]:
    """Return one line for each cassette with responses that no configured trial uses any more."""
    if not trials.keys:
        return ()
    rows = [*trials.known.values(), *(_used(context, key) for key in trials.keys if key not in trials.known)]
    models = models_used(trials.keys, context)
    found = stale_files(context.cassettes_dir, [case], rows, {}, models, partial(proved_with, context))
    hint = "`mendbench prompts prune --delete` deletes them"
    return tuple(
        BadInput(
            str(one.path), f"{len(one.keys)} of {one.entries} recorded responses that nothing asks for any more", hint
        )
        for one in found
        if one.known
    )


def _used(context: BenchContext, key: TrialKey) -> RecordingsUsed:
    row, texts = run_trial(context, key)
    return recordings_used(row, texts)
