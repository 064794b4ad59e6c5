"""A generic JSON API that a case defines completely, as :mod:`mendbench.services.json_api.spec` describes."""

from mendbench.services.json_api.service import JsonApi as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.json_api.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
