"""What a second reader of the labels sees of each case, without its name, labels, fix or state.

    python qa/benchmarks/reading_sheets.py FOLDER [PART]

It writes one text for each case of a part of the split, by default of all: the user's request, the workflow, its inputs, and the
requests and responses of each node in the first run. The files are numbered at random, and ``FOLDER/key.json`` says which case each one
is: keep it from the reader.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from mendbench.cassettes.recordings import Recordings
from mendbench.config.shipped import shipped_root
from mendbench.corpus.corpus import load_corpus
from mendbench.corpus.split import in_part
from mendbench.model.case import Case
from mendbench.model.exchange import Exchange
from mendbench.recording.recorder import Recorder
from mendbench.trial.clean_runs import CleanRunner
from mendbench.trial.components import build_engine

SHOWN = 6000
"""Characters of a body that are shown; a longer one is cut in the middle."""


def main(folder: Path, part: str = "all") -> None:
    """Write the sheets."""
    root = shipped_root()
    corpus = load_corpus(root / "cases", root / "cassettes")
    cases = list(in_part(corpus.cases, part, corpus.cases_dir))
    random.Random(len(cases)).shuffle(cases)  # noqa: S311
    folder.mkdir(parents=True, exist_ok=True)
    for number, case in enumerate(cases, 1):
        runner = CleanRunner(
            case=case, engine=build_engine("mendbench", case), recordings=Recordings.open(corpus.cassettes(case)),
            recorder=Recorder("none"), hint="",
        )  # fmt: skip
        run = runner.run_fresh(case.workflow, None)
        (folder / f"{number:03}.txt").write_text(sheet(case, run.traffic), encoding="utf-8")
    key = {f"{number:03}": case.id for number, case in enumerate(cases, 1)}
    (folder / "key.json").write_text(json.dumps(key, indent=1), encoding="utf-8")


def sheet(case: Case, traffic: tuple[Exchange, ...]) -> str:
    """Return what the reader sees of a case."""
    sent = {one.node for one in traffic}
    silent = [node["id"] for node in case.workflow["nodes"] if node["id"] not in sent]
    parts = [
        f"REQUEST OF THE USER\n{case.request.strip()}",
        f"INPUTS\n{json.dumps(case.inputs, ensure_ascii=False)}",
        f"WORKFLOW\n{json.dumps(case.workflow, ensure_ascii=False, indent=1)}",
        "WHAT HAPPENED, IN ORDER",
        *(_exchange(one) for one in traffic),
        f"Nodes that sent nothing: {', '.join(silent) or 'none'}",
    ]
    return "\n\n".join(parts) + "\n"


def _exchange(one: Exchange) -> str:
    body, reply = one.request.body, one.response
    answer = f"no response: {reply.fault}" if reply.fault else f"{reply.status} {_text(reply.body)}"
    return f"node {one.node}: {one.request.method} {one.request.url}\n  sent: {_text(body)}\n  response: {answer}"


def _text(body: bytes | None) -> str:
    text = (body or b"").decode("utf-8", "replace")
    return (
        text if len(text) <= SHOWN else f"{text[: SHOWN // 2]} … {len(text) - SHOWN} characters … {text[-SHOWN // 2 :]}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
