"""Two simulated GraphQL APIs over HTTP: an issue tracker with graphql-ruby's messages, a laboratory inventory with graphql-core's."""

from mendbench.services.graphql.service import GraphQL as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.graphql.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
