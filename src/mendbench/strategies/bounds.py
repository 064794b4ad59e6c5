"""Limits on rendering a template: steps and characters, which are counted, so that the result is the same on every machine.

Jinja's sandbox isolates a template from Python, but does not limit loops or the size of values. Here every item of a loop, every call and
every filter is a step, and every intermediate value counts with its size.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from mendbench.values.sizes import PER_VALUE, size_of

MAX_STEPS = 300_000
"""The maximum number of loop items, calls and filters in one rendering."""

MAX_MADE = 10_000_000
"""The maximum total size of all values in one rendering, in characters, with 8 for each value that is not text. Counting to it takes half a
second. Prompts of the shipped cases need at most 17,308."""

MAX_BITS = 4096
"""The maximum size of a product or a power, in bits."""

MAX_WIDTH = 100
"""The maximum indentation, or number of digits for rounding."""

GONE = ("random", "center", "format", "batch", "slice", "wordwrap", "pprint", "urlize", "xmlattr")
"""Jinja filters that templates do not have: one is random, the others return output of arbitrary size, or markup."""

_GROWING = frozenset(
    {"format", "format_map", "ljust", "rjust", "center", "zfill", "expandtabs", "translate", "encode", "to_bytes"}
)
"""Methods of texts and numbers whose result has an arbitrary size, or is not text."""


class _Meter:
    __slots__ = ("made", "steps")

    def __init__(self) -> None:
        self.steps = self.made = 0

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > MAX_STEPS:
            raise SecurityError(f"it takes more than {MAX_STEPS:,} steps")

    def make(self, size: int) -> None:
        self.made += size
        if self.made > MAX_MADE:
            raise SecurityError(f"it makes more than {MAX_MADE:,} characters")

    def room(self) -> int:
        return MAX_MADE - self.made


_meter: ContextVar[_Meter | None] = ContextVar("mendbench_rendering", default=None)


@contextmanager
def metered() -> Iterator[None]:
    """Count all rendering in this context against one set of limits."""
    token = _meter.set(_Meter())
    try:
        yield
    finally:
        _meter.reset(token)


def _now() -> _Meter:
    """Return the rendering's meter, or a separate one for a constant that is folded at compile time."""
    return _meter.get() or _Meter()


