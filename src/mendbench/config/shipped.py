"""Where the corpus that ships with mendbench lies: inside an installed wheel, or in the checkout it is developed in."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def shipped_root() -> Path:
    """Return the folder with the shipped ``mendbench.toml``, ``cases`` and ``cassettes``."""
    packed = _PACKAGE / "_corpus"
    return packed if packed.is_dir() else _PACKAGE.parent.parent
