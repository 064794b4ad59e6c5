"""Tasks for worker processes. Each worker imports this module, and with it nothing that only a test needs."""

import os
import signal

from mendbench.errors import BadInput, GuardTripped, Incomplete, ReplayMiss, UnknownName
from mendbench.runs import executor

ERRORS = (
    BadInput("world.yaml:3", "torn", "mend it"),
    UnknownName("strategy", "sumary", ["summary"]),
    Incomplete("no response came"),
    ReplayMiss("GET https://a.test/", nearest="GET https://a.test/b", differs=("url.path",), record="mendbench run"),
    GuardTripped("socket.connect", "('127.0.0.1', 9)"),
)


def square(number):
    return number * number


def raise_numbered(number):
    raise ERRORS[number]


def divide(number):
    return 1 // number


def process_of(_number):
    return os.getpid()


def die_of_seven(number):
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_at_first(marker, number):
    """Kill this process, unless it was done before."""
    if number == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def touch_until_over(path):
    """Touch a file, and go on until the pool is closed."""
    path.touch()
    assert executor._over.wait(60)
