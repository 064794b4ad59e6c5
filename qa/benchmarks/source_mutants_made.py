"""Mutants of the source: single edits of one expression each, chosen by a seed, and found again by the text of their line."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

SOURCE = "src/mendbench"
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
"""Operators, and what each becomes."""
OPTIONAL_LAST = {"get", "getattr", "next", "sum", "round", "split", "setdefault", "pop", "replace", "startswith"}
"""Names of functions whose last positional argument may be missing."""
MESSAGES = {"debug", "info", "warning", "exception", "echo", "print"}
"""Names of functions that only show a message."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
Edit = tuple[str, ast.expr, ast.expr]
"""A kind, the expression that is replaced, and the new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One edit of one line."""

    number: int
    kind: str
    file: str
    """Path below the root of the checkout."""
    function: str
    """Qualified name of the function that has the line."""
    line: str
    """Text of the line before the edit, without indentation."""
    nth: int
    """Which of the function's lines with this text, from 0."""
    column: int
    """Where ``before`` starts in the line's text."""
    before: str
    after: str

    @property
    def package(self) -> str:
        """Return the package below ``mendbench``."""
        return Path(self.file).relative_to(SOURCE).parts[0]

    @property
    def probe(self) -> str:
        """Return the expression as it was, which also records that a test evaluates it; where nothing records, it does nothing."""
        return f'(__import__("builtins").__dict__.get("__mutant_reached__", id)({self.number}), ({self.before}))[1]'


class CannotPlant(Exception):
    """The source no longer has the line."""


def planted(root: Path, mutant: Mutant, new: str) -> tuple[Path, str]:
    """Return the file that has a mutant's line, and its text with ``new`` in place of the old expression.

    The line is found in a function of the same name, in the same file or else in another one of its package.

    Raises:
        CannotPlant: there is none.
    """
    path = root / mutant.file
    for file in [path, *sorted((root / SOURCE / mutant.package).rglob("*.py"))]:
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        lines = text.splitlines(keepends=True)
        for name, function in _functions(ast.parse(text)):
            alike = [n for n in range(function.lineno - 1, function.end_lineno or 0) if lines[n].strip() == mutant.line]
            if name == mutant.function and mutant.nth < len(alike):
                at = sum(map(len, lines[: alike[mutant.nth]])) + _indent(lines[alike[mutant.nth]]) + mutant.column
                return file, text[:at] + new + text[at + len(mutant.before) :]
    raise CannotPlant(f"{mutant.file}: {mutant.function} has no line {mutant.line!r}")


def chosen(root: Path, count: int, seed: int) -> list[Mutant]:
    """Return ``count`` mutants: to each package as many as its share of statements, one to a function, all kinds alike."""
    draw = random.Random(seed)  # noqa: S311 - a choice that can be made again
    statements: dict[str, int] = {}
    found: dict[str, list[Mutant]] = {}
    for path in sorted((root / SOURCE).rglob("*.py")):
        text, file = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
        for name, function in _functions(ast.parse(text)):
            mutants = list(_mutants(text.splitlines(), file, name, function))
            if mutants:
                package = mutants[0].package
                found.setdefault(package, []).extend(mutants)
                size = sum(isinstance(node, ast.stmt) for node in ast.walk(function))
                statements[package] = statements.get(package, 0) + size
    picked = [one for package, share in _shares(statements, count) for one in _drawn(draw, root, found[package], share)]
    return [replace(one, number=number) for number, one in enumerate(picked, 1)]


def _shares(sizes: dict[str, int], count: int) -> list[tuple[str, int]]:
    """Return ``count`` split in proportion to sizes, by largest remainder."""
    exact = {name: count * size / sum(sizes.values()) for name, size in sizes.items()}
    left = count - sum(map(int, exact.values()))
    more = sorted(exact, key=lambda name: int(exact[name]) - exact[name])[:left]
    return [(name, int(share) + (name in more)) for name, share in exact.items()]


def _drawn(draw: random.Random, root: Path, found: list[Mutant], count: int) -> list[Mutant]:
    """Return mutants of as many functions, each of a kind that is drawn first."""
    picked: dict[tuple[str, str], Mutant] = {}
    while len(picked) < count:
        kind = draw.choice(sorted({one.kind for one in found}))
        one = draw.choice([one for one in found if one.kind == kind])
        if (one.file, one.function) not in picked and _is_python(root, one):
            picked[one.file, one.function] = one
    return list(picked.values())


