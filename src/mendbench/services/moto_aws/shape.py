"""The shape of the AWS data: see :mod:`mendbench.services.moto_aws.world`."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from mendbench.services.shape import Plain, Shape, Table, Text


class Call(Shape):
    """A call that creates data."""

    target: Text = None
    json_: Any = Field(None, alias="json")
    method: Text = None
    url: Text = None
    headers: Table[Plain] = None
    text: Text = None


class State(Shape):
    """Calls by name."""

    calls: Table[Call] = None
