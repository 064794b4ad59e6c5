"""The sandbox folders of a scope: created on the first request, with the content of the case's state.

The state of ``file`` maps paths in its folder to texts. The state of ``shell`` is ``{files: {path: text}, setup: script}``: its folder is
the home of all commands of the scope. The script runs there in the same sandbox before the first of them, and does what a list of files
cannot (a repository's history). The two folders are separate: each service's responses depend only on its own writes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import cast

from mendbench.corpus.declared_services import FILES, SHELL, state_of
from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.live.sandbox_files import FileLive, lay_out
from mendbench.live.shell import ShellLive, variables_named
from mendbench.model.case import Case, Variant
from mendbench.model.exchange import Request, Response
from mendbench.model.json import JsonObject
from mendbench.secrets.redaction import plant_canaries


class FreshFiles:
    """The folder of one scope's file nodes."""

    def __init__(self, case: Case, variant: Variant | None, new_folder: Callable[[], Path]) -> None:
        self._case, self._variant, self._new_folder = case, variant, new_folder
        self._files: FileLive | None = None

    def serves(self, request: Request) -> bool:
        """Return whether the request is for a file of the sandbox folder."""
        return FileLive(Path()).serves(request)

    def resets(self, request: Request) -> bool:
        """Return that it began afresh with the scope."""
        return self.serves(request)

    def send(self, request: Request) -> Response:
        """Create the folder's content if this is the scope's first request to it, then read or write the file.

        Raises:
            BadInput: the case's state names a file that cannot be in the folder.
        """
        if self._files is None:
            state = _planted(self._case, self._variant, FILES)
            self._files = FileLive(_laid_out(self._case, FILES, self._new_folder(), state))
        return self._files.send(request)


class FreshShell:
    """The shell of one scope: all its commands share a home, and their changes in it stay."""

    def __init__(
        self, case: Case, variant: Variant | None, new_folder: Callable[[], Path], *, allow_shell: bool
    ) -> None:
        self._case, self._variant, self._new_folder, self._allow_shell = case, variant, new_folder, allow_shell
        self._shell: ShellLive | None = None

    def serves(self, request: Request) -> bool:
        """Return whether the request is a command for the sandbox."""
        return ShellLive(allow_shell=False, environ={}).serves(request)

    def resets(self, request: Request) -> bool:
        """Return that it began afresh with the scope."""
        return self.serves(request)

    def reads(self, request: Request) -> bool:
        """Return whether the last command left the home unchanged."""
        return self._shell is None or self._shell.reads(request)

    def send(self, request: Request) -> Response:
        """Make the home if this is the scope's first command, then run the command.

        Raises:
            BadInput: commands are not allowed, the sandbox's program is missing, the case's state cannot be written, or its script fails.
        """
        if self._shell is None:
            self._shell = self._set_up()
        return self._shell.send(request)

    def _set_up(self) -> ShellLive:
        state = _planted(self._case, self._variant, SHELL)
        script = state.get("setup") or ""
        folder = _laid_out(self._case, SHELL, self._new_folder(), state.get("files") or {})
        given = {name: os.environ[name] for name in variables_named(self._case.workflow) if name in os.environ}
        shell = ShellLive(allow_shell=self._allow_shell, environ=given, folder=folder)
        if script:
            result = json.loads(shell.send(_command(script)).body or b"{}")
            if result.get("exit_code") != 0:
                message = str(result.get("stderr", "")).strip() or f"exit code {result.get('exit_code', 'none')}"
                raise BadInput(f"{_place(self._case, SHELL)}.setup", message, "mend the script")
        return shell


def _command(script: str) -> Request:
    body = canonical_json({"command": script, "stdin": None, "cwd": None, "env": []}).encode()
    return Request(method="POST", url="shell://sandbox/", headers=(("Content-Type", "application/json"),), body=body)


def _planted(case: Case, variant: Variant | None, name: str) -> JsonObject:
    state, _ = plant_canaries(state_of(case, variant, name), case.id)
    return cast("JsonObject", state)


def _laid_out(case: Case, name: str, folder: Path, files: JsonObject) -> Path:
    try:
        lay_out(folder, {path: text for path, text in files.items() if text is not None})
    except ValueError as error:
        raise BadInput(
            _place(case, name), f"no file can be at {error}", "name paths inside the sandbox folder"
        ) from None
    return folder


def _place(case: Case, name: str) -> str:
    return f"{case.folder / 'case.yaml'}: state.{name}"
