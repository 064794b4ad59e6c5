"""Files that are whole or absent: written beside their place, flushed, then renamed into it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, data: str | bytes) -> None:
    """Write ``data`` to ``path`` so that a reader sees the old file or the whole new one, and never a part.

    Raises:
        OSError: the folder cannot be written to. Nothing is left behind.
    """
    raw = data.encode() if isinstance(data, str) else data
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(raw)
            out.flush()
            os.fsync(out.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def append_durably(path: Path, data: str) -> None:
    """Append ``data`` to ``path`` and wait until it is on the disk. A crash can leave a torn tail, which readers cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as out:
        out.write(data.encode())
        out.flush()
        os.fsync(out.fileno())
