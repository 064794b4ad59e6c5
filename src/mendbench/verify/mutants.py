"""Mutants: workflows that look like repairs but are wrong. A case whose checks let one pass has a weak oracle.

If there is a reference fix, they are derived from it; if no edit is right, from what a hasty repair would do.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.corpus.declared_services import state_of
from mendbench.exchanges.urls import host_of
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case
from mendbench.model.json import Json, JsonObject
from mendbench.repair.edits import apply_edits
from mendbench.repair.paths import EditError
from mendbench.runtime.templates import Template, lookup, templates_in
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.services import hosts_of
from mendbench.values.json_patch import apply_patch, nodes_of

MutantKind: TypeAlias = Literal[
    "drop_node", "swallow_error", "constant", "other_field", "drop_param", "part_of_fix", "extra_write", "extra_key"
]

EXTRA_KEYS: tuple[tuple[str, str, tuple[tuple[str, Json], ...]], ...] = (
    ("slack", r"/chat\.(postMessage|update)$", (
        ("blocks", [{"type": "section", "text": {"type": "mrkdwn", "text": "Nobody asked for this."}}]),
        ("attachments", [{"text": "Nobody asked for this."}]),
    )),
    ("slack", r"/conversations\.create$", (("is_private", True),)),
    ("github", r"/issues(/[0-9]+)?$", (("labels", ["unasked"]), ("body", "Nobody asked for this."))),
    ("github", r"/pulls$", (("draft", True), ("body", "Nobody asked for this."))),
    ("github", r"^[^?]*/repos/[^/]+/[^/]+/labels$", (("description", "Nobody asked for this."),)),
    ("json_api", "", (("remark", "Nobody asked for this."),)),
)  # fmt: skip
"""By service and URL path suffix: extra keys that a write may have and that the service stores.

A key that the service ignores would change no effect, so the workflow would not be wrong.
"""

MAX_OTHER_FIELDS = 4
"""Sibling fields tried for each template: more would add no information."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A workflow that must not be judged right."""

    kind: MutantKind
    what: str
    workflow: JsonObject


def mutants_of(
    case: Case, fixed: JsonObject | None, data: Mapping[str, Json], readers: Collection[str] = ()
) -> tuple[Mutant, ...]:
    """Return the mutants of a case, each different from the others, from the broken workflow and from all right ones.

    ``data`` is the outputs of the fixed workflow's nodes on the case's own data, and its inputs; ``readers`` are the nodes
    that change nothing: repeating their work is not a wrong repair.

    Raises:
        PatchError: an accepted fix does not apply.
    """
    accepted = _accepted(case)
    return tuple(one for one in _unique(case, fixed, data, readers) if canonical_json(one.workflow) not in accepted)


def accepted_mutants(
    case: Case, fixed: JsonObject | None, data: Mapping[str, Json], readers: Collection[str] = ()
) -> tuple[Mutant, ...]:
    """Return the fixes that would be mutants if the case did not accept them by name.

    Raises:
        PatchError: an accepted fix does not apply.
    """
    accepted = _accepted(case)
    return tuple(one for one in _unique(case, fixed, data, readers) if canonical_json(one.workflow) in accepted)


def _accepted(case: Case) -> frozenset[str]:
    return frozenset(canonical_json(apply_patch(case.workflow, fix.patch)) for fix in case.accepts)


def _unique(case: Case, fixed: JsonObject | None, data: Mapping[str, Json], readers: Collection[str]) -> list[Mutant]:
    """Return the mutants without duplicates, and without the broken and the fixed workflow."""
    base = case.workflow if fixed is None else fixed
    found = [*_dropped_nodes(case, base), *_swallowed(case, case.workflow)]
    if fixed is not None:
        found += _swallowed(case, fixed)
        found += [*_constants(case, fixed, data), *_other_fields(case, fixed, data), *_parts(case, fixed)]
    found += [*_dropped_params(case, base), *_extra_writes(base, readers), *_extra_keys(case, base)]
    seen = {canonical_json(one) for one in (case.workflow, fixed)}
    unique: list[Mutant] = []
    for mutant in found:
        key = canonical_json(mutant.workflow)
        if key not in seen:
            seen.add(key)
            unique.append(mutant)
    return unique


