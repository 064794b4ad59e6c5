"""Two GraphQL APIs over HTTP, simulated: an issue tracker in graphql-ruby's words, a laboratory's inventory in graphql-core's."""

from mendbench.services.graphql.service import GraphQL as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.graphql.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
