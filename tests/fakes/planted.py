"""A credential that nobody declared, in the recording of a sound case."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import WORLD
from qa.torture.planting import PROVIDERS


@dataclass(frozen=True)
class Recorded:
    """Where a credential stands, and what it is."""

    path: Path
    line: int
    value: str


def record_credential(root: Path, case_id: str, shape: str = "GitHub token") -> Recorded:
    """Draw a credential of a provider's shape, and let the first request to a case's world have it in a header that nothing reads."""
    path, value = root / "cassettes" / case_id / WORLD, PROVIDERS[shape](random.Random(11))
    first, *others = cassette.load(path)
    headers = (*first.request.headers, ("x-trace", value))
    cassette.rewrite(path, [replace(first, request=replace(first.request, headers=headers)), *others])
    text = path.read_text(encoding="utf-8")
    return Recorded(path=path, line=text.count("\n", 0, text.index(value)) + 1, value=value)
