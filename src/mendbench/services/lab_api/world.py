"""A real FastAPI application: ``http://phials.coldstore.example/``, the API of an invented cold store for seeds.

Its code is in ``app.py``. Its data is ``seed.json``, with the case's state merged over it (RFC 7396).
"""

from __future__ import annotations

import json
from pathlib import Path

from mendbench.services.local_server import refuse_absent
from mendbench.services.pinning_proxy import Pins
from mendbench.services.real_server import ProxiedServer, seed_of
from mendbench.services.sandboxed import ENVIRONMENT
from mendbench.values.merge_patch import merge_patch

HOST = "phials.coldstore.example"
PINS = Pins(headers={"date": "Thu, 01 Jan 2026 00:00:00 GMT"})
"""No other part of a response varies: the application shows no version, no random id and no time."""
_LAUNCH = "import runpy; runpy.run_path(sys.argv.pop(1), run_name='__main__')"


class LabApi(ProxiedServer):
    """A real server. It starts once and is reset before each scope; the running server sees the new data."""

    name = "lab_api"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        super().__init__(PINS)

    def start(self) -> str:
        """Start the application with the seed, and return the base URL of its proxy.

        Raises:
            BadInput: FastAPI is not installed, or the application does not start.
        """
        refuse_absent(self.name, "fastapi", "uvicorn")
        with self._starting("lab") as folder:
            self.reset({})
            words = (str(Path(__file__).with_name("app.py")), str(self._file()))
            self._front.behind = self._server.start(_LAUNCH, *words, log=folder / "log", environ=ENVIRONMENT)
            return self._front.open()

    def reset(self, state: dict[str, object]) -> None:
        """Reset the data to the seed, with ``state`` merged over it.

        Raises:
            BadInput: the server was not started.
        """
        self._file().write_text(json.dumps(merge_patch(seed_of(self.name), state)), "utf-8")

    def _file(self) -> Path:
        return self._started_folder() / "data.json"
