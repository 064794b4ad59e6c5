"""The rule book: a deterministic repairer that reads only the prompt.

It measures the information in a strategy without a model: a rule can use only what is in the context. Its rules are
generic ones about templates and request fields; none is specific to a case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Prompt, Reply
from mendbench.ports.world import World
from mendbench.repairers.interface import Options
from mendbench.repairers.prompt_reader import Path, PromptContent, read_prompt, spell, walk
from mendbench.repairers.similarity import ENOUGH, most_like, path_likeness

Rule: TypeAlias = Callable[[PromptContent], list[JsonObject]]

USER_SIDE = re.compile(
    r"\b(channel_not_found|not_in_channel|is_archived|users?_not_found|invalid_auth|not_authed|token_revoked|token_expired"
    r"|account_inactive|missing_scope|not_allowed_token_type|Bad credentials|Requires authentication"
    r"|Resource not accessible by|Must have \w+ (?:rights|access)|Repository was archived|PERMISSION_DENIED"
    r"|UNAUTHENTICATED|HTTP 401|HTTP 403)\b"
)
"""Error codes of services when only the user can act (Slack Web API, GitHub REST and google.rpc documentation)."""

_MISSING = re.compile(
    r"\"(\w+)\" wasn't supplied|missing required field: (\w+)|'(\w+)' is a required property"
    r"|[Ff]ield '(\w+)' (?:is )?required|requires '(\w+)' parameter|\b(\w+): (?:Field )?[Rr]equired\b"
    r"|[Mm]issing required (?:parameter|argument):? [`'\"]?(\w+)"
)
_FIELD = re.compile(r"^(.*)\.field: (\w+)$", re.MULTILINE)
_CODE = re.compile(r"^(.*)\.(?:code|problem): missing\w*$", re.MULTILINE)
_NOT_LIST = re.compile(
    r"For 'properties/(\w+)', .* is not an array|valid list on parameter `(\w+)`"
    r"|'?(\w+)'? (?:must|should) be an? (?:array|list)"
)
_NOT_TEXT = re.compile(
    r"For 'properties/(\w+)', .* is not a string|valid string on parameter `(\w+)`"
    r"|'?(\w+)'? (?:must|should) be a string"
)
_AT_MOST = re.compile(r"(\d+) must be less than or equal to (\d+)")
_BELOW = re.compile(r"must be less than (\d+) \[json-pointer:/(\w+)\]")
_MEMBER = re.compile(r"\"?([\w\-]+)\"? is not a member of \[([^\]]*)\]")
_MEANT = re.compile(r"['\"`]([^'\"`\n]+)['\"`][^\n]*?[Dd]id you mean:?\s*['\"`]([^'\"`\n]+)['\"`]")
_CONTAINERS = (("params", "body"), ("params", "params"), ("params", "arguments"), ("params",))


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesRepairer:
    """Responds with the first rule that yields edits."""

    name: str = "rules"
    model: str | None = None

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:  # noqa: ARG002 (the port's)
        """Return edits (none if no rule applies), or ``cannot_fix`` for a code that only a user can resolve."""
        content = read_prompt(prompt)
        response: JsonObject = {"edits": []}
        if content is not None:
            if code := USER_SIDE.search(content.text):
                response = {"cannot_fix": f"the service says {code.group(1)}: only the user can act"}
            else:
                edits = next((found for rule in RULES if (found := rule(content))), [])
                response = {"edits": [edit for at, edit in enumerate(edits) if edit not in edits[:at]]}
        return Reply(text=json.dumps(response, ensure_ascii=False))


def meant(content: PromptContent) -> list[JsonObject]:
    """``'x' …, did you mean 'y'?``: replace x with y, as a type, a parameter's name or a part of a text."""
    edits = []
    for wrong, right in _MEANT.findall(content.text):
        for node_id, node in _places(content):
            if node.get("type") == wrong:
                edits.append(_set(node_id, ("type",), right))
            edits += _renamed(node_id, node, wrong, right)
            edits += _replaced(node_id, node, wrong, right)
    return edits


def unresolved(content: PromptContent) -> list[JsonObject]:
    """A template that does not resolve: use the most similar available path, node or input."""
    edits = []
    for bad in content.unresolved():
        good = _nearest_path(content, bad)
        if good is not None:
            for node_id, node in _places(content):
                edits += _replaced(node_id, node, f"${{{bad}}}", f"${{{good}}}")
    return edits


def missing(content: PromptContent) -> list[JsonObject]:
    """A missing field: rename the most similar field that was sent, or else fill it from data of that name."""
    if content.node is None or content.node_id is None:
        return []
    coded = set(_CODE.findall(content.text))
    names = [*_names(_MISSING, content.text), *(name for place, name in _FIELD.findall(content.text) if place in coded)]
    edits = []
    for name in dict.fromkeys(names):
        edits += _supplied(content, content.node_id, content.node, name)
    return edits


