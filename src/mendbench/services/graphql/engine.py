"""Parsing, validation and execution with graphql-core, and the two servers' changes to the results.

Only :mod:`mendbench.services.graphql.service` imports this module, and only to respond to a request. A replay never does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, cast

from graphql import (
    DocumentNode,
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    build_schema,
    execute_sync,
    get_operation_ast,
    introspection_from_schema,
    parse,
    validate,
)
from graphql.pyutils import AwaitableOrValue

from mendbench.model.json import Json, JsonObject
from mendbench.services.graphql import lab, tracker_fields
from mendbench.services.graphql.cost import actual_cost, requested_cost
from mendbench.services.graphql.ruby import RULES, request_errors, run_error
from mendbench.services.graphql.site import GraphQLRequest, Refused, Site, UserErrors

_RESOLVERS = {"tracker": tracker_fields.RESOLVERS, "lab": lab.RESOLVERS}
_MAX_TOKENS = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a request."""

    body: JsonObject
    invalid: bool = False
    """Whether it was refused before execution: it does not parse, or does not match the schema."""
    writes: bool = False
    """Whether it is a mutation and succeeded completely."""
    requested: int = 0
    """Its maximum cost in points. Meaningful only on a server that reports costs."""


def roots_of(query: str) -> tuple[str, ...]:
    """Return the names of the root fields of a query's operations; none if it does not parse."""
    try:
        document = parse(query, max_tokens=_MAX_TOKENS)
    except (GraphQLError, RecursionError):
        return ()
    operations = [operation for operation in document.definitions if isinstance(operation, OperationDefinitionNode)]
    fields = [field for operation in operations for field in operation.selection_set.selections]
    return tuple(dict.fromkeys(str(field.name.value) for field in fields if hasattr(field, "name")))


def introspected(name: str, renamed: JsonObject) -> JsonObject:
    """Return the whole schema of an API, as the response to an introspection query."""
    return cast("JsonObject", introspection_from_schema(_schema(name, _frozen(renamed))))


def run(site: Site, request: GraphQLRequest) -> Outcome:
    """Run a request against the site's API.

    Raises:
        RecursionError: the query is nested too deeply.
    """
    schema = _schema(site.name, _frozen(site.draft.get("renamed") or {}))
    ruby = site.name == "tracker"
    try:
        document = parse(request.query, max_tokens=_MAX_TOKENS)
    except GraphQLError as error:
        return Outcome(body={"errors": request_errors([error]) if ruby else _formatted([error])}, invalid=True)
    errors = validate(schema, document, RULES if ruby else None)
    if errors:
        return Outcome(body={"errors": request_errors(errors) if ruby else _formatted(errors)}, invalid=True)
    if ruby and (refusal := run_error(schema, document, request.variables, request.operation)):
        return Outcome(body={"errors": refusal}, invalid=True)
    return _executed(schema, document, site, request, ruby=ruby)


def _executed(
    schema: GraphQLSchema, document: DocumentNode, site: Site, request: GraphQLRequest, *, ruby: bool
) -> Outcome:
    operation = get_operation_ast(document, request.operation)
    requested = requested_cost(schema, document, operation, request.variables) if operation and not ruby else 0
    throttle = site.draft.get(site.name, {}).get("throttle") or {}
    if requested > int(throttle.get("available", requested)):
        return Outcome(body=throttled(throttle, requested), requested=requested)
    result = execute_sync(
            schema, document, context_value=site, variable_values=request.variables, operation_name=request.operation,
            middleware=[_user_errors],
        )  # fmt: skip
    body: JsonObject = {"data": cast("Json", result.data)}
    if result.errors:
        body["errors"] = [_typed(error) for error in result.errors] if ruby else _formatted(result.errors)
    if not ruby:
        body["extensions"] = {"cost": _cost(throttle, requested, actual_cost(body["data"], operation))}
    mutation = operation is not None and operation.operation == OperationType.MUTATION
    return Outcome(body=body, writes=mutation and not result.errors and not site.refused, requested=requested)


