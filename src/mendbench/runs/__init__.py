"""Runs: which trials there are, and their execution by processes or by a cluster."""
