"""A real Jupyter Server (https://jupyter-server.readthedocs.io), run locally while recording."""

from mendbench.services.jupyter.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.jupyter.world import Jupyter as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
