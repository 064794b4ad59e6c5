"""The first attempts of the shipped corpus leave as prompts, are answered in three shapes, and come back as they are recorded."""

from __future__ import annotations

import json
import shutil
from itertools import cycle
from pathlib import Path

import pytest

from mendbench import api
from mendbench.api.plans import plan_of
from mendbench.api.settings import in_silence, open_context
from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD, model_file
from mendbench.config.config_file import Loaded, load_config
from mendbench.config.shipped import shipped_root
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import JsonObject
from mendbench.prompts.response_lines import content_of
from mendbench.prompts.trials_asking import by_repairer
from mendbench.runs.trials import run_trials
from mendbench.trial.components import BenchContext
from tests.fakes import prompts

STOP_REASONS = {"stop": "end_turn", "length": "max_tokens"}
"""How OpenAI's completions end, in Anthropic's words."""


def to_repairers(cassettes: Path, model: str) -> dict[tuple[str, str], Entry]:
    """Return what a model answered repairers, by case and key; what it answered nodes is none of it."""
    return {
        (f"{path.parent.parent.name}/{path.parent.name}", entry.key): entry
        for path in sorted(cassettes.glob(f"*/*/{model_file(model)}"))
        for entry in cassette.load(path)
        if by_repairer(entry.model_request)
    }


def first_asks(loaded: Loaded, context: BenchContext, options: api.RunOptions) -> set[tuple[str, str]]:
    """Return the case and the key of what each recorded trial asked its repairer first."""
    keys = plan_of(loaded.config, options, context.corpus).keys
    rows = (row for row, _ in run_trials(context, keys, options.workers))
    return {(row["case"], row["attempts"][0]["model_request"]) for row in rows if row["attempts"]}


def write_without_responses(root: Path, context: BenchContext, model: str) -> None:
    """Copy the corpus with its worlds. Of the model's responses only those to nodes are left, without which no trial comes to an attempt."""
    shutil.copytree(context.cases_dir, root / "cases")
    shutil.copyfile(shipped_root() / "mendbench.toml", root / "mendbench.toml")
    for path in context.cassettes_dir.glob("*/*/*.yaml"):
        copy = root / "cassettes" / path.relative_to(context.cassettes_dir)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.name in {WORLD, TRAJECTORIES}:
            shutil.copyfile(path, copy)
        elif path.name == model_file(model):
            cassette.rewrite(copy, [entry for entry in cassette.load(path) if not by_repairer(entry.model_request)])


def body_of(model_request: JsonObject) -> str:
    """Return the body of the line that asks this, as a text by which two are compared."""
    beside = {"response_format": model_request["response_format"]} if model_request.get("response_format") else {}
    return canonical_json(
        {"model": model_request["model"], "messages": model_request["messages"], **model_request["params"], **beside}
    )


def openai_line(name: str, result: JsonObject) -> JsonObject:
    return {"custom_id": name, "response": {"status_code": 200, "body": result}, "error": None}


def anthropic_line(name: str, result: JsonObject) -> JsonObject:
    (choice,) = result["choices"]
    reason = STOP_REASONS[choice["finish_reason"]]
    return prompts.anthropic_line(name, choice["message"]["content"], stop_reason=reason, model=result["model"])


def plain_line(name: str, result: JsonObject) -> JsonObject:
    (choice,) = result["choices"]
    return {**prompts.plain_line(name, choice["message"]["content"]), "finish_reason": choice["finish_reason"]}


@pytest.mark.slow
def test_every_first_attempt_comes_back_under_its_key_with_its_answer(tmp_path, monkeypatch):
    loaded = load_config(shipped_root())
    (model,) = loaded.config.matrix.models
    options = api.RunOptions(policies=("naive",), models=(model,))
    context = open_context(loaded, options)
    asked, recorded = first_asks(loaded, context, options), to_repairers(context.cassettes_dir, model)
    by_body = {
        body_of(entry.model_request): json.loads(entry.response.body)
        for entry in recorded.values()
        if entry.model_request["draw"] == 0
    }
    write_without_responses(tmp_path, context, model)
    monkeypatch.chdir(tmp_path)

    exported = api.export_prompts(options, in_silence)
    (tmp_path / "prompts.jsonl").write_text(exported.text, encoding="utf-8")
    lines = [json.loads(line) for line in exported.lines]
    assert exported.asking.stopped == ()
    assert [line["custom_id"] for line in lines if canonical_json(line["body"]) not in by_body] == []
    shapes = zip(cycle((openai_line, anthropic_line, plain_line)), lines, strict=False)
    responses = [make(line["custom_id"], by_body[canonical_json(line["body"])]) for make, line in shapes]
    (tmp_path / "answers.jsonl").write_text(prompts.jsonl(responses), encoding="utf-8")
    imported = api.import_responses(
        tmp_path / "answers.jsonl",
        tmp_path / "prompts.jsonl",
        api.RunOptions(all=True),
        in_silence,
        provenance="elsewhere",
    )

    assert (imported.prompts, imported.absent) == (len(lines), 0)
    assert (imported.unanswered, imported.unknown, imported.unplaced, imported.broken) == ((), (), (), ())
    back = to_repairers(tmp_path / "cassettes", model)
    assert asked
    assert back.keys() - asked == set()
    assert asked - back.keys() == set()
    assert [one for one in asked if content_of(back[one].response) != content_of(recorded[one].response)] == []
    assert [one for one in asked if back[one].model_request != recorded[one].model_request] == []
