"""Derive failing cases from working workflows."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mendbench.api.settings import Progress, RunOptions, open_context
from mendbench.config.config_file import load_config
from mendbench.corpus.corpus import select
from mendbench.errors import BadInput, UnknownName
from mendbench.generating.compounds import COMPOUNDS
from mendbench.generating.generate import Generated, Target, derive
from mendbench.generating.operators import OPERATORS
from mendbench.io.temporary_folders import scratch
from mendbench.model.json import JsonObject
from mendbench.runs.executor import run_all, workers_for
from mendbench.trial.components import BenchContext


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedCases:
    """What became of the breaks of all seeds."""

    cases: tuple[Generated, ...]
    """In the order of seeds and operators."""
    problems: tuple[BadInput, ...]
    """Seeds that do not work."""
    target: Target

    def document(self) -> JsonObject:
        """Return it as JSON."""
        return {
            "cases": [{name: getattr(one, name) for name in Generated.__slots__} for one in self.cases],
            "problems": [str(one) for one in self.problems],
            "target": {"cases": str(self.target.cases), "cassettes": str(self.target.cassettes)},
        }


def generate_cases(
    seeds: tuple[str, ...],
    cases: Path | None,
    cassettes: Path | None,
    *,
    out: Path,
    operators: tuple[str, ...] = (),
    limit: int | None = None,
    allow_shell: bool = False,
    workers: int = 0,
    on_progress: Progress,
) -> GeneratedCases:
    """Derive cases from seeds and write those that are proved to ``out/cases``, with recordings in ``out/cassettes``.

    A seed is a control or a repairable case. Cases that are there already are kept, so an
    interrupted call can be repeated. ``limit`` is the number of cases of each seed.

    Raises:
        UnknownName: there is no such case or operator.
        BadInput: there is no corpus, or ``out`` cannot be written to.
    """
    known = (*OPERATORS, *COMPOUNDS)
    for name in operators:
        if name not in known:
            raise UnknownName("operator", name, known)
    context = open_context(
        load_config(), RunOptions(cases=cases, cassettes=cassettes, allow_shell=allow_shell), tolerant=True
    )
    target = Target(cases=out / "cases", cassettes=out / "cassettes")
    ids = [case.id for case in select(context.corpus, seeds)]
    task = partial(_derive_all, context, operators or known, target, limit)
    results: dict[str, tuple[Generated, ...] | BadInput] = {}
    processes = workers_for(workers or os.cpu_count() or 1, len(ids))
    for done, (seed, result) in enumerate(run_all(task, ((one,) for one in ids), processes), start=1):
        results[seed] = result
        on_progress(done, len(ids), seed)
    in_order = [results[seed] for seed in ids]
    return GeneratedCases(
        cases=tuple(one for result in in_order if not isinstance(result, BadInput) for one in result),
        problems=tuple(result for result in in_order if isinstance(result, BadInput)),
        target=target,
    )


def _derive_all(
    context: BenchContext, operators: tuple[str, ...], target: Target, limit: int | None, seed: str
) -> tuple[str, tuple[Generated, ...] | BadInput]:
    """Return what became of the breaks of one seed, or why the seed does not work."""
    own = replace(context, record="none")
    with scratch("generate") as folder:
        try:
            return seed, tuple(derive(own, seed, operators, target, folder, limit))
        except BadInput as error:
            return seed, error
