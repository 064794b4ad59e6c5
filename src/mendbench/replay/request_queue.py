"""Concurrent model requests, while the trials that made them wait.

Trials run one after the other, on one thread; only the model requests run on others. A trial that needs a missing response ends as
:class:`ResponsePending`, and is run again when the response has arrived: see :mod:`mendbench.runs.recording`. The results of other trials
do not depend on which response came first. So the trials that run, the requests, the recordings, and their final order in the files are
always the same.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from mendbench.cassettes.recordings import Recordings
from mendbench.errors import EffectEscape
from mendbench.live.rate_limit import Pace, ResponseNotNeeded
from mendbench.model.exchange import Response
from mendbench.replay.guard import allowed

GRACE_S = 15.0
"""How long to wait for responses under way when a recording ends early, in seconds: they are paid for."""


class ResponsePending(EffectEscape):
    """Ends a trial that cannot continue before the response to a model request arrives."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"the model request {key} is under way")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A model request on its way: how to get its response, and how to store it at once."""

    model: str
    key: str
    folder: Path
    """The folder of the recordings that store it."""
    asked: Callable[[], Response]
    store: Callable[[Response], object]


class RequestQueue:
    """Model requests of any number of models, each at its own pace, and each request once.

    ``pace_of`` returns a model's pace; None if there is no model server: the code that needs the response then requests it. ``grace_s``:
    see :data:`GRACE_S`.
    """

    def __init__(self, pace_of: Callable[[str], Pace | None], *, grace_s: float = GRACE_S) -> None:
        self._pace_of, self._grace_s = pace_of, grace_s
        self._changed = threading.Condition()
        self._storing = threading.Lock()
        self._lanes: dict[str, _Lane] = {}
        self._held: dict[str, bool] = {}
        """Model requests whose response no trial may see yet, and whether the response has arrived."""
        self._places: dict[str, Path] = {}
        """Where the responses of this recording are stored."""
        self._made: defaultdict[tuple[Path, str], list[str]] = defaultdict(list)
        """Model requests in the order in which they were made, since the files were last sorted."""
        self._failure: BaseException | None = None
        self._closed = self._abandoned = False

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_why: object) -> None:
        """Close it."""
        self.close()

    def holds(self, key: str) -> bool:
        """Return whether a model request was made and its response not released."""
        return key in self._held

    def place_of(self, key: str) -> Path | None:
        """Return the folder of the recordings that contain a response of this recording; None if there is none yet."""
        return self._places.get(key)

    def takes(self, model: str) -> bool:
        """Return whether the model is called on other threads while trials run."""
        return self._pace_of(model) is not None

    def note(self, model: str, key: str, folder: Path) -> None:
        """Reserve a response's place in a file now, whenever it arrives."""
        self._made[folder, model].append(key)

    def put(self, model_request: Pending) -> None:
        """Send a model request as soon as the model's pace allows. Its response is stored on arrival, and :meth:`release` waits for it.

        Raises:
            MendbenchError: an earlier model request failed.
        """
        pace = self._pace_of(model_request.model)
        if pace is None:
            raise ValueError(f"{model_request.model} has no pace")
        if self._failure is not None:
            raise self._failure
        with self._changed:
            self._held[model_request.key] = False
            lane = self._lanes.setdefault(model_request.model, _Lane(pace=pace, waiting=deque(), threads=[]))
            lane.waiting.append(model_request)
            self._changed.notify_all()
        if len(lane.threads) < pace.at_once:
            name = f"asks-{model_request.model}-{len(lane.threads)}"
            lane.threads.append(threading.Thread(target=self._work, args=(lane,), name=name, daemon=True))
            with allowed():
                lane.threads[-1].start()

    def release(self, key: str) -> None:
        """Wait until the response to a model request is stored, and let trials see it from now on.

        Raises:
            MendbenchError: a model request failed, this one or another one.
        """
        with self._changed:
            while not self._held.get(key, True) and self._failure is None:
                self._changed.wait()
            if self._failure is not None:
                raise self._failure
            self._held.pop(key, None)

    def settle(self) -> None:
        """Sort the entries recorded since the last time into the order of their requests, file by file."""
        for (folder, model), keys in self._made.items():
            with self._storing:
                Recordings.open(folder).arrange(model, keys)
        self._made.clear()

    def close(self) -> None:
        """Send no more requests, wait a little for the responses under way, and sort the files. Safe to call twice."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for lane in self._lanes.values():
            lane.pace.stop()
        ends = time.monotonic() + self._grace_s
        for lane in self._lanes.values():
            for thread in lane.threads:
                thread.join(max(0.0, ends - time.monotonic()))
        with self._storing:  # later responses are not stored: files must not change after the queue is closed
            self._places = {}
            self._abandoned = True
        self.settle()

    def _work(self, lane: _Lane) -> None:
        while (model_request := self._next(lane)) is not None:
            try:
                self._response(model_request)
            except ResponseNotNeeded:
                return
            except BaseException as error:  # noqa: BLE001 - it is raised again where the response is wanted
                self._fail(error)
                return

    def _next(self, lane: _Lane) -> Pending | None:
        with self._changed:
            while not lane.waiting and not self._closed:
                self._changed.wait()
            return None if self._closed else lane.waiting.popleft()

    def _response(self, model_request: Pending) -> None:
        response = model_request.asked()
        with self._storing:
            if self._abandoned:
                return
            model_request.store(response)
            self._places[model_request.key] = model_request.folder
        with self._changed:
            self._held[model_request.key] = True
            self._changed.notify_all()

    def _fail(self, error: BaseException) -> None:
        """Keep the first failure, and start no more requests after it."""
        with self._changed:
            self._failure = self._failure or error
            self._closed = True
            self._changed.notify_all()
            lanes = list(self._lanes.values())
        for lane in lanes:
            lane.pace.stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lane:
    """The waiting requests of one model, and the threads that send them."""

    pace: Pace
    waiting: deque[Pending]
    threads: list[threading.Thread]
