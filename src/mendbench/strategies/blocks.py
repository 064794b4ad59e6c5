"""Compiles the Jinja text of a template file, and renders its blocks. Errors name the file and the line."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from jinja2 import Template, TemplateSyntaxError, meta, nodes

from mendbench.errors import BadInput, UnknownName
from mendbench.model.json import Json
from mendbench.strategies.bounds import metered
from mendbench.strategies.environment import GLOBALS, environment


def render_blocks(path: Path, body: str, names: Sequence[str], values: Mapping[str, Json]) -> list[str]:
    """Return the text of each named block of a template, without empty lines around it.

    Raises:
        BadInput: the template cannot be compiled, fails on these values, or exceeds the limits.
    """
    template = compiled(path, body)
    context = template.new_context(dict(values))
    with metered():
        return [_rendered(path, partial(template.blocks[name], context)) for name in names]


def checked_blocks(path: Path, body: str, declared: Sequence[str], variables: Collection[str]) -> nodes.Template:
    """Return the syntax tree of a template, after checking that it has exactly the declared blocks, and names only known variables.

    Raises:
        BadInput: it has or does something else, or cannot be compiled.
    """
    compiled(path, body)
    tree = environment().parse(body)
    _check_sections(path, tree, declared)
    _check_names(path, tree, undeclared(body), variables)
    return tree


@lru_cache(maxsize=256)
def undeclared(body: str) -> frozenset[str]:
    """Return the names that a template's text uses and does not set. Cached, because Jinja generates the code again for it."""
    return frozenset(meta.find_undeclared_variables(environment().parse(body)))


@lru_cache(maxsize=256)
def compiled(path: Path, body: str) -> Template:
    """Return the compiled template. It is cached by its text.

    Raises:
        BadInput: it is not a template.
    """
    made = environment()
    try:
        code = made.compile(body, name=path.name, filename=str(path))
    except TemplateSyntaxError as error:
        raise BadInput(
            f"{path}:{error.lineno}", (error.message or "not Jinja").rstrip("."), "mend the template"
        ) from error
    except RecursionError:
        raise too_deep(path) from None
    except (
        SyntaxError,
        ValueError,
        ArithmeticError,
        MemoryError,
    ) as error:  # of the code that Jinja generates
        raise BadInput(str(path), f"a template that cannot be compiled ({error})", "write it flatter") from error
    return Template.from_code(made, code, dict(GLOBALS))


def _check_sections(path: Path, tree: nodes.Template, declared: Sequence[str]) -> None:
    for part in tree.body:
        for piece in part.nodes if isinstance(part, nodes.Output) else [part]:
            text = piece.data if isinstance(piece, nodes.TemplateData) else "-"
            if text.strip() and not isinstance(piece, nodes.Block):
                line = piece.lineno + text[: -len(text.lstrip())].count("\n")
                raise BadInput(f"{path}:{line}", "something outside all sections", "put it inside a {% block %}")
    blocks = list(tree.find_all(nodes.Block))
    for block in blocks:
        if block not in tree.body:
            raise BadInput(
                f"{path}:{block.lineno}", f"block {block.name!r} inside a block", "sections stand side by side"
            )
        if block.name not in declared:
            raise BadInput(
                f"{path}:{block.lineno}", f"block {block.name!r} is no declared section", "declare it in sections"
            )
    for name in declared:
        if name not in {block.name for block in blocks}:
            raise BadInput(
                f"{path}: sections", f"{name!r} has no block", f"write {{% block {name} %}}…{{% endblock %}}"
            )


def _check_names(path: Path, tree: nodes.Template, names: frozenset[str], variables: Collection[str]) -> None:
    for part in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport)):
        raise BadInput(f"{path}:{part.lineno}", "a template that needs another file", "write it into this one")
    for name in sorted(names - {*variables} - set(GLOBALS)):
        line = next((n.lineno for n in tree.find_all(nodes.Name) if n.name == name), 1)
        raise UnknownName("variable", name, variables, f"{path}:{line}")


def too_deep(path: Path) -> BadInput:
    """Return the error of a template that nests too deep."""
    return BadInput(
        str(path), "a template that nests too deep", "write it as several sections, with fewer brackets and operators"
    )


def _rendered(path: Path, block: Callable[[], Iterator[str]]) -> str:
    try:
        return _with_template_lines(block).strip("\n")
    except MemoryError:  # the limits stop a template long before this: its author cannot fix it
        raise
    except Exception as error:  # a template is the user's own code, and its operators can raise anything
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        place = f"{path}:{lines[-1]}" if lines else str(path)
        if isinstance(error, RecursionError):
            raise BadInput(place, "it calls itself, or nests what it makes, too deep", "write it flatter") from error
        raise BadInput(place, f"{type(error).__name__}: {error}", "mend the template for this failure") from error


def _with_template_lines(block: Callable[[], Iterator[str]]) -> str:
    try:
        return environment().concat(block())
    except Exception:  # noqa: BLE001 (raised again at once, with the template's line numbers)
        environment().handle_exception()
