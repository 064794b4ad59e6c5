"""Probes of an MCP server: right calls are broken on purpose, and its error messages are examined without a model."""
