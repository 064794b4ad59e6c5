"""An installed package that brings members of its own: a distribution on the import path."""

from __future__ import annotations

from pathlib import Path

import pytest


def install(
    monkeypatch: pytest.MonkeyPatch, folder: Path, group: str, *, project: str = "theirs", **points: str
) -> None:
    """Announce ``points`` (name: ``module:attribute``) under ``group``, as a package installed in ``folder`` does."""
    info = folder / f"{project}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project}\nVersion: 1.0\n")
    lines = [f"[{group}]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(folder)
