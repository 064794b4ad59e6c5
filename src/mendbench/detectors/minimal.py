"""The specification's own detector: three patterns, and nothing else.

It stays as specified, including its false warnings: it treats all MCP tool errors as warnings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.detectors._wording import worded
from mendbench.model.execution import Judgement, Observation
from mendbench.model.json import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Minimal:
    """``ok: false``, ``success: false`` with ``error``, ``isError: true``: a warning. Anything else: an error."""

    name: str = "minimal"

    def judge(self, observation: Observation) -> Judgement:
        """Return a warning if one of the three patterns is in the node's output or in the API's response in it."""
        for response in _responses(observation):
            text = _pattern(response)
            if text is not None:
                return Judgement(state="warning", message=f"API error: {text}")
        return Judgement(state="error", message=observation.message)


DETECTOR = Minimal()


def _responses(observation: Observation) -> Iterator[JsonObject]:
    """Yield the node's output and the responses in it; the result of a JSON-RPC response is one too."""
    outputs: Json = observation.outputs
    inner = [outputs.get("response"), outputs.get("result")] if isinstance(outputs, dict) else []
    for candidate in (outputs, *inner, observation.body):
        if isinstance(candidate, dict):
            yield candidate
            result = candidate.get("result")
            if "jsonrpc" in candidate and isinstance(result, dict):
                yield result


def _pattern(response: JsonObject) -> str | None:
    error = response.get("error")
    if response.get("ok") is False:
        return worded(error)
    if response.get("success") is False and "error" in response:
        return worded(error)
    if response.get("isError") is True:
        return worded(error.get("message") if isinstance(error, dict) else error or response.get("content"))
    return None
