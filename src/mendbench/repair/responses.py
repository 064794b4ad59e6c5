"""Reads a repairer's response as a changed workflow, a refusal, or a sentence that states why it cannot be read.

Accepted forms, plain, fenced (the first block that is a response) or between sentences (the first JSON that is one)::

    {"edits": [edit, …]}             an edit as in mendbench.repair.edits; one edit need not be in a list
    [edit, …]                        and a single edit; any form may be alone in a list
    {"cannot_fix": "why"}            alone, or next to or inside an empty or one-element "edits"
    {"nodes": [...], …}              a whole workflow; every node has an id and a type
    {"workflow": {"nodes": [...]}}
    [{"op": …, "path": …}, …]        JSON Patch, also as {"patch": [...]}

A null, false or empty form next to another one is ignored; two non-empty forms contradict each other. Truncated JSON is
not completed. From broken JSON only a part with its own identifying keys (``edits``, ``cannot_fix``, …) is used, never a
single edit.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from mendbench.io.canonical_json import canonical_json
from mendbench.io.json_documents import nests_deeper
from mendbench.model.json import Json, JsonObject
from mendbench.repair.edits import apply_edits, is_edit
from mendbench.repair.embedded_json import Broken, FoundValue, find_json
from mendbench.repair.paths import EditError
from mendbench.values.json_patch import nodes_of

MAX_RESPONSE = 1_000_000
"""Maximum characters of a response; longer ones are not read."""

MAX_NEW_NODES = 1_000
"""Maximum number of nodes that a response may add to a workflow."""

MAX_SENTENCE = 299
"""Maximum characters of a sentence in the next prompt."""

_ENVELOPES = frozenset({"edits", "cannot_fix", "patch", "workflow", "nodes"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The workflow that the response proposes. It may equal the previous one, and need not be valid."""

    document: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Declined:
    """The repairer states that no edit helps."""

    reason: str
    """The repairer's reason; empty if it gave none that can be encoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """Nothing in the response can be applied."""

    problem: str
    """One sentence of less than 300 characters, for the next prompt."""
    status: Literal["unparsable", "invalid"] = "unparsable"
    """unparsable: no response could be read. invalid: the edits could be read but do not apply to this workflow."""


Answered: TypeAlias = Candidate | Declined | Unusable


def read_response(text: str, document: JsonObject) -> Answered:
    """Apply the response ``text`` to a copy of ``document`` and return the result. Never raises for any text."""
    if len(text) > MAX_RESPONSE:
        return _unparsable(f"The answer has {len(text):,} characters, and at most {MAX_RESPONSE:,} are read")
    response, first = _searched(text)
    return _unparsable(_why_none(text, first)) if response is None else _read(response.value, document)


def find_response(text: str) -> Json:
    """Return the JSON of the response, whether it can be applied or not; None if there is none."""
    response, _ = (None, None) if len(text) > MAX_RESPONSE else _searched(text)
    return None if response is None else response.value


def sentence(text: str) -> str:
    """Return ``text`` on one line, with a full stop, short enough for the next prompt."""
    line = " ".join(text.encode("utf-8", "replace").decode().split())
    if len(line) >= MAX_SENTENCE:
        return line[: MAX_SENTENCE - 2].rstrip() + " …"
    return line if line.endswith((".", "?", "!")) else f"{line}."


def _searched(text: str) -> tuple[FoundValue | None, FoundValue | Broken | None]:
    """Return the first JSON that is a response, and the first other JSON before it."""
    first: FoundValue | Broken | None = None
    for part in find_json(text):
        found = _unwrapped(part) if isinstance(part, FoundValue) else part
        if isinstance(found, FoundValue) and _is_response(found):
            return found, first
        first = first or found
    return None, first


def _unwrapped(found: FoundValue) -> FoundValue:
    """Return the response in a list with no other item, or ``found`` itself."""
    value = found.value
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict) and _ENVELOPES & value[0].keys():
        return replace(found, value=value[0])
    return found


def _is_response(found: FoundValue) -> bool:
    value = found.value
    if isinstance(value, dict):
        return bool(_ENVELOPES & value.keys()) or (not found.inner and is_edit(value))
    if isinstance(value, list) and not found.inner:
        return all(is_edit(item) or (isinstance(item, dict) and "cannot_fix" in item) for item in value)
    return False


def _why_none(text: str, first: FoundValue | Broken | None) -> str:
    if not text.strip():
        return "The answer is empty"
    if first is None:
        return "The answer holds no JSON object"
    if isinstance(first, Broken):
        return f"The answer is not JSON: {first.why}"
    if isinstance(first.value, dict):
        keys = ", ".join(repr(key) for key in list(first.value)[:8]) or "none"
        return f"The answer's JSON has neither 'edits' nor 'cannot_fix'; its keys are {keys}"
    if isinstance(first.value, list):
        return "The answer's list holds something that is no edit; each edit has a 'node', a 'path' and a 'value'"
    return "The answer is not a JSON object with 'edits' or 'cannot_fix'"


def _read(value: Json, document: JsonObject) -> Answered:
    forms = _forms(value)
    if len(forms) > 1:
        return _unparsable(f"The answer gives {' and '.join(map(repr, forms))}; give one of them")
    if not forms:
        return _empty(value, document)
    name, content = next(iter(forms.items()))
    if name == "cannot_fix":
        return Declined(reason=_reason(content, value))
    if name == "workflow":
        return _whole(content, document)
    return _edited(content, document)


def _forms(value: Json) -> dict[str, Json]:
    """Return the response forms in ``value``, by name. Null, false, and empty ones do not count."""
    if not isinstance(value, dict):
        return {"edits": value} if value else {}
    forms = {name: value[name] for name in ("edits", "patch", "cannot_fix", "workflow") if value.get(name)}
    if "nodes" in value:
        forms["nodes"] = value
    if is_edit(value):
        forms["edit"] = value
    if set(forms) == {"nodes"}:
        return {"workflow": value}
    return forms


def _empty(value: Json, document: JsonObject) -> Answered:
    """Read a response whose forms are all empty: without edits the workflow is unchanged."""
    if isinstance(value, list) or [] in (value.get("edits"), value.get("patch")):
        return _edited([], document)
    if value.get("cannot_fix") == "":
        return Declined(reason="")
    return _unparsable(f"The answer leaves {' and '.join(repr(key) for key in value if key in _ENVELOPES)} empty")


def _edited(changes: Json, document: JsonObject) -> Answered:
    if isinstance(changes, dict):
        changes = [changes]
    if not isinstance(changes, list):
        return _unparsable("The answer's edits are not a list of objects")
    alone = changes[0] if len(changes) == 1 else None
    if isinstance(alone, dict) and alone.get("cannot_fix") and not is_edit(alone):
        return Declined(reason=_reason(alone["cannot_fix"], alone))
    try:
        return _checked(apply_edits(document, changes), document)
    except EditError as error:
        text = str(error)
        return Unusable(problem=sentence(text[:1].upper() + text[1:]), status="invalid")


def _whole(workflow: Json, document: JsonObject) -> Answered:
    nodes = workflow.get("nodes") if isinstance(workflow, dict) else None
    if not isinstance(nodes, list) or not nodes:
        return _unparsable("The answer's workflow has no list of 'nodes'")
    for at, node in enumerate(nodes):
        if not (isinstance(node, dict) and isinstance(node.get("id"), str) and isinstance(node.get("type"), str)):
            return _unparsable(
                f"The answer's workflow: nodes[{at}] has no 'id' or no 'type'; a whole workflow needs both"
            )
    try:
        return _checked(apply_edits(workflow, []), document)
    except EditError as error:
        return _unparsable(f"The answer's workflow cannot be used: {error}")


def _checked(candidate: JsonObject, document: JsonObject) -> Answered:
    added = len(nodes_of(candidate)) - len(nodes_of(document))
    if added > MAX_NEW_NODES:
        text = f"The answer adds {added:,} nodes, and at most {MAX_NEW_NODES:,} may be added"
        return Unusable(problem=sentence(text), status="invalid")
    try:
        canonical_json(candidate).encode()
    except UnicodeEncodeError:
        return _unparsable("The answer holds half of a surrogate pair, which is no text")
    return Candidate(document=candidate)


def _reason(refusal: Json, value: Json) -> str:
    if isinstance(refusal, str):
        return refusal
    if refusal is True:
        reason = value.get("reason") if isinstance(value, dict) else None
        return reason if isinstance(reason, str) else ""
    return "" if nests_deeper(refusal) else json.dumps(refusal, ensure_ascii=False)


def _unparsable(text: str) -> Unusable:
    return Unusable(problem=sentence(text))
