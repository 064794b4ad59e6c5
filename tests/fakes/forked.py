"""Commands run as processes of their own, without waiting for their imports: see :mod:`tests.fakes.fork_server`.

What depends on the start of an interpreter (imports, the hash seed, Python's options) needs ``subprocess``.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

MAIN = "from mendbench.cli.main import main; main()"
_SHIM = """#!{python} -IS
import json, os, signal, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
    client.connect({address!r})
    words = ["mendbench", *sys.argv[1:]]
    job = {{"words": words, "code": {code!r}, "folder": os.getcwd(), "environment": dict(os.environ)}}
    socket.send_fds(client, [json.dumps(job).encode()], [0, 1, 2])
    code = int(client.recv(100))
if code < 0:
    signal.signal(-code, signal.SIG_DFL)
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


@dataclass(frozen=True)
class Forked:
    """A running fork server."""

    address: str
    path: Path
    """A folder for ``PATH`` whose ``mendbench`` is forked."""

    def run(self, *words, code=MAIN, stdin=subprocess.DEVNULL, stdout=None, **environment):
        """Run code with these words in the current folder; ``stdin`` is text or a file. A variable that is None is left out."""
        env = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
        job = {"words": ["mendbench", *map(str, words)], "code": code, "folder": str(Path.cwd()), "environment": env}
        with tempfile.TemporaryFile() as taken, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            if isinstance(stdin, str):
                taken.write(stdin.encode())
                taken.seek(0)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
                client.settimeout(60)
                client.connect(self.address)
                files = [taken.fileno(), (stdout or out).fileno(), err.fileno()]
                socket.send_fds(client, [json.dumps(job).encode()], files)
                ended = int(client.recv(100))
            written = [file.seek(0) or file.read().decode() for file in (out, err)]
        return subprocess.CompletedProcess(words, ended, *written)

    def module(self, name, *words, **more):
        """Run a module as ``python -m`` does."""
        code = f"import runpy, sys; sys.modules.pop({name!r}, 0); runpy.run_module({name!r}, None, '__main__', True)"
        return self.run(*words, code=code, **more)


@pytest.fixture(scope="session")
def forked():
    """Return a fork server, started once."""
    folder = Path(tempfile.mkdtemp(prefix="forked"))  # its name is short: the address of a socket has at most 107 bytes
    address, shim = str(folder / "socket"), folder / "bin" / "mendbench"
    shim.parent.mkdir()
    shim.write_text(_SHIM.format(python=sys.executable, address=address, code=MAIN), encoding="utf-8")
    shim.chmod(0o755)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sys.path)), "PYTHONUTF8": "1"}
    code = f"from tests.fakes.fork_server import serve; exec(serve({address!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", code], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout.readline() == "ready\n"
        yield Forked(address, shim.parent)
        server.stdin.close()
    shutil.rmtree(folder)
