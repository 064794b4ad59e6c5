"""Runs: the matrix of trials, and their execution by processes or by a cluster."""
