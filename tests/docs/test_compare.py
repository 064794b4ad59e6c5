"""The page about comparing has every field, every verdict and every rule of the code, and no command that there is not."""

import re
from pathlib import Path
from typing import get_args

from mendbench.api.comparing import PARTS
from mendbench.api.sides import FILTERS
from mendbench.scoring.comparing.comparison import MIN_GROUPS, Test, Verdict
from mendbench.scoring.scores import score_names
from mendbench.scoring.statistics.resampling import DRAWS
from tests.fakes.commands import command_of, options_of

PAGE = (Path(__file__).parents[2] / "docs" / "compare.md").read_text("utf-8")
WORDS = set(re.findall(r"`([^`\n]+)`", PAGE))


def test_every_field_that_a_side_can_be_narrowed_by_is_named():
    assert set(FILTERS) <= WORDS


def test_every_verdict_is_explained():
    table = PAGE.partition("| B is | meaning |")[2].partition("\n\n")[0].lower()
    assert all(verdict in table for verdict in get_args(Verdict))


def test_the_figures_are_the_codes():
    assert f"{DRAWS:,} draws" in PAGE
    assert MIN_GROUPS == 6
    assert "fewer than six groups" in PAGE
    assert set(get_args(Test)) == {"McNemar, exact", "sign flips of groups"}
    assert {"test", "train", "none"} == set(PARTS)


def test_its_commands_scores_and_options_are_there():
    commands = re.findall(r"^(?:\$ )?mendbench ([^#\n]*)", PAGE, re.MULTILINE)
    assert len(commands) >= 7
    for line in commands:
        words = line.split()
        command, rest = command_of(words)
        assert len(rest) < len(words), line
        assert {word for word in words if word.startswith("--")} <= options_of(command), line
        named = {words[at + 1] for at, word in enumerate(words) if word == "--score"}
        assert named <= {*score_names(), "all"}
