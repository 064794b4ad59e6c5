"""The location of the corpus that ships with mendbench: inside an installed wheel, or in the development checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped_root() -> Path:
    """Return the folder with the shipped ``mendbench.toml``, ``cases`` and ``cassettes``."""
    packed = _PACKAGE / "_corpus"
    return packed if packed.is_dir() else _PACKAGE.parent.parent