def _dropped_nodes(case: Case, base: JsonObject) -> Iterator[Mutant]:
    for node in dict.fromkeys(fault.surfaces for fault in case.faults):
        if (workflow := _edited(base, [{"remove_node": node}])) is not None:
            whole = _tidied(workflow, node)
            yield Mutant(kind="drop_node", what=f"without the node {node}", workflow=whole)


def _tidied(workflow: JsonObject, gone: str) -> JsonObject:
    """Return the workflow without the outputs of the removed node, and without the inputs that only it used."""
    outputs = {
        name: spec
        for name, spec in _object(workflow, "outputs").items()
        if gone not in {template.root for template in templates_in(spec)}
    }
    used = {template.root for template in templates_in([workflow.get("nodes"), outputs])}
    inputs = {name: spec for name, spec in _object(workflow, "inputs").items() if name in used}
    parts = {"outputs": outputs, "inputs": inputs}
    return {**workflow, **{name: part for name, part in parts.items() if name in workflow}}


def _swallowed(case: Case, base: JsonObject) -> Iterator[Mutant]:
    """Yield ``base`` with an error edge that continues as if nothing had happened.

    In the broken workflow it follows each node that shows a fault; in the fixed one, each node whose fault remains.
    """
    left = [fault for fault in case.faults if base is case.workflow or fault.who != "edit"]
    if not isinstance(base.get("nodes"), list) or not isinstance(base.get("edges", []), list):
        return
    for node in dict.fromkeys(fault.surfaces for fault in left):
        edges = [edge for edge in base.get("edges", []) if isinstance(edge, dict)]
        after = [edge["to"] for edge in edges if edge.get("from") == node and "to" in edge]
        workflow = copy.deepcopy(base)
        if after:
            workflow["edges"].append({"from": node, "to": after[0], "action": "error"})
        else:
            end = {"id": f"after_{node}", "type": "transform", "params": {"data": {}, "expression": "@"}}
            workflow["nodes"].append(end)
            workflow.setdefault("edges", []).append({"from": node, "to": end["id"], "action": "error"})
        yield Mutant(kind="swallow_error", what=f"an error edge behind {node}", workflow=workflow)


def _constants(case: Case, fixed: JsonObject, data: Mapping[str, Json]) -> Iterator[Mutant]:
    for template in _new_templates(case.workflow, fixed):
        known, value = lookup(data, template)
        if known:
            yield Mutant(
                kind="constant",
                what=f"{template.text} as the constant {json.dumps(value, ensure_ascii=False)[:60]}",
                workflow=_substituted(fixed, template.text, value),
            )


def _other_fields(case: Case, fixed: JsonObject, data: Mapping[str, Json]) -> Iterator[Mutant]:
    for template in _new_templates(case.workflow, fixed):
        if not template.path or not isinstance(template.path[-1], str):
            continue
        last = template.path[-1]
        stem = template.text[: template.text.rindex(last)]
        known, parent = lookup(data, Template(text="", root=template.root, path=template.path[:-1]))
        siblings = [key for key in parent if key != last] if known and isinstance(parent, dict) else []
        for key in siblings[:MAX_OTHER_FIELDS]:
            other = f"{stem}{key}}}"
            yield Mutant(
                kind="other_field", what=f"{other} instead of {template.text}",
                workflow=_substituted(fixed, template.text, other),
            )  # fmt: skip


def _parts(case: Case, fixed: JsonObject) -> Iterator[Mutant]:
    """Yield the fixed workflow with one part of the fix reverted."""
    changed = sorted(path for path in diff_paths(case.workflow, fixed) if path.startswith("/nodes/"))
    if len(changed) < 2:  # noqa: PLR2004 - of a single change no part can be put back
        return
    broken = {node["id"]: node for node in _usable(case.workflow)}
    for node in dict.fromkeys(path.split("/")[2] for path in changed):
        workflow = copy.deepcopy(fixed)
        own = next((item for item in _usable(workflow) if item["id"] == node), None)
        if node in broken and own is not None:
            workflow["nodes"] = [broken[node] if item == own else item for item in nodes_of(workflow)]
            yield Mutant(kind="part_of_fix", what=f"the fix without its change of {node}", workflow=workflow)