class _Generator(CodeGenerator):
    """Compiles templates so that the meter counts every new value and every loop."""

    def visit_For(self, node: nodes.For, frame: Frame) -> None:  # noqa: N802
        counted = nodes.Call(nodes.EnvironmentAttribute("counted"), [node.iter], [], None, None, lineno=node.lineno)
        super().visit_For(
            nodes.For(node.target, counted, node.body, node.else_, node.test, node.recursive, lineno=node.lineno), frame
        )

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802
        self._kept(super().visit_Filter, node, frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802, FBT001, FBT002
        self._kept(functools.partial(super().visit_Call, forward_caller=forward_caller), node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802
        self._kept(super().visit_Concat, node, frame)

    def visit_List(self, node: nodes.List, frame: Frame) -> None:  # noqa: N802
        self._kept(super().visit_List, node, frame)

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:  # noqa: N802
        self._kept(super().visit_Dict, node, frame)

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:  # noqa: N802
        if node.ctx == "load":
            self._kept(super().visit_Tuple, node, frame)
        else:
            super().visit_Tuple(node, frame)

    def _kept(self, visit: Callable[[Any, Frame], None], node: nodes.Node, frame: Frame) -> None:
        self.write("environment.kept(")
        visit(node, frame)
        self.write(")")


class BoundedEnvironment(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, with limits."""

    code_generator_class = _Generator
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.filters = {name: _bounded(name, each) for name, each in self.filters.items() if name not in GONE}

    def add_filters(self, filters: dict[str, Callable[..., Any]]) -> None:
        """Add our own filters, which count like all others."""
        self.filters |= {name: _bounded(name, each) for name, each in filters.items()}

    def kept(self, value: Any) -> Any:
        """Count a step and a new value; return the value."""
        meter = _now()
        meter.step()
        meter.make(_size(value, meter.room()))
        return value

    def counted(self, items: Any) -> Any:
        """Count the items of an iteration; return them."""
        if isinstance(items, Sequence | dict | range):
            _now().step(len(items))
            return items
        return _each(items)

    def concat(self, parts: Iterable[str]) -> str:
        """Return the texts of a block, a macro or a part joined."""
        texts = list(parts)
        _now().make(sum(map(len, texts)))
        return "".join(texts)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Return the result of an operator, if it is within the limits."""
        if operator == "%" and isinstance(left, str | bytes):
            raise SecurityError("a text with % is formatted; write it with ~")
        if operator == "**" and isinstance(left, int) and isinstance(right, int):
            _check_bits(left.bit_length() * max(right, 0))
        if operator == "*":
            _check_product(left, right)
        return self.kept(super().call_binop(context, operator, left, right))

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805, PYI063  as the base class has it
        """Call something, unless its result would exceed the limits."""
        owner, name = getattr(__obj, "__self__", None), getattr(__obj, "__name__", "")
        if isinstance(owner, str):
            _now().make(len(owner))
            if name == "join" and args:
                args = (_joinable(owner, args[0]), *args[1:])
            elif name == "replace":
                _check_replace(owner, *args)
        return super().call(__context, __obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> None:
        """Deny templates ``str.format`` in any form: it accepts arbitrary widths."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Return whether a template may access an attribute."""
        if attr in _GROWING and isinstance(obj, str | bytes | bytearray | int | float):
            return False
        return super().is_safe_attribute(obj, attr, value)


def _each(items: Iterable[Any]) -> Iterator[Any]:
    meter = _now()
    for item in items:
        meter.step()
        yield item


def _size(value: Any, most: int) -> int:
    return len(value) * PER_VALUE if isinstance(value, range) else size_of(value, most)


def _bounded(name: str, filtered: Callable[..., Any]) -> Callable[..., Any]:
    """Return a filter that counts its input, and refuses calls with too large a result."""
    at = 1 if getattr(filtered, "jinja_pass_arg", None) is not None else 0
    check = _CHECKS.get(name)

    @functools.wraps(filtered)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        meter = _now()
        meter.step()
        meter.make(_size(args[at], meter.room()))
        if check is not None:
            args = (*args[:at], *check(*args[at:], **kwargs))
        return filtered(*args, **kwargs)

    return bounded


def _check_bits(bits: int) -> None:
    if bits > MAX_BITS:
        raise SecurityError(f"a number of more than {MAX_BITS:,} bits")


def _check_product(left: Any, right: Any) -> None:
    for count, repeated in ((left, right), (right, left)):
        if isinstance(count, int) and isinstance(repeated, str | bytes | list | tuple):
            room = _now().room()
            if max(count, 0) * _size(repeated, room) > room:
                raise SecurityError(f"it makes more than {MAX_MADE:,} characters")
    if isinstance(left, int) and isinstance(right, int):
        _check_bits(left.bit_length() + right.bit_length())


def _check_replace(text: str, old: Any = "", new: Any = "", *_rest: Any, **_kwargs: Any) -> None:
    times = text.count(str(old))
    _check_made(len(text) + times * len(str(new)))


def _joinable(separator: str, items: Any) -> list[Any]:
    every = list(_each(items))
    _check_made(len(separator) * len(every))
    return every


def _check_made(size: int) -> None:
    if size > _now().room():
        raise SecurityError(f"it makes more than {MAX_MADE:,} characters")


def _replaced(value: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    _check_replace(str(value), *args, **kwargs)
    return (value, *args)


def _joined(value: Any, d: str = "", *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    every = list(_each(value))
    _check_made(len(str(kwargs.get("d", d))) * len(every))
    return (every, *args) if "d" in kwargs else (every, d, *args)


def _narrow(value: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Refuse a width, or a number of digits, beyond that of readable text."""
    for given in (*args, *kwargs.values()):
        wide = len(given) if isinstance(given, str) else abs(given) if isinstance(given, int) else 0
        if wide > MAX_WIDTH:
            raise SecurityError(f"more than {MAX_WIDTH} characters of indentation, or digits")
    return (value, *args)


def _numeric(value: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """Refuse to sum lists, which takes quadratic time."""
    if not isinstance(kwargs.get("start", args[1] if len(args) > 1 else 0), int | float):
        raise SecurityError("a sum of what is no number")
    return (value, *args)


_CHECKS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "replace": _replaced, "join": _joined, "indent": _narrow, "tojson": _narrow, "round": _narrow, "sum": _numeric,
}  # fmt: skip
