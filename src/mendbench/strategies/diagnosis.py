"""Diagnosis of failures: the parameters that an edit most likely has to change, and the data that it can use.

It uses only the workflow and the structured failures, so it works for every engine. The suspects are our own diagnosis. The data comes from
the run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.model.failure import Failure, FieldProblem
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import View
from mendbench.strategies.run_data import Leaf, leaves

Why: TypeAlias = Literal["unresolved", "missing", "invalid", "unknown", "named"]
"""unresolved: its template does not resolve. missing, invalid, unknown: the API's complaint about the field. named: the response quotes its
value."""

_Found: TypeAlias = tuple[Why, str, str | None, tuple[str, ...]]
"""The reason, the path, the API's message, and the wrong templates."""

_MOST_SUSPECTS, _MOST_LEAVES = 4, 12

_OWN_NAMES = 2
"""Segments at the end of a path that describe a value."""

_WORD = re.compile(r"[^\W\d_]+")

_LITTLE = frozenset({
    "the", "and", "for", "its", "that", "this", "with", "from", "into", "are", "was", "has", "have", "not", "who",
    "which", "than", "then", "them", "their",
})  # fmt: skip
"""Words without a specific meaning."""

_GAP = "${…}"
_WHOLE = re.compile(r"\$\{[^}]*\}")

_FIXED = frozenset({"server", "tool", "method"})
"""Parameters that identify the called resource, and that many responses name."""

_HOLDERS = ("arguments", "body")
"""Parameters that contain the sent data, field by field."""

_OWN_DEPTH = 2
"""The number of names in the path of a node's own parameter: ``params`` and its name."""

_SHORTEST = 3
"""The minimum length of a value that counts as quoted if it is in a response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """One parameter that an edit most likely has to change."""

    node: str
    path: str
    """As responses address it: ``params.body.title``."""
    text: str | None
    """The current value, or None."""
    value: Json
    """The value when the node ran, if it is known and differs from ``text``."""
    why: Why
    says: str | None
    """The API's message, if it has more than a code."""
    wrong: tuple[str, ...] = ()
    """The templates in it that do not resolve, or whose values the response quotes."""

    @property
    def blank(self) -> str:
        """The text with a gap for the value to fill in."""
        if self.text is None or (self.why != "unresolved" and _WHOLE.fullmatch(self.text)):
            return _GAP
        kept = self.text
        for template in self.wrong:
            kept = kept.replace(template, _GAP)
        return kept if self.wrong else "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The whole diagnosis."""

    suspects: tuple[Suspect, ...]
    leaves: tuple[Leaf, ...]
    meant: tuple[str, ...]
    """For a template whose first name does not exist: the same template for each existing node."""


def diagnose(view: View) -> Diagnosis:
    """Return the suspects of a view's failures, and the data that may replace their current sources, the likeliest first."""
    found = suspects(view)[:_MOST_SUSPECTS]
    present = {one.text for one in found}
    usable = [leaf for leaf in leaves(view) if leaf.template not in present]
    wanted = _words_of(view.request)
    asked = [_words_of(_names(one.path)[-1]) for one in found]

    def likely(leaf: Leaf) -> float:
        own = _words_of(".".join(_names(leaf.template)[-_OWN_NAMES:]))
        return len(own & wanted) + max((len(own & words) for words in asked), default=0)

    return Diagnosis(
        suspects=found,
        leaves=tuple(sorted(usable, key=likely, reverse=True)[:_MOST_LEAVES]),
        meant=_meant(view.workflow, found),
    )


def _meant(workflow: JsonObject, found: Sequence[Suspect]) -> tuple[str, ...]:
    ids, own = _node_ids(workflow), {one.node for one in found}
    wrong = next((template for one in found for template in one.wrong if _root(template) not in ids), None)
    if wrong is None or "." not in wrong:
        return ()
    rest = wrong.removeprefix("${").removeprefix(_root(wrong))
    return tuple(f"${{{name}{rest}" for name in ids if name not in own)


def _root(template: str) -> str:
    return re.split(r"[.\[}]", template.removeprefix("${"))[0]


def _node_ids(workflow: JsonObject) -> tuple[str, ...]:
    nodes = workflow.get("nodes")
    listed = nodes if isinstance(nodes, list) else []
    return tuple(str(node["id"]) for node in listed if isinstance(node, dict) and "id" in node)


def suspects(view: View) -> tuple[Suspect, ...]:
    """Return the suspects of all failures, each parameter once, the best-known first."""
    found: dict[tuple[str, str], Suspect] = {}
    for failure in view.failures:
        for one in _suspects(failure, _params(view.workflow, failure.node_id), _node_ids(view.workflow)):
            found.setdefault((one.node, one.path), one)
    return tuple(found.values())


