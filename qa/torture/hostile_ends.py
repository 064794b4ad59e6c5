"""What each hostile response has to end in, as the table of bounds in docs/trust.md has it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a trial ends whose model gives one response to everything."""

    status: str
    """Of the first attempt; ``crashed`` where the trial reaches a bound of what one trial may ask for."""
    says: str
    """A pattern of what is said of it: by its next prompt, or by the node that fails. Empty: nothing fails."""


def _invalid(says: str) -> End:
    return End(status="invalid", says=says)


def _unparsable(says: str) -> End:
    return End(status="unparsable", says=says)


def _fails(says: str) -> End:
    return End(status="edited", says=says)


FINE = End(status="edited", says="")
NESTS = "transform expression nests too deep"
UNRESOLVED = "unresolved variables in parameter 'body.text'"
"""What the workflow fails in as it was given: the response is about another place, and changes nothing of that."""

ENDS: tuple[tuple[str, End], ...] = (
    ("asks ", _fails("the host name does not resolve|must be an http:// or https:// URL")),
    (r"(read|write)-file '\\ud800'", _unparsable("half of a surrogate pair")),
    ("(read|write)-file ", _fails("parameter|could not connect to the sandbox folder")),
    ("a shell command", _fails("could not connect to the sandbox")),
    ("a node of no kind", _invalid("unknown node type")),
    ("a tool of no server", _fails("could not connect to MCP server evil")),
    ("a model of no configuration", _fails("the model `gpt-none` does not exist")),
    ("a header on two lines", _fails("must stand on one line")),
    (r"expression (\(\(|`\[|to_string|!!|@ \| @|@\[\*\]|sort_by)", _fails(NESTS)),
    (r"expression @\.a", _fails(UNRESOLVED)),
    ("expression sum", _fails("a number that is not finite")),
    ("expression ", _fails("more than 10,000,000 characters")),
    ("nodes that hold", _fails("10,000,000 characters")),
    ("a template 100,000 times", FINE),
    ("100,000 broken templates|a pipe of templates", _invalid("malformed template syntax")),
    ("copies of copies", _invalid("duplicate node ID")),
    ("copies into itself", _invalid("nests deeper than 100 levels")),
    ("copies of a large text", _invalid("2,000,000 characters")),
    ("10,000 edits|10,000 nodes in edits", _invalid("10,000 changes, and at most 200")),
    ("199 ", _fails(UNRESOLVED)),
    ("10,000 nodes", _unparsable("at most 1,000,000 are read")),
    ("1,000 nodes", FINE),
    ("30,000 edges in cycles|a cycle of edges|an edge to itself", _invalid("circular dependency")),
    ("20,000 edges to nowhere", _invalid("non-existent node 'u0'")),
    ("12,000 templates of nothing|a name of 300,000 letters", _invalid("references non-existent node")),
    ("a batch over itself", _invalid("references its own output")),
    ("a batch over 100,000 items", _fails("at most 10,000 are run")),
    ("a batch over 3,000 items", _fails(UNRESOLVED)),
    ("a batch of 9,000 that sends nothing", _fails(UNRESOLVED)),
    (r"(90|100|101) levels as a response", _unparsable("no edit")),
    (r"\d+ levels as a response", _unparsable("no JSON object")),
    ("90 levels in a value", _fails("HTTP 4(00|22)")),
    ("(100|101) levels in a value", _invalid("nests deeper than 100 levels")),
    (r"\d+ levels in a value", _unparsable("it nests too deep")),
    (r"\d+ levels as a text", FINE),
    ("a path of 100,000 steps", _invalid("100,001 steps, and at most 100")),
    ("a pointer of 100,000 steps", _invalid("edit 1: ")),
    ("120 transforms that each nest", FINE),
    ("900 transforms that each nest", _fails("parameters hold more than")),
    (r"the (number|timeout) 10\*\*100000", _unparsable("4300 digits")),
    ("the (number|timeout) 1e999", _unparsable("too large")),
    ("the (number|timeout) NaN", _unparsable("NaN is no JSON")),
    ("the timeout -0", _fails("must be above 0 seconds")),
    ("the timeout a long number", _fails("must be a number")),
    ("the timeout 1e308", FINE),
    ("the number ", _fails("HTTP 422")),
    ("the index ", _fails(UNRESOLVED)),
    ("a key of 2 MB|2 MB of text", _unparsable("at most 1,000,000 are read")),
    ("a key of 0.5 MB", _fails("HTTP 422")),
    ("0.99 MB of |10,000 fences|300,000 backticks|nested fences|thoughts without an end", _unparsable("answer")),
    ("half a character( in an? (key|id))?$", _unparsable("half of a surrogate pair")),
    ("(a NUL|a real NUL|a BOM|a line separator)$", FINE),
    ("(a NUL|a real NUL|a BOM|a line separator) in a key", _fails("HTTP 422")),
    ("(a NUL|a real NUL|a BOM|a line separator) in an id", _fails(UNRESOLVED)),
    ("nothing$", _unparsable("the response is empty")),
    ("two responses at once", _unparsable("give one of them")),
    ("lists for names|a node for a text", _invalid("edit 1: ")),
    ("everything null", _unparsable(r"nodes\[0\] has no 'id'")),
    ("markup in a text", FINE),
    ("markup in a refusal", End(status="declined", says="")),
    ("markup in an id", _fails(UNRESOLVED)),
    ("markup in a template", _invalid("malformed template syntax")),
    ("markup in an unknown key", _invalid("edit 1: ")),
    ("markup in prose", _unparsable("no JSON object")),
    ("markup in a type", _invalid("unknown node type")),
    ("markup in an output", _fails(UNRESOLVED)),
)  # fmt: skip
"""The first pattern that a response's name begins with is its own."""


