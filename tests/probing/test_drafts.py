import json

from mendbench.probing.calls import read_calls
from mendbench.probing.drafts import draft_of
from mendbench.probing.tools import Tool


def test_a_draft_has_a_line_for_each_tool_with_required_values_of_the_right_types(tmp_path):
    shapes = {
        "kiln": {"type": "string"}, "cones": {"type": "array"}, "hours": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
        "mode": {"enum": ["slow", "fast"]}, "anything": {}, "note": {"type": "string"},
    }  # fmt: skip
    fire = Tool(name="fire", schema={"properties": shapes, "required": [name for name in shapes if name != "note"]})
    path = tmp_path / "calls.jsonl"
    path.write_text(draft_of((fire, Tool(name="look", schema={}))), "utf-8")
    assert [(one.tool, one.arguments, one.request) for one in read_calls(path)] == [
        ("fire", {"kiln": "FILL IN", "cones": [], "hours": 1, "mode": "slow", "anything": "FILL IN"}, ""),
        ("look", {}, ""),
    ]
    assert list(json.loads(path.read_text("utf-8").splitlines()[0])) == ["tool", "arguments", "request"]
