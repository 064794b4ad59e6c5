"""``case.yaml`` on disk: read strictly, then converted to a :class:`~mendbench.model.case.Case`.

Only this module knows the file format. The published JSON Schema (``mendbench schema case``) comes from here.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from mendbench.corpus.documents import located, read_json, read_yaml, refused
from mendbench.errors import BadInput, UnknownName
from mendbench.io.canonical_json import digest
from mendbench.model.case import (
    Api,
    Case,
    Check,
    Fault,
    Fix,
    KeptCheck,
    NoRequestCheck,
    OutputCheck,
    Provenance,
    RequestCheck,
    Times,
    UnchangedCheck,
    Variant,
    WarningCheck,
    Who,
)
from mendbench.model.execution import NodeState, State
from mendbench.model.failure import Category
from mendbench.model.json import Json, JsonObject
from mendbench.secrets.redaction import plant_canaries
from mendbench.services.shape import METHODS, misfit, one_of
from mendbench.values.merge_patch import merge_patch

FAMILIES = (
    "slack", "github", "stripe", "sheets", "discord", "aws", "jupyter", "mcp", "graphql", "http", "shell", "llm", "template", "workflow",
    "mixed", "control", "transient",
)  # fmt: skip
"""The families of the shipped corpus: a service, a type of node, the templates or the workflow itself. The last three contain all
cases of these kinds. Other corpora may have others."""

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
"""The form of a family and of a case's name."""


