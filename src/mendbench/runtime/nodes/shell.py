"""The ``shell`` node: one command, executed in a sandbox while recording and never in replay."""

from __future__ import annotations

import re
import shlex

from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.interface import Answered, NodeOutput, NodeType, Send, failed_output, json_request
from mendbench.runtime.nodes.params import as_text, flag, optional_text, text, timeout
from mendbench.runtime.nodes.responses import body_of, fault_message, succeeded
from mendbench.runtime.outline import NodeSpec

URL = "shell://sandbox/"
TIMED_OUT = -1
"""The exit code of a command that timed out."""
NOT_RUN = -2
"""The exit code of a command that could not be started."""
STOPPED = -3
"""The exit code of a command that was stopped because it exceeded a limit of the sandbox."""

_WHO = "Shell"
_STDERR_SHOWN = 500
"""Characters of standard error in the message."""

_RESPONSES_NO = frozenset({"grep", "egrep", "fgrep", "rg", "which", "test", "[", "diff", "cmp", "type", "command"})
"""Programs whose exit code 1 means *no* (no match, not found, different), not a failure."""

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_CONNECTORS = frozenset({";", "&&", "||", "|", "|&", "&", "(", ")"})


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Run the command and return its output.

    Raises:
        TypeError, ValueError: a parameter cannot be used.
    """
    del clock
    command = text(params, "command", _WHO)
    seconds = timeout(params, _WHO)
    stdin = params.get("stdin")
    body = {
        "command": command,
        "stdin": None if stdin is None else as_text(stdin),
        "cwd": optional_text(params, "cwd", _WHO),
        "env": _names(params.get("env")),
    }
    outputs = _outputs(command, send(json_request(URL, body, seconds)), seconds)
    if "error" not in outputs or flag(params, "ignore_errors", default=False):
        return NodeOutput(outputs=outputs)
    answer = Answered(body={key: outputs[key] for key in ("stdout", "stderr", "exit_code")})
    return failed_output("shell", outputs, answer)


def says_no(command: str, exit_code: int, stderr: str) -> bool:
    """Return whether this exit code only means *no*: the last program of the last pipeline uses it that way."""
    return exit_code == 1 and not stderr.strip() and _last_program(command) in _RESPONSES_NO


def _outputs(command: str, response: Response, seconds: float) -> JsonObject:
    """Return the node's outputs, with ``error`` if the command failed."""
    body = body_of(response)
    result = body if isinstance(body, dict) else {}
    stdout, stderr = (_text_or_empty(result.get(name)).removesuffix("\n") for name in ("stdout", "stderr"))
    code = result.get("exit_code")
    outputs: JsonObject = {"stdout": stdout, "stderr": stderr, "exit_code": code, "command": command}
    if response.fault == "timeout":
        return {**outputs, "exit_code": TIMED_OUT, "error": f"Command timed out after {seconds:g} seconds"}
    if response.fault is not None:
        return {**outputs, "exit_code": NOT_RUN, "error": fault_message(response, "the sandbox", seconds)}
    if not succeeded(response) and isinstance(result.get("says"), str):
        return {**outputs, "exit_code": STOPPED, "error": f"Command was stopped: {result['says']}"}
    if not succeeded(response) or not isinstance(code, int) or isinstance(code, bool):
        reason = _text_or_empty(body)[:_STDERR_SHOWN]
        return {**outputs, "exit_code": NOT_RUN, "error": f"Command could not be run: {reason}"}
    if code == 0 or says_no(command, code, stderr):
        return outputs
    tail = f": {stderr.strip()[:_STDERR_SHOWN]}" if stderr.strip() else ""
    return {**outputs, "error": f"Command failed with exit code {code}{tail}"}


def _last_program(command: str) -> str:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return ""
    last: list[str] = []
    for word in words:
        if word in _CONNECTORS:
            last = []
        elif last or not _ASSIGNMENT.match(word):
            last.append(word)
    return last[0].rsplit("/", 1)[-1] if last else ""


def _names(value: Json) -> list[str]:
    """Return the names of the variables that the command inherits from the operator's environment."""
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return sorted(value)
    raise ValueError("Shell node parameter 'env' must be a list of names of environment variables")


def _text_or_empty(value: Json) -> str:
    return "" if value is None else as_text(value)


NODE = NodeType(
    type="shell",
    spec=NodeSpec(
        params=frozenset({"command", "stdin", "cwd", "env", "timeout", "ignore_errors"}),
        required=frozenset({"command"}),
        outputs=frozenset({"stdout", "stderr", "exit_code", "command", "error"}),
    ),
    run=run,
)
