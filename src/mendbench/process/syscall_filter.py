"""System calls that a sandboxed command may not make: those that lead out of its namespaces, as a filter for the kernel.

Some features of Linux have no namespace: sockets to the hypervisor (``AF_VSOCK``), the keyrings of the recording user, io_uring (which
opens sockets past any filter). The filter is classic BPF (``linux/seccomp.h``, ``linux/bpf_common.h``), as bubblewrap takes it.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Mapping
from dataclasses import dataclass

_LOAD_NR, _LOAD_ARCH, _LOAD_ARG0, _LOAD_ARG1 = ((0x20, 0, 0, offset) for offset in (0, 4, 16, 24))
"""Loads of ``struct seccomp_data``: the call's number, its machine, and the low halves of its first two arguments."""
_EQUAL, _AT_LEAST, _RETURN = 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97

_FAMILIES = (1, 2, 10, 16)
"""Address families that a namespace isolates: AF_UNIX, AF_INET, AF_INET6, AF_NETLINK."""
_TYPING = (0x5412, 0x541C)
"""Terminal requests that insert input: TIOCSTI, TIOCLINUX."""
_X32 = 0x40000000
"""The start of x86-64's second numbering of all calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    """The numbers of an architecture: its own (``linux/audit.h``) and those of its calls (``asm/unistd.h``)."""

    arch: int
    socket: int
    ioctl: int
    refused: tuple[int, ...]
    """add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd, io_uring_setup, io_uring_enter, io_uring_register."""


_MACHINES: Mapping[str, _Machine] = {
    "x86_64": _Machine(arch=0xC000003E, socket=41, ioctl=16, refused=(248, 249, 250, 321, 298, 323, 425, 426, 427)),
    "aarch64": _Machine(arch=0xC00000B7, socket=198, ioctl=29, refused=(217, 218, 219, 280, 241, 282, 425, 426, 427)),
}


def call_filter(machine: str | None = None) -> bytes | None:
    """Return the filter for an architecture, this machine's by default; None for one whose calls are unknown."""
    known = _MACHINES.get((machine or platform.machine()).lower())
    if known is None:
        return None
    code = [
        _LOAD_ARCH,
        (_EQUAL, 1, 0, known.arch),
        _refuse(_ENOSYS),
        _LOAD_NR,
        (_AT_LEAST, 0, 1, _X32),
        _refuse(_ENOSYS),
    ]
    for number in known.refused:
        code += [(_EQUAL, 0, 1, number), _refuse(_EPERM)]
    code += _of_call(known.ioctl, _LOAD_ARG1, {each: _refuse(_EPERM) for each in _TYPING}, _allow())
    code += _of_call(known.socket, _LOAD_ARG0, {each: _allow() for each in _FAMILIES}, _refuse(_EAFNOSUPPORT))
    return b"".join(struct.pack("HBBI", *each) for each in [*code, _allow()])


_Step = tuple[int, int, int, int]


def _of_call(number: int, load: _Step, by_value: Mapping[int, _Step], other: _Step) -> list[_Step]:
    """Return the steps that decide a call by one of its arguments."""
    decided = [step for value, response in by_value.items() for step in ((_EQUAL, 0, 1, value), response)]
    steps = [load, *decided, other]
    return [(_EQUAL, 0, len(steps), number), *steps]


def _refuse(error: int) -> _Step:
    return (_RETURN, 0, 0, _REFUSE | error)


def _allow() -> _Step:
    return (_RETURN, 0, 0, _ALLOW)
