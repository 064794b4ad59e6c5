"""The lowest versions that pyproject.toml allows, as ``requirements/lowest.txt`` has them, and the newest that there are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from qa.release.steps import A_FEW, FAST_TESTS, ROOT, Step, environment, ran, timed

EXTRAS = f"{ROOT}[mcp,cluster,parquet,real-worlds]"


def lowest(place: Path) -> Iterator[Step]:
    """Test with the lowest versions of what is depended on directly."""
    locked = ["--require-hashes", "-r", ROOT / "requirements" / "lowest.txt"]
    yield timed("lowest", "installed", lambda: environment(place / "env", sys.executable, *locked) or _itself(place))
    yield from _tested("lowest", place)


def newest(place: Path) -> Iterator[Step]:
    """Test with the newest versions, without any lock."""
    wanted = ["--upgrade", EXTRAS, "-r", ROOT / "requirements" / "lowest.in"]
    yield timed("newest", "installed", lambda: environment(place / "env", sys.executable, *wanted))
    yield from _tested("newest", place)


def _itself(place: Path) -> str | None:
    """Install mendbench beside what is there already: tests start it as a program too."""
    return ran([place / "env" / "bin" / "python", "-m", "pip", "-q", "install", "--no-deps", ROOT], ROOT)


def _tested(part: str, place: Path) -> Iterator[Step]:
    python = place / "env" / "bin" / "python"
    source = f"import sys; sys.path.insert(0, {str(ROOT / 'src')!r}); "
    as_test = source + "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    as_program = source + "from mendbench.cli.main import main; sys.exit(main())"
    for folder in FAST_TESTS:
        command = [python, "-c", as_test, "-q", "-x", "-p", "no:cacheprovider", folder]
        yield timed(part, folder, lambda command=command: ran(command, ROOT))
    out = place / "out"
    yield timed(part, "mendbench run", lambda: ran([python, "-c", as_program, "run", *A_FEW, "--out", out], ROOT))
    yield timed(
        part, "mendbench report", lambda: ran([python, "-c", as_program, "report", out, "--csv", place / "csv"], ROOT)
    )
