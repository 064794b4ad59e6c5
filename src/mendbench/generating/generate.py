"""Derive proved cases from seeds: break, execute, label, prove, write."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.errors import BadInput, EffectEscape, ReplayMiss
from mendbench.generating.breaks import Break
from mendbench.generating.case_text import case_text
from mendbench.generating.compounds import COMPOUNDS, Fitted
from mendbench.generating.labels import derived_case, failing_record, fault_of, labelled, recovered_node
from mendbench.generating.operators import OPERATORS
from mendbench.generating.seed import Seed, seed_of, working_case
from mendbench.io.files import folder_beside, move_folder, write_atomically
from mendbench.model.case import Case, Fix
from mendbench.model.execution import Execution
from mendbench.model.json import JsonObject
from mendbench.model.trial import CleanRun
from mendbench.recording.recorder import Recorder
from mendbench.secrets.redaction import plant_canaries
from mendbench.trial.components import BenchContext, build_engine
from mendbench.verify.bench import ProofParts
from mendbench.verify.checking import CheckedCase, check_case
from mendbench.verify.mutants import mutants_of
from mendbench.verify.patches import patch_between

Fate: TypeAlias = Literal["written", "exists", "rejected"]

WRONG_FIXES = 3
"""Wrong fixes of a derived case."""

SERVER_ERROR = 500
"""The lowest HTTP status with which a server reports its own fault."""

_HASTY = (
    "constant",
    "other_field",
    "drop_param",
    "drop_node",
    "swallow_error",
    "extra_write",
    "extra_key",
    "part_of_fix",
)
"""Kinds of mutants, the ones that a hasty engineer would write first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """What became of one break."""

    seed: str
    operator: str
    case: str | None
    """The id of the derived case; None if the break was rejected."""
    title: str
    fate: Fate
    why: str = ""
    """Why it was rejected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where derived cases are written."""

    cases: Path
    cassettes: Path


def derive(
    context: BenchContext,
    seed_id: str,
    operators: tuple[str, ...],
    target: Target,
    scratch: Path,
    limit: int | None = None,
) -> Iterator[Generated]:
    """Yield what becomes of each break of one seed. A proved case is written to ``target`` before it is yielded.

    Operators take turns, so that ``limit`` cases have different faults. ``scratch`` is an empty folder.

    Raises:
        BadInput: the seed does not work.
    """  # fmt: skip
    working = working_case(context.corpus.case(seed_id))
    with Recorder("new_episodes", allow_shell=context.allow_shell, config_file=context.config_file) as recorder:
        bench = _bench(working, recorder, scratch / "seed")
        try:
            seed = seed_of(bench)
        except ReplayMiss as miss:
            raise BadInput(str(working.folder), f"its workflow cannot run: {miss}", "record the seed first") from None
        work = _Work(context=context, seed=seed, recorder=recorder, target=target, scratch=scratch)
        signatures: set[str] = set()
        made = 0
        for case_id, broken in _in_turns(work, operators):
            if limit is not None and made >= limit:
                return
            generated = _derived(work, broken, case_id, signatures)
            made += generated.fate != "rejected"
            yield generated


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """What all breaks of one seed share."""

    context: BenchContext
    seed: Seed
    recorder: Recorder
    target: Target
    scratch: Path

    def bench(self, case: Case) -> ProofParts:
        """Return a bench whose recordings are thrown away."""
        return _bench(case, self.recorder, self.scratch / "tried" / case.name)


def _in_turns(work: _Work, names: tuple[str, ...]) -> Iterator[tuple[str, Break]]:
    """Yield the first break of each operator, then the second one, and so on, with the id of its case."""
    fitted = cache(lambda: tuple(_fitted(work, chain.from_iterable(one(work.seed) for one in OPERATORS.values()))))
    breaks = {name: operator(work.seed) for name, operator in OPERATORS.items() if name in names}
    breaks |= {name: _compounds(work, name, fitted) for name in COMPOUNDS if name in names}
    stem = f"{work.seed.case.family}/{work.seed.case.name}"
    waiting = [_numbered(f"{stem}-{name}", found) for name, found in breaks.items()]
    while waiting:
        for found in tuple(waiting):
            one = next(found, None)
            if one is None:
                waiting.remove(found)
            else:
                yield one


