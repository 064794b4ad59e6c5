"""Runs shell commands for a recording: in a sandbox without network (bubblewrap), and only if that is allowed."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from mendbench.errors import BadInput
from mendbench.kit.bodies import parse_body
from mendbench.kit.canonical import canonical_json, digest
from mendbench.model.exchange import Answer, Request
from mendbench.model.json import Json, JsonObject
from mendbench.replay.live import PATIENCE_S

_HOME = "/sandbox"
_PATH = "/usr/local/bin:/usr/bin:/bin"
_READABLE = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives")
"""What a command sees of the machine: programs and libraries, no home folder and no configuration."""
_HEADERS = (("content-type", "application/json"),)


class ShellLive:
    """``shell://sandbox/``: the body names command, stdin, cwd and env, the answer stdout, stderr and exit_code.

    ``environ`` is what the wanted variables are taken from; a command sees no others. ``folder`` is the home folder
    that all commands of a scope share, and what they do in it stays; without one each has an empty home of its own, and
    nothing stays. ``bwrap`` is the sandbox's program.
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
        """Return whether it is a command for the sandbox."""
        return urlsplit(request.url).scheme.lower() == "shell"

    def resets(self, request: Request) -> bool:
        """Return whether there is a folder that began afresh with the scope: whoever gives a scope one sees to that."""
        return self._folder is not None and self.serves(request)

    def reads(self, request: Request) -> bool:  # noqa: ARG002  the protocol's
        """Return whether the last command left the folder as it was."""
        return self._same

    def ask(self, request: Request) -> Answer:
        """Run the command.

        Raises:
            BadInput: shell commands are not allowed, the sandbox's program is missing, or the body is no command.
        """
        if not self._allowed:
            raise BadInput("shell://sandbox/", "a shell command, and none may run", "record with --allow-shell")
        program = self._bwrap or shutil.which("bwrap")
        if program is None:
            raise BadInput("bwrap", "bubblewrap is not installed", "install it: shell commands run in its sandbox only")
        body: Json = parse_body(request.body, "application/json")
        if not isinstance(body, dict) or not isinstance(body.get("command"), str):
            raise BadInput("shell://sandbox/", "a body without a command", "send {command, stdin, cwd, env}")
        before = self._laid_out(body)
        answer = self._ran(program, body)
        self._same = before == self._laid_out(body)
        return answer

    def _laid_out(self, body: JsonObject) -> str:
        """Return the digest of the folder, once the folder that the command begins in is there."""
        if self._folder is None:
            return ""
        begins = (self._folder / str(body.get("cwd") or "").lstrip("/")).resolve()
        if begins.is_relative_to(self._folder.resolve()) and not begins.exists():
            begins.mkdir(parents=True)
        return folder_digest(self._folder)

    def _ran(self, program: str, body: JsonObject) -> Answer:
        stdin = body.get("stdin")
        began = time.perf_counter()
        try:
            done = subprocess.run(  # noqa: S603  the command runs inside the sandbox
                [program, *sandbox_options(body, self._environ, self._folder), "--", "/bin/sh", "-c", body["command"]],
                input=(stdin or "").encode() if isinstance(stdin, str | None) else canonical_json(stdin).encode(),
                capture_output=True,
                timeout=self._patience_s,
                check=False,
                env={"PATH": _PATH},
            )
        except subprocess.TimeoutExpired:
            return Answer(status=0, fault="timeout", elapsed_ms=round(self._patience_s * 1000))
        except OSError as error:
            raise BadInput(program, f"cannot be run ({error.strerror})", "install bubblewrap") from error
        said = {
            "stdout": done.stdout.decode("utf-8", "replace"),
            "stderr": done.stderr.decode("utf-8", "replace"),
            "exit_code": done.returncode,
        }
        took = max(0, round((time.perf_counter() - began) * 1000))
        return Answer(status=200, headers=_HEADERS, body=canonical_json(said).encode(), elapsed_ms=took)


def folder_digest(folder: Path) -> str:
    """Return a digest of all that is in a folder: names, kinds, permissions, contents, and where links lead."""
    return digest([_told(path, folder) for path in sorted(folder.rglob("*"))])


def _told(path: Path, folder: Path) -> list[Json]:
    name = path.relative_to(folder).as_posix().encode("utf-8", "surrogateescape").hex()
    if path.is_symlink():
        return [name, "link", str(path.readlink()).encode("utf-8", "surrogateescape").hex()]
    mode = path.stat().st_mode
    try:
        return [name, mode, digest(path.read_bytes()) if path.is_file() else ""]
    except PermissionError:
        return [name, mode, "unreadable"]


def sandbox_options(body: JsonObject, environ: Mapping[str, str], folder: Path | None = None) -> list[str]:
    """Return bubblewrap's options.

    No network, no other processes, no files but programs and a home, which is ``folder`` or empty, and only the
    variables wanted.
    """
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--proc", "/proc", "--dev", "/dev"]
    for place in _READABLE:
        if Path(place).exists():
            options += ["--ro-bind", place, place]
    home = ["--tmpfs", _HOME] if folder is None else ["--bind", str(folder), _HOME]
    options += ["--tmpfs", "/tmp", *home]  # noqa: S108  inside the sandbox
    cwd = body.get("cwd")
    inside = f"{_HOME}/{cwd.lstrip('/')}" if isinstance(cwd, str) and cwd else _HOME
    options += ["--dir", inside, "--chdir", inside, "--setenv", "PATH", _PATH, "--setenv", "HOME", _HOME]
    names = body.get("env")
    for name in sorted(str(each) for each in names) if isinstance(names, list) else []:
        if name in environ:
            options += ["--setenv", name, environ[name]]
    return options
