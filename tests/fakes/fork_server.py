"""A process that has imported mendbench and forks a child for each command: :mod:`tests.fakes.forked` asks for them.

A child is an ordinary process, with its own descriptors, environment, signals and exit. Only its imports happened before.
"""

import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys

LARGEST = 200_000
"""Bytes of one request: the words, the code and the environment."""


def serve(address):
    """Serve until standard input is closed. In each child, return the code that it is to execute as ``python -c`` would."""
    _import_commands()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(address)
        listening.listen()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that wait for a command
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listening, sys.stdin], [], [])
            if listening not in ready:
                os._exit(0)
            client, _ = listening.accept()
            if os.fork():
                client.close()
                continue
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            data, descriptors, _, _ = socket.recv_fds(client, LARGEST, 3)
            if child := os.fork():
                _, status = os.waitpid(child, 0)
                client.send(str(os.waitstatus_to_exitcode(status)).encode())
                os._exit(0)
            client.close()
            listening.close()
            return _become(json.loads(data), descriptors)


def _import_commands():
    """Import the modules of all commands, which each command would import when it is called."""
    for package in ("mendbench.cli", "mendbench.api", "mendbench.report"):
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    importlib.import_module("mendbench.trial.runner")


def _become(job, descriptors):
    """Give this process the words, the environment, the folder and the standard streams of a command."""
    os.chdir(job["folder"])
    os.environ.clear()
    os.environ.update(job["environment"])
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor, open as long as the process is
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv = job["words"]
    return job["code"]
