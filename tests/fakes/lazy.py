"""Modules that few tests use, imported when they are used: every worker collects all tests."""

from importlib import import_module
from typing import Any


class Lazy:
    """A module that takes long to import. It is imported when one of its names is first asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # pytest looks for marks of its own on every name of a test module
            raise AttributeError(name)
        return getattr(import_module(self._name), name)