def wrong_end(name: str, row: dict[str, Any]) -> str | None:
    """Return in what the row of a trial, with its texts, is not how the response of this name has to end; None if it is so."""
    end = next((end for pattern, end in ENDS if re.match(pattern, name)), None)
    if end is None:
        return "nothing says what it has to end in"
    if end.status == "crashed" or row["verdict"] == "crashed":
        return _wrong_crash(end, row)
    if row["verdict"] != "incorrect":
        return f"it is {row['verdict']}: {row['problem']}"
    found = [attempt["status"] for attempt in row["attempts"]]
    if found[0] != end.status or (end.status in {"invalid", "unparsable"} and set(found) != {end.status}):
        return f"its attempts are {', '.join(found)} and not {end.status}: {said(row)[:200]}"
    if not end.says:
        return f"something fails: {said(row)[:200]}" if said(row) else None
    return None if _holds(end, said(row)) else f"it does not say {end.says!r}: {said(row)[:200]!r}"


def _wrong_crash(end: End, row: dict[str, Any]) -> str | None:
    problem = (row["problem"] or {}).get("message", "")
    if row["verdict"] != "crashed":
        return f"no bound ends it, it is {row['verdict']}: {said(row)[:200]}"
    if not problem.startswith("BoundReached: "):
        return f"it is crashed by no bound: {problem[:300]}"
    if end.status != "crashed":
        return f"a bound of the whole trial ends it, where {end.status} is due: {problem[:200]}"
    return None if _holds(end, problem) else f"it does not say {end.says!r}: {problem[:200]!r}"


def said(row: dict[str, Any]) -> str:
    """Return what is said of the first attempt: why its response is of no use, or how its nodes fail."""
    first = row["attempts"][0] if row["attempts"] else {}
    failures = (first.get("execution") or {}).get("failures", [])
    return "\n".join([first.get("problem") or "", *(str(one["message"]) for one in failures)]).strip()


def _holds(end: End, text: str) -> bool:
    return re.search(end.says, text, re.IGNORECASE) is not None
