"""The shapes that services declare of their states."""

import pytest

from mendbench.services import service_names, shape_of, simulated
from mendbench.services.shape import Shape

SIMULATED = ("chat", "github", "graphql", "mcp_sim", "payments", "sheets", "slack")
"""Those whose seed is a whole state. That of ``json_api`` has no API."""


@pytest.mark.parametrize("name", service_names())
def test_every_service_declares_the_shape_of_its_state(name):
    assert issubclass(shape_of(name), Shape)


@pytest.mark.parametrize("name", SIMULATED)
def test_seed_data_has_the_shape_that_its_service_declares(name):
    shape_of(name).model_validate(simulated(name).seed())
