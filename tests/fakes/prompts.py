"""Prompts answered elsewhere: a corpus without a single answer, and who answers an exported file in one of the shapes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mendbench.model.json import JsonObject
from mendbench.prompts import trials_asking
from tests.fakes import cases

POET = "tiny-poet"
RHYME = "control/rhymed-greeting"


def write_bare(root: Path) -> Path:
    """Write the invented corpus with the recordings of its worlds, and no response of any model."""
    cases.write_corpus(root)
    cases.record_worlds(root)
    return root


def add_rhyme(root: Path, prompt: str = "Rhyme on ${person.response.called}") -> None:
    """Add a control whose workflow asks a model itself, once for each person."""
    truth = cases.quiet_case()
    truth["recorded_from"]["model"] = "real"
    truth["state"]["model"] = {"names": [POET]}
    truth["checks"] = [cases.note("A rhyme for Runa")]
    truth["variants"][0]["checks"] = [cases.note("A rhyme for Leif")]
    truth["expect"]["first"] = {"person": "success", "rhyme": "success", "note": "success"}
    document = cases.workflow("${rhyme.response}")
    rhyme = {"id": "rhyme", "type": "llm", "params": {"model": POET, "prompt": prompt}}
    document["nodes"].insert(1, rhyme)
    document["edges"] = [{"from": "person", "to": "rhyme"}, {"from": "rhyme", "to": "note"}]
    cases.write_case(root, RHYME, truth, document)


def openai_line(
    name: str,
    content: str | None,
    *,
    model: str = "tiny-coder-2026-01-01",
    finish_reason: str = "stop",
    **message: object,
) -> JsonObject:
    """Return a line of OpenAI batch output."""
    said = {"role": "assistant", "content": content, "refusal": None, **message}
    body = {
        "id": f"chatcmpl-{name}", "object": "chat.completion", "created": 1795000000, "model": model,
        "choices": [{"index": 0, "message": said, "logprobs": None, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }  # fmt: skip
    response = {"status_code": 200, "request_id": f"req-{name}", "body": body}
    return {"id": f"batch_req_{name}", "custom_id": name, "response": response, "error": None}


def anthropic_line(name: str, text: str, *, stop_reason: str = "end_turn", **more: object) -> JsonObject:
    """Return a line of Anthropic batch results."""
    message = {
        "id": f"msg_{name}", "type": "message", "role": "assistant", "model": "tiny-coder",
        "content": [{"type": "text", "text": text}], "stop_reason": stop_reason, "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7}, **more,
    }  # fmt: skip
    return {"custom_id": name, "result": {"type": "succeeded", "message": message}}


def plain_line(name: str, content: str) -> JsonObject:
    """Return an id with its content."""
    return {"custom_id": name, "content": content}


def jsonl(lines: list[JsonObject]) -> str:
    """Return lines as a file holds them."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)


def csv_text(rows: list[tuple[str, str]], head: tuple[str, ...] = ("custom_id", "content")) -> str:
    """Return ids with contents as a CSV file."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerows([head, *rows])
    return out.getvalue()


def replies(exported: Path, model: Callable[[JsonObject], str] = cases.reading_model) -> list[tuple[str, str]]:
    """Return each id of an exported file with what a scripted model says to its body."""
    lines = [json.loads(line) for line in exported.read_text(encoding="utf-8").splitlines()]
    return [(line["custom_id"], model(line["body"])) for line in lines]


def in_shape(shape: str, said: list[tuple[str, str]]) -> str:
    """Return answers in one of the shapes."""
    if shape == "csv":
        return csv_text(said)
    make = {"openai": openai_line, "anthropic": anthropic_line, "plain": plain_line}[shape]
    return jsonl([make(name, content) for name, content in said])


SHAPES = ("openai", "anthropic", "plain", "csv")


@pytest.fixture(scope="module")
def few_strategies() -> Iterator[None]:
    """Let an import look for the prompts of three strategies alone: with all that there are it takes ten times as long."""
    few = ("none", "summary", "full-context")
    with pytest.MonkeyPatch.context() as patch:
        known = trials_asking.all_strategies
        patch.setattr(trials_asking, "all_strategies", lambda dirs: [one for one in known(dirs) if one.strategy in few])
        yield
