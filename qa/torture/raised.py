"""What nodes raise while something is tried: an engine makes a failed node of it, whoever is to blame."""

from __future__ import annotations

import sys
import traceback
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

from mendbench.runtime import observation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mendbench.runtime.observation import Visit


@contextmanager
def watched() -> Iterator[list[BaseException]]:
    """Yield the list of what nodes raise within the block, in order; each still fails its node."""
    found: list[BaseException] = []
    made = observation.raised_visit

    def seen(name: str, words: str) -> Visit:
        error = sys.exc_info()[1]
        if error is not None:
            found.append(error)
        return made(name, words)

    with patch.object(observation, "raised_visit", seen):
        yield found


def unmeant(raised: list[BaseException]) -> str | None:
    """Return the first that no node raises on purpose, and where it was raised; None if there is none.

    On purpose a node says that a parameter has no usable value (``ValueError``), or a value of another type (``TypeError``).
    """
    for error in raised:
        if not _meant(error):
            at = traceback.extract_tb(error.__traceback__)[-1]
            return f"a node raised {type(error).__name__}: {str(error)[:100]} ({at.name}, {at.filename}:{at.lineno})"
    return None


def _meant(error: BaseException) -> bool:
    if isinstance(error, TypeError):
        return " node parameter '" in str(error) and " must " in str(error)
    return isinstance(error, ValueError) and not isinstance(error, UnicodeError)
