"""A strategy is one template file: front matter, and one Jinja block for each section that it declares."""

from __future__ import annotations

import dataclasses
import hashlib
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from jinja2 import Template, TemplateSyntaxError, meta, nodes

from mendbench.errors import BadInput, UnknownName
from mendbench.io.canonical_json import digest
from mendbench.model.failure import Failure
from mendbench.model.json import Json
from mendbench.model.prompt import Context, View
from mendbench.strategies import diagnosis, run_data
from mendbench.strategies.bounds import metered
from mendbench.strategies.cutting import fit
from mendbench.strategies.diagnosis import diagnose
from mendbench.strategies.environment import GLOBALS, environment
from mendbench.strategies.front_matter import FrontMatter, read_front_matter
from mendbench.strategies.interface import SUFFIX, WITHOUT, SectionSpec, StrategyInfo, strategy_name
from mendbench.strategies.placebo import choose, shipped_entries

TEMPLATES = Path(__file__).parent / "templates"
"""The folder of the strategies that come with mendbench."""

_FAILURE_FIELDS = tuple(field.name for field in dataclasses.fields(Failure))
_VIEW_FIELDS = (*(field.name for field in dataclasses.fields(View)), "failures")
VARIABLES = frozenset({*_VIEW_FIELDS, *_FAILURE_FIELDS, "placebo", "diagnosis", "sections"})
"""The variables of a template: the fields of the view; those of its first failure, null if there is none; ``sections``, the names of the
rendered sections; ``diagnosis``, see :mod:`mendbench.strategies.diagnosis`; and ``placebo``, a text about another workflow's failure, about
as long as ``full-context`` would be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateStrategy:
    """A strategy read from a template file. Plain data, which can be sent to another process."""

    name: str
    title: str
    source: str
    path: Path
    sections: tuple[SectionSpec, ...]
    body: str

    @property
    def info(self) -> StrategyInfo:
        """Return its line of ``strategy list``."""
        return StrategyInfo(strategy=self.name, title=self.title, source=self.source, path=self.path)

    @property
    def digest(self) -> str:
        """Return a digest over everything that determines its output, except the placebo's bank and the filters.

        It includes the code behind ``diagnosis`` if the template uses it, because changes there also change prompts.
        """
        own = [self.body.strip(), [[spec.name, spec.label, spec.keep] for spec in self.sections]]
        return digest([*own, *(_diagnosis_code() if "diagnosis" in _named(self.body) else ())])

    def without(self, names: Iterable[str]) -> TemplateStrategy:
        """Return the strategy without these sections, named ``NAME~SECTION``, with the sections in template order.

        Raises:
            UnknownName: it has no such section.
        """
        left_out, known = set(names), [spec.name for spec in self.sections]
        for name in sorted(left_out - set(known)):
            raise UnknownName("section", name, known, f"strategy {self.name}")
        marks = "".join(f"{WITHOUT}{name}" for name in known if name in left_out)
        kept = tuple(spec for spec in self.sections if spec.name not in left_out)
        return dataclasses.replace(self, name=f"{self.name}{marks}", sections=kept)

    def render(self, view: View, budget: int) -> Context:
        """Return the context block, cut to ``budget`` tokens. It is deterministic for a view.

        Raises:
            BadInput: the template fails on this view (a missing attribute, an operation on a null), or exceeds the limits
                (:mod:`mendbench.strategies.bounds`).
        """
        template = _compiled(self.path, self.body)
        values = variables(view)
        values["sections"] = [spec.name for spec in self.sections]
        if "diagnosis" in _named(self.body):
            values["diagnosis"] = diagnose(view)
        if "placebo" in _named(self.body):
            full = load(TEMPLATES / f"full-context{SUFFIX}").render(view, budget)
            values["placebo"] = choose(shipped_entries(), view, full.tokens)
        context = template.new_context(values)
        with metered():
            texts = [_rendered(self.path, partial(template.blocks[spec.name], context)) for spec in self.sections]
        return fit(self.name, self.sections, texts, budget)


def load(path: Path) -> TemplateStrategy:
    """Return the validated strategy of a template file.

    Raises:
        BadInput: the file is not a template of the documented form, uses an unknown variable, its blocks are not the declared sections, or
            its name looks like that of a strategy without a section.
    """
    if WITHOUT in strategy_name(path):
        raise BadInput(str(path), f"{WITHOUT!r} in the name, which stands before a section left out", "rename the file")
    front = read_front_matter(path)
    try:
        return _checked(path, front)
    except RecursionError:
        raise _too_deep(path) from None


def _too_deep(path: Path) -> BadInput:
    return BadInput(
        str(path), "a template that nests too deep", "write it as several sections, with fewer brackets and operators"
    )


@lru_cache(maxsize=256)
def _checked(path: Path, front: FrontMatter) -> TemplateStrategy:
    _compiled(path, front.body)
    tree = environment().parse(front.body)
    _check_sections(path, tree, [spec.name for spec in front.sections])
    _check_names(path, tree)
    return TemplateStrategy(
        name=strategy_name(path),
        title=front.title,
        source=front.source,
        path=path,
        sections=front.sections,
        body=front.body,
    )


def variables(view: View) -> dict[str, Json]:
    """Return the variables of every template: the fields of the view, and those of its first failure."""
    first = view.failures[0] if view.failures else None
    return {name: getattr(first, name, None) for name in _FAILURE_FIELDS} | {n: getattr(view, n) for n in _VIEW_FIELDS}


@lru_cache(maxsize=1)
def _diagnosis_code() -> tuple[str, ...]:
    """Return the digests of the source files behind ``diagnosis``."""
    files = [Path(str(module.__file__)) for module in (diagnosis, run_data)]
    return tuple(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)


@lru_cache(maxsize=256)
def _named(body: str) -> frozenset[str]:
    return frozenset(meta.find_undeclared_variables(environment().parse(body)))


@lru_cache(maxsize=256)
def _compiled(path: Path, body: str) -> Template:
    made = environment()
    try:
        code = made.compile(body, name=path.name, filename=str(path))
    except TemplateSyntaxError as error:
        raise BadInput(f"{path}:{error.lineno}", error.message or "not Jinja", "mend the template") from error
    except RecursionError:
        raise _too_deep(path) from None
    except (
        SyntaxError,
        ValueError,
        ArithmeticError,
        MemoryError,
    ) as error:  # of the code that Jinja generates
        raise BadInput(str(path), f"a template that cannot be compiled ({error})", "write it flatter") from error
    return Template.from_code(made, code, dict(GLOBALS))


def _check_sections(path: Path, tree: nodes.Template, declared: list[str]) -> None:
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


def _check_names(path: Path, tree: nodes.Template) -> None:
    for part in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport)):
        raise BadInput(f"{path}:{part.lineno}", "a template that needs another file", "write it into this one")
    for name in sorted(meta.find_undeclared_variables(tree) - VARIABLES - set(GLOBALS)):
        line = next((n.lineno for n in tree.find_all(nodes.Name) if n.name == name), 1)
        raise BadInput(f"{path}:{line}", f"unknown variable {name!r}", f"use one of {', '.join(sorted(VARIABLES))}")
    for loop in tree.find_all(nodes.For):
        if isinstance(loop.target, nodes.Name) and _root(loop.iter) == "failures":
            _check_attributes(path, loop, loop.target.name)


def _check_attributes(path: Path, loop: nodes.For, variable: str) -> None:
    for part in loop.find_all(nodes.Getattr):
        if isinstance(part.node, nodes.Name) and part.node.name == variable and part.attr not in _FAILURE_FIELDS:
            found = f"a failure has no field {part.attr!r}"
            raise BadInput(f"{path}:{part.lineno}", found, f"use one of {', '.join(_FAILURE_FIELDS)}")


def _root(part: nodes.Node | None) -> str | None:
    """Return the variable whose items an expression such as ``failures[:3]`` returns unchanged, or None."""
    while isinstance(part, nodes.Getitem) and isinstance(part.arg, nodes.Slice):
        part = part.node
    return part.name if isinstance(part, nodes.Name) else None


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
