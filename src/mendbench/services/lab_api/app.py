"""The cold store's API. It runs as a separate program with its data file as the only argument; no module imports it.

Refusals of a body are pydantic's own, as FastAPI words them; the rest is the application's.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import fastapi  # type: ignore[import-not-found,unused-ignore]  # it is there where recordings are made
from pydantic import BaseModel, ConfigDict, Field

Mark = Annotated[str, Field(pattern=r"^[A-Z]{2}-\d{4}$")]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Drying(_Body):
    """A phial is put into a dryer."""

    phial_mark: Mark
    berth: Literal["rime-vault", "ember-flue", "loess-drum"]
    dwell_min: Annotated[int, Field(ge=30, le=720, multiple_of=15)]


class Seat(_Body):
    """A phial is put into a pit of a rack."""

    rack: str
    pit: Annotated[str, Field(pattern=r"^[a-h][1-9]$")]
    phial_mark: Mark


class Weighing(_Body):
    """A weight is entered."""

    phial_mark: Mark
    glass_mg: Annotated[float, Field(gt=0)]


class Tag(_Body):
    """A tag is printed for a phial."""

    phial_mark: Mark
    tag_line: Annotated[str, Field(min_length=3, max_length=40)]


class Release(_Body):
    """A phial leaves the store."""

    phial_mark: Mark
    consignee: str


class Store:
    """The data: one JSON file, read before each request and written after each change."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def read(self) -> dict[str, Any]:
        """Return all data."""
        data: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
        return data

    def entered(self, ledger: str, entry: BaseModel) -> dict[str, Any]:
        """Add an entry to a ledger, and return it with its number."""
        data = self.read()
        entries = data.setdefault(ledger, [])
        entries.append({"folio": f"{ledger[:2]}-{len(entries) + 1:04d}", **entry.model_dump()})
        self.write(data)
        last: dict[str, Any] = entries[-1]
        return last

    def write(self, data: dict[str, Any]) -> None:
        """Replace all data."""
        self._file.write_text(json.dumps(data), "utf-8")


class Api:
    """The routes, on one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def dryers(self) -> dict[str, Any]:
        """List the dryers."""
        return {"dryers": self._store.read()["dryers"]}

    def phial(self, mark: str, lens: Literal["plain", "fine"] = "plain") -> dict[str, Any]:
        """Show one phial: its weights through the fine lens alone."""
        found = self._phial(mark)
        if lens == "fine":
            return {"mark": mark, **found}
        return {
            "mark": mark,
            **{key: found[key] for key in found if key != "weights"},
            "left_out": "weights: lens=fine",
        }

    def phials(
        self, rack: str, limit: Annotated[int, fastapi.Query(ge=1, le=50)] = 2, onward: str = ""
    ) -> dict[str, Any]:
        """List the phials of a rack, page by page."""
        marks = sorted(
            mark for mark, phial in self._store.read()["phials"].items() if phial["rack"] == rack and mark > onward
        )
        more = marks[limit - 1] if len(marks) > limit else None
        return {"phials": marks[:limit], "onward": more}

    def rack(self, rack: str) -> dict[str, Any]:
        """Show one rack: which pits hold something, and which are hollow."""
        racks = self._store.read()["racks"]
        if rack not in racks:
            raise fastapi.HTTPException(404, f"there is no rack {rack}")
        return {"rack": rack, **racks[rack]}

    def dry(self, body: Drying) -> dict[str, Any]:
        """Book a dryer."""
        self._phial(body.phial_mark)
        return self._store.entered("dryings", body)

    def seat(self, body: Seat) -> dict[str, Any]:
        """Put a phial into a pit that holds nothing."""
        self._phial(body.phial_mark)
        rack = self.rack(body.rack)
        if body.pit not in rack["hollow_pits"]:
            held = rack["held_pits"].get(body.pit)
            why = f"pit {body.rack}/{body.pit} holds {held}" if held else f"rack {body.rack} has no pit {body.pit}"
            raise fastapi.HTTPException(409 if held else 404, why)
        return self._store.entered("seats", body)

    def weigh(self, body: Weighing) -> dict[str, Any]:
        """Enter what a phial's glass weighs."""
        self._phial(body.phial_mark)
        return self._store.entered("weighings", body)

    def tag(self, body: Tag) -> dict[str, Any]:
        """Print a tag."""
        self._phial(body.phial_mark)
        return self._store.entered("tags", body)

    def release(self, body: Release) -> dict[str, Any]:
        """Let a phial go, unless its warden has not consented."""
        warden = self._phial(body.phial_mark).get("embargo_by")
        if warden:
            raise fastapi.HTTPException(
                403, f"{body.phial_mark} is under embargo; its warden, {warden}, has to lift it"
            )
        return self._store.entered("releases", body)

    def _phial(self, mark: str) -> dict[str, Any]:
        phials: dict[str, dict[str, Any]] = self._store.read()["phials"]
        if mark not in phials:
            raise fastapi.HTTPException(404, f"there is no phial {mark}")
        return phials[mark]


def application(file: Path) -> Any:
    """Return the application over the data in ``file``."""
    api, app = Api(Store(file)), fastapi.FastAPI(title="Cold store")
    app.add_api_route("/dryers", api.dryers)
    app.add_api_route("/phials/{mark}", api.phial)
    app.add_api_route("/racks/{rack}", api.rack)
    app.add_api_route("/racks/{rack}/phials", api.phials)
    for path, taken in (
        ("/dryings", api.dry), ("/seats", api.seat), ("/weighings", api.weigh), ("/tags", api.tag), ("/releases", api.release),
    ):  # fmt: skip
        app.add_api_route(path, taken, methods=["POST"], status_code=201)
    return app


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(application(Path(sys.argv[1])), host="127.0.0.1", port=0, server_header=False, access_log=False)
