"""What starting programs needs of the system. Replay starts none."""

from __future__ import annotations

import os
import sys

from mendbench.errors import BadInput


def require_linux(place: str, what: str) -> None:
    """Refuse what runs in a sandbox, which is made of namespaces and process handles of Linux.

    Raises:
        BadInput: the system is not Linux.
    """
    if not (sys.platform.startswith("linux") and hasattr(os, "geteuid") and hasattr(os, "pidfd_open")):
        raise BadInput(
            place,
            f"{what}, and the sandbox for it needs Linux",
            "record it on Linux; the recording replays on every system",
        )


def require_groups(program: str) -> None:
    """Refuse a program of the operator: it is ended by its process group, and read through pipes that can be polled.

    Raises:
        BadInput: the system is not POSIX.
    """
    if not hasattr(os, "killpg"):
        hint = "do this there; a replay needs it only where a command is the engine"
        raise BadInput(program, "a program, and running it needs Linux or macOS", hint)
