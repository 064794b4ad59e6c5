"""A real Chroma (https://www.trychroma.com), run locally while recording."""

from mendbench.services.chroma.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.chroma.world import Chroma as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
