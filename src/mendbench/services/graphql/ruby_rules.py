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
    for one in ancestors:
        if isinstance(one, OperationDefinitionNode):
            path.append(f"{one.operation.value} {one.name.value}" if one.name else one.operation.value)
        elif isinstance(one, FragmentDefinitionNode):
            path.append(f"fragment {one.name.value}")
        elif isinstance(one, FieldNode):
            path.append((one.alias or one.name).value)
        elif isinstance(one, InlineFragmentNode):
            path.append(f"... on {one.type_condition.name.value}" if one.type_condition else "...")
        elif isinstance(one, ArgumentNode | ObjectFieldNode):
            path.append(one.name.value)
    return [*path, *last]


class Rule(ValidationRule):
    """A rule that reports its findings with a code and a path."""

    def say(self, text: str, node: Node, path: list[Json], **extensions: Json) -> None:
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
            self.say(text, node, here, code="undefinedField", typeName=parent.name, fieldName=name)
            return
        kind = get_named_type(known.type)
        told = {"code": "selectionMismatch", "nodeName": f"field '{name}'", "typeName": kind.name}
        if node.selection_set is not None and is_leaf_type(kind):
            names = ", ".join(
                f'"{one.name.value}"' for one in node.selection_set.selections if isinstance(one, FieldNode)
            )
            text = (
                f"Selections can't be made on scalars (field '{name}' returns {kind.name} but has selections [{names}])"
            )
            self.say(text, node, here, **told)
        elif node.selection_set is None and not is_leaf_type(kind):
            text = (
                f"Field must have selections (field '{name}' returns {kind.name} but has no selections. "
                f"Did you mean '{name} {{ ... }}'?)"
            )
            self.say(text, node, here, **told)


class Arguments(Rule):
    """Arguments are known, all required arguments are present, and literals match their types."""

    def enter_field(self, node: FieldNode, _key: Any, _parent: Any, _path: Any, ancestors: list[Any]) -> None:
        """Check one field's arguments."""
        known = self.context.get_field_def()
        if known is None:
            return
        name, here = node.name.value, path_to(ancestors, (node.alias or node.name).value)
        given = {one.name.value: one for one in node.arguments or ()}
        missing = [key for key, one in known.args.items() if is_required_argument(one) and key not in given]
        for key, one in given.items():
            if key not in known.args:
                told = {"code": "argumentNotAccepted", "name": name, "typeName": "Field", "argumentName": key}
                self.say(f"Field '{name}' doesn't accept argument '{key}'", one, [*here, key], **told)
            else:
                self._literal(one.value, known.args[key].type, f"Field '{name}'", key, one, [*here, key])
        if missing:
            listed = ", ".join(missing)
            told = {"code": "missingRequiredArguments", "className": "Field", "name": name, "arguments": listed}
            self.say(f"Field '{name}' is missing required arguments: {listed}", node, here, **told)

    def _literal(
        self, value: ValueNode, kind: GraphQLInputType, owner: str, key: str, node: Node, path: list[Json]
    ) -> None:
        """Check a literal. An error inside an object is reported for the object."""
        named = get_named_type(kind)
        if isinstance(value, ObjectValueNode) and isinstance(named, GraphQLInputObjectType):
            self._object(value, named, path)
        elif not _fits(value, kind):
            text = f"Argument '{key}' on {owner} has an invalid value ({print_ast(value)}). Expected type '{kind}'."
            told = {"code": "argumentLiteralsIncompatible", "typeName": owner.partition(" ")[0], "argumentName": key}
            self.say(text, node, path, **told)

    def _object(self, value: ObjectValueNode, kind: GraphQLInputObjectType, path: list[Json]) -> None:
        given = {one.name.value: one for one in value.fields}
        for key, one in given.items():
            if key not in kind.fields:
                told = {
                    "code": "argumentNotAccepted",
                    "name": kind.name,
                    "typeName": "InputObject",
                    "argumentName": key,
                }
                text = f"InputObject '{kind.name}' doesn't accept argument '{key}'"
                self.say(text, one, [*path, key], **told)
            else:
                owner = f"InputObject '{kind.name}'"
                self._literal(one.value, kind.fields[key].type, owner, key, one, [*path, key])
        for key, field in kind.fields.items():
            if key in given or field.default_value is not Undefined or not isinstance(field.type, GraphQLNonNull):
                continue
            text = f"Argument '{key}' on InputObject '{kind.name}' is required. Expected type {field.type}"
            told = {"argumentName": key, "argumentType": str(field.type), "inputObjectType": kind.name}
            self.say(text, value, [*path, key], code="missingRequiredInputObjectAttribute", **told)


