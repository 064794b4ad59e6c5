"""The shape of the tracking data: see :mod:`mendbench.services.mlflow.world`."""

from __future__ import annotations

from mendbench.services.shape import Count, Plain, Shape, Table, Text, Whole


class Run(Shape):
    """A run. Times are milliseconds since the epoch."""

    status: Text = None
    start_time: Whole = None
    end_time: Whole = None
    params: Table[Plain] = None
    metrics: Table[float] = None
    tags: Table[Plain] = None


class Experiment(Shape):
    """An experiment with its runs by name."""

    tags: Table[Plain] = None
    runs: Table[Run] = None


class Version(Shape):
    """A version of a model. ``run`` names a run of the experiments."""

    run: Text = None
    source: Text = None
    description: Text = None
    tags: Table[Plain] = None


class RegisteredModel(Shape):
    """A registered model; its aliases are names with the number of a version."""

    description: Text = None
    tags: Table[Plain] = None
    versions: list[Version] | None = None
    aliases: Table[Count] = None


class State(Shape):
    """Experiments and registered models by name."""

    experiments: Table[Experiment] = None
    registered_models: Table[RegisteredModel] = None
