"""What docs/gate.md says is what the gate does."""

import re
import tomllib
from pathlib import Path
from typing import get_args

from mendbench.config.tables import GateConfig
from mendbench.results.baseline import COLUMNS, HEADER
from mendbench.scoring.gating.gate import GRAVITY
from mendbench.scoring.gating.limits import read_limits
from mendbench.scoring.gating.result import EXIT_CODES, Change
from tests.fakes.tables import for_each

PAGE = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")


def block(kind):
    return re.search(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL).group(1)


def test_the_configuration_on_the_page_is_read_and_names_the_defaults():
    table = tomllib.loads(block("toml"))["gate"]
    read = GateConfig.model_validate(table)
    assert [limit.score for limit in read_limits(read.limits, "page")] == ["wasted", "repair_success", "warning_f1"]
    said = dict(
        re.findall(r"(\w+) = (\S+)", next(line for line in block("toml").splitlines() if line.startswith("# ")))
    )
    defaults = GateConfig()
    assert {name: str(getattr(defaults, name)).lower() for name in said} == {
        name: value.strip('"') for name, value in said.items()
    }
    assert set(GateConfig.model_fields) - set(said) == {
        "baseline", "part", "engines", "strategies", "policies", "repairers", "models", "limits",
    }  # fmt: skip


def test_the_columns_and_the_header_on_the_page_are_those_of_the_file():
    lines = re.search(r"^# What trials came to.*?^```$", PAGE, re.MULTILINE | re.DOTALL).group().splitlines()
    assert tuple(line.split()[0] for line in lines[1:5]) == HEADER
    assert tuple(lines[6].split()) == COLUMNS
    assert len(lines[7].split()) == len(COLUMNS)


@for_each("change", get_args(Change))
def test_every_change_of_a_trial_is_reported(change):
    said = {
        "secret": "**Secrets.**",
        "incomparable": "a changed case leaves",
        "recording": "**A changed recording** (`recording`)",
        "unjudged": "**Unjudged trials**",
        "new": "New ones are shown",
        "gone": '`gone = "fail"`',
    }
    assert said.get(change, f"| `{change}` |") in " ".join(PAGE.split())


def test_the_order_of_wrong_outcomes_is_the_one_that_is_gated():
    sentence = re.search(r"From the least to the gravest: (.*?)\. Gains", " ".join(PAGE.split())).group(1)
    ranks = [[GRAVITY[name] for name in re.findall(r"`(\w+)`", part)] for part in sentence.split(";")]
    assert ranks == [[1], [2, 2, 2, 2], [3, 3], [4]]


def test_every_exit_code_has_a_line():
    assert {int(code) for code in re.findall(r"^\| (\d) \| ", PAGE, re.MULTILINE)} == {*EXIT_CODES.values(), 2}
