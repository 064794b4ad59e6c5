"""The command that records what a trial misses."""

from __future__ import annotations

import shlex

from mendbench.corpus.declared_services import SHELL
from mendbench.model.case import Case
from mendbench.model.trial import SELF_REPAIR, TrialKey
from mendbench.runtime.engine import MendbenchEngine


def record_hint(case: Case, key: TrialKey) -> str:
    """Return the command that records what a trial misses."""
    words = ["mendbench", "run", case.id, *treatment_words(key)]
    words += ["--samples", str(key.sample + 1)] if key.sample else []
    return shlex.join([*words, *recording_options(case)])


def treatment_words(key: TrialKey) -> tuple[str, ...]:
    """Return the options of a command that runs only the trials of one treatment, without detector and sample."""
    engine = () if key.engine == MendbenchEngine.name else ("--engine", key.engine)
    model = ("--model", key.model) if key.model else ()
    if key.repairer == SELF_REPAIR:
        return (*engine, *model)
    return (*engine, "--strategy", key.strategy, "--policy", key.policy, "--repairer", key.repairer, *model)


def recording_options(case: Case) -> tuple[str, ...]:
    """Return the options of a command that records what a case misses."""
    return ("--record", "new_episodes", *(("--allow-shell",) if SHELL in case.recorded_from else ()))


def recording_command(case: Case) -> str:
    """Return the command that records what the proof of a case misses."""
    return " ".join(["mendbench case check", case.id, *recording_options(case)])