def _numbered(stem: str, breaks: Iterator[Break]) -> Iterator[tuple[str, Break]]:
    """Yield each break with the id of its case; the first one without a number."""
    for number, one in enumerate(breaks, start=1):
        yield f"{stem}-{number}" if number > 1 else stem, one


def _compounds(work: _Work, name: str, fitted: Callable[[], tuple[Fitted, ...]]) -> Iterator[Break]:
    """Yield compounds. All single breaks are tried for them, so this happens only when the first one is wanted."""
    yield from COMPOUNDS[name](work.seed, fitted())


def _fitted(work: _Work, breaks: Iterable[Break]) -> Iterator[Fitted]:
    """Yield the breaks that fail as their operators mean; of each operator and node the first."""
    seen: set[tuple[str, str]] = set()
    for number, broken in enumerate(breaks):
        case = derived_case(work.seed, broken, f"part-{number}", work.scratch)
        with suppress(ReplayMiss, BadInput):
            run = work.bench(case).clean(case.workflow, None)
            if not _unfit(broken, run):
                fault = fault_of(case, broken, run)
                if (broken.operator, fault.surfaces) not in seen:
                    seen.add((broken.operator, fault.surfaces))
                    states = run.execution.states()
                    ran = frozenset(name for name, state in states.items() if state == "success")
                    yield Fitted(broken=broken, fault=fault, ran=ran)


def _bench(case: Case, recorder: Recorder, folder: Path) -> ProofParts:
    return ProofParts(
        case=case, engine=build_engine("mendbench", case), recordings=recorder.recordings(folder), recorder=recorder
    )


def _derived(work: _Work, broken: Break, case_id: str, signatures: set[str]) -> Generated:
    seed, scratch = work.seed, work.scratch / case_id.replace("/", "-")
    own = Generated(seed=seed.case.id, operator=broken.operator, case=None, title=broken.what, fate="rejected")
    if (work.target.cases / case_id / "case.yaml").is_file():
        return replace(own, case=case_id, fate="exists")
    try:
        case = derived_case(seed, broken, case_id.partition("/")[2], scratch / case_id)
        bench = work.bench(case)
        run = bench.clean(case.workflow, None)
        if why := _unfit(broken, run):
            return replace(own, why=why)
        signature = _signature(seed, broken, run.execution)
        if signature in signatures:
            return replace(own, why="a near-duplicate of a case of the same operator")
        faults = broken.faults or (fault_of(case, broken, run),)
        case = labelled(case, seed, faults, run, lambda variant: bench.clean(seed.workflow, variant))
        case = replace(case, wrong_fixes=_wrong_fixes(work.bench(case), seed))
        checked = _proved(work.context, case, scratch, work.recorder)
        if not checked.held:
            return replace(own, why=_first_problem(checked))
        _moved(case_id, scratch, work.target)
    except (BadInput, ReplayMiss, EffectEscape) as error:
        return replace(own, why=" ".join(str(error).split()))
    signatures.add(signature)
    return replace(own, case=case_id, fate="written")


def _unfit(broken: Break, run: CleanRun) -> str:
    """Return why a run is not the failure that the operator means; empty if it is."""
    if broken.who == "retry":
        return "" if recovered_node(run) else "no retry overcomes it"
    failed = failing_record(run.execution)
    failure = run.execution.failures[0] if run.execution.failures else None
    if failed is None and failure is None:
        return "it does not fail"
    if broken.who == "edit" and failure is not None and (failure.status_code or 0) >= SERVER_ERROR:
        return f"the server ends with status {failure.status_code}, so the fault is its own"
    node = failed.node_id if failed else failure.node_id if failure else None
    if not broken.node or node == broken.node:
        return ""
    return (
        f"it fails at {node} instead of {broken.node}"
        if node
        else f"the validator refuses it before {broken.node} runs"
    )


