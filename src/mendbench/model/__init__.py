"""Immutable data types that all other packages use. This package has no behaviour."""
