"""The version of mendbench."""

__version__ = "0.1.0"
