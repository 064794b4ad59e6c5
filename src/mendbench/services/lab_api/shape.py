"""The shape of the cold store's data: see :mod:`mendbench.services.lab_api.world`."""

from __future__ import annotations

from mendbench.services.shape import Number, Record, Shape, Table, Text, Texts, Whole


class Dryer(Record):
    """A dryer, which is shown whole."""

    berth: Text = None
    what: Text = None
    holds: Whole = None


class Weights(Shape):
    """What a phial weighs."""

    filled_mg: Number = None
    tare_mg: Number = None


class Phial(Record):
    """A phial, which is shown whole."""

    rack: Text = None
    taxon: Text = None
    dwell_min: Whole = None
    weights: Weights | None = None
    embargo_by: Text = None


class Rack(Record):
    """A rack, which is shown whole."""

    last_pit: Text = None
    held_pits: Table[str] = None
    hollow_pits: Texts = None


class State(Shape):
    """Dryers, phials and racks."""

    dryers: list[Dryer] | None = None
    phials: Table[Phial] = None
    racks: Table[Rack] = None
