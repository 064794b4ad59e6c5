"""The proxy of studies/mcp-servers gives arguments names that nobody knows, and changes nothing else."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "studies" / "mcp-servers"
NAMES = {"repo_path": "tulip_slot", "path": "linen_mark", "dryRun": "knotTurn"}
SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "tools/list":
        schema = {"type": "object", "properties": {"repo_path": {"type": "string"}}, "required": ["repo_path"]}
        result = {"tools": [{"name": "look", "inputSchema": schema, "outputSchema": {"type": "object"}}]}
    else:
        got = asked["params"]["arguments"]
        text = "repo_path: fine" if "repo_path" in got else f"'repo_path' is required, got {got}"
        result = {"content": [{"type": "text", "text": text}], "isError": "repo_path" not in got}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
print("the end of input")
"""


@pytest.fixture
def script(monkeypatch):
    """Import a script of the study by its name."""
    monkeypatch.syspath_prepend(str(STUDY))
    yield importlib.import_module
    for name in ("private_names", "renaming_proxy"):
        sys.modules.pop(name, None)


def test_in_a_call_a_new_name_becomes_real_and_every_other_name_stays_wrong(script):
    sent = {"tulip_slot": 1, "path": 2, "tulipSlot": {"repo_path": 3}}
    assert script("renaming_proxy").rename_keys(NAMES, sent) == {
        "repo_path": 1, "linen_mark": 2, "tulipSlot": {"repo_path": 3},
    }  # fmt: skip


def test_in_a_text_names_change_as_whole_words_and_english_words_only_where_they_are_names(script):
    for real, shown in (
        ("repo_path\n  Field required", "tulip_slot\n  Field required"),
        ("no my_repo_path, no repo_paths", "no my_repo_path, no repo_paths"),
        ("got {'repo_path': 1, \"path\": 2}", "got {'tulip_slot': 1, \"linen_mark\": 2}"),
        ("unknown tulip_slot", "unknown repo_path"),
        ("received undefined at path", "received undefined at linen_mark"),
        ("1 error\npath\n  Field required", "1 error\nlinen_mark\n  Field required"),
        ("path.filter is not a function", "linen_mark.filter is not a function"),
        ("path: expected a path below /path/to", "linen_mark: expected a path below /path/to"),
        ("dryRun must be a boolean", "knotTurn must be a boolean"),
    ):
        assert script("renaming_proxy").rename_text(NAMES, real) == shown, real


def test_in_a_schema_the_arguments_change_and_nested_properties_do_not(script):
    schema = {
        "properties": {
            "repo_path": {"type": "string", "title": "Repo Path", "description": "Or `path`", "default": "repo_path"},
            "dryRun": {"items": {"properties": {"path": {"description": "below repo_path"}}, "required": ["path"]}},
        },
        "required": ["repo_path"],
    }
    assert script("renaming_proxy").rename_schema(NAMES, schema) == {
        "properties": {
            "tulip_slot": {
                "type": "string",
                "title": "Tulip Slot",
                "description": "Or `linen_mark`",
                "default": "repo_path",
            },
            "knotTurn": {"items": {"properties": {"path": {"description": "below tulip_slot"}}, "required": ["path"]}},
        },
        "required": ["tulip_slot"],
    }


def test_a_server_behind_the_proxy_knows_the_new_names_alone(tmp_path):
    (tmp_path / "map.json").write_text(json.dumps({"look": {"repo_path": "tulip_slot"}}), "utf-8")
    calls = [{"tulip_slot": "x"}, {"repo_path": "x"}]
    asked = [{"id": 0, "method": "tools/list"}]
    asked += [
        {"id": n, "method": "tools/call", "params": {"name": "look", "arguments": one}}
        for n, one in enumerate(calls, 1)
    ]
    command = [
        sys.executable,
        str(STUDY / "renaming_proxy.py"),
        str(tmp_path / "map.json"),
        "--",
        sys.executable,
        "-c",
        SERVER,
    ]
    text = "".join(json.dumps(one) + "\n" for one in asked)
    *answers, last = subprocess.run(
        command, input=text, stdout=subprocess.PIPE, text=True, check=True
    ).stdout.splitlines()
    tools, right, wrong = (json.loads(line)["result"] for line in answers)
    schema = {"type": "object", "properties": {"tulip_slot": {"type": "string"}}, "required": ["tulip_slot"]}
    assert tools == {"tools": [{"name": "look", "inputSchema": schema}]}
    assert right == {"content": [{"type": "text", "text": "tulip_slot: fine"}], "isError": False}
    assert wrong["content"][0]["text"] == "'tulip_slot' is required, got {'repo_path': 'x'}"
    assert last == "the end of input"


def test_the_maps_are_those_of_the_script_and_no_new_name_is_used_twice_or_has_a_word_of_a_request(script):
    made = script("private_names")
    maps = {path.stem: json.loads(path.read_text("utf-8")) for path in (STUDY / "private/maps").glob("*.json")}
    tools = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted((STUDY / "tools").glob("*.json"))}
    calls = [path.read_text("utf-8") for path in sorted((STUDY / "calls").glob("*.jsonl"))]
    assert maps == made.maps(tools, calls), "run private_names.py"
    new = [name for tools in maps.values() for names in tools.values() for name in names.values()]
    assert len(new) == len(set(new))
    words = {word for name in new for word in re.findall("[a-z]+", re.sub("([A-Z])", r" \1", name).lower())}
    assert not words & set(re.findall("[a-z]+", " ".join(calls).lower()))


def test_the_private_calls_are_the_public_ones_under_the_new_names(script):
    rename = script("renaming_proxy").rename_keys
    for path in (STUDY / "private/calls").glob("*.jsonl"):
        names = json.loads((STUDY / f"private/maps/{path.stem}.json").read_text("utf-8"))
        public = (STUDY / "calls" / path.name.replace("memory-2025", "memory")).read_text("utf-8").splitlines()
        for own, real in zip(
            map(json.loads, path.read_text("utf-8").splitlines()), map(json.loads, public), strict=True
        ):
            assert not set(own["arguments"]) & set(real["arguments"])
            assert {**own, "arguments": rename(names[own["tool"]], own["arguments"])} == real
