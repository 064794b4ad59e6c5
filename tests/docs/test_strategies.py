"""The page about strategies names all that a template can use, and no command that there is not."""

import re
from pathlib import Path

from mendbench.strategies.diagnosis import Diagnosis, Suspect
from mendbench.strategies.environment import environment
from mendbench.strategies.template import VARIABLES, load
from tests.fakes.commands import command_of, options_of
from tests.fakes.tables import for_each
from tests.strategies import invented

PAGE = (Path(__file__).parents[2] / "docs" / "strategies.md").read_text("utf-8")
WORDS = set(re.findall(r"`([^`\n]+)`", PAGE))


def test_every_variable_stands_in_a_table():
    named = {word.split(".")[0] for word in WORDS}
    assert named >= VARIABLES


@for_each("part", [Suspect, Diagnosis])
def test_every_part_of_the_diagnosis_does(part):
    named = {word.rpartition(".")[2] for word in WORDS}
    assert named >= set(part.__dataclass_fields__)


def test_every_filter_of_our_own_does():
    own = {name for name, one in environment().filters.items() if one.__module__.startswith("mendbench.")}
    assert own <= WORDS
    assert len(own) == 9


def test_its_template_renders(tmp_path):
    body = next(block for block in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL) if block.startswith("---"))
    path = tmp_path / "page.md.j2"
    path.write_text(body, "utf-8")
    assert load(path).render(invented.renamed_field(), 1000).text == "file_report failed: HTTP 422"


def test_its_commands_and_options_are_there():
    commands = re.findall(r"^mendbench ([^#\n]*)", PAGE, re.MULTILINE)
    assert commands
    for line in commands:
        command, words = command_of(line.split())
        assert {word for word in words if word.startswith("--")} <= options_of(command), line
