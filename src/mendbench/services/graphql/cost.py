"""The cost of a query (https://shopify.dev/docs/api/usage/limits#graphql-admin-api-rate-limits).

An object costs one point, a connection its entries times the page size, a mutation ten points, and scalars and enums
nothing. The schema that reports costs has no interfaces or unions.
"""

from __future__ import annotations

from typing import cast

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    VariableNode,
    get_named_type,
)

from mendbench.model.json import Json, JsonObject

MUTATION_POINTS = 10
DEFAULT_PAGE = 50
"""The number of entries that a connection counts for without ``first`` and ``last``."""


def requested_cost(
    schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode, variables: JsonObject
) -> int:
    """Return the maximum cost of an operation."""
    found = [node for node in document.definitions if isinstance(node, FragmentDefinitionNode)]
    fragments = {node.name.value: node for node in found}
    root = schema.get_root_type(operation.operation)
    mutation = operation.operation == OperationType.MUTATION
    below = _selected(operation.selection_set, cast("GraphQLObjectType", root), fragments, variables)
    return below + (MUTATION_POINTS * _count(operation.selection_set) if mutation else 0)


def actual_cost(data: Json, operation: OperationDefinitionNode | None) -> int:
    """Return the cost of the response: its objects, without the pages around them."""
    mutation = operation is not None and operation.operation == OperationType.MUTATION
    extra = MUTATION_POINTS * len(data) if mutation and isinstance(data, dict) else 0
    return extra + _objects(data) - (1 if isinstance(data, dict) else 0)


def _objects(value: Json) -> int:
    if isinstance(value, list):
        return sum(map(_objects, value))
    if not isinstance(value, dict):
        return 0
    page = bool({"edges", "nodes", "pageInfo"} & value.keys())
    inner = sum(_objects(item) for key, item in value.items() if key not in {"pageInfo", "userErrors", "edges"})
    edges = sum(_objects(edge.get("node")) for edge in value.get("edges") or () if isinstance(edge, dict))
    return inner + edges + (0 if page else 1)


def _count(selections: SelectionSetNode) -> int:
    return sum(isinstance(node, FieldNode) for node in selections.selections)


def _selected(
    selections: SelectionSetNode,
    parent: GraphQLObjectType | None,
    fragments: dict[str, FragmentDefinitionNode],
    variables: JsonObject,
) -> int:
    points = 0
    for node in selections.selections:
        if isinstance(node, FieldNode):
            points += _field(node, parent, fragments, variables)
        elif isinstance(node, InlineFragmentNode):
            points += _selected(node.selection_set, parent, fragments, variables)
        elif isinstance(node, FragmentSpreadNode) and node.name.value in fragments:
            points += _selected(fragments[node.name.value].selection_set, parent, fragments, variables)
    return points


def _field(
    field: FieldNode,
    parent: GraphQLObjectType | None,
    fragments: dict[str, FragmentDefinitionNode],
    variables: JsonObject,
) -> int:
    name = field.name.value
    known = parent.fields.get(name) if isinstance(parent, GraphQLObjectType) else None
    if field.selection_set is None or known is None:
        return 0
    kind = get_named_type(known.type)
    below = _selected(field.selection_set, kind if isinstance(kind, GraphQLObjectType) else None, fragments, variables)
    if kind.name.endswith("Connection"):
        return below * _size(field, variables)
    if name in {"pageInfo", "userErrors"}:
        return 0
    return below + (0 if name == "edges" else 1)


def _size(field: FieldNode, variables: JsonObject) -> int:
    for argument in field.arguments or ():
        if argument.name.value in {"first", "last"}:
            value = argument.value
            given = variables.get(value.name.value) if isinstance(value, VariableNode) else None
            if isinstance(value, IntValueNode):
                given = int(value.value)
            if isinstance(given, int) and not isinstance(given, bool):
                return max(0, given)
    return DEFAULT_PAGE
