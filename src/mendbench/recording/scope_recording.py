"""How one scope of a case records."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.cassettes.recordings import RecordMode
from mendbench.live.access import LiveAccess
from mendbench.live.world import Live
from mendbench.replay.model_cassette import ModelCaller
from mendbench.replay.request_queue import RequestQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """How a scope records, if it does."""

    mode: RecordMode = "none"
    live: Live | None = None
    caller: ModelCaller | None = None
    queue: RequestQueue | None = None
    trajectory: bool = False
    """Whether it records the results of models' edits: only real worlds record them, separately from the case's own proof."""
    access: LiveAccess | None = None
    """What the scope may send to live APIs: nothing, until :meth:`by` names its workflows. None for a case without live APIs."""

    def by(self, *workflows: str) -> Recording:
        """Return the recording of a scope whose executions run these workflows, as a list of writes names them."""
        return self if self.access is None else replace(self, access=replace(self.access, workflows=workflows))