def _is_python(root: Path, mutant: Mutant) -> bool:
    try:
        for new in (mutant.after, mutant.probe):
            ast.parse(planted(root, mutant, new)[1])
    except SyntaxError:
        return False
    return True


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Yield functions and methods with their qualified names, but none within another function."""
    pending: list[tuple[str, ast.AST]] = [("", tree)]
    while pending:
        prefix, owner = pending.pop()
        for node in ast.iter_child_nodes(owner):
            if isinstance(node, Function):
                yield prefix + node.name, node
            elif isinstance(node, ast.ClassDef | ast.If | ast.Try):
                pending.append((f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else prefix, node))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _mutants(lines: list[str], file: str, name: str, function: Function) -> Iterator[Mutant]:
    """Yield every mutant of a function that edits one line of ASCII text."""
    if function.name in {"__repr__", "__str__"}:
        return
    for kind, node, new in _edits(function):
        line = lines[node.lineno - 1]
        if node.lineno == node.end_lineno and line.isascii():
            nth = sum(other.strip() == line.strip() for other in lines[function.lineno - 1 : node.lineno - 1])
            after = f"({ast.unparse(new)})" if kind in {"boolean", "comparison", "arithmetic"} else ast.unparse(new)
            yield Mutant(
                number=0, kind=kind, file=file, function=name, line=line.strip(), nth=nth, column=node.col_offset - _indent(line),
                before=line[node.col_offset : node.end_col_offset], after=after,
            )  # fmt: skip


def _edits(function: Function) -> Iterator[Edit]:
    pending: list[ast.AST] = [*function.body]
    while pending:
        node = pending.pop(0)
        match node:
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield "return", value, ast.Constant(None)
            case ast.If(test=test) | ast.IfExp(test=test):
                yield "branch", test, ast.Constant(value=False)
                if not isinstance(test, ast.UnaryOp):
                    yield "boolean", test, ast.UnaryOp(ast.Not(), test)
            case ast.ExceptHandler(type=ast.expr() as caught):
                yield "exception", caught, ast.Name("ZeroDivisionError")
            case ast.Raise(exc=ast.Call(func=raised)):
                yield "exception", raised, ast.Name("ArithmeticError")
            case ast.expr():
                yield from _expression_edits(node)
        pending += _inside(node)


def _expression_edits(node: ast.expr) -> Iterator[Edit]:
    new: ast.expr = copy.deepcopy(node)
    match new:
        case ast.Compare(ops=[op]):
            new.ops = [SWAPPED[type(op)]()]  # type: ignore[list-item]
            yield "comparison", node, new
        case ast.BoolOp(op=op):
            new.op = SWAPPED[type(op)]()  # type: ignore[assignment]
            yield "boolean", node, new
        case ast.UnaryOp(op=ast.Not()):
            yield "boolean", node, new.operand
        case ast.BinOp(op=op) if type(op) in SWAPPED and _may_be_numbers(node):
            new.op = SWAPPED[type(op)]()  # type: ignore[assignment]
            yield "arithmetic", node, new
        case ast.Constant(value=bool() as value):
            yield "constant", node, ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield "constant", node, ast.Constant(value + 1)
        case ast.Constant(value=str() as value) if value and " " not in value:
            yield "constant", node, ast.Constant(value + "x")
        case ast.Call(keywords=[*_, ast.keyword(arg=str())]):
            new.keywords.pop()
            yield "argument", node, new
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[_, _, *_]) if name in OPTIONAL_LAST:
            new.args.pop()
            yield "argument", node, new


def _may_be_numbers(node: ast.expr) -> bool:
    """Return whether operands may be numbers: of texts, sets in braces and paths, another operator is only a TypeError."""
    parts = list(ast.walk(node))
    texts = [one for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if texts or any(isinstance(one, ast.JoinedStr | ast.Set) for one in parts):
        return False
    return not isinstance(getattr(node, "op", None), ast.Div) or any(isinstance(one, ast.Constant) for one in parts)


def _inside(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a node that may change: no messages, annotations, patterns, types of ``isinstance``, docstrings."""
    match node:
        case ast.JoinedStr() | ast.Raise() | ast.Assert() | ast.pattern() | ast.Expr(value=ast.Constant()):
            return []
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in MESSAGES:
            return []
        case ast.Call(func=ast.Name(id="isinstance"), args=[of, *_]):
            return [of]
        case ast.AnnAssign(value=value):
            return [value] if value else []
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body) | ast.ExceptHandler(body=body):
            return [*body]
    return list(ast.iter_child_nodes(node))
