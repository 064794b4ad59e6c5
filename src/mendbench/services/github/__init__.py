"""The GitHub REST API, simulated (https://docs.github.com/rest)."""

from mendbench.services.github.service import GitHub as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.github.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
