"""The draft of an imported case: its workflow and inputs, without secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mendbench.errors import BadInput, UnknownName
from mendbench.importing.interface import Source
from mendbench.importing.matching import secrets_in
from mendbench.importing.requests_as_workflow import WRITTEN, workflow_of_requests
from mendbench.importing.scaffold import Draft
from mendbench.io.json_documents import parse_json
from mendbench.model.case import Kind
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.parse import salvaged
from mendbench.secrets.redaction import Redactor, sanitise, sanitise_under

_LEAST = 6
"""Minimum length of a secret that is searched for everywhere: shorter ones also occur inside other words."""

_HIDDEN = "<redacted"
_TEMPLATE = re.compile(r"(\$\{[^{}]*(?:\$\{[^{}]*\}[^{}]*)*\})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What to import, and as which case."""

    case: str
    source: Source
    workflow: JsonObject | None = None
    """None for the one in the source."""
    inputs: Mapping[str, Json] = field(default_factory=dict)
    """Merged over the inputs in the source."""
    kind: Kind = "repairable"
    provenance: str = "simulator"


def drafted(wish: Wish, family: str, name: str) -> tuple[Draft, Redactor, list[str]]:
    """Return the draft without its secrets, the redactor that removes them, and notes about them.

    Raises:
        BadInput, UnknownName: there is no workflow, or an input is missing, unknown or unused.
    """
    workflow, values, notes = _workflow(wish)
    declared = workflow.get("inputs")
    names = [str(name) for name in declared] if isinstance(declared, dict) else []
    for one in wish.inputs:
        if one not in names:
            raise UnknownName("input", one, names, "--input")
    given = {**wish.source.inputs, **_typed(wish.inputs, workflow), **values}
    absent = [
        declared_input.name
        for declared_input in salvaged(workflow).inputs
        if declared_input.required and declared_input.default is None and declared_input.name not in given
    ]
    secret = [name for name in dict.fromkeys((*names, *given)) if name in names and _is_secret(name, given.get(name))]
    if lacking := [name for name in absent if name not in secret]:
        needed = " ".join(f"--input {name}=…" for name in lacking)
        raise BadInput(
            "--input", f"the workflow needs {', '.join(map(repr, lacking))}", f"give what it was run with: {needed}"
        )
    known = {
        name: value for name, value in given.items() if isinstance(value, str) and len(value) >= _LEAST and _is_secret(name, value)
    }  # fmt: skip
    carried = {label: value for label, value in secrets_in(wish.source.found).items() if value not in known.values()}
    redactor = Redactor({**carried, **known})
    inputs = {name: redactor.value(given[name]) for name in names if name in given and name not in secret}
    inputs |= {name: f"${{canary:{name}}}" for name in secret}
    clean = _clean_document(redactor.value(workflow))
    notes += [f"secret inputs became canaries: {', '.join(secret)}"] if secret else []
    if carried:
        taken = f"taken out wherever it stood: the value of {', '.join(sorted(carried))}"
        notes.append(f"{taken}; {wish.source.path.name} itself still has it: do not commit that file")
    if clean != workflow:
        notes.append("the workflow held credentials; placeholders stand for them now")
    draft = Draft(family=family, name=name, kind=wish.kind, workflow=clean, inputs=inputs)
    return draft, redactor, notes


def _workflow(wish: Wish) -> tuple[JsonObject, JsonObject, list[str]]:
    """Return the failing workflow, and if it is written from the requests, the values of its inputs and notes about it.

    Raises:
        BadInput: none is given, none is in the source, and no request of the source can be a node; or an input was sent nowhere.
    """
    given = wish.workflow or wish.source.workflow
    if given is not None:
        return given, {}, []
    made = workflow_of_requests(wish.source.found, wish.inputs)
    if made is None:
        found = f"a {wish.source.kind} without a workflow, and without a request that a workflow can send"
        raise BadInput(str(wish.source.path), found, "give the workflow with --workflow FILE")
    sent = json.dumps(made.workflow["nodes"])
    for name in wish.inputs:
        if f"${{{name}}}" not in sent:
            hint = "give a value as it was sent, or the workflow with --workflow FILE"
            raise BadInput("--input", f"the value of {name!r} was sent nowhere", hint)
    return made.workflow, made.inputs, [WRITTEN, *made.sources]


def _typed(inputs: Mapping[str, Json], workflow: JsonObject) -> JsonObject:
    """Return inputs with the types that a workflow declares; a text that cannot be read as its type stays a text."""
    types = {declared.name: declared.type for declared in salvaged(workflow).inputs}
    return {
        name: _parsed(value) if types.get(name) not in {None, "string"} else value for name, value in inputs.items()
    }


def _parsed(value: Json) -> Json:
    try:
        return parse_json(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _clean_document(workflow: JsonObject) -> JsonObject:
    """Return a workflow without credentials. The declaration of an input named ``token`` is not a credential."""
    declared = workflow.get("inputs")
    kept = (
        {name: _declaration(str(name), declaration) for name, declaration in declared.items()}
        if isinstance(declared, dict)
        else declared
    )
    return {name: kept if name == "inputs" else _clean(name, value) for name, value in workflow.items()}


def _clean(key: str, value: Json) -> Json:
    """Return a part of a workflow without credentials. Templates stay: ``${token}`` names a credential but is not one."""
    if isinstance(value, str):
        if "${" not in value:
            return sanitise_under(key, value)
        parts = re.split(_TEMPLATE, value)
        return "".join(part if at % 2 else str(sanitise(part)) for at, part in enumerate(parts))
    if isinstance(value, dict):
        return {name: _clean(str(name), item) for name, item in value.items()}
    return [_clean(key, item) for item in value] if isinstance(value, list) else value


def _declaration(name: str, declared: Json) -> Json:
    """Return an input's declaration without a credential as its default, and with a type if a trace hid it."""
    if not isinstance(declared, dict):
        return declared
    hidden = str(declared.get("type", "")).startswith(_HIDDEN)
    found = {**declared, "type": "string"} if hidden else dict(declared)
    if "default" in found and _is_secret(name, found["default"]):
        del found["default"]
    return {
        key: "" if key == "description" and str(value).startswith(_HIDDEN) else value for key, value in found.items()
    }


def _is_secret(name: str, value: Json) -> bool:
    """Return whether an input is a credential: by its name or by its shape."""
    return bool(sanitise_under(name, "x" * 20) != "x" * 20) or (isinstance(value, str) and sanitise(value) != value)
