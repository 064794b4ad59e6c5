"""The callable repairer: the operator's own Python function, called with the prompt.

It is called only while recording. Its result is recorded as the content of a chat response, so a replay does not need the package.
:mod:`mendbench.repairers.programs` calls it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mendbench.errors import BadInput
from mendbench.exchanges.urls import model_url
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, Reply
from mendbench.ports.world import World
from mendbench.repairers.asking import build_model_request, send_model_request
from mendbench.repairers.interface import Options

PREFIX = "callable:"
"""Prefix of the function in the model name of a model request."""

_DOTTED = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_FUNCTION = re.compile(rf"{_DOTTED}:{_DOTTED}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallableRepairer:
    """Calls a Python function. Its name identifies its responses, wherever it is installed."""

    function: str
    """``package.module:function``."""
    name: str = "callable"

    @property
    def model(self) -> str:
        """Return ``callable:`` with the function."""
        return callable_model(self.function)

    def model_request(self, prompt: Prompt, *, sample: int, times_asked: int) -> JsonObject:
        """Return the model request for ``prompt``. A function may respond differently each time, so every draw is separate."""
        return build_model_request(
            prompt, model=self.model, params={}, response_format=None, draw=(sample, times_asked)
        )

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:
        """Return the function's result, recorded or live. The reply's model is the one that the function reports."""
        model_request = self.model_request(prompt, sample=sample, times_asked=times_asked)
        return send_model_request(model_world, model_request, model_url(self.model), says_model=True)


def callable_model(function: str) -> str:
    """Return the model name in requests to a function: ``callable:package.module:function``."""
    return PREFIX + function


def make(options: Options) -> CallableRepairer:
    """Return a callable repairer. Its package is not imported.

    Raises:
        BadInput: no function is named, or its name does not have the form ``package.module:function``.
    """
    if not options.function:
        raise BadInput("repairer callable", "no function", "name it itself: --repairer package.module:function")
    if not _FUNCTION.fullmatch(options.function):
        raise BadInput(
            f"repairer {options.called or options.function}",
            f"{options.function!r} names no Python function",
            "write package.module:function",
        )
    return CallableRepairer(function=options.function, name=options.called or "callable")
