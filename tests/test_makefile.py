"""What make says where Python is too old."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(
    ("version", "accepted"), [("3.9.18", False), ("3.10.13", False), ("3.14.0", False), ("3.12.1", True)]
)
def test_make_ends_in_one_sentence_before_it_builds_anything_with_another_python(tmp_path, version, accepted):
    for name in ("Makefile", "pyproject.toml", "requirements"):
        (tmp_path / name).symlink_to(ROOT / name)
    python = tmp_path / "bin" / "python3"
    python.parent.mkdir()
    python.write_text(
        f'#!/bin/sh\necho "$@" >> called\n[ "$1" = --version ] && echo "Python {version}"\n', encoding="utf-8"
    )
    python.chmod(0o755)
    env = {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["make", "bench"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    said = f"mendbench needs Python 3.11 to 3.13; python3 is {version}. Run make PYTHON=python3.12 bench, or name another one."
    assert done.returncode == 2
    assert (said == done.stderr.splitlines()[0]) is not accepted
    assert (tmp_path / "called").read_text() == "--version\n" + "-m venv .venv\n" * accepted
