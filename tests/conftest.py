"""What holds for every test."""

import contextlib
import gc
import os
import shutil
import signal
import tempfile
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings

from tests.fakes.forked import forked  # noqa: F401
from tests.fakes.invented_corpus import built, root  # noqa: F401  fixtures of every test
from tests.fakes.remembered import remembered  # noqa: F401

settings.register_profile("quick", max_examples=10, deadline=None)
settings.register_profile("thorough", max_examples=400, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

os.environ.pop("CI", None)  # `mendbench gate` is stricter there
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a child that keeps nothing compiles every module again

MEMORY = Path("/dev/shm")
if "TMPDIR" not in os.environ and MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 * 1024**3:
    # Thousands of corpora are copied and deleted; no file of them needs a disk.
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)

os.fsync = lambda _file: (
    None
)  # nothing here has to outlive a power cut, and waiting for the disk is half of many tests' time

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts the tests in the background has them ignore Ctrl-C, and a child would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import a share of the test files first. Every worker collects all of them, and each is compiled by one worker then, not by all."""
    worker = getattr(session.config, "workerinput", None)
    if worker is None:
        return
    base = session.config.rootpath
    folders = [base / name for name in session.config.args]
    files = sorted({file for folder in folders if folder.is_dir() for file in folder.rglob("test_*.py")})
    first = int(worker["workerid"].removeprefix("gw"))
    for file in files[first :: worker["workercount"]]:
        with contextlib.suppress(Exception, pytest.skip.Exception):
            import_module(".".join(file.relative_to(base).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Leave what is there by now out of garbage collection: thousands of items would be gone through again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
