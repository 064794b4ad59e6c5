"""The real moto (https://docs.getmoto.org), which emulates AWS, run locally while recording."""

from mendbench.services.moto_aws.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.moto_aws.world import MotoAws as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
