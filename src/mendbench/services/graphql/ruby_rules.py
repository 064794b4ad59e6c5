"""graphql-ruby's rules of static validation, with its messages, codes and paths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from graphql import (
    ArgumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInputType,
    GraphQLNonNull,
    GraphQLScalarType,
    InlineFragmentNode,
    ListValueNode,
    NamedTypeNode,
    Node,
    ObjectFieldNode,
    ObjectValueNode,
    OperationDefinitionNode,
    Undefined,
    ValidationRule,
    ValueNode,
    VariableDefinitionNode,
    VariableNode,
    get_named_type,
    is_input_type,
    is_leaf_type,
    is_required_argument,
    is_type_sub_type_of,
    print_ast,
    type_from_ast,
    value_from_ast,
)

from mendbench.model.json import Json


def path_to(ancestors: Sequence[Any], *last: Json) -> list[Json]:
    """Return the path of a node in graphql-ruby's form: ``["query Name", "repository", "... on Issue"]``."""
    path: list[Json] = []
    for node in ancestors:
        if isinstance(node, OperationDefinitionNode):
            path.append(f"{node.operation.value} {node.name.value}" if node.name else node.operation.value)
        elif isinstance(node, FragmentDefinitionNode):
            path.append(f"fragment {node.name.value}")
        elif isinstance(node, FieldNode):
            path.append((node.alias or node.name).value)
        elif isinstance(node, InlineFragmentNode):
            path.append(f"... on {node.type_condition.name.value}" if node.type_condition else "...")
        elif isinstance(node, ArgumentNode | ObjectFieldNode):
            path.append(node.name.value)
    return [*path, *last]


class Rule(ValidationRule):
    """A rule that reports its findings with a code and a path."""

    def report(self, text: str, node: Node, path: list[Json], **extensions: Json) -> None:
        """Report one finding."""
        self.report_error(GraphQLError(text, node, extensions={**extensions, "path": path}))


class Fields(Rule):
    """Fields exist, and have selections exactly where they return objects."""

    def enter_field(self, node: FieldNode, _key: Any, _parent: Any, _path: Any, ancestors: list[Any]) -> None:
        """Check one field."""
        parent, known = self.context.get_parent_type(), self.context.get_field_def()
        name = node.name.value
        here = path_to(ancestors, (node.alias or node.name).value)
        if parent is None:
            return
        if known is None:
            text = f"Field '{name}' doesn't exist on type '{parent.name}'"
            self.report(text, node, here, code="undefinedField", typeName=parent.name, fieldName=name)
            return
        kind = get_named_type(known.type)
        extensions = {"code": "selectionMismatch", "nodeName": f"field '{name}'", "typeName": kind.name}
        if node.selection_set is not None and is_leaf_type(kind):
            names = ", ".join(
                f'"{selection.name.value}"'
                for selection in node.selection_set.selections
                if isinstance(selection, FieldNode)
            )
            text = (
                f"Selections can't be made on scalars (field '{name}' returns {kind.name} but has selections [{names}])"
            )
            self.report(text, node, here, **extensions)
        elif node.selection_set is None and not is_leaf_type(kind):
            text = (
                f"Field must have selections (field '{name}' returns {kind.name} but has no selections. "
                f"Did you mean '{name} {{ ... }}'?)"
            )
            self.report(text, node, here, **extensions)


class Arguments(Rule):
    """Arguments are known, all required arguments are present, and literals match their types."""

    def enter_field(self, node: FieldNode, _key: Any, _parent: Any, _path: Any, ancestors: list[Any]) -> None:
        """Check one field's arguments."""
        known = self.context.get_field_def()
        if known is None:
            return
        name, here = node.name.value, path_to(ancestors, (node.alias or node.name).value)
        given = {argument.name.value: argument for argument in node.arguments or ()}
        missing = [key for key, argument in known.args.items() if is_required_argument(argument) and key not in given]
        for key, argument in given.items():
            if key not in known.args:
                extensions = {"code": "argumentNotAccepted", "name": name, "typeName": "Field", "argumentName": key}
                self.report(f"Field '{name}' doesn't accept argument '{key}'", argument, [*here, key], **extensions)
            else:
                self._literal(argument.value, known.args[key].type, f"Field '{name}'", key, argument, [*here, key])
        if missing:
            listed = ", ".join(missing)
            extensions = {"code": "missingRequiredArguments", "className": "Field", "name": name, "arguments": listed}
            self.report(f"Field '{name}' is missing required arguments: {listed}", node, here, **extensions)

    def _literal(
        self, value: ValueNode, kind: GraphQLInputType, owner: str, key: str, node: Node, path: list[Json]
    ) -> None:
        """Check a literal. An error inside an object is reported for the object."""
        named = get_named_type(kind)
        if isinstance(value, ObjectValueNode) and isinstance(named, GraphQLInputObjectType):
            self._object(value, named, path)
        elif not _fits(value, kind):
            text = f"Argument '{key}' on {owner} has an invalid value ({print_ast(value)}). Expected type '{kind}'."
            extensions = {
                "code": "argumentLiteralsIncompatible",
                "typeName": owner.partition(" ")[0],
                "argumentName": key,
            }
            self.report(text, node, path, **extensions)

    def _object(self, value: ObjectValueNode, kind: GraphQLInputObjectType, path: list[Json]) -> None:
        given = {argument.name.value: argument for argument in value.fields}
        for key, argument in given.items():
            if key not in kind.fields:
                extensions = {
                    "code": "argumentNotAccepted",
                    "name": kind.name,
                    "typeName": "InputObject",
                    "argumentName": key,
                }
                text = f"InputObject '{kind.name}' doesn't accept argument '{key}'"
                self.report(text, argument, [*path, key], **extensions)
            else:
                owner = f"InputObject '{kind.name}'"
                self._literal(argument.value, kind.fields[key].type, owner, key, argument, [*path, key])
        for key, field in kind.fields.items():
            if key in given or field.default_value is not Undefined or not isinstance(field.type, GraphQLNonNull):
                continue
            text = f"Argument '{key}' on InputObject '{kind.name}' is required. Expected type {field.type}"
            extensions = {"argumentName": key, "argumentType": str(field.type), "inputObjectType": kind.name}
            self.report(text, value, [*path, key], code="missingRequiredInputObjectAttribute", **extensions)


