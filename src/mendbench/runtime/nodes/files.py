"""Shared code of ``read-file`` and ``write-file``: paths inside the run's sandbox folder, and error messages.

File access is an ordinary exchange, ``GET`` or ``PUT`` of ``file://sandbox/<path>``: replay needs no disk.
"""

from __future__ import annotations

import posixpath
from urllib.parse import quote

from mendbench.model.exchange import Response
from mendbench.model.json import JsonObject
from mendbench.runtime.nodes.interface import NodeOutput, failed_output
from mendbench.runtime.nodes.params import text
from mendbench.runtime.nodes.responses import body_of, fault_message, succeeded

URL = "file://sandbox/"

_SHOWN = 500
"""Characters of a response that a message quotes."""

_STATUS_MESSAGES = {
    403: "Permission denied: '{path}'",
    404: "File '{path}' does not exist.",
    409: "'{path}' is not a file.",
    413: "File '{path}' is too large.",
    507: "No space left on device: '{path}'",
}


def path_of(params: JsonObject, who: str) -> str:
    """Return the file's normalised path below the sandbox folder.

    Raises:
        TypeError: ``file_path`` is not a string.
        ValueError: it is missing, names no file, or leads out of the sandbox folder.
    """
    given = text(params, "file_path", who)
    path = posixpath.normpath(given)
    if given.startswith("/") or path == ".." or path.startswith(("../", "~")) or "\0" in given or "\\" in given:
        raise ValueError(
            f"{who} node parameter 'file_path' must be a path inside the sandbox folder, without a leading '/' or '~', "
            f"without '\\' and not above it with '..', got {given!r}"
        )
    if path == "." or given.endswith("/"):
        raise ValueError(f"{who} node parameter 'file_path' must name a file, got {given!r}")
    return path


def url_of(path: str) -> str:
    """Return the address of a file in the sandbox folder."""
    return URL + quote(path.encode("utf-8", "surrogatepass"), safe="/")


def failure_message(response: Response, path: str) -> str | None:
    """Return why the file could not be read or written, in the baseline's format, or None on success."""
    if succeeded(response):
        return None
    if response.fault is not None:
        return f"Error: {fault_message(response, 'the sandbox folder')}"
    known = _STATUS_MESSAGES.get(response.status)
    if known:
        return f"Error: {known.format(path=path)}"
    body = body_of(response)
    details = f": {body[:_SHOWN]}" if isinstance(body, str) and body else ""
    return f"Error: Cannot use file '{path}'{details}"


def failed(message: str, path: str) -> NodeOutput:
    """Return the output of a node whose file could not be read or written."""
    return failed_output("file", {"file_path": path, "error": message})
