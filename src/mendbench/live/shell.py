"""Runs shell commands for a recording: in a sandbox without network (bubblewrap), with limits, and only if that is allowed."""

from __future__ import annotations

import os
import posixpath
import shutil
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from mendbench.errors import BadInput
from mendbench.exchanges.bodies import parse_body
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.live.world import PATIENCE_S
from mendbench.model.exchange import Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.process.requirements import require_linux
from mendbench.process.sandbox_limits import NOBODY, Bounds, SandboxResult, entries_of, run_bounded
from mendbench.secrets.environment import is_credential
from mendbench.secrets.redaction import Redactor

_HOME = "/sandbox"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_READABLE = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
"""What a command sees of the machine: programs and libraries, no home folder and no configuration."""
_HIDDEN = ("/usr/local/etc", "/usr/etc", "/usr/src", "/usr/local/src")
"""Configuration and sources below the readable folders."""
_USER = "1000"
"""The user id of a command, independent of the recording user."""
_HEADERS = (("content-type", "application/json"),)
_TEXT = (("content-type", "text/plain; charset=utf-8"),)
_REFUSED, _OUTSIDE, _NO_FOLDER, _BEYOND = 400, 403, 409, 413

MAX_COMMAND_BYTES = 100_000
"""The longest command: Linux takes 128 KiB for one argument."""

_OPEN_FILES = 256
_BLOCK = 512
_BEGIN = (
    "echo; IFS= read -r go || exit 1; "
    "{ ulimit -c 0; ulimit -f $1; ulimit -d $2; ulimit -n $3; if (ulimit -u $4); then ulimit -u $4; else ulimit -p $4; fi; } 2>/dev/null; "
    'exec /bin/sh -c "$5"'
)  # fmt: skip
"""Waits for the signal of :func:`~mendbench.process.sandbox_limits.run_bounded`, then runs a command within the kernel's own limits: core
files, file size (in blocks of 512 bytes), data (KiB), open files, and processes (``-p`` in dash, ``-u`` in bash). The process limit is
slightly higher than the counted limit, so that the count reports an excess first."""
_SPARE_PROCESSES = 16


