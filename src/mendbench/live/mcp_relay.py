"""A relay between us and an MCP server that is a program: it forwards lines, and ends if one is longer than the limit.

A separate program, ``python mcp_relay.py BYTES PROGRAM [ARGUMENT ...]``, that uses only the standard library. The server inherits our
standard input. When the server has ended, the relay forwards the end of its standard error and ends the processes that it left running.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

TAIL = 4096
"""How many bytes of the end of standard error are forwarded."""

_CHUNK = 65536


def main(most: int, argv: list[str]) -> int:
    """Run the server and return its exit code; 1 if one of its lines was too long."""
    try:
        server = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603  the operator's own
    except OSError as error:
        sys.stderr.write(f"{error.strerror or error}\n")
        return 127
    assert server.stdout is not None and server.stderr is not None  # noqa: S101, PT018  both are pipes
    tail = bytearray()

    def listen() -> None:
        while chunk := server.stderr.read1(_CHUNK):  # type: ignore[union-attr]
            tail.extend(chunk)
            del tail[:-TAIL]

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    line, out = 0, sys.stdout.buffer
    try:
        while chunk := server.stdout.read1(_CHUNK):  # type: ignore[attr-defined]
            first, *rest = chunk.split(b"\n")  # lines inside a chunk are shorter than the chunk
            if line + len(first) > most:
                server.kill()
                tail.extend(f"\nit said more than {most} bytes in one line\n".encode())
                break
            line = len(rest[-1]) if rest else line + len(first)
            out.write(chunk)
            out.flush()
    except BrokenPipeError:
        server.kill()
    server.wait()
    listener.join(1.0)
    sys.stderr.buffer.write(bytes(tail))
    sys.stderr.flush()
    _end_left()
    return server.returncode if server.returncode >= 0 else 1


def _end_left() -> None:
    """End the processes that the server left running, if the process group is our own."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.killpg(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
