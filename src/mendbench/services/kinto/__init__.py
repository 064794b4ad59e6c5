"""A real Kinto (https://docs.kinto-storage.org), run locally while recording."""

from mendbench.services.kinto.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.kinto.world import Kinto as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
