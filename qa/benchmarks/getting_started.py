"""The transcript of docs/getting-started.md: a new repository, with nothing but the wheel, and how long each command takes.

    python qa/benchmarks/getting_started.py [--check]

It builds the wheel, installs it into an empty environment, and runs the commands of the page in an empty repository. The transcript
stands between ``<!-- transcript -->`` and ``<!-- end -->``. With ``--check`` nothing is written, and 1 is returned if the output differs;
times are not compared.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "getting-started.md"
BLOCK = re.compile(r"(<!-- transcript -->\n).*?(<!-- end -->)", re.DOTALL)
SECONDS = re.compile(r"# \d+(\.\d+)? s\b")

TEMPLATE = "strategies/ours.md.j2"
LOST = ("response", "required_fixes")
"""The sections of the template that the regression removes: what the API said."""

COMMANDS = (
    "mendbench init",
    "mendbench doctor",
    "mendbench run",
    "mendbench gate --update",
    "mendbench gate",
)
AFTER = ("mendbench run", "mendbench gate")
"""The commands after the regression, as CI runs them."""


def main() -> int:
    """Write the transcript, or compare it, and return the exit code."""
    with tempfile.TemporaryDirectory() as place:
        text = "".join(_transcript(Path(place)))
    page = PAGE.read_text("utf-8")
    renewed = BLOCK.sub(lambda block: f"{block[1]}{text}{block[2]}", page)
    if "--check" in sys.argv:
        same = SECONDS.sub("", page) == SECONDS.sub("", renewed)
        sys.stdout.write(
            "" if same else f"{PAGE}: the transcript differs; write it with qa/benchmarks/getting_started.py\n"
        )
        return 0 if same else 1
    PAGE.write_text(renewed, "utf-8")
    return 0


def _transcript(place: Path) -> Iterator[str]:
    wheel, seconds = _built(place / "dist")
    repository = place / "repository"
    repository.mkdir()
    _ran("git init -q", repository, place)
    yield "```\n"
    yield f"$ pip install {wheel.name}   # {seconds:.0f} s\n\n"
    for command in COMMANDS:
        yield _shown(command, repository, place)
    yield "```\n\n"
    template = repository / TEMPLATE
    template.write_text(_without(template.read_text("utf-8"), LOST), "utf-8")
    yield f"Somebody shortens `{TEMPLATE}`: the sections `response` and `required_fixes` go. CI says what that costs:\n\n```\n"
    for command in AFTER:
        yield _shown(command, repository, place)
    yield "```\n"


def _built(folder: Path) -> tuple[Path, float]:
    """Return the wheel, installed into an environment of its own, and how long installing it took, in seconds."""
    _checked([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], ROOT)
    wheel = next(folder.glob("*.whl"))
    _checked([sys.executable, "-m", "venv", str(folder.parent / "venv")], ROOT)
    began = time.perf_counter()
    _checked([str(folder.parent / "venv/bin/python"), "-m", "pip", "install", "--quiet", str(wheel)], folder)
    return wheel, time.perf_counter() - began


def _shown(command: str, folder: Path, place: Path) -> str:
    began = time.perf_counter()
    output, code = _ran(command, folder, place)
    seconds = time.perf_counter() - began
    exited = f", exit {code}" if code else ""
    return f"$ {command}   # {seconds:.1f} s{exited}\n{output.replace(str(folder), '.')}\n"


def _ran(command: str, folder: Path, place: Path) -> tuple[str, int]:
    kept = {name: value for name, value in os.environ.items() if name in {"HOME", "LANG", "TMPDIR"}}
    path = f"{place / 'venv/bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command.split(), cwd=folder, env={**kept, "PATH": path, "COLUMNS": "100"}, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()) + "\n", done.returncode


def _checked(words: list[str], folder: Path) -> None:
    subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": ""})


def _without(template: str, names: tuple[str, ...]) -> str:
    """Return a template in which some sections are empty."""
    blocks = re.compile(rf"(\{{% block ({'|'.join(names)}) %\}}\n).*?(\{{% endblock %\}})", re.DOTALL)
    return blocks.sub(r"\1\3", template)


if __name__ == "__main__":
    sys.exit(main())