def throttled(throttle: JsonObject, requested: int) -> JsonObject:
    """Return the response to a request that exceeds the budget (https://shopify.dev/docs/api/usage/limits)."""
    error = {"message": "Throttled", "extensions": {"code": "THROTTLED"}}
    return {"errors": [error], "extensions": {"cost": _cost(throttle, requested, None)}}


def _cost(throttle: JsonObject, requested: int, actual: int | None) -> JsonObject:
    available = int(throttle.get("available", 2000)) - (actual or 0)
    status = {
        "maximumAvailable": float(throttle.get("maximum", 2000)),
        "currentlyAvailable": max(0, available),
        "restoreRate": float(throttle.get("restore", 100)),
    }
    return {"requestedQueryCost": requested, "actualQueryCost": actual, "throttleStatus": status}


def _user_errors(resolve: Any, root: Json, info: Any, **arguments: Json) -> AwaitableOrValue[Any]:
    """Turn a mutation's refusal into the ``userErrors`` of its payload, and record the refusal."""
    try:
        return cast("AwaitableOrValue[Any]", resolve(root, info, **arguments))
    except UserErrors as refusal:
        info.context.refused = True
        renamed = {old.partition(".")[2]: new for old, new in (info.context.draft.get("renamed") or {}).items()}
        for entry in refusal.entries:
            entry["field"] = [renamed.get(step, step) for step in entry["field"]]
        return {"userErrors": refusal.entries}


def _formatted(errors: Iterable[GraphQLError]) -> list[Json]:
    """Return errors in graphql-core's format, with the code of a refusal among the extensions."""
    entries: list[Json] = []
    for error in errors:
        entry = cast("JsonObject", dict(error.formatted))
        if isinstance(error.original_error, Refused) and error.original_error.code:
            entry["extensions"] = {"code": error.original_error.code, **error.original_error.extra}
        entries.append(entry)
    return entries


def _typed(error: GraphQLError) -> JsonObject:
    """Return an execution error in GitHub's format: with its type first."""
    kind = error.original_error.kind if isinstance(error.original_error, Refused) else None
    plain = cast("JsonObject", dict(error.formatted))
    where: JsonObject = {key: plain[key] for key in ("path", "locations") if key in plain}
    typed: JsonObject = {"type": kind} if kind else {}
    return {**typed, **where, "message": error.message}


def _frozen(renamed: JsonObject) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((str(old), str(new)) for old, new in renamed.items()))


@lru_cache(maxsize=16)
def _schema(name: str, renamed: tuple[tuple[str, str], ...]) -> GraphQLSchema:
    """Return an API's schema with its resolvers, and with some fields renamed."""
    text = resources.files(__package__ or "").joinpath(f"{name}.graphql").read_text("utf-8")
    schema = build_schema(text)
    for place, resolver in _RESOLVERS[name].items():
        owner, _, field = place.partition(".")
        cast("GraphQLObjectType", schema.type_map[owner]).fields[field].resolve = resolver
    for place, new in renamed:
        owner, _, old = place.partition(".")
        _rename(schema, owner, old, new)
    return schema


def _rename(schema: GraphQLSchema, owner: str, old: str, new: str) -> None:
    """Rename a field, an input field or an enum value. Its resolver keeps the old name."""
    kind = schema.type_map.get(owner)
    if isinstance(kind, GraphQLEnumType) and old in kind.values:
        kind.values[old].value = old
        _relabel(kind.values, old, new)
    elif isinstance(kind, GraphQLInputObjectType) and old in kind.fields:
        kind.fields[old].out_name = old
        _relabel(kind.fields, old, new)
    elif isinstance(kind, GraphQLObjectType) and old in kind.fields:
        if kind.fields[old].resolve is None:
            kind.fields[old].resolve = lambda parent, _info: parent.get(old)
        _relabel(kind.fields, old, new)


def _relabel(members: dict[str, Any], old: str, new: str) -> None:
    kept = [(new if key == old else key, value) for key, value in members.items()]
    members.clear()
    members.update(kept)
