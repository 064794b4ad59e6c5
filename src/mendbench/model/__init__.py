"""Frozen data: what every other package speaks about. Nothing here does anything."""
