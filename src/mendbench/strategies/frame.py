"""The frame: everything in a prompt that is the same for all strategies.

It contains the task, request, workflow, response format, and one validation error if the last response was invalid. The strategy's context
follows. Responses are keyed by prompt, so any change here invalidates all recorded responses.
"""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.io.canonical_json import digest, pretty_json
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, View
from mendbench.ports.repair import Strategy
from mendbench.strategies.tokens import estimate

CONTEXT_WINDOW = 8192
"""The default token limit of a prompt and its response together."""

RESPONSE_TOKENS = 400
"""The default token limit of a response."""

MARGIN_TOKENS = 64
"""Tokens reserved for what a model's server adds around the messages, and for the error of the estimate."""

SYSTEM = "You repair workflows that call APIs. Answer with one JSON object and nothing else."

_TASK = """\
# Task
A workflow failed. Find the node that causes it and edit it, so that the workflow does what the request asks.
Change only what is needed. Keep all other nodes and parameters. Use only data that the workflow has."""

_TEMPLATES = """\
A value can be a template, which is filled in when the node runs: `${node_id.response.name[0].field}` is a part of \
the response of an earlier http node, `${node_id.result}` what an earlier transform or mcp node returned, \
`${node_id.stdout}` what a shell node printed, `${input_name}` an input. \
Prefer templates to fixed values: the workflow runs again with other inputs."""

_RESPONSE = """\
# Answer
Answer with JSON edits. Each names a node, the path of a value inside that node, and the new value, which must \
differ from the old one:
{"edits": [{"node": "brew_tea", "path": "params.body.heat", "value": "${kettle_probe.response.celsius}"}]}
An edit can also be {"node": "brew_tea", "path": "params.body.cup", "remove": true}, \
{"add_node": {"id": "...", "type": "...", "params": {}}, "after": "brew_tea"}, {"remove_node": "brew_tea"}, \
{"add_edge": {"from": "a", "to": "b"}}, {"remove_edge": {"from": "a", "to": "b"}} \
or {"path": "outputs.name.source", "value": "..."}.
Only if no edit can ever help, because the user has to create or permit something outside the workflow: \
{"cannot_fix": "what the user has to do"}"""

_PROBLEM = "# Your last answer was not usable"
_CONTEXT = "# What happened"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The token limits."""

    window: int = CONTEXT_WINDOW
    response: int = RESPONSE_TOKENS
    margin: int = MARGIN_TOKENS

    def for_context(self, frame: str) -> int:
        """Return the tokens that remain for the context with this frame. It is the same for every strategy and never negative."""
        return max(0, self.window - self.response - self.margin - estimate(SYSTEM) - estimate(frame))


DEFAULT_BUDGET = Budget()


def build_frame(request: str, workflow: JsonObject, problem: str | None = None) -> str:
    """Return the frame's user part, without the context and its heading.

    ``problem`` states why the last response was unparsable or invalid.
    """
    parts = [
        _TASK,
        f"# Request\n{request.strip()}",
        f"# Workflow\n```json\n{pretty_json(workflow)}\n```\n{_TEMPLATES}",
        _RESPONSE,
        *([f"{_PROBLEM}\n{problem.strip()}"] if problem and problem.strip() else []),
    ]
    return "\n\n".join(parts)


def build_prompt(view: View, strategy: Strategy, problem: str | None = None, budget: Budget = DEFAULT_BUDGET) -> Prompt:
    """Return the whole prompt: the frame, then the strategy's context under its heading, if there is any."""
    frame = build_frame(view.request, view.workflow, problem)
    framed = f"{frame}\n\n{_CONTEXT}"
    context = strategy.render(view, budget.for_context(framed))
    return Prompt(system=SYSTEM, frame=framed if context.text else frame, context=context, view=view)


def frame_digest() -> str:
    """Return a digest over everything in the frame that is the same in all prompts."""
    return digest([SYSTEM, _TASK, _TEMPLATES, _RESPONSE, _PROBLEM, _CONTEXT, build_frame("", {})])
