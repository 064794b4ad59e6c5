"""A real Prefect server (https://www.prefect.io), run locally while recording."""

from mendbench.services.prefect.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.prefect.world import Prefect as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
