"""Checks the templates in a workflow's parameters before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mendbench.model.workflow import Node
from mendbench.runtime.outline import Outline, listed, own_names
from mendbench.runtime.parse import WorkflowProblem
from mendbench.runtime.templates import Place, Template, dotted, malformed, pointer, templates_in, texts_in


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """One template in one parameter of one node, or in its batch list."""

    node: Node
    place: Place
    """The place inside the node."""
    template: Template

    @property
    def param(self) -> str:
        """The parameter, as a dotted path."""
        return _param(self.place)

    def problem(self, message: str, *, suggestion: str | None = None, available: Iterable[str] = ()) -> WorkflowProblem:
        """Return a problem with this template."""
        names = tuple(available)
        return WorkflowProblem(
            message=message,
            node_id=self.node.id,
            hint=f"Available outputs: {listed(names)}" if names else None,
            where=pointer("nodes", self.node.id, *self.place),
            suggestion=suggestion,
            param=self.param,
            template=self.template.text,
            available=names,
        )


def malformed_templates(outline: Outline) -> Iterator[WorkflowProblem]:
    """Yield a problem for each parameter with a malformed template."""
    for node in outline.workflow.nodes:
        for place, text in _texts(node):
            broken = malformed(text)
            if broken:
                param = _param(place)
                begun = text.count("${") - sum(len(template.inner) for template in templates_in(text))
                message = (
                    f"Malformed template syntax in node '{node.id}' parameter '{param}': "
                    f"Found {begun} '${{' but only {begun - len(broken)} valid template(s)"
                )
                yield WorkflowProblem(
                    message=message,
                    node_id=node.id,
                    hint=how_to_write(broken[0]),
                    where=pointer("nodes", node.id, *place),
                    param=param,
                    template=broken[0],
                )


def how_to_write(broken: str) -> str:
    """Return the hint for a malformed template."""
    if broken.startswith("$$"):
        return f"{broken!r} is no escape, there is none: write the text without braces"
    if not broken.endswith("}"):
        return f"Close {broken!r} with '}}'"
    if not broken.strip("${} \t"):
        return f"Name what {broken!r} stands for"
    return f"{broken!r} is no template: write ${{name.key[0].key}}, without spaces, filters or defaults and with one index a key"


def misused_templates(outline: Outline) -> Iterator[WorkflowProblem]:
    """Yield a problem for each template with an unknown root or output, or with a node that has not run by then."""
    for node in outline.workflow.nodes:
        for place, text in _texts(node):
            for template in templates_in(text):
                problem = _use_problem(outline, _Use(node=node, place=place, template=template))
                if problem is not None:
                    yield problem


def _use_problem(outline: Outline, use: _Use) -> WorkflowProblem | None:
    root = use.template.root
    if use.place[0] == "params" and root in own_names(use.node):
        return None
    if root in outline.nodes:
        return _order_problem(outline, use) or _key_problem(outline, use)
    return None if root in outline.inputs else _unknown_root(outline, use)


def _order_problem(outline: Outline, use: _Use) -> WorkflowProblem | None:
    mine, theirs = use.node.id, use.template.root
    if mine == theirs:
        return use.problem(f"Node '{mine}' references its own output '{use.template.text}' in parameter '{use.param}'")
    here, there = outline.order.positions.get(mine), outline.order.positions.get(theirs)
    if here is None or there is None or there < here:
        return None
    return use.problem(
        f"Node '{mine}' references '{theirs}' which comes after it in execution order (position {there} >= {here})"
    )


def _key_problem(outline: Outline, use: _Use) -> WorkflowProblem | None:
    template, outputs = use.template, outline.outputs_of(use.template.root)
    if template.key is None:
        message = (
            f"Invalid template {template.text} - this is a node ID. "
            f"To reference node outputs, use ${{{template.root}}}.output_key format"
        )
        return use.problem(message, available=sorted(outputs or ()))
    if outputs is None or template.key in outputs:
        return None
    message = f"Node '{template.root}' (type: {outline.nodes[template.root].type}) does not output '{template.key}'"
    meant = outline.guesses.closest(template.key, outputs)
    return use.problem(message, suggestion=with_key(template, meant) if meant else None, available=sorted(outputs))


def _unknown_root(outline: Outline, use: _Use) -> WorkflowProblem:
    template, root = use.template, use.template.root
    if template.key is not None:
        message = f"Node '{use.node.id}' references non-existent node '{root}' in parameter '{use.param}'"
        meant = outline.guesses.closest(root, {*outline.nodes, *outline.inputs} - {use.node.id})
        return use.problem(message, suggestion=with_root(template, meant) if meant else None)
    message = f"Node '{use.node.id}' references undefined input '{template.text}' in parameter '{use.param}'"
    meant = outline.guesses.closest(root, outline.inputs)
    suggestion = with_root(template, meant) if meant else None
    if meant is not None and meant.casefold() == root.casefold():
        message += f" - did you mean '{suggestion}'?"
    return use.problem(message, suggestion=suggestion)


def _texts(node: Node) -> Iterator[tuple[Place, str]]:
    """Yield the texts of a node in which templates are resolved, with the place of each."""
    yield from ((("params", *place), text) for place, text in texts_in(node.params))
    if node.batch is not None:
        yield from ((("batch", "items", *place), text) for place, text in texts_in(node.batch.items))


def _param(place: Place) -> str:
    """Return a place inside a node in message form: parameters without ``params``."""
    return dotted(place[1:] if place[0] == "params" else place)


def with_root(template: Template, root: str) -> str:
    """Return the template's text with another root."""
    return "${" + root + template.text[2 + len(template.root) :]


def with_key(template: Template, key: str) -> str:
    """Return the template's text with another first key."""
    at = template.text.index(".") + 1
    return template.text[:at] + key + template.text[at + len(template.key or "") :]
