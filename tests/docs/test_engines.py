"""docs/engines.md against what a command is really given."""

import re
from pathlib import Path

from mendbench.config.tables import EngineConfig
from mendbench.engines import Declared

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "engines.md").read_text(encoding="utf-8")


def test_every_variable_that_is_set_is_in_the_table_and_no_other():
    sources = "".join(
        path.read_text(encoding="utf-8")
        for package in ("engines", "process")
        for path in (ROOT / "src" / "mendbench" / package).rglob("*.py")
    )
    documented = set(re.findall(r"^\| `(MENDBENCH_\w+)`", PAGE, re.MULTILINE))
    assert documented == set(re.findall(r'"(MENDBENCH_[A-Z_]+)"', sources)) - {"MENDBENCH_"}


def test_every_setting_and_every_declaration_is_reported():
    for name in (*EngineConfig.model_fields, *(field for field in Declared.__dataclass_fields__)):
        assert re.search(rf"\b{name}\b", PAGE), name


def test_the_examples_are_there():
    for name in ("mendbench_cli.py", "pflow_cli.py", "pocketflow_agent.py"):
        assert (ROOT / "examples" / "engines" / name).is_file()
