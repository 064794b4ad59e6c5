"""Reads and writes real files, only below one folder."""

from __future__ import annotations

import errno
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from mendbench.exchanges.urls import host_of
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Request, Response
from mendbench.model.json import Json

HOST = "sandbox"

MAX_BYTES = 10_000_000
"""The largest file that is read: a response is recorded whole."""

_TEXT = (("content-type", "text/plain; charset=utf-8"),)
_NO_FILE = frozenset({errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG, errno.ELOOP})
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_WRITTEN = (201, 204)
_DENIED, _GONE, _CONFLICT, _LARGE, _NO_SPACE, _NO_METHOD, _BROKEN = 403, 404, 409, 413, 507, 405, 500


class FileLive:
    """``file://sandbox/<path>``: ``GET`` returns a file's bytes, ``PUT`` writes one and makes its parent folders.

    A missing file is a 404. A path outside ``folder`` (by ``..`` or by a link) or without permission is a 403. Anything other than a
    plain file is a 409. The folder need not exist before the first write.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def serves(self, request: Request) -> bool:
        """Return whether it is for a file of the sandbox folder."""
        return urlsplit(request.url).scheme.lower() == "file" and host_of(request.url) == HOST

    def resets(self, request: Request) -> bool:
        """Return that the folder began afresh with the scope: the code that gives a scope its folder ensures that."""
        return self.serves(request)

    def send(self, request: Request) -> Response:
        """Read or write the file."""
        began = time.perf_counter()
        try:
            status, body = self._done(request)
        except OSError as error:
            status, body = _status_of(error), b""
        except (ValueError, RuntimeError):  # RuntimeError: a link that leads to itself, before Python 3.13
            status, body = _CONFLICT, b""
        took = max(0, round((time.perf_counter() - began) * 1000))
        return Response(status=status, headers=_TEXT if body else (), body=body, elapsed_ms=took)

    def _done(self, request: Request) -> tuple[int, bytes]:
        """Return the status, and the file's bytes if they were requested.

        Raises:
            OSError: the file system refuses.
            ValueError: no file can have such a name.
        """
        root = self._folder.resolve()
        wanted = unquote(urlsplit(request.url).path, errors="surrogatepass").lstrip("/")
        place = (root / wanted).resolve()
        if not place.is_relative_to(root):
            return _DENIED, b""
        if place == root or (place.exists() and not place.is_file()):
            return _CONFLICT, b""
        if request.method == "GET":
            return (_LARGE, b"") if place.stat().st_size > MAX_BYTES else (200, place.read_bytes())
        if request.method == "PUT":
            status = _WRITTEN[place.exists()]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(request.body)
            return status, b""
        return _NO_METHOD, b""


def lay_out(folder: Path, files: Mapping[str, Json]) -> None:
    """Write the initial files of a scope: path to text, or to a value that is written as JSON.

    Raises:
        ValueError: a path leads out of the folder, or no file can be written there; the path is the error's argument.
    """
    live = FileLive(folder)
    for path, content in files.items():
        text = content if isinstance(content, str) else canonical_json(content)
        body = text.encode("utf-8", "backslashreplace")
        url = f"file://{HOST}/{quote(path.encode('utf-8', 'surrogatepass'))}"
        if live.send(Request(method="PUT", url=url, body=body)).status not in _WRITTEN:
            raise ValueError(path)


def _status_of(error: OSError) -> int:
    if isinstance(error, FileNotFoundError):
        return _GONE
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return _DENIED
    if error.errno in _FULL:
        return _NO_SPACE
    return _CONFLICT if error.errno in _NO_FILE else _BROKEN
