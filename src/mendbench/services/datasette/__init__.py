"""A real Datasette (https://datasette.io), run locally while recording."""

from mendbench.services.datasette.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.datasette.world import Datasette as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
