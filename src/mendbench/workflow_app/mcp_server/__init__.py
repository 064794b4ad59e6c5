"""A Model Context Protocol server: runs, validates and inspects workflows. It returns what the command line prints."""

from __future__ import annotations

from mendbench.workflow_app.mcp_server.serving import Serving, build_server, serve_stdio

__all__ = ["Serving", "build_server", "serve_stdio"]
