from mendbench.probing.tools import tools_of, types_of


def test_the_types_of_an_argument_come_from_all_branches_of_its_schema():
    for schema, types in (
        ({"type": "string"}, {"string"}),
        ({"type": ["integer", "null"]}, {"integer", "null"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"string", "null"}),
        ({"anyOf": [{"type": "string"}, {}]}, set()),
        ({"enum": ["north", 2]}, {"string", "integer"}),
        ({"const": True}, {"boolean"}),
        ({}, set()),
    ):
        assert types_of(schema) == types


def test_references_are_followed_and_one_to_itself_ends():
    schema = {
        "properties": {"pot": {"$ref": "#/$defs/Pot"}, "loop": {"$ref": "#/$defs/Loop"}},
        "$defs": {"Pot": {"type": "number"}, "Loop": {"$ref": "#/$defs/Loop"}},
    }
    (tool,) = tools_of([{"name": "fire", "inputSchema": schema}, {"inputSchema": {}}, "no tool"])
    assert tool.properties == {"pot": {"type": "number"}, "loop": {"$ref": "#/$defs/Loop"}}
    assert (tool.read_only, tool.destructive) == (False, False)
