"""Fakes of everything around the repair loop: an engine, a world, a repairer and a strategy that follow a script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Exchange, Request, Response
from mendbench.model.execution import Checkpoint, Execution, NodeRecord, State, Warned
from mendbench.model.failure import Failure
from mendbench.model.prompt import Context, Prompt, Reply, Section, View
from mendbench.strategies.frame import SYSTEM, frame

WORKFLOW: dict[str, Any] = {
    "ir_version": "0.1.0",
    "nodes": [
        {"id": "fetch", "type": "http", "params": {"url": "https://api.example/users/1"}},
        {
            "id": "greet",
            "type": "http",
            "params": {
                "url": "https://api.example/say",
                "method": "POST",
                "body": {"text": "Hi ${fetch.response.username}"},
            },
        },
        {"id": "log", "type": "shell", "params": {"command": "true"}},
    ],
    "edges": [{"from": "fetch", "to": "greet"}, {"from": "greet", "to": "log"}],
    "inputs": {"user_id": {"type": "string"}},
    "outputs": {"said": {"source": "${greet.response}"}},
}
"""A workflow that the tests edit."""


def failure(message: str = "HTTP 422", node: str | None = "greet", **more: Any) -> Failure:
    """Return a failure of a node."""
    return Failure(**{"source": "api", "category": "api_validation", "message": message, "node_id": node, **more})


def execution(outcome: State = "error", *failures: Failure, checkpoint: str = "") -> Execution:
    """Return an execution that ended so; ``checkpoint`` names where it stopped."""
    reported = failures or ((failure(),) if outcome == "error" else ())
    return Execution(
        outcome=outcome,
        nodes=(NodeRecord(node_id="greet", node_type="http", state=outcome),),
        failures=reported,
        warnings=(Warned(node_id="greet", message="no such channel"),) if outcome == "warning" else (),
        checkpoint=Checkpoint(failed_node=checkpoint or None),
    )


@dataclass
class FakeWorld:
    """A world that is only notified of executions."""

    begun: int = 0

    def send(self, request: Request, *, node: str | None = None) -> Response:
        raise AssertionError("nothing here sends")

    def traffic(self) -> tuple[Exchange, ...]:
        return ()

    def begin_execution(self) -> None:
        self.begun += 1


@dataclass
class FakeClock:
    """A clock that stands."""

    def now_ms(self) -> int:
        return 0

    def advance(self, ms: int) -> None:
        """Nothing waits here."""


class WarningDetector:
    """A detector whose presence turns marked errors into warnings."""

    name = "fake"

    def judge(self, observation: Any) -> Any:
        raise AssertionError("the fake engine asks nobody")


@dataclass
class FakeEngine:
    """Executes by a table: what a document's text says decides how it ends.

    ``ends`` maps a document to an execution, or raises. ``problems`` maps a document to its static problems. With a
    detector, an execution whose failure says ``user`` ends in a warning instead.
    """

    ends: Callable[[dict[str, Any]], Execution]
    problems: Callable[[dict[str, Any]], tuple[str, ...]] = lambda document: ()
    name: str = "fake"
    executed: list[tuple[str, Checkpoint | None]] = field(default_factory=list)

    def validate(self, workflow: dict[str, Any], inputs: dict[str, Any]) -> tuple[str, ...]:
        return self.problems(workflow)

    def execute(self, workflow, inputs, world, *, checkpoint, detector, clock) -> Execution:
        self.executed.append((canonical_json(workflow), checkpoint))
        ended = self.ends(workflow)
        if detector is not None and any("user" in f.message for f in ended.failures):
            return replace(ended, outcome="warning")
        return ended

    def describe(self, workflow: dict[str, Any], execution: Execution) -> dict[str, Any]:
        return {"errors": [f.message for f in execution.failures]}


@dataclass
class ScriptedRepairer:
    """Answers the prompts in order; an exception in the script is raised, a text is a response."""

    script: Sequence[str | Reply | BaseException]
    name: str = "scripted"
    model: str | None = None
    prompts: list[Prompt] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)

    def reply(self, prompt: Prompt, model_world: Any, *, sample: int, times_asked: int) -> Reply:
        step = self.script[len(self.prompts)]
        self.prompts.append(prompt)
        self.times.append(times_asked)
        self.samples.append(sample)
        if isinstance(step, BaseException):
            raise step
        return step if isinstance(step, Reply) else Reply(text=step)


class PlainStrategy:
    """States the failures' messages."""

    name = "plain"
    title = "Messages"
    source = "test"
    frame = frame()

    def render(self, view: View, budget: int) -> Context:
        text = "\n".join(f.message for f in view.failures)
        return Context(strategy=self.name, sections=(Section(name="messages", label="raw", text=text),), tokens=1)


def plain_prompt(view: View, strategy: Any, problem: str | None, budget: Any, /) -> Prompt:
    """Build a prompt that shows all that a prompt may depend on."""
    frame = f"{view.request}\n{canonical_json(view.workflow)}\n{canonical_json(view.agent)}\nPROBLEM: {problem}"
    return Prompt(system=SYSTEM, frame=frame, context=strategy.render(view, 100))
