"""Runs one trial, from the components in its key to its row."""
