"""Adapters of the tests run in the process of the tests: to start an interpreter and its supervisor takes most of an execution's time.

What a process does to itself, or has done to it, needs a real one: tests/engines/test_command.py.
"""

import contextlib
import io
import os
import sys
from functools import cache
from pathlib import Path

import pytest

from mendbench.engines import command, declared
from mendbench.process.bounded_run import Ran, run_command
from tests.fakes.engines import PLAIN

HOME = PLAIN.parent


@pytest.fixture
def at_home(monkeypatch):
    """Run commands that are an adapter of the tests here; any other is a process still."""
    keep = command.CommandEngine._kept

    def kept(engine, *words):
        return None if _adapter(engine._command.argv) else keep(engine, *words)

    monkeypatch.setattr(command.CommandEngine, "_kept", kept)
    monkeypatch.setattr(command, "run_command", _run)
    monkeypatch.setattr(declared, "run_command", _run)


def _run(argv, environ, limits, **more):
    adapter = _adapter(argv)
    return _run_here(adapter, argv, environ) if adapter else run_command(argv, environ, limits, **more)


def _adapter(argv):
    """Return the adapter that these words run; None if they run something else."""
    return next((word for word in argv if Path(word).parent == HOME and word.endswith(".py")), None)


def _run_here(adapter, argv, environ):
    out, code, err = io.StringIO(), 0, ""
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setattr(os, "environ", dict(environ))
        patch.setattr(sys, "argv", list(argv[argv.index(adapter) :]))
        patch.syspath_prepend(HOME)
        try:
            exec(_compiled(adapter), {"__name__": "__main__"})
        except (SystemExit, Exception) as ended:  # noqa: BLE001 - a process ends by it
            code, err = 1, str(ended)
    return Ran(ending="exit", code=code, out=out.getvalue().encode(), err=err)


@cache
def _compiled(adapter):
    return compile(Path(adapter).read_text(encoding="utf-8"), adapter, "exec")