class Variables(Rule):
    """Variables are declared, used, of known types, and match the places where they are used."""

    def enter_operation_definition(self, node: OperationDefinitionNode, *_args: Any) -> None:
        """Check one operation's variables."""
        declared = {one.variable.name.value: one for one in node.variable_definitions or ()}
        usages = self.context.get_recursive_variable_usages(node)
        owner = path_to([node])
        by = node.name.value if node.name else f"anonymous {node.operation.value}"
        for name, one in declared.items():
            self._declared(name, one, owner)
        used = {usage.node.name.value for usage in usages}
        for name in (one for one in declared if one not in used):
            text = f"Variable ${name} is declared by {by} but not used"
            self.say(text, node, owner, code="variableNotUsed", variableName=name)
        for usage in usages:
            name = usage.node.name.value
            if name not in declared:
                text = f"Variable ${name} is used by {by} but not declared"
                self.say(text, usage.node, owner, code="variableNotDefined", variableName=name)

    def enter_argument(self, node: ArgumentNode, _key: Any, _parent: Any, _path: Any, ancestors: list[Any]) -> None:
        """Check a variable that is an argument's whole value."""
        operation = next((one for one in ancestors if isinstance(one, OperationDefinitionNode)), None)
        argument = self.context.get_argument()
        if operation is None or argument is None or not isinstance(node.value, VariableNode):
            return
        name = node.value.name.value
        found = [one for one in operation.variable_definitions or () if one.variable.name.value == name]
        kind = type_from_ast(self.context.schema, found[0].type) if found else None
        if kind is None or not is_input_type(kind):
            return
        if found[0].default_value is not None and not isinstance(kind, GraphQLNonNull):
            kind = GraphQLNonNull(cast("Any", kind))
        if is_type_sub_type_of(self.context.schema, cast("Any", kind), cast("Any", argument.type)):
            return
        what = _mismatch(str(kind), str(argument.type))
        text = f"{what} on variable ${name} and argument {node.name.value} ({kind} / {argument.type})"
        told = {"variableName": name, "typeName": str(kind), "argumentName": node.name.value, "errorMessage": what}
        self.say(text, node, path_to(ancestors, node.name.value), code="variableMismatch", **told)

    def _declared(self, name: str, node: VariableDefinitionNode, path: list[Json]) -> None:
        inner: Any = node.type
        while not isinstance(inner, NamedTypeNode):
            inner = inner.type
        kind = self.context.schema.type_map.get(inner.name.value)
        if kind is None or not is_input_type(kind):
            problem = f"isn't a {'valid' if kind else 'defined'} input type"
            told = {"code": "variableRequiresValidType", "typeName": inner.name.value, "variableName": name}
            self.say(f"{inner.name.value} {problem} (on ${name})", node, path, **told)


def _fits(value: ValueNode, kind: GraphQLInputType) -> bool:
    if isinstance(value, VariableNode):
        return True
    if isinstance(value, ListValueNode):
        inner: Any = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
        item = getattr(inner, "of_type", None)
        return item is not None and all(_fits(one, item) for one in value.values)
    named = get_named_type(kind)
    if isinstance(named, GraphQLScalarType | GraphQLEnumType | GraphQLInputObjectType):
        return value_from_ast(value, kind) is not Undefined
    return True


def _mismatch(declared: str, wanted: str) -> str:
    bare = str.maketrans("", "", "[]!")
    if declared.translate(bare) != wanted.translate(bare):
        return "Type mismatch"
    return "List dimension mismatch" if declared.count("[") != wanted.count("[") else "Nullability mismatch"
