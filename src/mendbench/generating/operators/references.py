"""Operators on templates: a reference to data that is not where the workflow looks for it."""

from __future__ import annotations

from collections.abc import Iterator

from mendbench.generating.breaks import Break, value_at, with_value
from mendbench.generating.seed import Seed
from mendbench.generating.spellings import misspellings
from mendbench.model.failure import Category
from mendbench.model.json import Json
from mendbench.runtime.templates import Place, Template, lookup, templates_in

_CATEGORIES: dict[str, Category] = {
    "misspelt-node": "static_validation", "name-for-id": "api_validation", "object-for-field": "api_validation",
}  # fmt: skip
"""What a wrong reference leads to, if not to a template without a value."""

_TEMPLATE_SOURCE = "references to a field under another name than the response has"


def misspelt_field(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which the last key of a reference has another spelling."""
    for node, place, template in _references(seed):
        siblings = _parent(seed, template)
        last = template.path[-1] if len(template.path) > 1 else None
        if isinstance(last, str) and isinstance(siblings, dict):
            wrong = next((one for one in misspellings(last) if one not in siblings), None)
            if wrong is not None:
                yield _broken(
                    seed, "misspelt-field", node, place, template, _with_path(template, (*template.path[:-1], wrong)),
                    f"{node} reads the field {wrong}, and its name is {last}",
                )  # fmt: skip


def misspelt_node(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a reference misspells the node that it names."""
    names = {node["id"] for _, node in seed.nodes()}
    for node, place, template in _references(seed):
        if template.root in names:
            wrong = next((one for one in misspellings(template.root) if one not in seed.data), None)
            if wrong is not None:
                text = f"${{{wrong}{template.text[2 + len(template.root) :]}"
                what = f"{node} refers to the node {wrong}, and its id is {template.root}"
                yield _broken(seed, "misspelt-node", node, place, template, text, what)


def wrong_nesting(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a reference leaves out one step of its path, with the index of that step."""
    for node, place, template in _references(seed):
        path = template.path
        for at in range(1, len(path) - 1):
            after = at + 2 if isinstance(path[at + 1], int) else at + 1
            shorter = (*path[:at], *path[after:])
            if isinstance(path[at], str) and after < len(path) and not _exists(seed, template, shorter):
                what = f"{node} looks for {path[-1]} one level too high"
                yield _broken(seed, "wrong-nesting", node, place, template, _with_path(template, shorter), what)
                break


def wrong_index(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a reference counts from one, and the list has a single item; or treats a list as one object."""
    for node, place, template in _references(seed):
        for at, step in enumerate(template.path):
            if isinstance(step, int):
                later = (*template.path[:at], step + 1, *template.path[at + 1 :])
                flat = (*template.path[:at], *template.path[at + 1 :])
                wrong = later if not _exists(seed, template, later) else flat
                what = "counts list items from one" if wrong is later else "treats a list as one object"
                if not _exists(seed, template, wrong):
                    yield _broken(
                        seed, "wrong-index", node, place, template, _with_path(template, wrong), f"{node} {what}"
                    )


def name_for_id(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a reference takes a record's name where its id belongs, or the reverse."""
    for node, place, template in _references(seed):
        siblings = _parent(seed, template)
        last = template.path[-1] if template.path else None
        if not isinstance(siblings, dict) or not isinstance(last, str):
            continue
        is_id = last == "id" or last.endswith(("_id", "Id", "_ref", "_key"))
        others = ("name", "title", "label", "login", "email") if is_id else ("id",)
        named = last in {"name", "title", "label", "login", "email"}
        for other in others if is_id or named else ():
            if isinstance(siblings.get(other), str | int) and other != last:
                text = _with_path(template, (*template.path[:-1], other))
                what = f"{node} takes the {other} of the record instead of its {last}"
                yield _broken(seed, "name-for-id", node, place, template, text, what)
                break


def object_for_field(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a whole value is the record instead of one of its fields."""
    for node, place, template in _references(seed):
        if len(template.path) > 1 and _whole(seed, place, template) and isinstance(_parent(seed, template), dict):
            text = _with_path(template, template.path[:-1])
            what = f"{node} sends the whole record instead of its {template.path[-1]}"
            yield _broken(seed, "object-for-field", node, place, template, text, what)


def _references(seed: Seed) -> Iterator[tuple[str, Place, Template]]:
    """Yield each reference to a node's output: the node that reads, the place of the text, the template."""
    names = {node["id"] for _, node in seed.nodes()}
    for node, place, text in seed.texts():
        for template in templates_in(text):
            if template.root in names and not template.inner:
                yield node, place, template


def _broken(seed: Seed, operator: str, node: str, place: Place, template: Template, text: str, what: str) -> Break:
    old = str(value_at(seed.workflow, place))
    workflow = with_value(seed.workflow, place, old.replace(template.text, text, 1))
    return Break(
        operator=operator, what=what, node=node, workflow=workflow, cause=(node,),
        facts=(template.text[2:-1],), source=_TEMPLATE_SOURCE, category=_CATEGORIES.get(operator, "template_error"),
    )  # fmt: skip


def _whole(seed: Seed, place: Place, template: Template) -> bool:
    return bool(value_at(seed.workflow, place) == template.text)


def _with_path(template: Template, path: tuple[str | int, ...]) -> str:
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return f"${{{template.root}{steps}}}"


def _exists(seed: Seed, template: Template, path: tuple[str | int, ...]) -> bool:
    return lookup(seed.data, Template(text="", root=template.root, path=path))[0]


def _parent(seed: Seed, template: Template) -> Json:
    known, value = lookup(seed.data, Template(text="", root=template.root, path=template.path[:-1]))
    return value if known else None
