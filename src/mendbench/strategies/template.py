"""A strategy is one template file: front matter, and one Jinja block for each section that it declares."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import Path

from jinja2 import nodes

from mendbench.errors import BadInput, UnknownName
from mendbench.io.canonical_json import digest
from mendbench.model.execution import NodeRecord
from mendbench.model.failure import Failure
from mendbench.model.json import Json
from mendbench.model.prompt import Context, View
from mendbench.strategies import diagnosis, run_data
from mendbench.strategies.blocks import checked_blocks, render_blocks, too_deep, undeclared
from mendbench.strategies.cutting import fit
from mendbench.strategies.diagnosis import diagnose
from mendbench.strategies.frame import DEFAULT_FRAME, FrameTemplate, frame
from mendbench.strategies.front_matter import FrontMatter, read_front_matter
from mendbench.strategies.interface import (
    IN_FRAME,
    SUFFIX,
    WITH,
    WITHIN,
    WITHOUT,
    SectionSpec,
    StrategyInfo,
    strategy_name,
)
from mendbench.strategies.placebo import choose, shipped_entries

TEMPLATES = Path(__file__).parent / "templates"
"""The folder of the strategies that come with mendbench."""

ADDITIONS = Path(__file__).parent / "additions"
"""The folder of the additions, which can be added to any strategy. An addition is a template file, too."""

_FAILURE_FIELDS = tuple(field.name for field in dataclasses.fields(Failure))
_VIEW_FIELDS = (*(field.name for field in dataclasses.fields(View)), "failures")
VARIABLES = frozenset({*_VIEW_FIELDS, *_FAILURE_FIELDS, "before", "placebo", "diagnosis", "sections"})
"""The variables of a template: the fields of the view; those of its first failure, null if there is none; ``sections``, the names of the
rendered sections; ``before``, the last node that succeeded before the failed one; ``diagnosis``, see
:mod:`mendbench.strategies.diagnosis`; and ``placebo``, a text about another workflow's failure, about as long as ``full-context``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateStrategy:
    """A strategy read from a template file. Plain data, which can be sent to another process."""

    name: str
    title: str
    source: str
    path: Path
    sections: tuple[SectionSpec, ...]
    body: str
    additions: tuple[TemplateStrategy, ...] = ()
    """What is added: the sections of these templates follow its own."""
    limit: int | None = None
    """The most tokens of its context; None for all that fit into the model's window."""
    frame: FrameTemplate = field(default_factory=frame)
    """The frame of its prompts."""

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
        added: list[Json] = [[one.name, one.digest] for one in self.additions]
        if self.limit is not None:
            added.append(self.limit)
        if self.frame.name != DEFAULT_FRAME:
            added.append([self.frame.name, self.frame.digest])
        return digest([*own, *(_diagnosis_code() if "diagnosis" in undeclared(self.body) else ()), *added])

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

    def with_additions(self, additions: Iterable[TemplateStrategy]) -> TemplateStrategy:
        """Return the strategy with the sections of additions after its own, named ``NAME+ADDITION``."""
        added = tuple(additions)
        name = self.name + "".join(f"{WITH}{one.name}" for one in added)
        return dataclasses.replace(self, name=name, additions=added)

    def within(self, limit: int) -> TemplateStrategy:
        """Return the strategy with at most so many tokens of context, named ``NAME^LIMIT``."""
        return dataclasses.replace(self, name=f"{self.name}{WITHIN}{limit}", limit=limit)

    def framed(self, other: FrameTemplate) -> TemplateStrategy:
        """Return the strategy in another frame, named ``NAME@FRAME``; in the default frame, itself."""
        if other == self.frame:
            return self
        return dataclasses.replace(self, name=f"{self.name}{IN_FRAME}{other.name}", frame=other)

    def render(self, view: View, budget: int) -> Context:
        """Return the context block, cut to ``budget`` tokens. It is deterministic for a view.

        Raises:
            BadInput: the template fails on this view (a missing attribute, an operation on a null), or exceeds the limits
                (:mod:`mendbench.strategies.bounds`).
        """
        budget = budget if self.limit is None else min(budget, self.limit)
        own = (self, *self.additions)
        texts = [text for one in own for text in one.texts(view, budget)]
        return fit(self.name, [spec for one in own for spec in one.sections], texts, budget)

    def texts(self, view: View, budget: int) -> list[str]:
        """Return the texts of its own sections, without those of additions, before they are cut."""
        values = variables(view)
        values["sections"] = [spec.name for spec in self.sections]
        if "diagnosis" in undeclared(self.body):
            values["diagnosis"] = diagnose(view)
        if "placebo" in undeclared(self.body):
            full = load(TEMPLATES / f"full-context{SUFFIX}").render(view, budget)
            values["placebo"] = choose(shipped_entries(), view, full.tokens)
        return render_blocks(self.path, self.body, [spec.name for spec in self.sections], values)


