"""What a server answered to a call."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mendbench.model.json import Json, JsonObject

Kind: TypeAlias = Literal["result", "tool_error", "protocol_error", "lost"]
"""result: a result that is not marked as an error. tool_error: one with ``isError``. protocol_error: a JSON-RPC error. lost: no answer."""

_FAILED = re.compile(
    r"(?i)\W*(?:(?:an )?error\b|(?:exception|fail(?:ed|ure)|invalid|traceback|cannot|can't|could not|unable to)\b"
    r"|(?:\w+ ){1,3}(?:error|exception|failed|failure)\s*[:!])"
)
"""How a text begins that reports a failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer, without secrets."""

    kind: Kind
    text: str
    """What a model reads: the texts of the result, or the message of the error; for a lost answer, why it was lost."""
    response: JsonObject = field(default_factory=dict)
    """The whole JSON-RPC response; empty for a lost answer."""
    elapsed_ms: int = 0
    held_secrets: bool = False
    """Whether the server's answer held something that looks like a credential, which is taken out."""

    @property
    def accepted(self) -> bool:
        """Whether it reports success, by its marks and by its text."""
        return self.kind == "result" and not self.says_failure

    @property
    def says_failure(self) -> bool:
        """Whether its text reports a failure, whatever its marks are."""
        found = _parsed(self.text)
        if isinstance(found, dict):
            return bool(found.get("error")) or found.get("success") is False or found.get("status") == "error"
        return _FAILED.match(self.text) is not None

    @property
    def first_line(self) -> str:
        """The first line of the text with a letter or digit; else the first that is not empty."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        return next((line for line in lines if re.search(r"\w", line)), next(iter(lines), ""))


def answer_of(message: JsonObject, elapsed_ms: int = 0, *, held_secrets: bool = False) -> Answer:
    """Return the answer in a JSON-RPC response."""
    error, result = message.get("error"), message.get("result")
    if error is not None:
        text = str(error.get("message", "")) if isinstance(error, dict) else str(error)
        data = error.get("data") if isinstance(error, dict) else None
        text += (
            f" {data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)}" if data is not None else ""
        )
        kind: Kind = "protocol_error"
    else:
        kind = "tool_error" if isinstance(result, dict) and result.get("isError") is True else "result"
        text = _text(result)
    return Answer(kind=kind, text=text, response=message, elapsed_ms=elapsed_ms, held_secrets=held_secrets)


def lost(why: str) -> Answer:
    """Return the answer that did not come."""
    return Answer(kind="lost", text=why)


def _text(result: Json) -> str:
    content = result.get("content") if isinstance(result, dict) else None
    texts = [str(one["text"]) for one in content or () if isinstance(one, dict) and "text" in one]
    if texts:
        return "\n".join(texts)
    value = result.get("structuredContent", content) if isinstance(result, dict) else result
    return json.dumps(value, ensure_ascii=False) if value else ""


def _parsed(text: str) -> Json:
    try:
        return json.loads(text) if text.lstrip()[:1] == "{" else None
    except (ValueError, RecursionError):
        return None
