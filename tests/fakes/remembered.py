"""What a process of tests finds out once: which contents are free of credentials, and the digest of mendbench's own files."""

import hashlib
from functools import cache

import pytest


@pytest.fixture(scope="session", autouse=True)
def remembered():
    """Search no content for credentials a second time if nothing was found in it; that is half of a small run's time."""
    from mendbench.api import runs  # noqa: PLC0415 - imported by the first test, and not to collect them
    from mendbench.corpus import credentials  # noqa: PLC0415

    clean = set()
    in_bytes, shapes_in_file = credentials._in_bytes, credentials._shapes_in_file

    def once(search, name, data):
        mark = name, hashlib.sha256(data).digest()
        found = () if mark in clean else tuple(search())
        if not found:
            clean.add(mark)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            credentials,
            "_in_bytes",
            lambda data, place, suffix: once(lambda: in_bytes(data, place, suffix), suffix, data),
        )
        patch.setattr(
            credentials,
            "_shapes_in_file",
            lambda path: once(lambda: shapes_in_file(path), "shapes", credentials._read(path)),
        )
        patch.setattr(runs, "files_digest", cache(runs.files_digest))
        yield
