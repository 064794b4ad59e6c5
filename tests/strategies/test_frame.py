"""The frame: the part of a prompt that is the same for all strategies."""

import dataclasses
import json
import re

import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.strategies import Budget, build_frame, build_prompt, frame, frame_digest, strategies, strategy
from mendbench.strategies.tokens import estimate
from tests.strategies import invented

MOST_CONSTANT_TOKENS = 450


def prompt(name="summary", view=None, **more):
    return build_prompt(view or invented.wrong_path(), strategy(name), **more)


def test_the_constant_text_is_short():
    assert estimate(frame.SYSTEM) + estimate(build_frame("", {})) < MOST_CONSTANT_TOKENS


def test_the_workflow_can_be_read_back_from_it():
    workflow = {"nodes": [{"id": "a", "params": {"text": "é ``` \n"}}]}
    found = re.search(r"^# Workflow\n```json\n(.*?)\n```$", build_frame("Do it.", workflow), re.DOTALL | re.MULTILINE)
    assert json.loads(found.group(1)) == workflow
    assert "é" in found.group(1)


def test_every_form_of_answer_in_it_is_json():
    body = build_frame("", {}).partition("# Answer format\n")[2].replace("<new value>}", '"new"}')
    for line in body.split("\n"):
        if "{" in line:
            json.loads(line[line.index("{") :])


def test_all_strategies_have_the_same_frame_before_the_heading_of_the_context():
    frames = {prompt(info.strategy).frame.removesuffix("\n\n# What happened") for info in strategies()}
    assert frames == {build_frame("Welcome the reader by name.", invented.wrong_path().workflow)}


def test_the_context_comes_last_under_its_heading():
    built = prompt("cli-text")
    assert built.user == f"{built.frame}\n\n{built.context.text}"
    assert built.frame.endswith("\n\n# What happened")


def test_an_empty_context_has_no_heading():
    assert "# What happened" not in prompt("none").user


def test_a_problem_of_the_last_answer_stands_once_before_the_context():
    built = prompt("cli-text", problem="The answer holds no JSON object.")
    assert (
        built.user.count("# Your last answer was not usable\nThe answer holds no JSON object.\n\n# What happened") == 1
    )
    assert "last answer" not in prompt("cli-text").user


def test_the_execution_reaches_a_prompt_only_through_the_strategy():
    view = invented.wrong_path()
    other = dataclasses.replace(view, execution=invented.only_the_user().execution, agent={})
    assert build_prompt(view, strategy("none")) == build_prompt(other, strategy("none"))


def test_a_whole_prompt_and_its_answer_fit_the_window():
    budget = Budget(window=900, response=200, margin=10)
    built = prompt("full-context", invented.many_wrong_rows(), budget=budget)
    assert built.context.truncated
    assert estimate(built.system) + estimate(built.user) + budget.response <= budget.window


def test_a_frame_larger_than_the_window_leaves_an_empty_context():
    built = prompt("full-context", budget=Budget(window=100))
    assert built.context.text == ""
    assert built.context.truncated
    assert "# What happened" not in built.user


def test_the_budget_is_the_same_for_every_strategy():
    asked = []

    @dataclasses.dataclass
    class Spy:
        name: str
        frame = frame.frame()

        def render(self, view, budget):
            asked.append(budget)
            return strategy(self.name).render(view, budget)

    for info in strategies():
        build_prompt(invented.wrong_path(), Spy(info.strategy))
    assert len(set(asked)) == 1


def write_frame(
    folder,
    text="# Task\nRepair it.\n{{ request }}\n{{ workflow }}\n{{ problem }}",
    heading="# Facts",
    name="mine",
    front="source: me\n",
):
    (folder / "frames").mkdir(exist_ok=True)
    path = folder / "frames" / f"{name}.md.j2"
    path.write_text(
        f"---\ntitle: Mine\n{front}---\n{{% block frame %}}\n{text}\n{{% endblock %}}\n{{% block context %}}\n{heading}\n{{% endblock %}}\n"
    )
    return path


def test_the_digest_follows_the_text_and_not_its_comments(tmp_path):
    write_frame(tmp_path)
    before = frame_digest("mine", [tmp_path])
    write_frame(tmp_path, "{# why #}# Task\nRepair it.\n{{ request }}\n{{ workflow }}\n{{ problem }}")
    assert frame_digest("mine", [tmp_path]) == before
    write_frame(tmp_path, "# Task\nPlease repair it.\n{{ request }}\n{{ workflow }}\n{{ problem }}")
    assert frame_digest("mine", [tmp_path]) != before


def test_a_strategy_in_another_frame_has_its_text_and_its_heading(tmp_path):
    write_frame(tmp_path)
    mine, plain = strategy("cli-text@mine", [tmp_path]), strategy("cli-text")
    built = build_prompt(invented.wrong_path(), mine, "It was cut.")
    assert built.frame.startswith("# Task\nRepair it.\nWelcome the reader by name.\n{")
    assert built.frame.endswith("}\nIt was cut.\n\n# Facts")
    assert built.context.text == build_prompt(invented.wrong_path(), plain).context.text
    assert (mine.name, built.context.strategy) == ("cli-text@mine", "cli-text@mine")
    assert mine.digest != plain.digest


def test_a_strategy_in_the_default_frame_is_the_strategy():
    assert strategy("cli-text@v1") == strategy("cli-text")


def test_the_shipped_frames_are_listed_with_those_of_the_users_folders(tmp_path):
    write_frame(tmp_path)
    assert {"mine", "v1"} <= {one.name for one in frame.frames([tmp_path])}
    write_frame(tmp_path, name="v1")
    assert frame.frame("v1", [tmp_path]) == frame.frame("v1"), "a user's frame does not replace a shipped one"


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"text": "{{ wrong }}"}, "mine.md.j2:6: unknown variable 'wrong'; known: problem, request, workflow"),
        ({"text": "{% endblock %}{% block more %}"}, "block 'more' is no declared section"),
        ({"front": "source: me\nsections: []\n"}, "front matter: unknown field 'sections'"),
        ({"text": "{{ request"}, "mine.md.j2:"),
    ],
    ids=["variable", "block", "sections", "syntax"],
)
def test_a_broken_frame_is_refused_in_one_line_with_its_place(tmp_path, broken, message):
    write_frame(tmp_path, **broken)
    with pytest.raises(BadInput) as caught:
        strategy("mend@mine", [tmp_path])
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_frame_names_the_known_ones():
    with pytest.raises(UnknownName, match="unknown frame 'v9'"):
        strategy("mend@v9")


def test_a_lone_surrogate_in_the_workflow_takes_nothing_down():
    view = dataclasses.replace(invented.wrong_path(), workflow={"nodes": [{"id": "a", "type": "\ud800"}]})
    assert "\ud800" in build_prompt(view, strategy("none")).user
