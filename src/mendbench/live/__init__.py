"""Real effects: HTTP, MCP servers, shell commands, files and models. Used while recording, and for workflows outside the benchmark."""
