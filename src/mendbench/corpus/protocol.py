"""The protocols, each fixed in advance: the primary contrasts, and what was frozen.

Later changes are reported, not refused: a strategy that was tuned on the test part has no test result.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mendbench.corpus.documents import located, read_yaml, refused
from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialRow

FILE = "protocol.yaml"
"""The file name of the first protocol, in the folder of the cases. Later ones are called ``protocol-2.yaml`` and so on."""

_FILES = "protocol*.yaml"

DEFAULT_FRAME = "v1"
"""The frame that a plan is about."""

FORMAT = 1
"""1: the first. ``frozen.prompts``, ``frozen.detectors`` and ``frozen.frames`` came later, and may be left out."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Side(_Part):
    """One side of a comparison: trials of one strategy, of the best of several, or of all, under one policy."""

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
    stratum: str | None = Field(None, description="the list of cases that it is about; default: that of the part")


class Frozen(_Part):
    """Digests of what was frozen."""

    frame: str
    """The digest of the default frame at the time of the plan."""
    frames: dict[str, str] = Field(default={}, description="digests of frames as they are rendered")
    """If the default frame is among them, this digest counts: code that renders the same text is not a change."""
    strategies: dict[str, str]
    """Digests of each template's source and its code at the time of the plan."""
    prompts: dict[str, str] = Field(
        default={}, description="of a strategy's first prompts on the part, as :func:`prompt_digests` has them"
    )
    """For the strategies that they name, only these count: code that renders the same prompts is not a change."""
    detectors: dict[str, str] = Field(
        default={}, description="the detector of each policy that has one; trials with another one do not count"
    )
    scorer: str = Field("", description="the version of the rules that judge a trial")
    levels: dict[str, dict[str, int]] = Field(
        default={}, description="the number of cases of each level, by stratum: a result is weighted by this mix"
    )


class Protocol(_Part):
    """The file."""

    format: int
    model: str
    part: Literal["test"]
    cases: dict[str, list[str]] = Field(
        default={}, description="ids of the cases that count, by stratum or part; default: all cases of the part"
    )
    contrasts: list[Contrast] = Field(min_length=1)
    frozen: Frozen | None = None

    def counted(self) -> frozenset[str]:
        """Return the listed cases of the results, without those of the training part; empty if all cases of the part count."""
        return frozenset(case for name, cases in self.cases.items() if name != "train" for case in cases)

    def covers(self, model: str | None, policy: str, detector: str | None) -> bool:
        """Return whether trials of this model and policy, with this detector, belong to a contrast."""
        policies = {side.policy for contrast in self.contrasts for side in (contrast.treatment, contrast.against)}
        return model == self.model and policy in policies and self.detectors.get(policy, detector) == detector

    @property
    def detectors(self) -> Mapping[str, str]:
        """The detector of each policy that has one."""
        return {} if self.frozen is None else self.frozen.detectors

    def changed(self, frame: str, strategies: dict[str, str], prompts: Mapping[str, str], scorer: str) -> JsonObject:
        """Return the differences from the frozen state: whether the frame or the scorer changed, and which strategies.

        ``prompts`` are those of a run of the whole part; a strategy that they lack counts as unchanged.
        """
        if self.frozen is None:
            return {"frame": False, "scorer": False, "strategies": []}
        pinned = self.frozen.prompts
        kept = {**self.frozen.strategies, **pinned}
        now = {name: one for name, one in strategies.items() if name not in pinned}
        now |= {name: one for name, one in prompts.items() if name in pinned}
        return {
            "frame": self.frozen.frames.get(DEFAULT_FRAME, self.frozen.frame) != frame,
            "scorer": self.frozen.scorer not in {"", scorer},
            "strategies": sorted(name for name, one in now.items() if kept.get(name, one) != one),
        }


def prompt_digests(rows: Iterable[TrialRow]) -> dict[str, str]:
    """Return a digest of the first model requests of trials, by strategy. It covers whole prompts, including the frame."""
    requests: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["attempts"] and (first := row["attempts"][0]["model_request"]) is not None:
            requests[row["strategy"]].add(first)
    return {strategy: digest(sorted(found)) for strategy, found in sorted(requests.items())}


def read_protocols(cases_dir: Path) -> dict[str, Protocol]:
    """Return the protocols of the corpus in a folder by file name without its ending, the first one first.

    Raises:
        BadInput: a file is broken.
    """
    return {path.stem: _read(path) for path in protocol_files(cases_dir)}


def protocol_files(cases_dir: Path) -> list[Path]:
    """Return the files of the protocols, the first one first."""
    return sorted(cases_dir.glob(_FILES), key=lambda path: (len(path.name), path.name))


def _read(path: Path) -> Protocol:
    try:
        read = Protocol.model_validate(read_yaml(path, "write it"))
    except ValidationError as error:
        raise refused(path, error, Protocol) from None
    if read.format != FORMAT:
        raise BadInput(f"{path}: format", f"format {read.format}", f"this mendbench reads format {FORMAT}")
    for at, contrast in enumerate(read.contrasts):
        if contrast.stratum is not None and contrast.stratum not in read.cases:
            found = f"no list of cases is called {contrast.stratum!r}"
            raise BadInput(located(path, "contrasts", at, "stratum"), found, "add it under cases")
    return read