def not_a_list(content: PromptContent) -> list[JsonObject]:
    """A text instead of a list: split it at its commas, or put the whole value into a list."""
    edits = []
    for node_id, path, value in _fields(content, _names(_NOT_LIST, content.text)):
        if isinstance(value, str):
            whole = "${" in value
            parts = [value] if whole else [part.strip() for part in value.split(",") if part.strip()]
            edits.append(_set(node_id, path, parts))
    return edits


def not_a_text(content: PromptContent) -> list[JsonObject]:
    """A number or a boolean instead of a text: convert it to a text."""
    fields = _fields(content, _names(_NOT_TEXT, content.text))
    return [
        _set(node_id, path, json.dumps(value))
        for node_id, path, value in fields
        if isinstance(value, bool | int | float)
    ]


def too_large(content: PromptContent) -> list[JsonObject]:
    """A number over a limit that the API names: use the limit."""
    edits = []
    for value, limit in _AT_MOST.findall(content.text):
        for node_id, node in _places(content):
            edits += [_set(node_id, path, int(limit)) for path, item in walk(node) if item in (int(value), value)]
    for limit, name in _BELOW.findall(content.text):
        edits += [_set(node_id, path, int(limit) - 1) for node_id, path, _ in _fields(content, [name])]
    return edits


def not_a_member(content: PromptContent) -> list[JsonObject]:
    """A word that is not allowed: use the most similar allowed one."""
    edits = []
    for wrong, allowed in _MEMBER.findall(content.text):
        right = most_like(wrong, re.findall(r"[\w\-]+", allowed))
        for node_id, node in _places(content) if right else ():
            edits += [_set(node_id, path, right) for path, item in walk(node) if item == wrong]
    return edits


RULES: tuple[Rule, ...] = (meant, unresolved, missing, not_a_list, not_a_text, too_large, not_a_member)
"""In the order of use. The codes of :data:`USER_SIDE` are checked first."""


def make(options: Options) -> RulesRepairer:  # noqa: ARG001 (it needs none)
    """Return the rule book."""
    return RulesRepairer()


def _places(content: PromptContent) -> list[tuple[str, JsonObject]]:
    """Return the failed node, or all nodes if the context names none."""
    return [(content.node_id, content.node)] if content.node_id and content.node else list(content.nodes.items())


def _names(pattern: re.Pattern[str], text: str) -> list[str]:
    return [next(group for group in found.groups() if group) for found in pattern.finditer(text)]


def _fields(content: PromptContent, names: list[str]) -> Iterator[tuple[str, Path, Json]]:
    """Yield the places where the failed node sets the fields of those names, and the values."""
    for name in dict.fromkeys(names):
        for node_id, node in _places(content):
            for container in _CONTAINERS:
                inside = _at(node, container)
                if isinstance(inside, dict) and name in inside:
                    yield node_id, (*container, name), inside[name]
                    break


def _supplied(content: PromptContent, node_id: str, node: JsonObject, name: str) -> list[JsonObject]:
    first: Path | None = None
    for container in _CONTAINERS:
        inside = _at(node, container)
        if not isinstance(inside, dict):
            continue
        if name in inside:
            return []
        if (like := most_like(name, inside)) and not isinstance(inside[like], dict):
            return [
                {"node": node_id, "path": spell((*container, like)), "remove": True},
                _set(node_id, (*container, name), inside[like]),
            ]
        first = first or container
    if first is None:
        return []
    source = next((path for path in (*content.inputs, *content.available()) if path.rpartition(".")[2] == name), None)
    return [_set(node_id, (*first, name), f"${{{source}}}")] if source else []


def _nearest_path(content: PromptContent, bad: str) -> str | None:
    root, roots = _root(bad), (*content.nodes, *content.inputs)
    if root not in roots:
        near = most_like(root, roots)
        return near and near + bad[len(root) :]
    paths = [path if _root(path) in roots else f"{root}.{path}" for path in content.available()]
    ranked = [(path_likeness(bad, path), path) for path in paths if _root(path) == root and path not in (bad, root)]
    best = max(ranked, default=None, key=lambda ranking: ranking[0])
    return best[1] if best and best[0][0] >= ENOUGH else None


def _root(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _renamed(node_id: str, node: JsonObject, wrong: str, right: str) -> list[JsonObject]:
    for container in _CONTAINERS:
        inside = _at(node, container)
        if isinstance(inside, dict) and wrong in inside and right not in inside:
            removal = {"node": node_id, "path": spell((*container, wrong)), "remove": True}
            return [removal, _set(node_id, (*container, right), inside[wrong])]
    return []


def _replaced(node_id: str, node: JsonObject, wrong: str, right: str) -> list[JsonObject]:
    params = node.get("params")
    found = [(path, text) for path, text in walk(params, ("params",)) if isinstance(text, str) and wrong in text]
    return [_set(node_id, path, text.replace(wrong, right)) for path, text in found]


def _set(node_id: str, path: Path, value: Json) -> JsonObject:
    return {"node": node_id, "path": spell(path), "value": value}


def _at(node: JsonObject, path: tuple[str, ...]) -> Json:
    value: Json = node
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value
