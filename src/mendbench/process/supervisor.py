"""Supervises one command: starts it, isolates it from other hosts, and keeps track of every process that it starts.

A separate program, started by its path (``python -I -S supervisor.py CONTROL NETWORK LISTENERS``), so it imports only the standard library.
It exchanges JSON lines over the socket ``CONTROL``::

    it  {"ready": true} with LISTENERS listening sockets, or {"refused": why}
    we  {"argv": […], "environ": {…}}
    it  {"began": true}, or {"absent": why}
    it  {"asked": name} for each host that the command looks up, {"code": n} when it has ended

When the socket is closed, all remaining processes of the command are ended. Linux only: see unshare(2), prctl(2), network_namespaces(7).
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROC = Path("/proc")
STATE, PARENT, SESSION, STARTED, PAGES = 0, 1, 3, 19, 21
"""Fields of ``/proc/PID/stat`` after the command's name (proc(5)): state, parent, session, start time, and resident pages."""
_GONE = frozenset({"Z", "X"})

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
"""CLONE_NEWUSER and CLONE_NEWNET (linux/sched.h)."""
_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER (linux/prctl.h)."""
_SET_FLAGS, _SET_ADDRESS, _SET_MASK = 0x8914, 0x8916, 0x891C
"""SIOCSIFFLAGS, SIOCSIFADDR and SIOCSIFNETMASK (linux/sockios.h)."""
_UP_AND_RUNNING = 0x41
_RESOLVERS = Path("/etc/resolv.conf")
_DNS_PORT, _BACKLOG = 53, 64
_MOST_RESOLVERS = 3
"""MAXNS of resolv.conf(5)."""
_POINTER, _NO_SUCH_NAME = 12, 0x8183
"""DNS constants (RFC 1035 section 4.1): the type of a query for an address's name, and the flags of a response for an unknown name."""
_HEAD = 12
_END_S, _PAUSE_S = 2.0, 0.002
"""How long it keeps ending the remaining processes, and the pause between two checks, in seconds."""


def processes() -> Iterator[tuple[int, list[str]]]:
    """Yield all processes with their fields of ``/proc/PID/stat``; none if there is no such file system."""
    if not PROC.is_dir():
        return
    for entry in os.listdir(PROC):  # noqa: PTH208  it is listed many times a second
        if entry.isdigit():
            with contextlib.suppress(OSError):
                text = (PROC / entry / "stat").read_text("utf-8", "replace")
                yield int(entry), text.rpartition(")")[2].split()


def descendants(root: int) -> dict[int, list[str]]:
    """Return the live descendants of a process, with their fields."""
    known = dict(processes())
    children: dict[int, list[int]] = {}
    for pid, fields in known.items():
        children.setdefault(int(fields[PARENT]), []).append(pid)
    found, left = [], [root]
    while left:
        own = children.get(left.pop(), [])
        found += own
        left += own
    return {pid: known[pid] for pid in found if known[pid][STATE] not in _GONE}


