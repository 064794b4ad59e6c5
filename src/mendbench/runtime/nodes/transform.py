"""The ``transform`` node: applies a JMESPath expression to data. It has no effect on the world."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jmespath
from jmespath import functions
from jmespath.exceptions import LexerError
from jmespath.lexer import Lexer
from jmespath.visitor import TreeInterpreter

from mendbench.io.json_documents import beyond_doubles
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.nodes.interface import NodeOutput, NodeType, Send
from mendbench.runtime.nodes.params import text
from mendbench.runtime.outline import NodeSpec
from mendbench.runtime.templates import MAX_LEVELS
from mendbench.values.sizes import size_of

MAX_STEPS = 1_000_000
"""Maximum number of evaluation steps; every evaluation of a part counts, and projections repeat their parts."""

SIZE_A_STEP = 32
"""Size of function arguments or compared values that counts as one more step, see :func:`.size_of`."""

MAX_RESULT = 10_000_000
"""Maximum size of an intermediate value or the result, see :func:`.size_of`: ``[@, @] | [@, @] | …`` doubles with each bar."""

MAX_BUILT = 20_000_000
"""Maximum total size of all values built during evaluation."""

MAX_NESTING = 100
"""Maximum nesting of an expression's brackets and of its syntax tree: each level takes several recursive Python calls."""

_OPENING = frozenset({"lparen", "lbrace", "lbracket", "filter"})
_CLOSING = frozenset({"rparen", "rbrace", "rbracket"})

_BUILDING = frozenset(
    {
        "multi_select_list", "multi_select_dict", "function_expression", "projection", "value_projection",
        "filter_projection", "flatten", "literal",
    }
)  # fmt: skip
"""The node types of an expression that create new values."""

_WHO = "Transform"
_TOO_DEEP = (
    f"{_WHO} expression nests too deep: it may have {MAX_NESTING} levels, and the data that it makes {MAX_LEVELS}"
)
_TOO_LARGE = f"{_WHO} expression makes more than {MAX_RESULT:,} characters of data"


def run(params: JsonObject, send: Send, clock: Clock) -> NodeOutput:
    """Return what the expression finds in ``data``; null if it finds nothing.

    Raises:
        TypeError: ``expression`` is not a string.
        ValueError: ``expression`` or ``data`` is missing, or the expression does not compile, cannot be applied to the
            data (JMESPath's own errors are ``ValueError`` too), nests too deep, or finds a number outside the double range.
    """
    del send, clock
    expression = text(params, "expression", _WHO)
    if "data" not in params:
        raise ValueError(f"{_WHO} node requires 'data' parameter")
    found = _Bounded().visit(_parsed(expression), params["data"])
    if beyond_doubles(found):
        raise ValueError(f"{_WHO} expression finds a number that is not finite, which is no JSON")
    return NodeOutput(outputs={"result": found})


class _Functions(functions.Functions):
    """JMESPath's functions, with a size limit on ``join``."""

    @functions.signature({"types": ["string"]}, {"types": ["array-string"]})
    def _func_join(self, separator: str, array: list[str]) -> str:
        if len(separator) * len(array) + sum(map(len, array)) > MAX_RESULT:
            raise ValueError(_TOO_LARGE)
        return separator.join(array)


class _Bounded(TreeInterpreter):
    """Evaluates one expression within the limits for steps and data."""

    def __init__(self) -> None:
        super().__init__()
        self._called = _Functions()
        self._steps, self._room = MAX_STEPS, MAX_BUILT
        self.COMPARATOR_FUNC = {  # type: ignore[misc]  # the interpreter looks them up on itself
            name: partial(self._compared, way) for name, way in self.COMPARATOR_FUNC.items()
        }

    def visit(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        """Return the value of one part of the expression."""
        self._step(1)
        found: Json = super().visit(node, *args, **kwargs)
        if node["type"] in _BUILDING:
            size = size_of(found, MAX_RESULT, MAX_LEVELS)
            if size > MAX_RESULT and size_of(found, MAX_RESULT) <= MAX_RESULT:
                raise ValueError(_TOO_DEEP)
            self._room -= size
            if size > MAX_RESULT or self._room < 0:
                raise ValueError(_TOO_LARGE)
        return found

    def visit_function_expression(self, node: Any, value: Json) -> Json:
        """Return a function's result; its arguments count as steps."""
        arguments = [self.visit(child, value) for child in node["children"]]
        self._step(size_of(arguments, MAX_RESULT) // SIZE_A_STEP)
        found: Json = self._called.call_function(node["value"], arguments)
        return found

    def _compared(self, way: Callable[[Json, Json], Json], left: Json, right: Json) -> Json:
        self._step(size_of([left, right], MAX_RESULT) // SIZE_A_STEP)
        return way(left, right)

    def _step(self, steps: int) -> None:
        self._steps -= steps
        if self._steps < 0:
            raise ValueError(f"{_WHO} expression takes more than {MAX_STEPS:,} steps")


def _parsed(expression: str) -> Any:
    if _brackets_nest_deeper(expression):
        raise ValueError(_TOO_DEEP)
    try:
        parsed = jmespath.compile(expression).parsed
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if _nests_deeper(parsed):
        raise ValueError(_TOO_DEEP)
    return parsed


def _brackets_nest_deeper(expression: str) -> bool:
    """Return whether brackets nest deeper than the limit. The compiler reports invalid expressions."""
    if sum(map(expression.count, "([{")) <= MAX_NESTING:
        return False
    depth = 0
    try:
        for token in Lexer().tokenize(expression):
            depth += (token["type"] in _OPENING) - (token["type"] in _CLOSING)
            if depth > MAX_NESTING:
                return True
    except LexerError:
        return False
    except RecursionError:  # a literal in it nests too deep
        return True
    return False


def _nests_deeper(parsed: Any) -> bool:
    layer = [parsed]
    for _ in range(MAX_NESTING):
        layer = [child for node in layer for child in node["children"] if isinstance(child, dict)]
        if not layer:
            return False
    return True


NODE = NodeType(
    type="transform",
    spec=NodeSpec(
        params=frozenset({"data", "expression"}),
        required=frozenset({"data", "expression"}),
        outputs=frozenset({"result", "error"}),
    ),
    run=run,
)