class ShellLive:
    """``shell://sandbox/``: the body names command, stdin, cwd and env, the response stdout, stderr and exit_code.

    ``environ`` is the source of the requested variables. A command sees no others, and the values of those whose names look like
    credentials are removed from its output. ``folder`` is the home folder that all commands of a scope share, and their changes in it
    stay; without one, each command has its own empty home, and nothing stays. ``bwrap`` is the sandbox's program.
    """

    def __init__(
        self,
        *,
        allow_shell: bool,
        environ: Mapping[str, str],
        folder: Path | None = None,
        bwrap: str | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._allowed, self._environ, self._bwrap, self._patience_s = allow_shell, dict(environ), bwrap, patience_s
        self._folder, self._same = folder, True

    def serves(self, request: Request) -> bool:
        """Return whether the request is a command for the sandbox."""
        return urlsplit(request.url).scheme.lower() == "shell"

    def resets(self, request: Request) -> bool:
        """Return whether there is a folder that began afresh with the scope: the code that gives a scope one ensures that."""
        return self._folder is not None and self.serves(request)

    def reads(self, request: Request) -> bool:  # noqa: ARG002  the protocol's
        """Return whether the last command left the folder unchanged."""
        return self._same

    def send(self, request: Request) -> Response:
        """Run the command. If it exceeds a limit, it is ended: a timeout, or a 413 that names the limit.

        Raises:
            BadInput: shell commands are not allowed, the system is not Linux, the sandbox's program is missing or cannot set the sandbox
                up, or the body is not a command.
        """
        if not self._allowed:
            raise BadInput("shell://sandbox/", "a shell command, and none may run", "record with --allow-shell")
        require_linux("shell://sandbox/", "a shell command")
        program = self._bwrap or shutil.which("bwrap")
        if program is None:
            raise BadInput("bwrap", "bubblewrap is not installed", "install it: shell commands run in its sandbox only")
        body: Json = parse_body(request.body, "application/json")
        if not isinstance(body, dict) or not isinstance(body.get("command"), str):
            raise BadInput("shell://sandbox/", "a body without a command", "send {command, stdin, cwd, env}")
        refused = _refused(body) or self._begun_in(body)
        if refused is not None:
            self._same = True
            return refused
        if self._folder is not None:
            _handed_over(self._folder)
        before = self._laid_out()
        response = self._ran(program, body)
        if self._folder is not None:
            _without_setuid(self._folder)
        self._same = before == self._laid_out()
        return response

    def _begun_in(self, body: JsonObject) -> Response | None:
        """Create the folder in which the command begins; return a refusal if that fails."""
        if self._folder is None:
            return None
        begins = (self._folder / _inside(body)).resolve()
        if not begins.is_relative_to(self._folder.resolve()):
            return _text_response(_OUTSIDE, f"the working folder {body['cwd']!r} is not in the sandbox's home")
        try:
            self._folder.chmod(0o700)  # the previous command may have left anything there
            begins.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            return _text_response(_NO_FOLDER, f"the working folder {body['cwd']!r} cannot be used ({error.strerror})")
        return None

    def _laid_out(self) -> str:
        return "" if self._folder is None else folder_digest(self._folder)

    def _ran(self, program: str, body: JsonObject) -> Response:
        stdin = body.get("stdin")
        typed = (stdin or "") if isinstance(stdin, str | None) else canonical_json(stdin)
        bounds = Bounds(time_s=self._patience_s)
        began = time.perf_counter()
        try:
            ran = run_bounded(
                program,
                sandbox_options(body, self._environ, self._folder, bounds),
                _within(bounds, body["command"]),
                stdin=typed.encode("utf-8", "backslashreplace"),
                bounds=bounds,
                folder=self._folder,
            )
        except OSError as error:
            raise BadInput(program, f"cannot be run ({error.strerror})", "install bubblewrap") from error
        if ran.over == "time":
            return Response(status=0, fault="timeout", elapsed_ms=round(self._patience_s * 1000))
        if not ran.began and b"Can't chdir" in ran.err:
            return _text_response(_NO_FOLDER, f"the working folder {body.get('cwd')!r} cannot be entered")
        if not ran.began:
            raise _no_sandbox(program, ran)
        took = max(0, round((time.perf_counter() - began) * 1000))
        return _response(ran, bounds, took, self._redactor(body))

    def _redactor(self, body: JsonObject) -> Redactor:
        """Return a redactor for the values of the command's credentials."""
        given = {name: self._environ[name] for name in _variables(body, self._environ) if is_credential(name)}
        return Redactor(given)


def _handed_over(folder: Path) -> None:
    """Give the superuser's folder to the user that runs its commands."""
    if os.geteuid() != 0:
        return
    for path in ("", *(path for path, _ in entries_of(folder))):
        os.chown(folder / path, NOBODY, NOBODY, follow_symlinks=False)


def _without_setuid(folder: Path) -> None:
    """Remove permissions that would give the owner's rights to any user who runs a file."""
    for path, status in entries_of(folder):
        if status is not None and stat.S_ISREG(status.st_mode) and status.st_mode & (stat.S_ISUID | stat.S_ISGID):
            (folder / path).chmod(stat.S_IMODE(status.st_mode) & 0o777)


def _refused(body: JsonObject) -> Response | None:
    """Return why a command cannot be run, if so."""
    try:
        command, cwd = body["command"].encode(), str(body.get("cwd") or "").encode()
    except UnicodeEncodeError:
        return _text_response(_REFUSED, "the command is no Unicode text")
    if b"\0" in command + cwd:
        return _text_response(_REFUSED, "the command holds a NUL character")
    if len(command) > MAX_COMMAND_BYTES:
        return _text_response(_BEYOND, f"the command is longer than {MAX_COMMAND_BYTES:,} bytes")
    if _inside(body).startswith(".."):
        return _text_response(_OUTSIDE, f"the working folder {body['cwd']!r} is not in the sandbox's home")
    return None


def _response(ran: SandboxResult, bounds: Bounds, took: int, redactor: Redactor) -> Response:
    output: JsonObject = {
        "stdout": redactor.text(ran.out.decode("utf-8", "replace")),
        "stderr": redactor.text(ran.err.decode("utf-8", "replace")),
        "exit_code": ran.code,
    }
    if ran.over is None:
        return Response(status=200, headers=_HEADERS, body=canonical_json(output).encode(), elapsed_ms=took)
    excess: JsonObject = {"bound": ran.over, "says": bounds.says(ran.over)}
    return Response(status=_BEYOND, headers=_HEADERS, body=canonical_json(excess).encode(), elapsed_ms=took)


def _text_response(status: int, words: str) -> Response:
    return Response(status=status, headers=_TEXT, body=words.encode("utf-8", "backslashreplace"))


def _no_sandbox(program: str, ran: SandboxResult) -> BadInput:
    lines = ran.err.decode("utf-8", "replace").strip().splitlines()
    why = lines[-1].removeprefix("bwrap: ") if lines else f"exit code {ran.code}"
    return BadInput(
        program,
        f"the sandbox cannot be set up ({why})",
        "use bubblewrap 0.8 or later where user namespaces are allowed",
    )


def _within(bounds: Bounds, command: str) -> list[str]:
    limits = (
        bounds.file_bytes // _BLOCK,
        bounds.memory_bytes // 1024,
        _OPEN_FILES,
        bounds.processes + _SPARE_PROCESSES,
    )
    return ["/bin/sh", "-c", _BEGIN, "/bin/sh", *map(str, limits), command]


def _inside(body: JsonObject) -> str:
    """Return the folder in which a command begins, relative to the home; it begins with ``..`` if that is outside."""
    cwd = body.get("cwd")
    return posixpath.normpath(cwd.lstrip("/")) if isinstance(cwd, str) and cwd.strip("/") else "."


def _variables(body: JsonObject, environ: Mapping[str, str]) -> list[str]:
    names = body.get("env")
    wanted = {str(each) for each in names} if isinstance(names, list) else set()
    return sorted(wanted & environ.keys())


def variables_named(workflow: JsonObject) -> frozenset[str]:
    """Return the names of the variables that a workflow's own commands request: a repaired workflow gets no others."""
    nodes = workflow.get("nodes")
    shells = (
        [node for node in nodes if isinstance(node, dict) and node.get("type") == "shell"]
        if isinstance(nodes, list)
        else []
    )
    asked = [node["params"].get("env") for node in shells if isinstance(node.get("params"), dict)]
    return frozenset(name for names in asked if isinstance(names, list) for name in names if isinstance(name, str))


def folder_digest(folder: Path) -> str:
    """Return a digest of a folder's content: names, kinds, permissions, file contents, and link targets."""
    return digest(
        [_entry(folder, path, status.st_mode if status else None) for path, status in sorted(entries_of(folder))]
    )


def _entry(folder: Path, path: str, mode: int | None) -> list[Json]:
    name, place = path.encode("utf-8", "surrogateescape").hex(), folder / path
    try:
        if mode is not None and stat.S_ISLNK(mode):
            return [name, "link", str(place.readlink()).encode("utf-8", "surrogateescape").hex()]
        return [name, mode, digest(place.read_bytes()) if mode is not None and stat.S_ISREG(mode) else ""]
    except PermissionError:
        return [name, mode, "unreadable"]


def sandbox_options(
    body: JsonObject, environ: Mapping[str, str], folder: Path | None = None, bounds: Bounds | None = None
) -> list[str]:
    """Return bubblewrap's options.

    No network, no other processes, no rights beyond an ordinary user's and no way to get them, no files except programs and a home, which
    is ``folder`` or empty, and only the requested variables.
    """
    size = str((bounds or Bounds(time_s=PATIENCE_S)).scratch_bytes)
    options = [
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--uid",
        _USER,
        "--gid",
        _USER,
        "--cap-drop",
        "ALL",
    ]
    options += ["--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv"]
    options += ["--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm"]  # noqa: S108  inside the sandbox
    for place in _READABLE:
        if Path(place).exists():
            options += ["--ro-bind", place, place]
    for place in _HIDDEN:
        if Path(place).is_dir() and not Path(place).is_symlink():
            options += ["--size", "4096", "--tmpfs", place, "--remount-ro", place]
    home = ["--size", size, "--tmpfs", _HOME] if folder is None else ["--bind", str(folder), _HOME]
    options += ["--size", size, "--tmpfs", "/tmp", *home]  # noqa: S108  inside the sandbox
    inside = posixpath.normpath(f"{_HOME}/{_inside(body)}")
    # In a folder on disk, bubblewrap would follow the command's own links to the machine's files; there it exists already.
    options += ["--dir", inside] if folder is None else []
    options += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", inside]
    options += ["--setenv", "PATH", _PATH, "--setenv", "HOME", _HOME]
    for name in _variables(body, environ):
        options += ["--setenv", name, environ[name]]
    return options
