"""Validates a workflow before it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice

from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Node
from mendbench.runtime.graph import unreachable
from mendbench.runtime.outline import BATCH_INDEX, NodeSpec, Outline, listed, outline_of, spec_of
from mendbench.runtime.parse import MAX_PROBLEMS, WorkflowProblem, list_in, object_in, parse_workflow
from mendbench.runtime.suggest import Guesses
from mendbench.runtime.template_checks import how_to_write, malformed_templates, misused_templates, with_key, with_root
from mendbench.runtime.templates import Template, malformed, pointer, templates_in


def validate(
    document: JsonObject, inputs: JsonObject, node_types: Mapping[str, NodeSpec]
) -> tuple[WorkflowProblem, ...]:
    """Return all problems of ``document`` when it runs with ``inputs``; only severity ``error`` stops a run.

    Checks in turn structure, order of nodes, templates, inputs, node types and parameters, outputs. If the structure is
    invalid, the readable rest is still checked. At most the first :data:`~.parse.MAX_PROBLEMS` are returned. Never raises for any
    JSON.
    """
    _, structure = parse_workflow(document)
    outline = outline_of(document, inputs, node_types)
    found = chain(
        structure,
        _unsupported(document),
        _flow(outline, whole=not structure),
        _batches(outline),
        malformed_templates(outline),
        misused_templates(outline),
        _inputs(outline, document, inputs),
        _types(outline, whole=not structure),
        _outputs(outline, document),
    )
    return tuple(islice(found, MAX_PROBLEMS))


def errors_of(problems: Iterable[WorkflowProblem]) -> tuple[WorkflowProblem, ...]:
    """Return the problems that prevent a workflow from running."""
    return tuple(problem for problem in problems if problem.severity == "error")


def _unsupported(document: Json) -> Iterator[WorkflowProblem]:
    """Yield the features that the format allows and this engine does not support: it would otherwise ignore them silently."""
    if not isinstance(document, dict):
        return
    if document.get("enable_namespacing") is False:
        yield WorkflowProblem(
            message="Outputs are always namespaced: 'enable_namespacing' cannot be false", where="/enable_namespacing"
        )
    if document.get("template_resolution_mode") == "permissive":
        message = "Templates are always strict: 'template_resolution_mode' cannot be 'permissive'"
        yield WorkflowProblem(message=message, where="/template_resolution_mode", suggestion="strict")
    if document.get("mappings"):
        yield WorkflowProblem(
            message="'mappings' are not supported: name the data in a template instead", where="/mappings"
        )
    for node in list_in(document, "nodes"):
        if object_in(node, "batch").get("parallel") is True and isinstance(node.get("id"), str):
            yield WorkflowProblem(
                message=f"Node '{node['id']}' asks for a parallel batch: its items run one after the other",
                node_id=node["id"],
                where=pointer("nodes", node["id"], "batch", "parallel"),
                severity="note",
            )


def _batches(outline: Outline) -> Iterator[WorkflowProblem]:
    """Yield the batches whose item name is already in use."""
    for node in outline.workflow.nodes:
        if node.batch is None:
            continue
        name = node.batch.name
        taken = "a node" if name in outline.nodes else "an input" if name in outline.inputs else None
        if taken is not None or name == BATCH_INDEX:
            yield WorkflowProblem(
                message=f"Node '{node.id}' calls its batch's item '{name}', which is {taken or 'the name of its place'}",
                node_id=node.id,
                hint="Give the item another name with 'as'",
                where=pointer("nodes", node.id, "batch", "as"),
            )


def _flow(outline: Outline, *, whole: bool) -> Iterator[WorkflowProblem]:
    cyclic = outline.order.cyclic
    if cyclic:
        yield WorkflowProblem(
            message=f"Data flow error: Circular dependency detected involving nodes: {', '.join(cyclic)}",
            where="/edges",
            hint="Remove an edge so that no node leads back to itself",
            available=cyclic,
        )
    for node_id in unreachable(outline.workflow) if whole else ():
        message = f"Node '{node_id}' never runs: no edge leads to it from the start"
        yield WorkflowProblem(message=message, node_id=node_id, where=pointer("nodes", node_id), severity="note")


def _inputs(outline: Outline, document: Json, given: JsonObject) -> Iterator[WorkflowProblem]:
    resolved = [document.get("nodes"), document.get("outputs")] if isinstance(document, dict) else []
    used = {template.root for template in templates_in(resolved)}
    for declared in outline.workflow.inputs:
        name, place = declared.name, pointer("inputs", declared.name)
        if name not in used:
            yield WorkflowProblem(message=f"Declared input(s) never used as template variable: {name}", where=place)
        if declared.required and name not in given:
            description = f"{declared.description} (required)" if declared.description else "(required)"
            yield WorkflowProblem(message=f"Required input '${{{name}}}' not provided - {description}", where=place)
        if name in outline.nodes:
            message = f"Input '{name}' has the name of a node: ${{{name}}} then means the node"
            yield WorkflowProblem(message=message, where=place, severity="note")
    names = {declared.name for declared in outline.workflow.inputs}
    for name in sorted(set(given) - names - used):
        message = f"Input '{name}' is given but neither declared nor used"
        yield WorkflowProblem(
            message=message, where="/inputs", severity="note", suggestion=outline.guesses.closest(name, names)
        )


def _types(outline: Outline, *, whole: bool) -> Iterator[WorkflowProblem]:
    for node in outline.workflow.nodes:
        spec = spec_of(outline.types, node.type)
        if spec is not None:
            yield from _params(node, spec, outline.guesses)
        elif node.type or whole:  # a node without any type is already reported as a structure error
            yield WorkflowProblem(
                message=f"Unknown node type: '{node.type}'",
                node_id=node.id,
                where=pointer("nodes", node.id, "type"),
                suggestion=outline.guesses.closest(node.type, outline.types),
                available=tuple(sorted(outline.types)),
            )


def _params(node: Node, spec: NodeSpec, guesses: Guesses) -> Iterator[WorkflowProblem]:
    if spec.params is None:
        return
    named, given = f"Node '{node.id}' ({node.type})", set(node.params)
    wrong_names = islice((name for name in node.params if name not in spec.params), MAX_PROBLEMS)
    unknown = {name: guesses.closest(name, spec.params - given) for name in wrong_names}
    for name in sorted(spec.required - given):
        instead = next((wrong for wrong, meant in unknown.items() if meant == name), None)
        yield WorkflowProblem(
            message=f"{named}: missing required parameter '{name}'",
            node_id=node.id,
            hint=f"Rename parameter '{instead}' to '{name}'" if instead else f"Add parameter '{name}'",
            where=pointer("nodes", node.id, "params"),
            suggestion=name if instead else None,
            param=name,
        )
    for name, meant in unknown.items():
        yield WorkflowProblem(
            message=f"{named}: unknown parameter '{name}'." + (f" Did you mean '{meant}'?" if meant else ""),
            node_id=node.id,
            where=pointer("nodes", node.id, "params", name),
            severity="note",
            suggestion=meant,
            param=name,
            available=tuple(sorted(spec.params)),
        )


def _outputs(outline: Outline, document: Json) -> Iterator[WorkflowProblem]:
    for name, spec in object_in(document, "outputs").items():
        if isinstance(spec, dict) and "source" not in spec:
            message = f"Output '{name}' has no source, so it is never set"
            yield WorkflowProblem(message=message, where=pointer("outputs", name), severity="note")
    for output in outline.workflow.outputs:
        place = pointer("outputs", output.name, "source")
        found = templates_in(output.source)
        for broken in malformed(output.source):
            message = f"Malformed template syntax in output '{output.name}': {broken}"
            yield WorkflowProblem(message=message, where=place, hint=how_to_write(broken), template=broken)
        if not found and "${" not in output.source:
            message = f"Output '{output.name}' has a source without a template, so it is always the same text"
            yield WorkflowProblem(message=message, where=place, severity="note")
        for template in found:
            problem = _source_problem(outline, output.name, template, place)
            if problem is not None:
                yield problem


def _source_problem(outline: Outline, name: str, template: Template, place: str) -> WorkflowProblem | None:
    """Return the problem with the source of the declared output ``name``, or None."""
    root, key = template.root, template.key
    if root in outline.nodes:
        known = outline.outputs_of(root)
        if key is None or known is None or key in known:
            return None
        meant = outline.guesses.closest(key, known)
        message = f"Output '{name}': Node '{root}' (type: {outline.nodes[root].type}) does not output '{key}'"
        available, suggestion = sorted(known), with_key(template, meant) if meant else None
        hint = f"Available outputs: {listed(available)}"
    elif root not in outline.inputs:
        meant = outline.guesses.closest(root, {*outline.nodes, *outline.inputs})
        message = f"Output '{name}' references non-existent node '{root}'"
        available, suggestion = list(outline.nodes), with_root(template, meant) if meant else None
        hint = f"Available nodes: {listed(available)}"
    else:
        return None
    return WorkflowProblem(
        message=message,
        hint=hint,
        where=place,
        suggestion=suggestion,
        template=template.text,
        available=tuple(available),
    )
