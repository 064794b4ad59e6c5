"""Exact and resampling statistics; n is always cases."""
