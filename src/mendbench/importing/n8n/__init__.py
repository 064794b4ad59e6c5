"""Executions of n8n."""
