"""The GitHub REST API, simulated (https://docs.github.com/rest)."""

from mendbench.services.github.service import GitHub as SIMULATED  # noqa: N814 - the name that the registry looks for

__all__ = ["SIMULATED"]
