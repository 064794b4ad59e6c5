"""What was settled beforehand: the primary contrasts, and what was frozen.

What is changed afterwards is not refused; it is said: a strategy that was tuned with the test part in sight has no test result.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mendbench.corpus.documents import read_yaml, refused
from mendbench.errors import BadInput
from mendbench.model.json import JsonObject

FILE = "protocol.yaml"
"""Its name, in the folder of the cases."""

FORMAT = 1
"""1: the first."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Side(_Part):
    """What is compared: trials of one strategy, of the best of several, or of all, under one policy."""

    strategy: str | None = None
    best_of: list[str] | None = Field(None, description="the one with most cases of the training part right")
    policy: str


class Contrast(_Part):
    """One primary comparison."""

    name: str
    measure: Literal["repair_success", "right_after_first", "futile_attempts"]
    treatment: Side
    against: Side
    strategies: list[str] | None = Field(None, description="a case's mean is over these, where no side names one")


class Frozen(_Part):
    """What was frozen, by digest."""

    frame: str
    strategies: dict[str, str]


class Protocol(_Part):
    """The file."""

    format: int
    model: str
    part: Literal["test"]
    contrasts: list[Contrast] = Field(min_length=1)
    frozen: Frozen | None = None

    def changed(self, frame: str, strategies: dict[str, str]) -> JsonObject:
        """Return what is no longer as it was frozen: whether the frame is, and which of these strategies."""
        if self.frozen is None:
            return {"frame": False, "strategies": []}
        kept = self.frozen.strategies
        return {
            "frame": self.frozen.frame != frame,
            "strategies": sorted(name for name, now in strategies.items() if kept.get(name, now) != now),
        }


def read_protocol(cases_dir: Path) -> Protocol | None:
    """Return the protocol of the corpus in a folder, None if it has none.

    Raises:
        BadInput: the file is broken.
    """
    path = cases_dir / FILE
    if not path.is_file():
        return None
    try:
        read = Protocol.model_validate(read_yaml(path, "write it"))
    except ValidationError as error:
        raise refused(path, error, Protocol, "mendbench schema config") from None
    if read.format != FORMAT:
        raise BadInput(f"{path}: format", f"format {read.format}", f"this mendbench reads format {FORMAT}")
    return read
