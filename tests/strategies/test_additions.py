"""What can be added to any strategy: feedback, history, and the data that another strategy shows."""

import dataclasses

import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.model.prompt import EarlierAttempt
from mendbench.strategies import build_prompt, strategies, strategy, variations
from tests.fakes.tables import for_each
from tests.strategies import invented

RESULTS = {
    "unchanged": "changed nothing",
    "same_failure": "failed in the same way",
    "other_failure": "failed in a different way",
}


def after(*results, reply='{"edits": []}'):
    attempts = tuple(
        EarlierAttempt(
            number=number, reply=reply, result=result, problem="No node 'x'." if result == "invalid" else None
        )
        for number, result in enumerate(results, start=1)
    )
    return dataclasses.replace(invented.renamed_field(), attempts=attempts)


def added(name, view):
    """Return what a addition adds to the context."""
    plain, extended = (build_prompt(view, strategy(one)).context.text for one in ("summary", f"summary+{name}"))
    assert extended.startswith(plain)
    return extended.removeprefix(plain).strip()


@pytest.mark.parametrize("addition", ["feedback", "history"])
@pytest.mark.parametrize("name", [info.strategy for info in strategies()])
def test_the_first_prompt_is_the_strategys_own(name, addition):
    view = invented.renamed_field()
    assert build_prompt(view, strategy(f"{name}+{addition}")).user == build_prompt(view, strategy(name)).user


@for_each(("result", "words"), RESULTS.items())
def test_feedback_is_about_the_last_answer(result, words):
    assert words in added("feedback", after("unchanged", result))
    assert "\n" not in added("feedback", after("unchanged", result))


@for_each("result", ["invalid", "unusable"])
def test_feedback_leaves_an_unusable_answer_to_the_frame(result):
    assert added("feedback", after("unchanged", result)) == ""


def test_history_lists_every_answer_with_its_result():
    lines = added("history", after("unchanged", "invalid", "unusable", "same_failure", "other_failure")).splitlines()
    assert lines[0] == "Your earlier answers:"
    assert [line.split(".")[0] for line in lines[1:]] == ["1", "2", "3", "4", "5"]
    assert "changed nothing" in lines[1]
    assert lines[2].endswith("not valid with it: No node 'x'.")
    assert lines[4].endswith("in the same way.")
    assert lines[5].endswith("in a different way.")


def test_history_shortens_long_answers_and_keeps_each_on_one_line():
    (_, line) = added("history", after("unchanged", reply="{\n" + "x" * 5000)).splitlines()
    assert len(line) < 400


def test_data_is_what_mend_shows():
    view = invented.wrong_node_id()
    (own,) = (one.text for one in strategy("mend").render(view, 9999).sections if one.name == "data")
    shown = strategy("summary+data").render(view, 9999).sections[-1].text
    assert shown.splitlines()[0] == "Templates that exist:"
    assert shown.splitlines()[1:] == own.splitlines()[1:]
    assert len(own.splitlines()) > 1


def test_additions_frames_and_sections_combine_in_one_name():
    found = strategy("mend~data~form+history+feedback^300@v2")
    assert found.name == "mend~form~data+feedback+history^300@v2"
    assert [one.name for one in found.render(after("unchanged"), 9999).sections] == [
        "error", "suspects", "feedback", "history",
    ]  # fmt: skip
    assert strategy(found.name) == found


def test_an_addition_changes_the_digest():
    digests = {
        strategy(name).digest for name in ("mend", "mend+feedback", "mend+history", "mend@v2", "mend+history@v2")
    }
    assert len(digests) == 5


def test_a_section_of_an_addition_is_cut_like_any_other():
    view = after("unchanged")
    context = strategy("full-context+feedback").render(view, 60)
    assert context.truncated
    assert context.tokens <= 60


@for_each(
    ("name", "error", "message"),
    [
        ("mend+luck", UnknownName, "strategy mend+luck: unknown addition 'luck'; known: data, feedback, history"),
        ("mend+", UnknownName, "unknown addition ''"),
        ("mend+data+data", BadInput, "strategy mend+data+data: +data twice; write it once"),
    ],
)
def test_what_there_is_not_is_refused(name, error, message):
    with pytest.raises(error) as caught:
        strategy(name)
    assert message in str(caught.value)


def test_variations_are_written_as_in_a_name():
    assert {"+data", "+feedback", "+history", "@v1", "@v2", "@v2-json-patch", "@v2-workflow"} == {
        one.strategy for one in variations()
    }
    assert all(f"mend{one.strategy}" in {strategy(f"mend{one.strategy}").name, "mend@v1"} for one in variations())