def _dropped_params(case: Case, base: JsonObject) -> Iterator[Mutant]:
    """Yield ``base`` without one body field or tool argument that is unrelated to the fault."""
    touched = diff_paths(case.workflow, base)
    causes = {node for fault in case.faults for node in (*fault.cause, fault.surfaces)}
    for node in _usable(base):
        name, body = _payload(node)
        if node.get("id") not in causes or len(body) < 2:  # noqa: PLR2004 - one must be left
            continue
        for key in body:
            path = f"/nodes/{node['id']}/params/{name}/{key}"
            if not any(path.startswith(one) or one.startswith(path) for one in touched):
                edit = {"node": node["id"], "path": path.removeprefix(f"/nodes/{node['id']}"), "remove": True}
                if (workflow := _edited(base, [edit])) is not None:
                    yield Mutant(kind="drop_param", what=f"without {node['id']}'s {name}.{key}", workflow=workflow)


def _extra_writes(base: JsonObject, readers: Collection[str]) -> Iterator[Mutant]:
    """Yield ``base`` with one of its writes repeated, and with an additional unwanted write."""
    for node in _usable(base):
        name, sent = _payload(node)
        if not sent or node["id"] in readers:
            continue
        for what, body in (("again", sent), ("with other words", _reworded(sent))):
            extra = {**node, "id": f"{node['id']}_more", "params": {**node["params"], name: body}}
            if (workflow := _edited(base, [{"add_node": extra, "after": node["id"]}])) is not None:
                yield Mutant(kind="extra_write", what=f"{node['id']}'s write done {what}", workflow=workflow)


def _extra_keys(case: Case, base: JsonObject) -> Iterator[Mutant]:
    """Yield ``base`` with one more key in the body of one of its writes."""
    hosts = _hosts(case)
    for node in _usable(base):
        params = _object(node, "params")
        body, url = params.get("body"), params.get("url")
        if node.get("type") != "http" or not isinstance(body, dict) or not isinstance(url, str):
            continue
        service, path = hosts.get(host_of(url)), url.partition("?")[0]
        kept = (keys for name, end, keys in EXTRA_KEYS if name == service and re.search(end, path))
        key, value = next(((key, value) for key, value in next(kept, ()) if key not in body), ("", None))
        edit = {"node": node["id"], "path": f"/params/body/{key}", "value": value}
        if key and (workflow := _edited(base, [edit])) is not None:
            yield Mutant(kind="extra_key", what=f"{node['id']}'s body with {key} beside the rest", workflow=workflow)


def _hosts(case: Case) -> dict[str, str]:
    """Return the simulated service for each host."""
    names = [name for name, source in case.recorded_from.items() if source == "simulator"]
    return {host: name for name in names for host in hosts_of(name, state_of(case, None, name))}


def _usable(workflow: JsonObject) -> list[JsonObject]:
    """Return the nodes with an id; the workflow may have any form."""
    return [node for node in nodes_of(workflow) if isinstance(node, dict) and isinstance(node.get("id"), str)]


def _object(holder: JsonObject, name: str) -> JsonObject:
    found = holder.get(name)
    return found if isinstance(found, dict) else {}


def _payload(node: JsonObject) -> tuple[str, JsonObject]:
    """Return the parameter in which a node of a known type sends data, and its value; empty if that is not an object."""
    name = {"http": "body", "mcp": "arguments"}.get(str(node.get("type")), "")
    sent = _object(node, "params").get(name)
    return name, sent if isinstance(sent, dict) else {}


def _reworded(body: JsonObject) -> JsonObject:
    """Return a body with its longest text changed: the right request about the wrong thing."""
    texts = {key: value for key, value in body.items() if isinstance(value, str)}
    if not texts:
        return body
    longest = max(texts, key=lambda key: (len(texts[key]), key))
    return {**body, longest: "something else"}


def _new_templates(broken: JsonObject, fixed: JsonObject) -> tuple[Template, ...]:
    before = {template.text for template in templates_in(broken)}
    return tuple(template for template in templates_in(fixed) if template.text not in before)


def _substituted(value: Json, old: str, new: Json) -> Json:
    """Return ``value`` with ``old`` replaced: by ``new`` itself if it is a whole text, by the text of ``new`` inside a longer one."""
    if isinstance(value, str):
        if value == old:
            return new
        return value.replace(old, new if isinstance(new, str) else json.dumps(new, ensure_ascii=False))
    if isinstance(value, dict):
        return {key: _substituted(item, old, new) for key, item in value.items()}
    return [_substituted(item, old, new) for item in value] if isinstance(value, list) else value


def _edited(document: JsonObject, edits: list[JsonObject]) -> JsonObject | None:
    try:
        return apply_edits(document, edits)
    except EditError:
        return None
