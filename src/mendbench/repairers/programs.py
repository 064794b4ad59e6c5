"""Runs the operator's own programs and functions, unsandboxed. Only a recorder does this.

Their output becomes a chat completion, so that it is recorded and read like a model's response. As with a failing model server, an
error in them is not a response: nothing is recorded, and a later recording tries again.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput, Incomplete
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.process.pipe_io import TooMuchOutput, run_program
from mendbench.secrets.environment import environment_redactor

PATIENCE_S = 600.0
"""Default time limit of a program, seconds: the same as for a self-hosted model."""

MAX_OUTPUT = 1_000_000
"""Maximum length of a response, bytes of UTF-8: the same as for a model's response."""

_HEADERS = (("content-type", "application/json"),)
_COUNTS = ("prompt_tokens", "completion_tokens")
_KEYS = frozenset({"text", "model", *_COUNTS})
_SHOWN = 200
"""Characters of a program's or function's output in a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCaller:
    """Runs a program for each model request: both messages, an empty line between them, on its standard input."""

    argv: tuple[str, ...]
    timeout_s: float = PATIENCE_S

    def send(self, model_request: JsonObject) -> Response:
        """Return the program's output, as a chat completion.

        Raises:
            BadInput: it cannot be started.
            Incomplete: it failed, or did not end in time. Then the program and all processes in its session have been ended; processes
                that started their own session continue.
        """
        began = time.perf_counter()
        code, out, err = self._ran("\n\n".join(_messages(model_request)) + "\n")
        if code != 0:
            raise self._none(f"exit code {code}: {_line(err) or _line(out) or 'it said nothing'}")
        return _completion({"text": out.decode("utf-8", "replace")}, began)

    def _ran(self, prompt: str) -> tuple[int, bytes, bytes]:
        """Return the program's exit code, output and messages, without the secrets of the environment."""
        try:
            code, out, err = run_program(self.argv, prompt.encode("utf-8", "replace"), self.timeout_s, MAX_OUTPUT)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise BadInput(
                self._name, f"cannot be run ({why})", "check its path, or replay with --record none"
            ) from None
        except subprocess.TimeoutExpired:
            raise self._none(f"it did not end within {self.timeout_s:g} s") from None
        except TooMuchOutput:
            raise self._none(f"it printed more than {MAX_OUTPUT:,} bytes") from None
        own = environment_redactor(os.environ)
        return code, own.data(out), own.data(err)

    def _none(self, why: str) -> Incomplete:
        return Incomplete(f"{self._name} gave no response: {why}; mend it and record the model request again")

    @property
    def _name(self) -> str:
        return f"command {self.argv[0]!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallableCaller:
    """Calls a Python function for each model request, with the system and the user message.

    It returns a text, or a mapping with ``text`` and, where it knows them, ``prompt_tokens``, ``completion_tokens`` and ``model``.
    """

    function: str
    """``package.module:function``."""

    def send(self, model_request: JsonObject) -> Response:
        """Return the function's result, as a chat completion. Its printed output goes to standard error.

        Raises:
            BadInput: it cannot be imported.
            Incomplete: it raised, or returned something else.
        """
        function = self.imported()
        began = time.perf_counter()
        try:
            with contextlib.redirect_stdout(sys.stderr):
                returned = function(*_messages(model_request))
            fields = _fields(returned)
        except (Exception, SystemExit) as error:  # foreign code, which may even exit
            why = f"{type(error).__name__}: {_line(str(error))}"
            raise Incomplete(
                f"{self._name} gave no response: {why}; mend it and record the model request again"
            ) from error
        return _completion(fields, began)

    def imported(self) -> Callable[[str, str], Any]:
        """Return the function. The working folder is the last place on the search path.

        Raises:
            BadInput: it cannot be imported, or is not a function.
        """
        module, _, names = self.function.partition(":")
        try:
            with _working_folder_importable(), contextlib.redirect_stdout(sys.stderr):
                found: Any = importlib.import_module(module)
            for name in names.split("."):
                found = getattr(found, name)
        except (Exception, SystemExit) as error:  # an operator's own module
            why = f"{type(error).__name__}: {_line(str(error))}"
            raise BadInput(
                self._name, f"cannot be imported ({why})", "check it, or replay with --record none"
            ) from error
        if not callable(found):
            raise BadInput(self._name, f"a {type(found).__name__}, and no function", "name a function")
        function: Callable[[str, str], Any] = found
        return function

    @property
    def _name(self) -> str:
        return f"callable {self.function}"


def _messages(model_request: JsonObject) -> tuple[str, str]:
    """Return the system and the user message."""
    by_role = {str(message.get("role")): str(message.get("content")) for message in model_request["messages"]}
    return by_role.get("system", ""), by_role.get("user", "")


def _fields(returned: object) -> Mapping[str, Json]:
    """Return a function's result after checking that it has the documented form.

    Raises:
        TypeError, ValueError: it does not have that form.
    """
    if isinstance(returned, str):
        returned = {"text": returned}
    if not isinstance(returned, Mapping):
        raise TypeError(f"it returned {type(returned).__name__}; return a text, or a mapping with 'text'")
    if unknown := sorted(map(str, set(returned) - _KEYS)):
        raise ValueError(f"it returned an unknown key {unknown[0]!r}; known: {', '.join(sorted(_KEYS))}")
    if isinstance(returned.get("text"), str) and len(returned["text"]) > MAX_OUTPUT:
        raise ValueError(f"its 'text' has more than {MAX_OUTPUT:,} characters")
    if not isinstance(returned.get("text"), str):
        raise TypeError(f"its 'text' is {type(returned.get('text')).__name__}; return a text")
    for name in _COUNTS:
        count = returned.get(name)
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 0):
            raise ValueError(f"its {name!r} is {count!r}; return a number of tokens, or nothing")
    if not isinstance(returned.get("model"), str | None):
        raise TypeError(f"its 'model' is {type(returned.get('model')).__name__}; return a name, or nothing")
    return returned


def _completion(fields: Mapping[str, Json], began: float) -> Response:
    """Return a response in the form of the OpenAI chat completions API. Unknown fields are omitted."""
    message = {"role": "assistant", "content": fields["text"]}
    body: JsonObject = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    if fields.get("model"):
        body["model"] = fields["model"]
    usage = {name: fields[name] for name in _COUNTS if fields.get(name) is not None}
    if usage:
        body["usage"] = usage
    raw = canonical_json(body).encode("utf-8", "backslashreplace")  # a lone surrogate becomes its JSON escape
    took = max(0, round((time.perf_counter() - began) * 1000))
    return Response(status=200, headers=_HEADERS, body=raw, elapsed_ms=took)


def _line(output: str | bytes) -> str:
    """Return the last line of the output, truncated for a message."""
    text = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
    lines = text.strip().splitlines()
    return " ".join(lines[-1].split())[:_SHOWN] if lines else ""


@contextlib.contextmanager
def _working_folder_importable() -> Iterator[None]:
    before = list(sys.path)
    sys.path.append(str(Path.cwd()))
    try:
        yield
    finally:
        sys.path[:] = before
