"""Write the same work for the bare loop and for tests by hand: python qa/benchmarks/speed_work.py RUN OUT (see speed.py)."""

from __future__ import annotations

import dataclasses
import pickle
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
import orjson
import yaml

from mendbench.api.settings import RunOptions, open_context
from mendbench.config.config_file import load_config
from mendbench.model.exchange import Exchange
from mendbench.model.trial import TrialKey
from mendbench.recording.recorder import Recorder
from mendbench.repair.policies import policy
from mendbench.repair.stop_rules import repair
from mendbench.results.store import read_run
from mendbench.strategies.template import TemplateStrategy
from mendbench.trial.components import build_components
from mendbench.trial.session import open_session


def main() -> None:
    """Write one JSON file a case with its recordings and what its templates receive, the rows, and the tests by hand."""
    run, out = read_run(Path(sys.argv[1])), Path(sys.argv[2])
    out.mkdir(parents=True)
    context = open_context(load_config(Path.cwd()), RunOptions())
    cases: dict[str, dict[str, object]] = {}
    trials, templates, tests = [], {}, []
    for row in run.rows:
        key = TrialKey(**{part.name: row[part.name] for part in dataclasses.fields(TrialKey)})
        case = context.corpus.case(key.case)
        recordings = Recorder().recordings(context.corpus.cassettes(case))
        session = open_session(case, key, build_components(key, case, context), recordings, Recorder())
        trajectory = repair(session.rollout, policy(key.policy))
        strategy = session.parts.strategy
        assert isinstance(strategy, TemplateStrategy)
        templates[key.strategy] = strategy.body
        views = [attempt.prompt.view for attempt in trajectory.attempts]
        entries = [*recordings.world_entries(), *recordings.model_entries(key.model or "")]
        known = cases.setdefault(key.case, {"recordings": [plain(one) for one in entries], "views": {}})
        known["views"][" ".join(key.order())] = views  # type: ignore[index]
        trials.append({"case": key.case, "strategy": key.strategy, "views": " ".join(key.order()), "row": row})
        tests.append([*trajectory.traffic, *session.rollout.model_requests(len(trajectory.attempts))])
    for number, (case_id, known) in enumerate(cases.items()):
        views = known.pop("views")
        (out / f"{number}.json").write_bytes(orjson.dumps(known))
        (out / f"{number}.pickle").write_bytes(pickle.dumps(views))
        for trial in trials:
            if trial["case"] == case_id:
                trial["file"] = number
    (out / "templates.json").write_bytes(orjson.dumps(templates))
    (out / "trials.json").write_bytes(orjson.dumps(trials))
    (out / "tapes").mkdir()
    for number, exchanges in enumerate(tests):
        (out / "tapes" / f"{number:05d}.yaml").write_text(tape(exchanges), encoding="utf-8")
    (out / "test_by_hand.py").write_text(SUITE, encoding="utf-8")


SUITE = """import json
from pathlib import Path

import httpx
import pytest
import vcr

TAPES = sorted((Path(__file__).parent / "tapes").glob("*.yaml"))
CLIENT = httpx.Client()


@pytest.mark.parametrize("tape", TAPES, ids=lambda path: path.stem)
def test_the_trial_goes_as_recorded(tape, tmp_path_factory):
    with vcr.use_cassette(str(tape), record_mode="none", match_on=["method", "uri", "body"]) as played:
        seen = []
        for request in list(played.requests):
            answer = CLIENT.request(request.method, request.uri, content=request.body)
            seen.append([request.method, request.uri, answer.status_code, answer.text])
    assert played.all_played
    (tape.parent.parent / "rows.jsonl").open("a").write(json.dumps(seen) + "\\n")
"""
"""A careful engineer's test of a trial: its requests through one shared client, served by vcrpy, and a row of what came back."""


def tape(exchanges: Sequence[Exchange]) -> str:
    """Return a vcrpy cassette of a trial's exchanges; what is no HTTP is sent as a POST."""
    entries = []
    for number, one in enumerate(exchanges):
        own = one.request.url.startswith("http")
        body = one.response.body.decode("utf-8", "replace")
        asked = {
            "method": one.request.method if own else "POST",
            "uri": str(httpx.URL(one.request.url)) if own else f"http://other.test/{number}",
            "body": one.request.body.decode("utf-8", "replace"),
            "headers": {},
        }
        status = {"code": one.response.status or 503, "message": "OK"}
        entries.append({"request": asked, "response": {"status": status, "headers": {}, "body": {"string": body}}})
    return yaml.dump({"interactions": entries, "version": 1}, Dumper=yaml.CSafeDumper)


def plain(value: object) -> Any:
    """Return a value as JSON has it: objects for frozen data, texts for bytes."""
    if dataclasses.is_dataclass(value):
        return {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        return [plain(item) for item in value]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


if __name__ == "__main__":
    main()
