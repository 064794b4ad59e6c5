"""A real FastAPI application: ``http://phials.coldstore.example/``, the API of an invented cold store for seeds.

Its code is in ``app.py``. Its data is ``seed.json``, with the case's state merged over it (RFC 7396).
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.temporary_folders import drop_scratch, make_scratch
from mendbench.services.local_server import LocalServer, refuse_absent
from mendbench.services.pinning_proxy import Front, Pins
from mendbench.services.sandboxed import ENVIRONMENT
from mendbench.values.merge_patch import merge_patch

HOST = "phials.coldstore.example"
PINS = Pins(headers={"date": "Thu, 01 Jan 2026 00:00:00 GMT"})
"""No other part of a response varies: the application shows no version, no random id and no time."""
_LAUNCH = "import runpy; runpy.run_path(sys.argv.pop(1), run_name='__main__')"


class LabApi:
    """A real server. It starts once and is reset before each scope; the running server sees the new data."""

    name = "lab_api"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._server = LocalServer(self.name)
        self._front = Front(pins=PINS)

    def start(self) -> str:
        """Start the application with the seed, and return the base URL of its proxy.

        Raises:
            BadInput: FastAPI is not installed, or the application does not start.
        """
        refuse_absent(self.name, "fastapi", "uvicorn")
        self.stop()
        self._folder = make_scratch("lab")
        try:
            self.reset({})
            words = (str(Path(__file__).with_name("app.py")), str(self._file()))
            self._front.behind = self._server.start(_LAUNCH, *words, log=self._folder / "log", environ=ENVIRONMENT)
            return self._front.open()
        except BaseException:
            self.stop()
            raise

    def reset(self, state: dict[str, object]) -> None:
        """Reset the data to the seed, with ``state`` merged over it.

        Raises:
            BadInput: the server was not started.
        """
        seed = json.loads(resources.files(__package__ or "").joinpath("seed.json").read_text("utf-8"))
        self._file().write_text(json.dumps(merge_patch(seed, state)), "utf-8")

    def stop(self) -> None:
        """Stop proxy and application, and remove their files. Does nothing if they are not running."""
        self._front.close()
        self._server.stop()
        if self._folder is not None:
            drop_scratch(self._folder)
            self._folder = None

    def _file(self) -> Path:
        if self._folder is None:
            raise BadInput(f"service {self.name}", "not started", "start it first")
        return self._folder / "data.json"
