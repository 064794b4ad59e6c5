"""The README stays short, and its commands work as they stand."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
CASES = ("github/labels-as-string", "github/issue-title-sent-as-name", "slack/channel-name-instead-of-id")
SET_UP = ("git clone", "make ", ". .venv")


def commands(block):
    return [line.partition("  #")[0].strip() for line in block.splitlines() if not line.startswith(SET_UP)]


def ran(lines, folder, forked, cases=CASES):
    """Run commands in a folder with these cases."""
    for name in ("mendbench.toml", "baseline.tsv", "src", "cases/split.yaml", "cases/protocol.yaml"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    for name in (f"{kind}/{case}" for kind in ("cases", "cassettes") for case in cases):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(ROOT / name)
    (folder / ".git").mkdir()
    path = f"{forked.path}{os.pathsep}{os.environ['PATH']}"
    for line in lines:
        found = subprocess.run(
            line, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        assert found.returncode == 0, f"{line}\n{found.stdout}{found.stderr}"


def test_it_is_short():
    assert len(README.splitlines()) <= 120
    assert len(README.split()) <= 900


def test_its_blocks_are_found():
    assert [commands(block)[0].split()[0] for block in BLOCKS] == ["mendbench", "mendbench", "cp"]


@pytest.mark.parametrize("block", [0, 2])
def test_a_block_works_as_pasted(block, tmp_path, forked):
    ran(commands(BLOCKS[block]), tmp_path, forked)


@pytest.mark.slow
def test_the_gate_recipe_works_as_pasted(tmp_path, forked):
    ran(
        commands(BLOCKS[1]),
        tmp_path,
        forked,
        [path.parent.relative_to(ROOT / "cases") for path in (ROOT / "cases").glob("*/*/case.yaml")],
    )


def test_the_map_names_every_page():
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert pages - set(re.findall(r"\]\(([^)]*)\)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8"))) == set()
