"""Whether an exchange changed the world: reported by the world itself if it can, else derived from the request's method."""

from __future__ import annotations

from collections.abc import Mapping

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.live.world import Live
from mendbench.model.exchange import Request, Response
from mendbench.ports.world import ClassifiesReads


def did(response: Response) -> bool:
    """Return whether the world did what was requested."""
    return accepted(response, parse_body(response.body, response.header("content-type")))


def by_method(request: Request, response: Response) -> bool:
    """Return whether the method implies a change: it is not a safe method, and the request was accepted."""
    return not request.safe and did(response)


def by_state(before: Mapping[str, object], after: Mapping[str, object]) -> bool:
    """Return whether a simulated service's state was changed: see :class:`mendbench.ports.world.Service`."""
    counted, count = _writes(before), _writes(after)
    return before != after if counted is None or count is None else counted != count


def by_live(live: Live, request: Request, response: Response) -> bool:
    """Return whether a live world was changed by the request that it just received."""
    only_read = live.reads(request) if isinstance(live, ClassifiesReads) else None
    return by_method(request, response) if only_read is None else did(response) and not only_read


def _writes(state: Mapping[str, object]) -> object:
    counters = state.get("counters")
    return counters.get("writes") if isinstance(counters, dict) else None
