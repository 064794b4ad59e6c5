"""The world of one scope, served from a cassette: a trial's world, or a clean run's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from mendbench.cassettes import keys
from mendbench.cassettes.cassette import Entry, settled_headers
from mendbench.cassettes.recordings import Recordings, RecordMode
from mendbench.errors import BoundReached, BrokenService, ReplayMiss
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import host_of, normalise_url
from mendbench.io.virtual_clock import START_MS
from mendbench.live.access import LiveAccess
from mendbench.live.world import Live
from mendbench.model.exchange import Exchange, Origin, Request, Response
from mendbench.ports.clock import Clock
from mendbench.ports.world import Canonicalizing, Service
from mendbench.replay import effects
from mendbench.replay.guard import allowed
from mendbench.replay.model_cassette import ModelCassette
from mendbench.secrets.issued_credentials import IssuedCredentials
from mendbench.secrets.redaction import Redactor

UNKNOWN_HOST = Response(status=0, fault="dns", elapsed_ms=30)
"""The response for every host that the case does not declare: the name does not exist."""

MS_PER_WRITE = 1000

MAX_EXCHANGES = 2_000
"""Maximum requests of one scope: of a trial with all its attempts, or of one clean run."""

MAX_TRAFFIC = 100_000_000
"""Maximum bytes of all their bodies, and of those of the responses."""

_SHELL_SCHEME = "shell"
_SANDBOX_SCHEMES = frozenset({_SHELL_SCHEME, "file"})
"""Schemes of the sandbox, which is not a host: ``https://sandbox/`` is something else."""

_SHOWN_COMMAND = 200
"""How many characters of a shell command the message of a missing recording shows."""

_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPart:
    """A simulated service and the state it starts from, the case's own merged in."""

    service: Service
    state: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """A request as it was really sent, including secrets. It never leaves this module."""

    request: Request
    now_ms: int
    only_read: bool
    """Whether it is known to have changed nothing, and not because of a refusal: it need not be sent again to catch up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Came:
    """The world's response, and whether the world has changed since."""

    response: Response
    changed: bool
    origin: Origin


@dataclass(slots=True)
class _Part:
    """One service in this scope: the state of its keys, and the requests that a simulation or a real server has to catch up with."""

    after: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    """How often each request was sent since the last change."""
    last: dict[str, tuple[int, Entry | None]] = field(default_factory=dict)
    """For each request since then: the repeat up to which the record was searched, and the last entry found."""
    sent: list[_Sent] = field(default_factory=list)
    state: dict[str, object] | None = None
    driven: int = 0
    """How many of ``sent`` the simulation has seen."""
    fed: int = 0
    """How many of ``sent`` the real server has seen."""
    writes: int = 0
    """How many of ``sent`` changed the world."""

    @property
    def simulated_ms(self) -> int:
        """The simulated time: it advances one second with each change.

        A key depends on the changes before a request, not on the time. If a response depended on the time, it would be recorded at one
        time and replayed at another.
        """
        return START_MS + MS_PER_WRITE * self.writes


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The state of a scope in replay: plain data, which can be copied."""

    parts: dict[str, _Part]
    traffic: list[Exchange]
    sent_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One request on its way: redacted, raw, its sender, and its place in the scope."""

    clean: Request
    raw: Request
    node: str | None
    service: str
    part: _Part
    identity: str
    n: int

    @property
    def key(self) -> str:
        return keys.key_of(self.identity, self.part.after, self.n)


