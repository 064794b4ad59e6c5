"""The least that anybody could do for the same trials: python qa/benchmarks/speed_bare.py WORK (see speed.py)."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import orjson

from mendbench.model.prompt import View
from mendbench.strategies.environment import environment
from mendbench.strategies.template import variables


def main() -> None:
    """Read each case's recordings once, render every prompt from what a template receives, and write every row."""
    work = Path(sys.argv[1])
    bodies = orjson.loads((work / "templates.json").read_bytes())
    templates = {name: environment().from_string(body) for name, body in bodies.items()}
    cases: dict[int, tuple[object, dict[str, list[View]]]] = {}
    with (work / "bare.jsonl").open("wb") as rows:
        for trial in orjson.loads((work / "trials.json").read_bytes()):
            file = trial["file"]
            if file not in cases:
                recordings = orjson.loads((work / f"{file}.json").read_bytes())
                cases[file] = recordings, pickle.loads((work / f"{file}.pickle").read_bytes())  # noqa: S301 - written by speed_work.py
            _, views = cases[file]
            prompts = [templates[trial["strategy"]].render(variables(view)) for view in views[trial["views"]]]
            trial["row"]["prompts"] = sum(map(len, prompts))
            rows.write(orjson.dumps(trial["row"]) + b"\n")


if __name__ == "__main__":
    main()