def is_same(pid: int, fields: list[str]) -> bool:
    """Return whether a process is still the one that had these fields."""
    with contextlib.suppress(OSError):
        current = (PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return current[STARTED] == fields[STARTED]
    return False


def main() -> None:
    """Supervise one command until it has ended, and then until the control socket is closed."""
    control = socket.socket(fileno=int(sys.argv[1]))
    resolvers: list[socket.socket] = []
    try:
        _call("prctl", _CHILD_SUBREAPER, 1, 0, 0, 0)
        if sys.argv[2] == "held":
            resolvers = _alone()
        listeners = [_listener() for _ in range(int(sys.argv[3]))]
    except OSError as error:
        _send(control, {"refused": f"{error.strerror or error}"})
        return
    socket.send_fds(control, [b'{"ready": true}\n'], [listener.fileno() for listener in listeners])
    for listener in listeners:
        listener.close()
    order = _read_line(control)
    if not order:
        return
    wake = _wake_on_children()
    pid = _begun(control, json.loads(order), [control, *resolvers])
    if pid is not None:
        _keep(control, pid, wake, resolvers)
    _end_all()


def _call(name: str, *arguments: int) -> None:
    """Call a function of the C library that returns 0.

    Raises:
        OSError: it does not.
    """
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _alone() -> list[socket.socket]:
    """Enter a new network that contains only this process, and return the sockets that receive its look-ups.

    A user without permission for that first becomes the only user of a user namespace, under the same number.

    Raises:
        OSError: that is not allowed here.
    """
    user, group = os.geteuid(), os.getegid()
    try:
        _call("unshare", _NEW_NETWORK)
    except OSError:
        _call("unshare", _NEW_USER | _NEW_NETWORK)
        for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            (PROC / "self" / name).write_text(line)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        _ioctl(any_socket, _SET_FLAGS, struct.pack("16sH22x", b"lo", _UP_AND_RUNNING))
    heard = []
    for number, address in enumerate(_resolvers()):
        with contextlib.suppress(OSError):
            heard.append(_resolver(number, address))
    return heard


def _ioctl(on: socket.socket, what: int, data: bytes) -> None:
    import fcntl  # noqa: PLC0415  absent on Windows, where this module is still imported

    fcntl.ioctl(on, what, data)


def _resolvers() -> list[str]:
    """Return the addresses of the name servers: resolv.conf(5)."""
    with contextlib.suppress(OSError):
        lines = [line.split() for line in _RESOLVERS.read_text("utf-8", "replace").splitlines()]
        named = [line[1].partition("%")[0] for line in lines if line[:1] == ["nameserver"] and len(line) > 1]
        return named[:_MOST_RESOLVERS] or ["127.0.0.1"]
    return ["127.0.0.1"]


def _resolver(number: int, address: str) -> socket.socket:
    """Give the loopback interface that address and return a socket that receives the look-ups there.

    Raises:
        OSError: it is not an address, or the socket cannot be opened.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asking:
        raw = socket.inet_pton(family, address)
        if family == socket.AF_INET6 and address != "::1":
            _ioctl(asking, _SET_ADDRESS, struct.pack("16sIi", raw, 128, socket.if_nametoindex("lo")))
        elif family == socket.AF_INET and not address.startswith("127."):
            name = f"lo:{number}".encode()
            for what, value in ((_SET_ADDRESS, raw), (_SET_MASK, b"\xff\xff\xff\xff")):
                _ioctl(asking, what, struct.pack("16sH2x4s16x", name, family, value))
    heard = socket.socket(family, socket.SOCK_DGRAM)
    heard.settimeout(0)
    heard.bind((address, _DNS_PORT))
    return heard


def _listener() -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    listener.listen(_BACKLOG)
    return listener


def _wake_on_children() -> int:
    """Return a file descriptor that becomes readable when a child has ended."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def _begun(control: socket.socket, order: Any, own: list[socket.socket]) -> int | None:
    """Start the command in its own session and return its process; None if it cannot be run."""
    heard, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become(order, write_end, own)
    os.close(write_end)
    why = b""
    while chunk := os.read(heard, 1024):
        why += chunk
    os.close(heard)
    for number in (1, 2):
        os.close(number)
    os.open(os.devnull, os.O_RDWR)
    os.dup2(1, 2)
    _send(control, {"absent": why.decode()} if why else {"began": True})
    return None if why else pid


def _become(order: Any, write_end: int, own: list[socket.socket]) -> None:
    """Become the command; report the reason if that fails."""
    try:
        os.setsid()
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        for opened in own:
            opened.close()
        os.execvpe(order["argv"][0], order["argv"], order["environ"])  # noqa: S606  the operator's own program
    except BaseException as error:  # noqa: BLE001  a forked child must not go on as its parent
        os.write(write_end, (getattr(error, "strerror", None) or str(error)).encode("utf-8", "replace"))
    os._exit(127)


def _keep(control: socket.socket, pid: int, wake: int, resolvers: list[socket.socket]) -> None:
    """Report events until the control socket is closed."""
    by_number = {resolver.fileno(): resolver for resolver in resolvers}
    poll = select.poll()
    for number in (control.fileno(), wake, *by_number):
        poll.register(number, select.POLLIN | select.POLLHUP)
    while True:
        for number in sorted(
            (number for number, _ in poll.poll()), key=wake.__eq__
        ):  # report its look-ups before its end
            if number == control.fileno():
                return
            if number == wake:
                with contextlib.suppress(BlockingIOError):
                    os.read(wake, 1024)
                for ended, status in _reaped():
                    if ended == pid:
                        _send(control, {"code": os.waitstatus_to_exitcode(status)})
            else:
                _hear(control, by_number[number])


def _reaped() -> Iterator[tuple[int, int]]:
    """Yield the children that have ended, including adopted ones."""
    with contextlib.suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended


def _hear(control: socket.socket, resolver: socket.socket) -> None:
    """Report the name that is looked up; respond that this machine's own name does not exist."""
    with contextlib.suppress(OSError, ValueError, IndexError, struct.error):
        query, sender = resolver.recvfrom(4096)
        name, kind, end = asked_in(query)
        own = socket.gethostname().partition(".")[0].lower()
        if kind == _POINTER or name.lower().partition(".")[0] == own or name.lower().endswith("localhost"):
            head = query[:2] + struct.pack(">HHHHH", _NO_SUCH_NAME, 1, 0, 0, 0)
            resolver.sendto(head + query[_HEAD:end], sender)
            return
        _send(control, {"asked": name})


def asked_in(query: bytes) -> tuple[str, int, int]:
    """Return the name and the type in a DNS query, and where its question ends (RFC 1035 section 4.1.2).

    Raises:
        IndexError, struct.error: it is not a query.
    """
    labels, at = [], _HEAD
    while size := query[at]:
        labels.append(query[at + 1 : at + 1 + size].decode("ascii", "replace"))
        at += 1 + size
    (kind,) = struct.unpack(">H", query[at + 1 : at + 3])
    return ".".join(labels), kind, at + 5


def _end_all() -> None:
    """End all remaining processes."""
    deadline = time.monotonic() + _END_S
    while (left := descendants(os.getpid())) and time.monotonic() < deadline:
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        for _ in _reaped():
            pass
        time.sleep(_PAUSE_S)


def _send(control: socket.socket, message: object) -> None:
    with contextlib.suppress(OSError):
        control.sendall(json.dumps(message).encode() + b"\n")


def _read_line(control: socket.socket) -> bytes:
    """Return the next line; empty if the socket is closed before its end."""
    line = b""
    while not line.endswith(b"\n"):
        chunk = control.recv(65536)
        if not chunk:
            return b""
        line += chunk
    return line


if __name__ == "__main__":
    main()