def load(path: Path) -> TemplateStrategy:
    """Return the validated strategy of a template file.

    Raises:
        BadInput: the file is not a template of the documented form, uses an unknown variable, its blocks are not the declared sections, or
            its name contains a mark that stands before a section or an addition.
    """
    for mark, meaning in (
        (WITHOUT, "a section that is left out"),
        (WITH, "an addition"),
        (IN_FRAME, "a frame"),
    ):
        if mark in strategy_name(path):
            raise BadInput(str(path), f"{mark!r} in the name, which stands before {meaning}", "rename the file")
    front = read_front_matter(path)
    try:
        return _checked(path, front)
    except RecursionError:
        raise too_deep(path) from None


@lru_cache(maxsize=256)
def _checked(path: Path, front: FrontMatter) -> TemplateStrategy:
    tree = checked_blocks(path, front.body, [spec.name for spec in front.sections], VARIABLES)
    _check_loops(path, tree)
    _check_items(path, tree)
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
    values = {name: getattr(first, name, None) for name in _FAILURE_FIELDS} | {
        n: getattr(view, n) for n in _VIEW_FIELDS
    }
    return {**values, "before": _before(view)}


def _before(view: View) -> NodeRecord | None:
    """Return the last node that succeeded before the first failed one; None if there is none."""
    failed = view.failures[0].node_id if view.failures else None
    records = takewhile(lambda record: record.node_id != failed, view.execution.nodes)
    return next((record for record in reversed(list(records)) if record.state == "success"), None)


@lru_cache(maxsize=1)
def _diagnosis_code() -> tuple[str, ...]:
    """Return the digests of the source files behind ``diagnosis``."""
    files = [Path(str(module.__file__)) for module in (diagnosis, run_data)]
    return tuple(hashlib.sha256(path.read_bytes()).hexdigest() for path in files)


def _check_loops(path: Path, tree: nodes.Template) -> None:
    for loop in tree.find_all(nodes.For):
        if isinstance(loop.target, nodes.Name) and _root(loop.iter) == "failures":
            for part in loop.find_all(nodes.Getattr):
                if isinstance(part.node, nodes.Name) and part.node.name == loop.target.name:
                    _check_attribute(path, part)


def _check_items(path: Path, tree: nodes.Template) -> None:
    for part in tree.find_all(nodes.Getattr):
        item = part.node
        if isinstance(item, nodes.Getitem) and isinstance(item.arg, nodes.Const) and _root(item.node) == "failures":
            _check_attribute(path, part)


def _check_attribute(path: Path, part: nodes.Getattr) -> None:
    if part.attr not in _FAILURE_FIELDS:
        raise UnknownName("field of a failure", part.attr, _FAILURE_FIELDS, f"{path}:{part.lineno}")


def _root(part: nodes.Node | None) -> str | None:
    """Return the variable whose items an expression such as ``failures[:3]`` returns unchanged, or None."""
    while isinstance(part, nodes.Getitem) and isinstance(part.arg, nodes.Slice):
        part = part.node
    return part.name if isinstance(part, nodes.Name) else None
