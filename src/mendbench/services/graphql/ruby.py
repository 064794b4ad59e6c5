"""graphql-ruby's errors for a query that it refuses to run (https://github.com/rmosolgo/graphql-ruby).

The texts, codes and paths are those of its ``static_validation/rules``, of ``query/variable_validation_error.rb`` and
of its parser up to version 2.1. Rules without a message here are not applied.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import cast

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLInputType,
    GraphQLSchema,
    OperationDefinitionNode,
    Source,
    TokenKind,
    type_from_ast,
)
from graphql.language import Lexer

from mendbench.model.json import Json, JsonObject
from mendbench.services.graphql.ruby_fragments import RULES
from mendbench.services.graphql.ruby_values import problems_of

__all__ = ["RULES", "request_errors", "run_error"]

_TOKENS = {
    TokenKind.BRACE_L: "LCURLY", TokenKind.BRACE_R: "RCURLY", TokenKind.PAREN_L: "LPAREN", TokenKind.PAREN_R: "RPAREN",
    TokenKind.BRACKET_L: "LBRACKET", TokenKind.BRACKET_R: "RBRACKET", TokenKind.COLON: "COLON", TokenKind.BANG: "BANG",
    TokenKind.DOLLAR: "VAR_SIGN", TokenKind.EQUALS: "EQUALS", TokenKind.SPREAD: "ELLIPSIS", TokenKind.PIPE: "PIPE",
    TokenKind.AT: "DIR_SIGN", TokenKind.AMP: "AMP", TokenKind.NAME: "IDENTIFIER", TokenKind.INT: "INT",
    TokenKind.FLOAT: "FLOAT", TokenKind.STRING: "STRING", TokenKind.BLOCK_STRING: "STRING",
}  # fmt: skip
"""graphql-ruby's names for graphql-core's token kinds."""
_KEYWORDS = frozenset(
    {"query", "mutation", "subscription", "fragment", "on", "true", "false", "null", "schema", "scalar", "type",
     "extend", "implements", "interface", "union", "enum", "input", "directive"}
)  # fmt: skip


def request_errors(errors: Iterable[GraphQLError]) -> list[Json]:
    """Return the errors of a query that does not parse or validate. Keys are in GitHub's order."""
    entries: list[Json] = []
    for error in errors:
        if error.message.startswith("Syntax Error"):
            entries.append(_parse_error(error))
            continue
        known = cast("JsonObject", dict(error.extensions or {}))
        path = known.pop("path", None)
        where = [{"line": place.line, "column": place.column} for place in error.locations or ()]
        entry: JsonObject = {} if path is None else {"path": path}
        entries.append({**entry, "extensions": known, "locations": where, "message": error.message})
    return entries


def run_error(schema: GraphQLSchema, document: DocumentNode, variables: JsonObject, name: str | None) -> list[Json]:
    """Return the errors that prevent a valid query from running: the choice of operation, or the values of the variables."""
    operations = [operation for operation in document.definitions if isinstance(operation, OperationDefinitionNode)]
    named = [operation for operation in operations if name is None or (operation.name and operation.name.value == name)]
    if name is not None and not named:
        return [{"message": f"No operation named {json.dumps(name, ensure_ascii=False)}"}]
    if len(named) != 1:
        return [{"message": "An operation name is required"}]
    return [error for operation in named for error in _variable_errors(schema, operation, variables)]


def _variable_errors(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: JsonObject) -> list[Json]:
    entries: list[Json] = []
    for definition in operation.variable_definitions or ():
        name = definition.variable.name.value
        kind = cast("GraphQLInputType | None", type_from_ast(schema, definition.type))
        if kind is None or (name not in variables and definition.default_value is not None):
            continue
        value = variables.get(name)
        problems = problems_of(kind, value) if name in variables or str(kind).endswith("!") else []
        if not problems:
            continue
        places = [
            f"{'.'.join(map(str, problem['path']))} ({problem['explanation']})"
            for problem in problems
            if problem["path"]
        ]
        rest = f" for {', '.join(places)}" if places else ""
        loc = definition.loc
        start = loc.start_token if loc else None
        where = [{"line": start.line, "column": start.column}] if start else []
        text = f"Variable ${name} of type {kind} was provided invalid value{rest}"
        entries.append({"extensions": {"value": value, "problems": problems}, "locations": where, "message": text})
    return entries


def _parse_error(error: GraphQLError) -> JsonObject:
    """Return the parser error at the token where graphql-core failed."""
    place = next(iter(error.locations or ()), None)
    source, at = error.source, next(iter(error.positions or ()), 0)
    if place is None or source is None or at >= len(source.body):
        return {"locations": [], "message": "Unexpected end of document"}
    text, kind = _token(source, at)
    where = {"line": place.line, "column": place.column}
    shown = json.dumps(text, ensure_ascii=False)
    return {"locations": [where], "message": f"Parse error on {shown} ({kind}) at [{place.line}, {place.column}]"}


def _token(source: Source, at: int) -> tuple[str, str]:
    """Return a token and its kind. An invalid token has the kind ``error``."""
    try:
        token = Lexer(Source(source.body[at:])).advance()
    except GraphQLError:
        return source.body[at], "error"
    text = source.body[at + token.start : at + token.end]
    if token.kind in {TokenKind.STRING, TokenKind.BLOCK_STRING}:
        return token.value or "", "STRING"
    if token.kind is TokenKind.NAME and text in _KEYWORDS:
        return text, text.upper()
    return text or source.body[at], _TOKENS.get(token.kind, "error")