def _signature(seed: Seed, broken: Break, execution: Execution) -> str:
    """Return what makes two breaks alike: operator, type of the failing node, shape of its error, and the place of the fix."""
    failure = execution.failures[0] if execution.failures else None
    failed = failing_record(execution)
    message = failure.message if failure else failed.message if failed else ""
    body = json.dumps(failure.raw_response) if failure else ""
    shape = re.sub(r"'[^']*'|\"[^\"]*\"|\$\{[^}]*\}|\d+", "·", f"{message} {body}")
    places = [
        re.sub(r"/nodes/[^/]+|\d+", "·", str(one["path"])) for one in patch_between(broken.workflow, seed.workflow)
    ]
    return "\n".join((seed.case.id, broken.operator, failed.node_type if failed else "", shape, *sorted(places)))


def _wrong_fixes(bench: ProofParts, seed: Seed) -> tuple[Fix, ...]:
    """Return repairs that validate and are judged wrong, one of each kind at first, the hastiest kinds first."""
    case = bench.case
    fixed = seed.workflow if case.fix else None
    inputs, _ = plant_canaries(case.inputs, case.id)
    found = sorted(mutants_of(case, fixed, {**inputs, **seed.data}), key=lambda one: _HASTY.index(one.kind))
    first = {one.kind: one for one in reversed(found)}
    ordered = [*sorted(first.values(), key=lambda one: _HASTY.index(one.kind)), *found]
    fixes: dict[str, Fix] = {}
    for mutant in ordered:
        if len(fixes) < WRONG_FIXES and mutant.what not in fixes and not bench.problems(mutant.workflow):
            with suppress(ReplayMiss):
                if bench.judged(mutant.workflow).verdict.verdict == "incorrect":
                    fixes[mutant.what] = Fix(patch=patch_between(case.workflow, mutant.workflow), why=mutant.what)
    return tuple(fixes.values())


def _proved(context: BenchContext, case: Case, scratch: Path, recorder: Recorder) -> CheckedCase:
    """Write a case into a scratch corpus, record its world, and check it."""
    cases, cassettes = scratch / "cases", scratch / "cassettes"
    folder = cases / case.id
    folder.mkdir(parents=True)
    write_atomically(folder / "workflow.json", _workflow_text(case.workflow))
    write_atomically(folder / "case.yaml", case_text(case))
    own = replace(context, cases_dir=cases, cassettes_dir=cassettes, record="new_episodes", proofs_dir=None)
    checked = check_case(own, case.id, recorder)
    return checked if not checked.held else check_case(replace(own, record="none"), case.id)


def _workflow_text(workflow: JsonObject) -> str:
    return json.dumps(workflow, indent=2, ensure_ascii=False) + "\n"


def _first_problem(checked: CheckedCase) -> str:
    problems = [f"{one.found}; {one.hint}" for one in checked.problems]
    return next(iter((*problems, *(f"{one.what}: {one.why}" for one in checked.failed))), "it does not hold")


def _moved(case_id: str, scratch: Path, target: Target) -> None:
    """Move a proved case's recordings and then its folder into place: a case without recordings is never seen."""
    for source, folder in ((scratch / "cassettes", target.cassettes), (scratch / "cases", target.cases)):
        own = source / case_id
        if own.is_dir():
            (folder / case_id).parent.mkdir(parents=True, exist_ok=True)
            with folder_beside(folder / case_id) as beside:
                for path in sorted(own.iterdir()):
                    if path.is_file():
                        write_atomically(beside / path.name, path.read_bytes())
                move_folder(beside, folder / case_id)
