"""Real MCP servers during recording: in a sandbox, under paths that are the same on every machine.

A server may show paths, environment variables and user names, which end up on cassettes and in prompts. So it sees only
its own home folder (:data:`HOME`), programs and libraries.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import util
from pathlib import Path, PurePosixPath

from mendbench.errors import BadInput
from mendbench.process.requirements import require_linux

HOME = "/srv/mendbench"
"""The home folder of a sandboxed server. Its data lies below it."""
NODE_MODULES = "/opt/node_modules"
"""The folder of a sandboxed Node.js server."""
ENVIRONMENT = {
    "HOME": HOME, "USER": "mendbench", "PATH": "/usr/local/bin:/usr/bin:/bin", "TZ": "UTC", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
}  # fmt: skip
HINT = "run `make record-world`, which installs what recording needs"

_READABLE = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives", "/etc/ld.so.cache")
"""Programs and libraries: no home folder and no configuration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program to run in the sandbox, and the folders that it needs."""

    words: tuple[str, ...]
    """The program and its arguments, by their paths in the sandbox."""
    reads: Mapping[str, Path]
    """Paths in the sandbox to the machine's folders mounted there, read only."""


def python_module(service: str, distribution: str, *words: str) -> Program:
    """Return the program that runs Python with ``words``, in the environment that this process runs in.

    Raises:
        BadInput: the module of ``distribution`` is not installed in that environment.
    """
    if util.find_spec(distribution.replace("-", "_")) is None:
        raise BadInput(f"service {service}", f"the package {distribution} is not installed", HINT)
    prefixes = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}
    # -P: a file in the server's data must not be taken for one of Python's modules
    return Program(words=(sys.executable, "-P", *words), reads={each: Path(each) for each in sorted(prefixes)})


def node_package(service: str, package: str, command: str, *words: str) -> Program:
    """Return the program that runs Node.js with ``words``; ``package`` is in :data:`NODE_MODULES`.

    ``command`` is the program that the package installs. It is used to find the package on the PATH.

    Raises:
        BadInput: Node.js or the package is not installed.
    """
    node, found = shutil.which("node"), shutil.which(command)
    if node is None:
        raise BadInput(f"service {service}", "Node.js is not installed", "install Node.js 20 or later with npm")
    folder = None if found is None else _modules_around(Path(found).resolve())
    if folder is None:
        raise BadInput(f"service {service}", f"the npm package {package} is not installed", HINT)
    place = Path(node).resolve()
    return Program(
        words=(str(place), *words), reads={NODE_MODULES: folder, str(place.parent.parent): place.parent.parent}
    )


def sandboxed(
    service: str,
    program: Program,
    *,
    data: Mapping[str, Path],
    environ: Mapping[str, str] | None = None,
    network: bool = False,
) -> tuple[str, ...]:
    """Return the command that runs ``program`` in bubblewrap. It ends with the process that started it.

    ``data`` are folders by their paths in the sandbox, writable; the first is the working folder. ``environ`` overrides
    :data:`ENVIRONMENT`. Without ``network`` the program has no network, not even the machine's loopback interface.

    Raises:
        BadInput: the system is not Linux, or bubblewrap is not installed.
    """
    require_linux(f"service {service}", "a real server")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise BadInput(f"service {service}", "bubblewrap (bwrap) is not installed", "install it: it runs there only")
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--proc", "/proc", "--dev", "/dev"]
    options += ["--remount-ro", "/proc"]  # otherwise root could set kernel parameters there
    options += ["--share-net"] if network else []
    reads = {each: Path(each) for each in _READABLE if Path(each).exists()}
    reads |= {inside: outside for inside, outside in program.reads.items() if not _covered(inside, reads)}
    options += ["--tmpfs", "/tmp"]  # noqa: S108  inside the sandbox, and before what may be mounted below it
    for inside, outside in sorted(reads.items()):
        options += ["--ro-bind", str(outside), inside]
    options += ["--dir", HOME]
    for inside, outside in data.items():
        options += ["--bind", str(outside), inside]
    for name, value in {**ENVIRONMENT, **(environ or {})}.items():
        options += ["--setenv", name, value]
    return (bwrap, *options, "--chdir", next(iter(data), HOME), "--", *program.words)


def merged_files(service: str, seed: Mapping[str, str], state: Mapping[str, str | None]) -> dict[str, str]:
    """Return the seed's files, overlaid with the state's: path to text; null removes a file.

    Raises:
        BadInput: the state names a path outside the folder.
    """
    for path in state:
        parts = PurePosixPath(path).parts
        if not parts or parts[0] == "/" or {"..", ".git"} & set(parts) or "\0" in path:
            raise BadInput(f"state of {service}", f"no file can be at {path!r}", "name paths inside its folder")
    return {path: text for path, text in {**seed, **state}.items() if text is not None}


def write_files(service: str, folder: Path, files: Mapping[str, str]) -> None:
    """Write files below a folder.

    Raises:
        BadInput: a file is where another file needs a folder.
    """
    for path, text in files.items():
        place = folder / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8", newline="")
            place.chmod(0o644)  # independent of the operator's umask: the filesystem server shows the mode
        except OSError as error:
            raise BadInput(f"state of {service}", f"{path}: {error.strerror}", "name another path") from error


def _covered(inside: str, reads: Mapping[str, Path]) -> bool:
    return any(Path(inside).is_relative_to(each) for each in reads)


def _modules_around(place: Path) -> Path | None:
    """Return the outermost folder ``node_modules`` that contains a file."""
    return next((each for each in reversed(place.parents) if each.name == "node_modules"), None)
