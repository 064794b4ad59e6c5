"""The same trials executed and judged in a loop: python qa/benchmarks/speed_loop.py RUN OUT (see speed.py).

It repairs, runs the clean runs and judges as a trial does, and writes the verdicts. It has no matrix, rows, texts, cache or report.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

from mendbench.api.settings import RunOptions, open_context
from mendbench.config.config_file import load_config
from mendbench.model.trial import TrialKey
from mendbench.recording.recorder import Recorder
from mendbench.repair.policies import policy
from mendbench.scoring.judging.judge import judge
from mendbench.trial.runner import gather
from mendbench.trial.session import session_for, session_order


def main() -> None:
    """Write the verdict of each trial of a run."""
    lines = (Path(sys.argv[1]) / "trials.jsonl").read_text("utf-8").splitlines()
    names = [part.name for part in dataclasses.fields(TrialKey)]
    keys = [TrialKey(**{name: row[name] for name in names}) for row in map(json.loads, lines)]
    context, recorder = open_context(load_config(Path.cwd()), RunOptions()), Recorder()
    with Path(sys.argv[2]).open("w", encoding="utf-8") as verdicts:
        for key in sorted(keys, key=lambda one: (one.case, session_order(one))):
            case = context.corpus.case(key.case)
            recordings = recorder.recordings(context.corpus.cassettes(case))
            session = session_for(context, case, key, recordings, recorder)
            found = judge(case, gather(session, key, policy(key.policy)))
            verdicts.write(json.dumps([key.case, key.strategy, key.policy, found.verdict.verdict]) + "\n")


if __name__ == "__main__":
    main()
