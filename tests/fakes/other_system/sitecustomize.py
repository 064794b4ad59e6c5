"""Makes every Python process that finds this module behave as on a system without what only Linux, or only POSIX, has.

It removes the modules and functions that Windows lacks, and takes on its habits: only ``spawn`` starts workers, an open file is neither
renamed nor removed, a folder cannot be opened, and a file opened without ``O_BINARY`` gets ``\\r\\n`` for ``\\n``.
"""

import contextlib
import ctypes
import errno
import multiprocessing.context
import os
import shutil
import signal
import subprocess  # noqa: F401  imported while it finds what it needs
import sys
import sysconfig
import tempfile

sysconfig.get_config_vars()  # it looks for a file that is named for the real platform

ABSENT_MODULES = ("fcntl", "resource", "pwd", "grp", "termios")
ABSENT_FUNCTIONS = (
    "geteuid", "getuid", "getegid", "getgid", "killpg", "getpgrp", "setsid", "pread", "pidfd_open", "fchmod", "chown", "mkfifo",
    "sysconf", "statvfs", "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_PATH",
)  # fmt: skip
ABSENT_SIGNALS = ("SIGKILL", "SIGHUP", "SIGCHLD", "SIGPIPE", "SIGALRM")
BINARY = 1 << 30

_real = {name: getattr(os, name) for name in ("open", "write", "close", "rename", "replace", "unlink", "rmdir")}
_translated = set()
_listdir, _readlink, _is_dir = os.listdir, os.readlink, os.path.isdir


def _open(path, flags, mode=0o777, *, dir_fd=None):
    if dir_fd is not None:
        raise NotImplementedError("dir_fd unavailable on this platform")
    if not isinstance(path, int) and _is_dir(path):
        raise PermissionError(errno.EACCES, "Permission denied", os.fspath(path))
    handle = _real["open"](path, flags & ~BINARY, mode)
    _translated.discard(handle)
    if not flags & BINARY:
        _translated.add(handle)
    return handle


def _write(handle, data):
    if handle in _translated:
        _real["write"](handle, bytes(data).replace(b"\n", b"\r\n"))
        return len(data)
    return _real["write"](handle, data)


def _close(handle):
    _translated.discard(handle)
    _real["close"](handle)


def _refuse_open(path):
    path = os.path.abspath(os.fspath(path))  # noqa: PTH100  as the call would find it, links and all
    for handle in _listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            held = _readlink(f"/proc/self/fd/{handle}")
            if held == path or held.startswith(f"{path}/"):
                raise_from = PermissionError(errno.EACCES, "Permission denied", path)
                break
    else:
        return
    raise raise_from


def _unless_open(call, count):
    def changed(*paths, **how):
        for path in paths[:count]:
            if isinstance(path, str | os.PathLike):
                _refuse_open(path)
        return call(*paths, **how)

    return changed


class _Library(ctypes.CDLL):
    def __getattr__(self, name):
        if name in {"renameat2", "unshare", "prctl"}:
            raise AttributeError(name)
        return super().__getattr__(name)


for name in ABSENT_MODULES:
    sys.modules[name] = None
for name in ABSENT_FUNCTIONS:
    delattr(os, name)
for name in ABSENT_SIGNALS:
    delattr(signal, name)
for name in ("fork", "forkserver"):
    del multiprocessing.context._concrete_contexts[name]
_default = multiprocessing.context._default_context
_default._default_context = _default._actual_context = _default.get_context("spawn")
os.O_BINARY, tempfile._bin_openflags = BINARY, tempfile._bin_openflags | BINARY
os.open, os.write, os.close = _open, _write, _close
os.rename, os.replace = (_unless_open(_real[name], 2) for name in ("rename", "replace"))
os.unlink = os.remove = _unless_open(_real["unlink"], 1)
os.rmdir = _unless_open(_real["rmdir"], 1)
shutil._use_fd_functions = False
tempfile.TemporaryFile = tempfile.NamedTemporaryFile
ctypes.CDLL = _Library
sys.platform = "other"