class ScopedWorld:
    """Serves responses from the cassette, else from the simulated service, else, while recording, from the live world.

    ``hosts`` maps every declared host (or MCP server, ``shell://sandbox``, or ``file://sandbox``) to its service's name; the hosts of
    ``services`` are declared automatically. With ``trajectory``, simulated services record nothing, and responses of the live world go
    into ``world.trajectories.yaml``. ``origins`` identifies each service's initial data: keys of scopes with other data differ. ``asks``
    serves the model requests of nodes (``model://…``); such a response takes its time like any other. ``access`` limits what may be sent
    to live APIs; without it, everything may.
    """

    def __init__(
        self,
        *,
        recordings: Recordings,
        services: Mapping[str, SimulatedPart],
        hosts: Mapping[str, str],
        redactor: Redactor,
        clock: Clock,
        mode: RecordMode = "none",
        live: Live | None = None,
        record_hint: str = "mendbench run --record new_episodes",
        trajectory: bool = False,
        model_world: ModelCassette | None = None,
        origins: Mapping[str, str] | None = None,
        access: LiveAccess | None = None,
    ) -> None:
        own = {host: name for name, part in services.items() for host in part.service.hosts}
        self._hosts = {host.lower(): name for host, name in {**own, **hosts}.items()}
        self._recordings, self._services, self._redactor, self._clock = recordings, services, redactor, clock
        self._mode, self._live, self._hint, self._trajectory = mode, live, record_hint, trajectory
        self._asks, self._access = model_world, access
        self._origins = dict(origins or {})
        self._parts: dict[str, _Part] = {}
        self._vault = IssuedCredentials()
        self._traffic: list[Exchange] = []
        self._bytes = 0
        self._phase = 0

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the declared hosts."""
        return tuple(self._hosts)

    def progress(self) -> Progress:
        """Return the state of this scope in replay, from which another scope can continue. It must not be changed."""
        return Progress(parts=self._parts, traffic=self._traffic, sent_bytes=self._bytes)

    def go_on_from(self, progress: Progress) -> None:
        """Take over the state of a scope of the same case and the same record. From now on it belongs only to this scope."""
        self._parts, self._traffic, self._bytes = progress.parts, progress.traffic, progress.sent_bytes

    def begin_execution(self) -> None:
        """Mark that the next exchanges belong to the next execution. The first one needs no call."""
        self._phase += 1

    def traffic(self) -> tuple[Exchange, ...]:
        """Return all exchanges of this scope so far, redacted, in order."""
        return tuple(self._traffic)

    def send(self, request: Request, *, node: str | None = None) -> Response:
        """Return the world's response, redacted; moves the clock by the time it took.

        If the sender's timeout (``timeout_s``) is shorter than the world took, it gets a ``timeout`` fault, although the world processed
        the request.

        Raises:
            ReplayMiss: no recording and no simulated service has a response, and live requests are not allowed.
            LiveRefused: a live API would have to be sent a write that is not allowed, or a secret that is not set.
            BoundReached: it would be one request too many, or there has been too much traffic.
        """
        self._bound(request)
        if self._asks is not None and urlsplit(request.url).scheme == "model":
            return self._answered_by_model(self._asks, request, node)
        clean = self._redactor.request(request)
        service = self._service_of(request.url)
        if service is None:
            key = keys.world_key(clean, "", 0)
            nothing = _Came(response=UNKNOWN_HOST, changed=False, origin="recorded")
            return self._finish(clean, nothing, key=key, node=node, timeout_s=None)
        part = self._parts.setdefault(service, _Part(after=self._origins.get(service, "")))
        name = keys.identity(clean)
        asked = _Asked(
            clean=clean, raw=request, node=node, service=service, part=part, identity=name, n=part.counts.get(name, 0)
        )
        key, now_ms = asked.key, part.simulated_ms
        reads_only = self._mode == "none" or (self._trajectory and service in self._services)
        outcome = self._recorded(asked) if reads_only else self._recording(asked)
        harmless = not outcome.changed and (clean.safe or effects.did(outcome.response))
        part.sent.append(_Sent(request=request, now_ms=now_ms, only_read=harmless))
        part.counts[name] = asked.n + 1
        if outcome.changed:
            part.after = keys.fold(part.after, clean)
            part.writes += 1
            part.counts.clear()
            part.last.clear()
        meaning = self._meaning(service, clean)
        return self._finish(clean, outcome, key=key, node=node, timeout_s=request.timeout_s, meaning=meaning)

    def _bound(self, request: Request) -> None:
        """Refuse a request that exceeds a limit, before it has any effect."""
        if len(self._traffic) >= MAX_EXCHANGES:
            raise BoundReached(f"the workflow sent more than {MAX_EXCHANGES:,} requests; it is not run on")
        if self._bytes + len(request.body) > MAX_TRAFFIC:
            raise BoundReached(
                f"the workflow's requests and their responses hold more than {MAX_TRAFFIC:,} bytes; it is not run on"
            )

    def _finish(
        self,
        clean: Request,
        outcome: _Came,
        *,
        key: str,
        node: str | None,
        timeout_s: float | None,
        meaning: Request | None = None,
    ) -> Response:
        response = _as_waited(outcome.response, timeout_s)
        self._clock.advance(response.elapsed_ms)
        exchange = Exchange(
            request=clean,
            response=response,
            origin=outcome.origin,
            key=key,
            accepted=effects.did(outcome.response),
            node=node,
            phase=self._phase,
            changed=outcome.changed,
            meaning=meaning,
        )
        self._kept(exchange)
        return response

    def _kept(self, exchange: Exchange) -> None:
        self._traffic.append(exchange)
        self._bytes += len(exchange.request.body) + len(exchange.response.body)

    def _meaning(self, service: str, clean: Request) -> Request | None:
        simulated = self._services.get(service)
        serving = simulated.service if simulated is not None else None
        return serving.canonical(clean) if isinstance(serving, Canonicalizing) else None

    def _answered_by_model(self, model_world: ModelCassette, request: Request, node: str | None) -> Response:
        found = model_world.exchange(request, node=node, phase=self._phase)
        response = _as_waited(found.response, request.timeout_s)
        self._clock.advance(response.elapsed_ms)
        self._kept(replace(found, response=response))
        return response

    def _service_of(self, url: str) -> str | None:
        host, scheme = host_of(url), urlsplit(url).scheme
        return self._hosts.get(f"{scheme}://{host}" if scheme in _SANDBOX_SCHEMES else host)

    def _recorded(self, asked: _Asked) -> _Came:
        """Respond without recording anything."""
        entry = self._recordings.world(asked.key) or self._repeated(asked, self._last(asked))
        if entry is not None:
            self._recordings.served(entry.key)
            return _Came(response=entry.response, changed=_changed(entry), origin="recorded")
        if asked.service in self._services:
            return replace(self._simulate(asked), origin="derived")
        raise self._miss(asked)

    def _recording(self, asked: _Asked) -> _Came:
        """Respond from the record, after recording what is missing there."""
        simulated = asked.service in self._services
        closed = self._access is not None and self._access.is_closed_to(asked.service)
        live = self._live if self._live is not None and self._live.serves(asked.raw) and not closed else None
        if not simulated and live is None:
            return self._recorded(asked)
        fresh = self._mode == "all"
        origin: Origin = "recorded"
        entry = self._recordings.world(asked.key, fresh=fresh)
        if entry is None:
            outcome = self._simulate(asked) if simulated or live is None else self._ask(live, asked)
            origin = outcome.origin
            last = None if outcome.changed else self._repeated(asked, self._found(asked, fresh=fresh))
            unchanged = last if last is not None and _same(last.response, outcome.response) else None
            entry = unchanged or self._store(asked, outcome, replace=fresh)
        else:
            self._vault.serve(entry.response)
        self._recordings.served(entry.key)
        return _Came(response=entry.response, changed=_changed(entry), origin=origin)

    def _ask(self, live: Live, asked: _Asked) -> _Came:
        """Return the live response, redacted; a world that was reset first gets the earlier writes.

        Raises:
            ReplayMiss: it needs a credential that was issued while an earlier recording was made.
            LiveRefused: as :meth:`LiveAccess.send`.
        """
        if self._vault.lacks(asked.raw):
            shown = f"{asked.clean.method} {normalise_url(asked.clean.url)}"
            hint = self._hint.replace("--record new_episodes", "--record all")
            raise ReplayMiss(shown, nearest=None, differs=(), record=hint, service=asked.service)
        with allowed():
            if live.resets(asked.raw):
                for earlier in asked.part.sent[asked.part.fed :]:
                    if not earlier.only_read:
                        live.send(self._vault.give(earlier.request))
            response = self._vault.take(self._clean(self._sent(live, asked, self._vault.give(asked.raw))))
            changed = effects.by_live(live, asked.raw, response)
        asked.part.fed = len(asked.part.sent) + 1
        return _Came(response=response, changed=changed, origin="live")

    def _sent(self, live: Live, asked: _Asked, request: Request) -> Response:
        if self._access is None or not self._access.covers(asked.service):
            return live.send(request)
        return self._access.send(live, request, clean=asked.clean, node=asked.node, execution=self._phase)

    def _store(self, asked: _Asked, outcome: _Came, *, replace: bool) -> Entry:
        entry = Entry(
            key=asked.key,
            request=asked.clean,
            response=outcome.response,
            changed=None if outcome.changed == effects.by_method(asked.clean, outcome.response) else outcome.changed,
            service=asked.service,
            after=asked.part.after,
            n=asked.n,
        )
        with allowed():
            return self._recordings.append_world(entry, trajectory=self._trajectory, replace=replace)

    def _simulate(self, asked: _Asked) -> _Came:
        """Return the service's response, after sending it the earlier requests that it has not seen yet."""
        simulated, part = self._services[asked.service], asked.part
        state = simulated.state if part.state is None else part.state
        for earlier in part.sent[part.driven :]:
            state, _ = _answered(simulated.service, state, earlier.request, earlier.now_ms)
        part.state, response = _answered(simulated.service, state, asked.raw, part.simulated_ms)
        part.driven = len(part.sent) + 1
        return _Came(response=self._clean(response), changed=effects.by_state(state, part.state), origin="recorded")

    def _clean(self, response: Response) -> Response:
        clean = self._redactor.response(response)
        return replace(clean, headers=settled_headers(clean.headers))

    def _last(self, asked: _Asked) -> Entry | None:
        """Return the last recorded response before this one; each search is done only once."""
        since, last = asked.part.last.get(asked.identity, (0, None))
        last = self._found(asked, since=since) or last
        asked.part.last[asked.identity] = (asked.n, last)
        return last

    def _found(self, asked: _Asked, *, since: int = 0, fresh: bool = False) -> Entry | None:
        """Return the last recorded response before this one, from repeat ``since`` on."""
        earlier = (keys.key_of(asked.identity, asked.part.after, n) for n in range(asked.n - 1, since - 1, -1))
        found = (self._recordings.world(key, fresh=fresh) for key in earlier)
        return next((entry for entry in found if entry is not None), None)

    def _repeated(self, asked: _Asked, last: Entry | None) -> Entry | None:
        """Return the last recorded response to a read-only request, unless a new request might give a better one."""
        if last is None or not (asked.clean.safe or effects.did(last.response)):
            return None
        return last if _lasting(last.response) and not _changed(last) else None

    def _miss(self, asked: _Asked) -> ReplayMiss:
        entries = [entry for entry in self._recordings.world_entries() if entry.service in (asked.service, None)]
        near = keys.nearest(asked.clean, [entry.request for entry in entries])
        if near is None:
            return ReplayMiss(_shown(asked.clean), nearest=None, differs=(), record=self._hint, service=asked.service)
        differs = keys.differences(asked.clean, near) or _place_differences(asked, entries)
        return ReplayMiss(
            _shown(asked.clean), nearest=_shown(near), differs=differs, record=self._hint, service=asked.service
        )


