"""graphql-ruby's rules about fragments, and the list of all rules that are applied."""

from __future__ import annotations

from typing import Any, cast

from graphql import (
    FragmentDefinitionNode,
    GraphQLError,
    InlineFragmentNode,
    NamedTypeNode,
    Node,
    is_composite_type,
)
from graphql.validation.rules.known_fragment_names import KnownFragmentNamesRule
from graphql.validation.rules.no_fragment_cycles import NoFragmentCyclesRule

from mendbench.model.json import Json
from mendbench.services.graphql.ruby_rules import Arguments, Fields, Rule, Variables, path_to


class Fragments(Rule):
    """Fragments are on existing types that allow fragments."""

    def enter_inline_fragment(
        self, node: InlineFragmentNode, _key: Any, _parent: Any, _path: Any, ancestors: list[Any]
    ) -> None:
        """Check an inline fragment's condition."""
        if node.type_condition:
            self._condition(node.type_condition, node, path_to([*ancestors, node]))

    def enter_fragment_definition(self, node: FragmentDefinitionNode, *_args: Any) -> None:
        """Check a fragment's condition."""
        self._condition(node.type_condition, node, path_to([node]))

    def _condition(self, condition: NamedTypeNode, node: Node, path: list[Json]) -> None:
        name = condition.name.value
        kind = self.context.schema.type_map.get(name)
        if kind is None:
            text = f"No such type {name}, so it can't be a fragment condition"
            self.report(text, node, path, code="undefinedType", typeName=name)
        elif not is_composite_type(kind):
            text = f"Invalid fragment on type {name} (must be Union, Interface or Object)"
            self.report(text, node, path, code="fragmentOnNonCompositeType", typeName=name)


class KnownFragments(KnownFragmentNamesRule):
    """Every fragment that is spread is defined."""

    def report_error(self, error: GraphQLError) -> None:
        """Report it with graphql-ruby's message."""
        node = cast("Any", error.nodes or [None])[0]
        name = getattr(node, "name", node)
        value = getattr(name, "value", "")
        extensions = {"code": "useAndDefineFragment", "fragmentName": value}
        super().report_error(
            GraphQLError(f"Fragment {value} was used, but not defined", error.nodes, extensions=extensions)
        )


class Cycles(NoFragmentCyclesRule):
    """Fragments do not spread themselves."""

    def report_error(self, error: GraphQLError) -> None:
        """Report it with graphql-ruby's message."""
        node = cast("Any", error.nodes or [None])[0]
        name = node.name.value
        extensions = {"code": "infiniteLoop", "fragmentName": name}
        super().report_error(
            GraphQLError(f"Fragment {name} contains an infinite loop", error.nodes, extensions=extensions)
        )


RULES = [Fields, Arguments, Variables, Fragments, KnownFragments, Cycles]
