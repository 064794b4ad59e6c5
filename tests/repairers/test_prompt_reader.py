"""What is read from a prompt's text."""

from mendbench.repairers.prompt_reader import read_prompt, spell, walk
from tests.repairers.prompts import asked, plain
from tests.strategies import invented


def test_the_workflow_is_read_from_the_frame_that_strategies_build():
    view = invented.wrong_path()
    assert read_prompt(asked(view, "none")).workflow == view.workflow


def test_nothing_is_read_from_a_frame_without_one():
    assert read_prompt(plain(frame="# Workflow\n```json\n[]\n```")) is None


def test_a_context_that_is_json_is_read_as_lines():
    prompt = read_prompt(asked(invented.wrong_path(), "agent-json"))
    assert "errors[0].node_id: post_card" in prompt.text.split("\n")
    assert prompt.node_id == "post_card"


def test_json_in_a_fence_is_read_as_lines_and_other_fences_stay():
    prompt = read_prompt(asked(invented.bad_gateway(), "full-context"))
    assert "<h1>Bad Gateway</h1>" in prompt.text
    assert "\nday: 2026-03-02\n" in f"{prompt.text}\n"


def test_what_is_unresolved_and_what_there_is_are_read_from_every_rich_context():
    for name in ("full-context", "agent-json"):
        prompt = read_prompt(asked(invented.wrong_path(), name))
        assert prompt.unresolved() == ("get_reader.response.fullname",)
        assert "response.full_name" in prompt.available()


def test_a_node_that_the_workflow_does_not_have_is_none():
    prompt = read_prompt(plain("Node: ghost", frame='# Workflow\n```json\n{"nodes": [{"id": "a"}]}\n```'))
    assert (prompt.node_id, prompt.node) == (None, None)


def test_a_path_is_spelt_as_the_answer_format_has_it():
    assert [spell(path) for path, _ in walk({"a": {"b": [1, {"c": None}]}})] == ["a.b[0]", "a.b[1].c"]