def _suspects(failure: Failure, params: Json, nodes: Collection[str]) -> Iterator[Suspect]:
    """Yield the unresolved parameters and those that the API rejected. If there are none, yield those that its response quotes."""
    if failure.node_id is None:
        return
    texts = dict(_texts("params", params))
    whole = {f"params.{one.param}": one for one in failure.upstream}
    values = {path: one.value for path, one in whole.items() if texts.get(path) == one.template}
    known = [*_unresolved(failure, texts), *_complained_of(failure, params, texts)]
    for why, path, says, wrong in known or _named(failure, texts, nodes):
        yield Suspect(
            node=failure.node_id, path=path, text=texts.get(path), value=None if why == "unresolved" else values.get(path),
            why=why, says=says, wrong=wrong,
        )  # fmt: skip


def _unresolved(failure: Failure, texts: dict[str, str]) -> Iterator[_Found]:
    for path, text in texts.items():
        wrong = tuple(template for template in failure.unresolved if template in text)
        if wrong:
            yield "unresolved", path, None, wrong


def _complained_of(failure: Failure, params: Json, texts: dict[str, str]) -> Iterator[_Found]:
    for problem in failure.problems:
        path = _path_of(problem, params, texts)
        if path is not None:
            yield problem.problem, path, problem.says if " " in problem.says.strip() else None, ()


def _named(failure: Failure, texts: dict[str, str], nodes: Collection[str]) -> Iterator[_Found]:
    """Yield the parameters whose value the response quotes. Inputs come from the user and are not suspects."""
    response = _response(failure)
    for source in failure.upstream:
        path = f"params.{source.param}"
        if (
            path in texts
            and _root(source.template) in nodes
            and isinstance(source.value, str)
            and _quoted(source.value, response)
        ):
            yield "named", path, None, (source.template,)
    for path, text in texts.items():
        if _names(path)[-1] not in _FIXED and _quoted(text, response):
            yield "named", path, None, ()


def _quoted(value: str, response: str) -> bool:
    return len(value) >= _SHORTEST and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", response) is not None


def _words_of(text: str) -> frozenset[str]:
    """Return the words of a name or a sentence, without their endings: ``itemTitles`` has item and title."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    words = {word.casefold() for word in _WORD.findall(spaced)}
    return frozenset(word.removesuffix("s") for word in words if len(word) >= _SHORTEST and word not in _LITTLE)


def _response(failure: Failure) -> str:
    said = failure.raw_response if failure.raw_response is not None else failure.mcp_error
    return json.dumps(said, ensure_ascii=False) if said is not None and not isinstance(said, str) else str(said or "")


def _path_of(problem: FieldProblem, params: Json, texts: dict[str, str]) -> str | None:
    """Return the parameter for the API's name of a field.

    This is the one whose path ends in it. Otherwise, for an unknown field, it is the text that contains its name (a form, a query). For a
    missing field, it is its expected position.
    """
    words = [part for part in re.split(r"[/.\[\]]+", problem.field) if part]
    if not words:
        return None
    holder = next((name for name in _HOLDERS if isinstance(params, dict) and isinstance(params.get(name), dict)), None)
    for places in _by_nearness(params, holder):
        for tail in (words, words[-1:]):
            ending = [path for path in places if _names(path)[-len(tail) :] == tail]
            if ending:
                return _only_text(min(ending, key=len), texts)
    if problem.problem != "missing":
        return next((path for path, text in texts.items() if _quoted(words[-1], text)), None)
    return f"params.{holder}.{words[-1]}" if holder else None


def _by_nearness(params: Json, holder: str | None) -> Iterator[list[str]]:
    """Yield the places inside the sent data, then the others. The node's own parameters are not fields of an API."""
    if holder is None:
        yield list(_places("params", params))
        return
    places = [path for path in _places("params", params) if len(_names(path)) > _OWN_DEPTH]
    sent = [path for path in places if _names(path)[1] == holder]
    yield sent
    yield [path for path in places if path not in sent]


def _only_text(path: str, texts: dict[str, str]) -> str:
    """Return the path of the only text below ``path``, else ``path``."""
    below = [one for one in texts if one.startswith((f"{path}.", f"{path}["))]
    return below[0] if len(below) == 1 else path


def _names(path: str) -> list[str]:
    return [part for part in re.split(r"[.\[\]]+", path) if part]


def _params(workflow: JsonObject, node_id: str | None) -> Json:
    nodes = workflow.get("nodes")
    for node in nodes if isinstance(nodes, list) else []:
        if isinstance(node, dict) and node.get("id") == node_id:
            return node.get("params")
    return None


def _places(path: str, value: Json) -> Iterator[str]:
    yield path
    for below, item in _below(path, value):
        yield from _places(below, item)


def _texts(path: str, value: Json) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    for below, item in _below(path, value):
        yield from _texts(below, item)


def _below(path: str, value: Json) -> Iterable[tuple[str, Json]]:
    if isinstance(value, dict):
        return [(f"{path}.{key}", item) for key, item in value.items()]
    if isinstance(value, list):
        return [(f"{path}[{index}]", item) for index, item in enumerate(value)]
    return ()
