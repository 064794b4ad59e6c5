"""A server program on this machine: started on a free loopback port, and ended together with the process that started it."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import util
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.services.sandboxed import HINT

START_LIMIT_S = 60.0
"""Maximum start time of a server, seconds. Typical start times are 0.5 to 5 seconds."""
STOP_LIMIT_S = 5.0
_POLL_S = 0.05
_LISTENS = re.compile(r"http://127\.0\.0\.1:[0-9]+")
_OUTLIVE_NOBODY = """
import os, shutil, sys, threading
folder = sys.argv.pop(1)
def outlive_nobody():
    while os.read(0, 1):
        pass
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
threading.Thread(target=outlive_nobody, daemon=True).start()
"""
"""Ends the program when its standard input ends. So the server ends even if the process that started it crashes."""


def refuse_absent(service: str, *modules: str) -> None:
    """Check that the packages of a server are installed.

    Raises:
        BadInput: a module is not installed in the environment that this process runs in.
    """
    absent = [module for module in modules if util.find_spec(module) is None]
    if absent:
        raise BadInput(f"service {service}", f"the package {absent[0].replace('_', '-')} is not installed", HINT)


class LocalServer:
    """One run of a program that prints its listening address."""

    def __init__(self, service: str) -> None:
        self._service = service
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, code: str, *words: str, log: Path, environ: Mapping[str, str], folder: Path | None = None) -> str:
        """Run Python ``code`` with ``words`` as its arguments, and return its base URL once it listens.

        The program sees only the variables of ``environ``. Its output goes to ``log``. When the process that started it ends, the program
        ends too, and ``folder`` is removed.

        Raises:
            BadInput: it does not start.
        """
        leaves = "" if folder is None else str(folder)
        command = (sys.executable, "-P", "-u", "-c", _OUTLIVE_NOBODY + code, leaves, *words)
        return self.run(command, log=log, environ=environ)

    def run(
        self, command: Sequence[str], *, log: Path, environ: Mapping[str, str], listens: re.Pattern[str] = _LISTENS
    ) -> str:
        """Run a command, and return what ``listens`` matches in its output: the group, if the pattern has one.

        Raises:
            BadInput: it does not start.
        """
        self.stop()
        with log.open("wb") as out:
            self._process = subprocess.Popen(  # noqa: S603  code of our own
                command, stdin=subprocess.PIPE, stdout=out, stderr=out, env=dict(environ), cwd=log.parent
            )
        try:
            return self._address(self._process, log, listens)
        except BaseException:
            self.stop()
            raise

    @property
    def runs(self) -> bool:
        """Whether it was started and not stopped."""
        return self._process is not None

    def stop(self) -> None:
        """Stop the program. Does nothing if it is not running."""
        if self._process is None:
            return
        self._process.terminate()
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _address(self, process: subprocess.Popen[bytes], log: Path, listens: re.Pattern[str]) -> str:
        """Wait until the server prints its address. It picks the port itself, so no other process can take it first."""
        place, deadline = f"service {self._service}", time.monotonic() + START_LIMIT_S
        while time.monotonic() < deadline:
            output = log.read_text("utf-8", "replace")
            found = listens.search(output)
            if found:
                return found.group(found.lastindex or 0)
            if process.poll() is not None:
                last = output.strip().splitlines()[-1:] or ["no output"]
                raise BadInput(place, f"it ended with code {process.returncode}: {last[0]}", "mend its set-up")
            time.sleep(_POLL_S)
        raise BadInput(place, f"no answer within {START_LIMIT_S:.0f} s", "try again on an idle machine")
