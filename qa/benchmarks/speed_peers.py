"""As many trivial echoes in another harness: python qa/benchmarks/speed_peers.py HARNESS COUNT (see speed.py).

Each sample has a prompt of 2 KB, one mock answer of 2 KB and one scorer, and every result is written to a file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROMPT, RESPONSE = "prompt " * 290, "answer " * 290


def pydantic_evals(count: int, out: Path) -> None:
    """Run a dataset of echoes."""
    from pydantic_evals import Case, Dataset
    from pydantic_evals.evaluators import Contains

    cases = [Case(name=str(number), inputs=PROMPT) for number in range(count)]
    dataset = Dataset(name="echo", cases=cases, evaluators=[Contains(value="answer")])
    report = dataset.evaluate_sync(lambda _prompt: RESPONSE, progress=False)
    assert len(report.cases) == count
    (out / "rows.jsonl").write_text("".join(json.dumps([one.name, one.output]) + "\n" for one in report.cases))


def deepeval(count: int, out: Path) -> None:
    """Score test cases with a metric of our own."""
    os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"
    from deepeval import evaluate
    from deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig
    from deepeval.metrics import BaseMetric
    from deepeval.test_case import LLMTestCase

    class Includes(BaseMetric):  # type: ignore[misc]
        threshold = 0.5
        async_mode = False

        def measure(self, case: LLMTestCase, *_rest: object, **_more: object) -> float:
            self.score = float("answer" in case.actual_output)
            self.success = self.score > self.threshold
            return self.score

        async def a_measure(self, case: LLMTestCase, *_rest: object, **_more: object) -> float:
            return self.measure(case)

        def is_successful(self) -> bool:
            return bool(self.success)

        @property
        def __name__(self) -> str:
            return "includes"

    cases = [LLMTestCase(input=PROMPT, actual_output=RESPONSE) for _ in range(count)]
    found = evaluate(
        cases, [Includes()], display_config=DisplayConfig(show_indicator=False, print_results=False),
        async_config=AsyncConfig(run_async=True), cache_config=CacheConfig(write_cache=False),
    )  # fmt: skip
    assert len(found.test_results) == count
    (out / "rows.jsonl").write_text("".join(json.dumps([one.name, one.success]) + "\n" for one in found.test_results))


def inspect_ai(count: int, out: Path) -> None:
    """Evaluate a task with a mock model."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluated
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import includes

    output = ModelOutput.from_content("mockllm/model", RESPONSE)
    output.usage = ModelUsage(input_tokens=500, output_tokens=500, total_tokens=1000)
    model = get_model("mockllm/model", custom_outputs=[output] * count)
    task = Task(dataset=[Sample(input=PROMPT, target="answer") for _ in range(count)], scorer=includes())
    (log,) = evaluated(task, model=model, display="none", log_dir=str(out))
    assert log.status == "success"


def promptfoo(count: int, out: Path) -> None:
    """Run a suite of echoes: its provider ``echo`` answers with the prompt, which therefore contains the response."""
    suite = {
        "prompts": ["{{text}}"],
        "providers": ["echo"],
        "defaultTest": {"assert": [{"type": "contains", "value": "answer"}]},
        "tests": [{"vars": {"text": f"{PROMPT}{RESPONSE}"}}] * count,
    }
    (out / "promptfooconfig.json").write_text(json.dumps(suite))
    command = ["promptfoo", "eval", "-c", "promptfooconfig.json", "-o", "rows.json", "--no-cache", "--no-table"]
    quiet = {"PROMPTFOO_DISABLE_TELEMETRY": "1", "PROMPTFOO_DISABLE_UPDATE": "1", "PROMPTFOO_CONFIG_DIR": str(out)}
    subprocess.run(command, cwd=out, env={**os.environ, **quiet}, check=True)
    assert len(json.loads((out / "rows.json").read_text())["results"]["results"]) == count


HARNESSES = {"pydantic-evals": pydantic_evals, "deepeval": deepeval, "inspect-ai": inspect_ai, "promptfoo": promptfoo}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        HARNESSES[sys.argv[1]](int(sys.argv[2]), Path(folder))