def _regex(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        hint = "mend it, or put a backslash in front of a character that stands for itself"
        raise misfit(f"not a regular expression: {error} (found {text!r})", hint) from None
    return text


_META = frozenset("\\|()[]{}*+?^$")
"""Characters that mean something else in a regular expression than in a text. A full stop matches itself."""

Pattern = Annotated[str, AfterValidator(_regex)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class _Fault(_Part):
    """One fault."""

    id: str
    cause: list[str] = Field(description="nodes that a right edit must touch", default_factory=list)
    surfaces: str = Field(description="node where it shows")
    state: Literal["error", "warning"]
    who: Who = Field(description="who can help: an edit, the user, or another try")
    category: Category
    says: Pattern | None = Field(None, description="for a warning: what must be said")
    facts: list[Pattern] = Field(
        default_factory=list, description="what a prompt has to state for the fix; absent from the frame"
    )
    fact_texts: list[str] = Field(
        default_factory=list,
        description="the facts as plain texts, in the same order; needed if one is not plain itself",
    )
    evidence: str = Field(description="why this is so, from what the API and the request mean")

    @model_validator(mode="after")
    def _consistent(self) -> _Fault:
        if self.fact_texts and len(self.fact_texts) != len(self.facts):
            found = f"{len(self.fact_texts)} fact_texts for {len(self.facts)} facts"
            raise misfit(found, "give one text for each of the facts, in the same order", "fact_texts")
        for number, fact in enumerate(self.facts if not self.fact_texts else ()):
            if _META & set(fact):
                hint = "give the texts of all facts under fact_texts"
                raise misfit(f"fact {fact!r} is not a plain text", hint, "facts", number)
        for number, (fact, text) in enumerate(zip(self.facts, self.fact_texts, strict=False)):
            if re.search(fact, text) is None:
                found, hint = (
                    f"the text {text!r} does not match the fact {fact!r}",
                    "write it as the data or message has it",
                )
                raise misfit(found, hint, "fact_texts", number)
        if self.who == "edit" and not self.cause:
            raise misfit("a fault that an edit mends, without nodes to touch", "name them under cause", "cause")
        if self.state == "warning" and self.says is None:
            raise misfit(
                "a warning without what must be said", "add says, a regular expression for its message", "says"
            )
        return self


class _Range(_Part):
    least: int = Field(1, ge=0)
    most: int | None = None


Method: TypeAlias = Annotated[str, one_of("method", METHODS)]


class _Request(_Part):
    method: Method
    url: str
    headers: dict[str, str] = Field(default_factory=dict)
    json_: Json = Field(None, alias="json")
    only: bool = Field(
        default=False, description="the body, as sent or as its service means it, has nothing beside json"
    )
    text: Pattern | None = None
    times: int | _Range = 1

    @model_validator(mode="after")
    def _only_what(self) -> _Request:
        if self.only and self.json_ is None:
            raise misfit(
                "only says that the body has nothing beside json, and there is no json", "give json too", "only"
            )
        return self


class _NoRequest(_Part):
    method: Method | None = None
    url: Pattern | None = None
    json_: Json = Field(None, alias="json")


class _Output(_Part):
    output: str | None = None
    node: str | None = None
    path: str | None = None
    equals: Json = None
    matches: Pattern | None = None

    @model_validator(mode="after")
    def _one_target(self) -> _Output:
        if (self.output is None) == (self.node is None or self.path is None):
            raise misfit("no single target", "name either an output, or a node and a path in it")
        if self.matches is None and "equals" not in self.model_fields_set:
            raise misfit("nothing to compare the output with", "add equals or matches")
        return self


class _Unchanged(_Part):
    node: str
    path: str = Field(pattern="^/")


class _Warning(_Part):
    node: str
    says: Pattern


class _Check(_Part):
    """One condition that must hold. Exactly one of its keys is given."""

    request: _Request | None = None
    no_request: _NoRequest | None = None
    output: _Output | None = None
    kept: list[str] | None = Field(None, min_length=1)
    unchanged: _Unchanged | None = None
    warning: _Warning | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> _Check:
        given = [kind for kind in type(self).model_fields if getattr(self, kind) is not None]
        if len(given) != 1:
            found = f"a check of {len(given)} kinds{': ' if given else ''}{', '.join(given)}"
            hint = f"give each check exactly one of {', '.join(type(self).model_fields)}, with something under it"
            raise misfit(found, hint, *given[1:2])
        return self

    def build(self) -> Check:
        if (r := self.request) is not None:
            times = Times(least=r.times, most=r.times) if isinstance(r.times, int) else Times(**r.times.model_dump())
            return RequestCheck(
                method=r.method, url=r.url, headers=r.headers, json=r.json_, only=r.only, text=r.text, times=times
            )  # fmt: skip
        if (n := self.no_request) is not None:
            return NoRequestCheck(method=n.method, url=n.url, json=n.json_)
        if (o := self.output) is not None:
            return OutputCheck(**o.model_dump())
        if (u := self.unchanged) is not None:
            return UnchangedCheck(node=u.node, path=u.path)
        if (w := self.warning) is not None:
            return WarningCheck(node=w.node, says=w.says)
        return KeptCheck(nodes=tuple(self.kept or ()))


class _Variant(_Part):
    """Other inputs or run data on which the repaired workflow must also work."""

    name: str
    inputs: JsonObject = Field(default_factory=dict)
    state: dict[str, JsonObject] = Field(default_factory=dict)
    checks: list[_Check] = Field(min_length=1)
    final: State = "success"

    @model_validator(mode="after")
    def _differs(self) -> _Variant:
        if not self.inputs and not self.state:
            raise misfit("a variant with the case's own data", "give it other inputs or another state")
        return self


class _Expect(_Part):
    first: dict[str, NodeState] = Field(min_length=1)
    after_fix: dict[str, NodeState] = Field(default_factory=dict)
    final: State


class _WrongFix(_Part):
    why: str
    patch: list[JsonObject]


class _Accepted(_Part):
    why: str
    patch: list[JsonObject] = Field(min_length=1)


_VARIABLE = r"^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$"
"""The reference to the environment variable with a real secret."""


class CaseFile(_Part):
    """One failing workflow and the truth about it."""

    title: str
    group: str = Field(
        description="service x scenario: the unit of resampling and of the split", pattern=r"^[a-z0-9-]+$"
    )
    request: str = Field(description="what the user asked the workflow to do, in the user's words")
    recorded_from: dict[str, Provenance] = Field(
        description="every service declared, and where its responses come from"
    )
    api: Api = Field(
        "private",
        description="well-known: an engineer who knows the public API could name the fix's keys and values without seeing the error; "
        "private: nobody could",
    )
    inputs: JsonObject = Field(default_factory=dict)
    state: dict[str, JsonObject] = Field(
        default_factory=dict, description="service to a merge patch over its seed data"
    )
    secrets: dict[str, str] = Field(
        default_factory=dict, description="NAME of ${canary:NAME} to the ${env:VARIABLE} with its real value for live",
        json_schema_extra={"additionalProperties": {"type": "string", "pattern": _VARIABLE}},
    )  # fmt: skip
    faults: list[_Fault] = Field(default_factory=list)
    expect: _Expect
    checks: list[_Check] = Field(min_length=1)
    variants: list[_Variant] = Field(min_length=1)
    fix: list[JsonObject] | None = None
    accepts: list[_Accepted] = Field(default_factory=list)
    wrong_fixes: list[_WrongFix] = Field(min_length=2)
    adversarial_to: list[str] = Field(default_factory=list)
    tags: list[str] = Field(default_factory=list)
    source: str

    @model_validator(mode="after")
    def _consistent(self) -> CaseFile:
        edits = [number for number, fault in enumerate(self.faults) if fault.who == "edit"]
        if edits and not self.fix:
            raise misfit(
                "an edit fault and no reference fix", "add fix, or say who else can help", "faults", edits[0], "who"
            )
        if not edits and self.fix:
            raise misfit("a fix, and no fault that an edit mends", "delete fix, or set who: edit in a fault", "fix")
        states: list[tuple[tuple[int | str, ...], dict[str, JsonObject]]] = [(("state",), self.state)]
        states += [(("variants", number, "state"), one.state) for number, one in enumerate(self.variants)]
        for place, state in states:
            for name in sorted(state.keys() - self.recorded_from.keys()):
                found = f"state of {name}, which recorded_from does not declare"
                raise misfit(found, f"add {name} to recorded_from, or delete the state", *place, name)
        for what, key, names in (("variants", "name", [v.name for v in self.variants]), ("faults", "id", self._ids)):
            if twice := [number for number, name in enumerate(names) if name in names[:number]]:
                raise misfit(f"two {what} are called {names[twice[0]]!r}", "rename one", what, twice[0], key)
        for number, one in enumerate(self.variants):
            if self._inputs_of(one) == self.inputs and not self._changes(one):
                found = f"the variant {one.name!r} is the case itself: its inputs and state change nothing"
                raise misfit(found, "give it other inputs or another state", "variants", number)
        return self

    @model_validator(mode="after")
    def _secrets_of_live_worlds(self) -> CaseFile:
        if self.secrets and "live" not in self.recorded_from.values():
            raise misfit("secrets are sent to a live world, and recorded_from has none", "delete secrets", "secrets")
        variants = [(variant.inputs, variant.state) for variant in self.variants]
        known = plant_canaries([self.inputs, self.state, *map(list, variants)], "")[1]
        for name, variable in self.secrets.items():
            if not re.fullmatch(_VARIABLE, variable):  # the message omits the value: it may be a pasted secret
                hint = "name an environment variable, and never write the secret"
                raise misfit("a secret that is no ${env:VARIABLE}", hint, "secrets", name)
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean {close[0]!r}?" if close else f"write ${{canary:{name}}} in inputs, or delete it"
                raise misfit(f"secrets names {name!r}, and no input holds ${{canary:{name}}}", hint, "secrets", name)
        return self

    @property
    def _ids(self) -> list[str]:
        return [fault.id for fault in self.faults]

    def _inputs_of(self, variant: _Variant) -> JsonObject:
        return {**self.inputs, **variant.inputs}

    def _changes(self, variant: _Variant) -> bool:
        own = self.state
        return any(merge_patch(own.get(name), patch) != own.get(name) for name, patch in variant.state.items())


def load_case(folder: Path, family: str) -> Case:
    """Return the case in ``folder``.

    Raises:
        BadInput: a file is missing or broken; names the file, the place in it, what was found and what to do.
    """
    path = folder / "case.yaml"
    data = read_yaml(path, "a case is a folder with case.yaml and workflow.json")
    workflow = read_json(folder / "workflow.json", "put the failing workflow there")
    try:
        found = CaseFile.model_validate(data)
    except ValidationError as error:
        raise refused(path, error, CaseFile, "mendbench schema case") from None
    if not isinstance(workflow, dict):
        raise BadInput(str(folder / "workflow.json"), f"a {type(workflow).__name__}", "write the workflow as an object")
    _refuse_unknown_nodes(path, found, workflow)
    _refuse_loose_edges(folder / "workflow.json", found, workflow)
    truth = {"case": data, "workflow": workflow}
    return Case(
        family=family,
        name=folder.name,
        folder=folder,
        title=found.title,
        group=found.group,
        request=found.request.strip(),
        workflow=workflow,
        recorded_from=found.recorded_from,
        api=found.api,
        inputs=found.inputs,
        state=found.state,
        faults=tuple(_fault(item) for item in found.faults),
        first=found.expect.first,
        after_fix=found.expect.after_fix,
        final=found.expect.final,
        checks=tuple(check.build() for check in found.checks),
        variants=tuple(_variant(item) for item in found.variants),
        fix=Fix(patch=tuple(found.fix)) if found.fix else None,
        accepts=tuple(Fix(patch=tuple(item.patch), why=item.why) for item in found.accepts),
        wrong_fixes=tuple(Fix(patch=tuple(item.patch), why=item.why) for item in found.wrong_fixes),
        adversarial_to=tuple(found.adversarial_to),
        tags=tuple(found.tags),
        source=found.source,
        secrets={name: variable[len("${env:") : -1] for name, variable in found.secrets.items()},
        digest=digest(truth),
    )


def _fault(item: _Fault) -> Fault:
    lists = {"cause": item.cause, "facts": item.facts, "fact_texts": item.fact_texts or item.facts}
    return Fault(**{**item.model_dump(), **{name: tuple(found) for name, found in lists.items()}})


def _variant(item: _Variant) -> Variant:
    checks = tuple(check.build() for check in item.checks)
    return Variant(name=item.name, inputs=item.inputs, state=item.state, checks=checks, final=item.final)


def _node_ids(workflow: JsonObject) -> list[str]:
    nodes = workflow.get("nodes")
    listed = nodes if isinstance(nodes, list) else []
    return [str(node["id"]) for node in listed if isinstance(node, dict) and "id" in node]


def _refuse_loose_edges(path: Path, found: CaseFile, workflow: JsonObject) -> None:
    """Refuse an edge to or from a node that the workflow does not have, unless a fault declares it.

    Such a fault is one of static validation whose cause, or the node where it shows, is the edge's other end.
    """
    known = _node_ids(workflow)
    labelled = {
        node
        for fault in found.faults
        if fault.category == "static_validation"
        for node in (fault.surfaces, *fault.cause)
    }
    edges = workflow.get("edges")
    for number, edge in enumerate(edges if isinstance(edges, list) else ()):
        ends = {end: edge.get(end) for end in ("from", "to")} if isinstance(edge, dict) else {}
        if labelled.intersection(name for name in ends.values() if isinstance(name, str)):
            continue
        for end, name in ends.items():
            if isinstance(name, str) and known and name not in known:
                raise UnknownName("node", name, known, f"{path}: edges.{number}.{end}")


def _refuse_unknown_nodes(path: Path, found: CaseFile, workflow: JsonObject) -> None:
    """Refuse a label for a node that the workflow does not have: the label would never be checked."""
    known = _node_ids(workflow)
    groups: list[tuple[tuple[int | str, ...], list[_Check]]] = [(("checks",), found.checks)]
    groups += [(("variants", number, "checks"), variant.checks) for number, variant in enumerate(found.variants)]
    named: list[tuple[tuple[int | str, ...], str]] = [(("expect", "first", node), node) for node in found.expect.first]
    named += [(("faults", number, "surfaces"), fault.surfaces) for number, fault in enumerate(found.faults)]
    named += [
        ((*place, number, "unchanged", "node"), check.unchanged.node)
        for place, checks in groups
        for number, check in enumerate(checks)
        if check.unchanged is not None
    ]
    for way, node in named:
        if known and node not in known:
            raise UnknownName("node", node, known, located(path, *way))