def _answered(
    service: Service, state: dict[str, object], request: Request, now_ms: int
) -> tuple[dict[str, object], Response]:
    """Return a service's response.

    Raises:
        BrokenService: it raised. Otherwise a node would treat its exception as its own, and a model would see it.
    """
    try:
        return service.response(state, request, now_ms)
    except Exception as error:  # a service is foreign code: an installed package may bring one
        raise BrokenService(f"service {service.name}: {type(error).__name__}: {error}") from error


def _shown(request: Request) -> str:
    """Return the name of a request in the message of a missing recording."""
    if urlsplit(request.url).scheme == _SHELL_SCHEME:
        body = parse_body(request.body, request.header("content-type"))
        command = str(body.get("command", "")) if isinstance(body, dict) else ""
        return f"the shell command `{' '.join(command.split())[:_SHOWN_COMMAND]}`"
    return f"{request.method} {normalise_url(request.url)}"


def _place_differences(asked: _Asked, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the difference between a request and its recorded twins: the writes before it, or how often it was sent."""
    twins = [entry for entry in entries if keys.identity(entry.request) == asked.identity]
    return ("n",) if any(entry.after == asked.part.after for entry in twins) else ("after",)


def _changed(entry: Entry) -> bool:
    return effects.by_method(entry.request, entry.response) if entry.changed is None else entry.changed


def _lasting(response: Response) -> bool:
    return response.fault is None and response.status != _TOO_MANY_REQUESTS and response.status < _SERVER_ERROR


def _same(a: Response, b: Response) -> bool:
    return (a.status, a.fault, a.body) == (b.status, b.fault, b.body)


def _as_waited(response: Response, timeout_s: float | None) -> Response:
    """Return what a sender with a timeout of ``timeout_s`` sees."""
    if timeout_s is None or response.elapsed_ms <= timeout_s * 1000:
        return response
    return Response(status=0, fault="timeout", elapsed_ms=round(timeout_s * 1000))
