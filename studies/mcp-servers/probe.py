"""Install and probe the servers of ``servers.toml``.

``python probe.py install PREFIX`` installs each server into a folder of its own below PREFIX. ``python probe.py run PREFIX [SERVER ...]``
probes them, and writes ``probes/SERVER.json`` and the schemas of their tools, ``tools/SERVER.json``. ``python probe.py cases PREFIX
[SERVER ...]`` makes the cases that ``choose.py`` chooses. With ``--private``, both do so in the folder ``private``, whose maps rename the
arguments: the server runs behind ``renaming_proxy.py``.
"""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import tomllib
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import choose
import prepare

from mendbench.io.yaml_documents import load_yaml
from mendbench.probing.servers import CommandTarget

HERE = Path(__file__).parent
PRIVATE = HERE / "private"
PORT = 8642
"""Where the pages of ``prepare.py`` are served; right calls name it."""
ALL = "1000"
"""A limit on broken calls above what any of the servers leads to."""

Server = dict[str, Any]


def install(prefix: Path, name: str, server: Server) -> None:
    """Install a server in its version, into ``prefix/name``."""
    place = prefix / name
    if "pip" in server:
        venv.create(place, with_pip=True)
        _run([str(place / "bin/python"), "-m", "pip", "-q", "install", *server["pip"]])
    else:
        _run(["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", "--silent", *server["npm"]])


def probe(prefix: Path, folder: Path, name: str, server: Server, options: Sequence[str]) -> str:
    """Probe a server and return what the command prints."""
    with tempfile.TemporaryDirectory() as place, _serving(server):
        prepare.main(Path(place))
        words = ["mendbench", "tools", "probe", "--allow-writes", "--limit", ALL]
        words += ["--calls", _calls(folder, name, server), "--folder", f"{place}/{server['folder']}"]
        words += ["--no-sandbox"] if "serves" in server else []
        return _run([*words, *options, "--", *_command(prefix, folder, name, server)])


def schemas(prefix: Path, folder: Path, name: str, server: Server) -> dict[str, Any]:
    """Return the input schema of each tool of a server, by name."""
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as scratch:
        prepare.main(Path(place))
        words = tuple(_command(prefix, folder, name, server))
        session = CommandTarget(words=words, scratch=Path(scratch), content=Path(place) / server["folder"]).open()
        try:
            return {tool["name"]: tool["inputSchema"] for tool in session.list_tools()}
        finally:
            session.close()


def cases(prefix: Path, folder: Path, name: str, server: Server, chosen: Sequence[str]) -> None:
    """Make a case of each chosen broken call: ``cases/SERVER/CASE`` in a folder, with its recordings.

    Other broken calls of the same right calls are sent too: they become the cases' wrong fixes.
    """
    calls = json.loads((folder / f"probes/{name}.json").read_text("utf-8"))["broken_calls"]
    right = [one["right_arguments"] for one in calls if one["id"] in chosen]
    others = [one["id"] for one in calls if one["right_arguments"] in right and one["heed"] == "refused"]
    only = [word for one in dict.fromkeys((*chosen, *others)) for word in ("--only", one)]
    with tempfile.TemporaryDirectory() as place:
        probe(prefix, folder, name, server, [*only, "--emit-cases", f"{place}/cases"])
        made = {_broken_id(path): path for path in Path(place).glob("cases/*/*")}
        for part in ("cases", "cassettes"):
            shutil.rmtree(folder / part / name, ignore_errors=True)
            for one in chosen:
                shutil.copytree(Path(place, part, *made[one].parts[-2:]), folder / part / name / made[one].name)


def _broken_id(case: Path) -> str:
    """Return the id of the broken call that a case was made of."""
    return str(load_yaml((case / "case.yaml").read_text("utf-8"), str(case), "")["source"]).rpartition(": ")[2]


def _calls(folder: Path, name: str, server: Server) -> str:
    """Return the file of a server's right calls; where the folder has a map, that of the renamed ones."""
    place = folder / f"calls/{name if _map(folder, name).exists() else server.get('calls', name)}.jsonl"
    return str(place.relative_to(HERE))


def _command(prefix: Path, folder: Path, name: str, server: Server) -> list[str]:
    """Return the command of a server, behind the proxy where the folder has a map."""
    programs = prefix / name / ("bin" if "pip" in server else "node_modules/.bin")
    words = [word.replace("{bin}", str(programs)) for word in server["command"]]
    path = _map(folder, name)
    return [sys.executable, str(HERE / "renaming_proxy.py"), str(path), "--", *words] if path.exists() else words


def _map(folder: Path, name: str) -> Path:
    return folder / f"maps/{name}.json"


@contextlib.contextmanager
def _serving(server: Server) -> Iterator[None]:
    """Serve the folder that a server fetches from, if it fetches."""
    if "serves" not in server:
        yield
        return
    with tempfile.TemporaryDirectory() as place:
        prepare.main(Path(place))
        handler = functools.partial(_Quiet, directory=f"{place}/{server['serves']}")
        with http.server.ThreadingHTTPServer(("127.0.0.1", PORT), handler) as pages:
            threading.Thread(target=pages.serve_forever, daemon=True).start()
            yield
            pages.shutdown()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Write nothing."""


def _run(words: Sequence[str]) -> str:
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=HERE).stdout


def _write(path: Path, document: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main(task: str, prefix: Path, folder: Path, names: Sequence[str]) -> None:
    """Do one task for the named servers, or for all."""
    servers: dict[str, Server] = tomllib.loads((HERE / "servers.toml").read_text("utf-8"))
    chosen = choose.chosen(folder / "probes") if task == "cases" else {}
    for name in names or servers:
        server = servers[name]
        if task == "install":
            install(prefix, name, server)
        elif task == "run":
            report = json.loads(probe(prefix, folder, name, server, ["--format", "json"]))
            report["server"]["command"] = " ".join(server["command"])
            _write(folder / f"probes/{name}.json", report)
            _write(folder / f"tools/{name}.json", schemas(prefix, folder, name, server))
        else:
            cases(prefix, folder, name, server, chosen[name])


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--private"]
    main(words[0], Path(words[1]).absolute(), PRIVATE if "--private" in sys.argv else HERE, words[2:])