class Variables(Rule):
    """Variables are declared, used, of known types, and match the places where they are used."""

    def enter_operation_definition(self, node: OperationDefinitionNode, *_args: Any) -> None:
        """Check one operation's variables."""
        declared = {definition.variable.name.value: definition for definition in node.variable_definitions or ()}
        usages = self.context.get_recursive_variable_usages(node)
        owner = path_to([node])
        by = node.name.value if node.name else f"anonymous {node.operation.value}"
        for name, definition in declared.items():
            self._declared(name, definition, owner)
        used = {usage.node.name.value for usage in usages}
        for name in (key for key in declared if key not in used):
            text = f"Variable ${name} is declared by {by} but not used"
            self.report(text, node, owner, code="variableNotUsed", variableName=name)
        for usage in usages:
            name = usage.node.name.value
            if name not in declared:
                text = f"Variable ${name} is used by {by} but not declared"
                self.report(text, usage.node, owner, code="variableNotDefined", variableName=name)

    def enter_argument(self, node: ArgumentNode, _key: Any, _parent: Any, _path: Any, ancestors: list[Any]) -> None:
        """Check a variable that is an argument's whole value."""
        operation = next((ancestor for ancestor in ancestors if isinstance(ancestor, OperationDefinitionNode)), None)
        argument = self.context.get_argument()
        if operation is None or argument is None or not isinstance(node.value, VariableNode):
            return
        name = node.value.name.value
        found = [
            definition for definition in operation.variable_definitions or () if definition.variable.name.value == name
        ]
        kind = type_from_ast(self.context.schema, found[0].type) if found else None
        if kind is None or not is_input_type(kind):
            return
        if found[0].default_value is not None and not isinstance(kind, GraphQLNonNull):
            kind = GraphQLNonNull(cast("Any", kind))
        if is_type_sub_type_of(self.context.schema, cast("Any", kind), cast("Any", argument.type)):
            return
        what = _mismatch(str(kind), str(argument.type))
        text = f"{what} on variable ${name} and argument {node.name.value} ({kind} / {argument.type})"
        extensions = {
            "variableName": name,
            "typeName": str(kind),
            "argumentName": node.name.value,
            "errorMessage": what,
        }
        self.report(text, node, path_to(ancestors, node.name.value), code="variableMismatch", **extensions)

    def _declared(self, name: str, node: VariableDefinitionNode, path: list[Json]) -> None:
        inner: Any = node.type
        while not isinstance(inner, NamedTypeNode):
            inner = inner.type
        kind = self.context.schema.type_map.get(inner.name.value)
        if kind is None or not is_input_type(kind):
            problem = f"isn't a {'valid' if kind else 'defined'} input type"
            extensions = {"code": "variableRequiresValidType", "typeName": inner.name.value, "variableName": name}
            self.report(f"{inner.name.value} {problem} (on ${name})", node, path, **extensions)


def _fits(value: ValueNode, kind: GraphQLInputType) -> bool:
    if isinstance(value, VariableNode):
        return True
    if isinstance(value, ListValueNode):
        inner: Any = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
        item = getattr(inner, "of_type", None)
        return item is not None and all(_fits(element, item) for element in value.values)
    named = get_named_type(kind)
    if isinstance(named, GraphQLScalarType | GraphQLEnumType | GraphQLInputObjectType):
        return value_from_ast(value, kind) is not Undefined
    return True


def _mismatch(declared: str, wanted: str) -> str:
    bare = str.maketrans("", "", "[]!")
    if declared.translate(bare) != wanted.translate(bare):
        return "Type mismatch"
    return "List dimension mismatch" if declared.count("[") != wanted.count("[") else "Nullability mismatch"
