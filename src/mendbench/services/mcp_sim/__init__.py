"""Simulated MCP servers with three error profiles: see :mod:`mendbench.services.mcp_sim.spec`."""

from mendbench.services.mcp_sim.service import McpSim as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.mcp_sim.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
