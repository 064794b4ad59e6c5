"""The committed cases and wordings of studies/mcp-servers are those that its scripts make of its probes."""

import importlib
import json
import sys
from pathlib import Path

import pytest

from mendbench.io.yaml_documents import load_yaml
from mendbench.strategies.template import load

STUDY = Path(__file__).parents[2] / "studies" / "mcp-servers"
STRATA = ("public", "private")
FOLDERS = (STUDY, STUDY / "private")


@pytest.fixture
def script(monkeypatch):
    """Import a script of the study by its name."""
    names = ("choose", "wordings")
    monkeypatch.syspath_prepend(str(STUDY))
    yield importlib.import_module
    for name in names:
        sys.modules.pop(name, None)


def broken(number, tool="a", verdict="helps", heed="refused", operator="type"):
    return {"id": f"{tool}/{operator}/{number}", "tool": tool, "operator": operator, "verdict": verdict, "heed": heed}


def test_the_rule_takes_each_verdict_in_turn_and_at_most_two_of_a_tool_and_operator(script, tmp_path):
    choose = script("choose")
    calls = [broken(number) for number in range(9)] + [broken(number, tool="b") for number in range(9)]
    calls += [broken(1, verdict="misleads"), broken(2, verdict="silent"), broken(3, verdict="hidden", heed="unmarked")]
    (tmp_path / "one.json").write_text(json.dumps({"broken_calls": calls}), "utf-8")
    (found,) = choose.chosen(tmp_path).values()
    assert found[0] == "a/type/1"
    assert len(found) == 4
    assert sorted(one.split("/")[0] for one in found) == ["a", "a", "b", "b"]
    assert choose.chosen(tmp_path) == choose.chosen(tmp_path)


@pytest.mark.parametrize("folder", FOLDERS, ids=STRATA)
def test_there_is_a_case_for_each_chosen_call_and_no_other(script, folder):
    chosen = script("choose").chosen(folder / "probes")
    assert len(chosen) == 12
    made = {}
    for path in (folder / "cases").glob("*/*/case.yaml"):
        source = load_yaml(path.read_text("utf-8"), str(path), "")["source"]
        made.setdefault(path.parts[-3], set()).add(source.rpartition(": ")[2])
    assert made == {server: set(ids) for server, ids in chosen.items()}


@pytest.mark.parametrize("folder", FOLDERS, ids=STRATA)
def test_the_wordings_with_schemas_are_those_of_the_probes(script, tmp_path, folder):
    for name in ("probes", "tools"):
        (tmp_path / name).symlink_to(folder / name)
    script("wordings").main(tmp_path)
    written = list((tmp_path / "strategies").iterdir())
    assert len(written) == 2
    for path in written:
        assert path.read_text("utf-8") == (folder / "strategies" / path.name).read_text("utf-8"), "run wordings.py"
        load(path)
