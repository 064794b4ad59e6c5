"""Simulated MCP servers in three error profiles: see :mod:`mendbench.services.mcp_sim.spec`."""

from mendbench.services.mcp_sim.service import McpSim as SIMULATED  # noqa: N814 - the name that the registry looks for

__all__ = ["SIMULATED"]
