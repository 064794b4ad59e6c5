"""A real MLflow tracking server (https://mlflow.org), run locally while recording."""

from mendbench.services.mlflow.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.mlflow.world import Mlflow as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
