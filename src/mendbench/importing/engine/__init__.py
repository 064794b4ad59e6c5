"""Traces of the engine."""
