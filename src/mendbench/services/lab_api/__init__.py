"""A real FastAPI application, the API of an invented cold store for seeds, run locally while recording."""

from mendbench.services.lab_api.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.lab_api.world import LabApi as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
