"""Makes a case from a source: runs the workflow against the imported exchanges and records those that it used under our keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mendbench.cassettes.recordings import Recordings, RecordMode
from mendbench.corpus.declared_services import redactor_of
from mendbench.corpus.incident import incident_of
from mendbench.corpus.labels import missing_labels
from mendbench.detectors import detector
from mendbench.errors import BadInput, ReplayMiss
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import host_of, normalise_url
from mendbench.importing.drafting import Wish, drafted
from mendbench.importing.hosts import declared_services, with_credentials, with_static_routes, with_static_tools
from mendbench.importing.interface import Dropped, FoundExchange, Source
from mendbench.importing.matching import ImportedModels, ImportedWorld, NodeNoting
from mendbench.importing.scaffold import Draft, refuse_existing, split_id, write_draft
from mendbench.io.files import folder_beside, move_folder, why_unwritable, write_atomically
from mendbench.io.temporary_folders import scratch
from mendbench.live.world import Live
from mendbench.model.case import Case
from mendbench.model.exchange import Exchange, Response
from mendbench.model.execution import Execution
from mendbench.model.json import Json
from mendbench.recording.scope_recording import Recording
from mendbench.secrets.redaction import Redactor, sanitise
from mendbench.trial.components import TRUTH_DETECTOR, build_engine
from mendbench.trial.scope import open_scope
from mendbench.values.name_lists import few

_HINT = "mendbench case check --record new_episodes"

MOST_HOSTS = 20
"""Maximum number of hosts that are discovered one after the other."""

_FAILED = 400
"""The least HTTP status of a failure (RFC 9110 section 15)."""

MOST_SHOWN = 120
"""Characters of a response in a message."""

_STATIC = (
    "the simulated API always gives the recorded answer: {}. No fix can pass until state accepts right requests. Replace the entries by "
    "ones that validate (CONTRIBUTING.md, 'Choose the world'), and give the state for a variant that reads other data"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The result of an import."""

    case: str
    files: tuple[Path, ...]
    kept: tuple[str, ...]
    """Locations in the source of the imported exchanges."""
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    """Notes for the author, one sentence each."""
    labels: int
    """Number of missing labels."""


def import_case(wish: Wish, cases_dir: Path, cassettes_dir: Path) -> ImportResult:
    """Write a case from a source. Its missing labels are marked; its recording replays.

    Raises:
        BadInput: the case or different recordings of its name exist; no workflow is given or recovered, or an input is
            missing; the source is for other hosts, or lacks the body of a response that the workflow needs. Then nothing is written.
    """
    family, name = split_id(wish.case)
    folder, cassettes = cases_dir / family / name, cassettes_dir / family / name
    refuse_existing(folder)
    draft, redactor, notes = drafted(wish, family, name)
    source = _without_secrets(wish.source, redactor)
    with scratch("import") as made:
        dry, asked = _explored(draft, folder, source, redactor, made)
        _refuse_useless(dry, source, redactor)
        _refuse_other_run(dry, source)
        draft = _reaching(draft, asked, wish.provenance)
        if wish.provenance == "simulator":
            state = with_static_tools(with_static_routes(draft.state, dry.traffic), dry.traffic, source.found)
            state = with_credentials(
                state, dry.traffic, [name for name, value in draft.inputs.items() if _is_canary(value)]
            )
            if state != draft.state:
                notes.append(_STATIC.format(few([_called(exchange) for exchange in dry.traffic])))
            draft = replace(draft, state=state, incident=incident_of(dry.traffic))
        recorded, case = made / "whole", _case(draft, folder)
        whole, again = (_run(case, origin, redactor, recorded) for origin in (source, None))
        notes += [
            *_notes(dry, source, wish.provenance),
            *_answered_otherwise(dry, whole),
            *_lost_failures(source, dry, redactor),
        ]
        if [exchange.key for exchange in again.traffic] != [exchange.key for exchange in whole.traffic]:
            notes.append(f"the recording does not replay: {again.miss or 'its requests differ'}")
        # The author still has to change the simulator's state, and with it the responses.
        kept = recorded if recorded.is_dir() and wish.provenance != "simulator" else None
        recordings = _put(kept, cassettes)
        # The case comes last: if it exists, everything that it needs exists.
        files = (*write_draft(_labelled(draft, source, dry), cases_dir), *recordings)
    return ImportResult(
        case=draft.id, files=files, kept=tuple(dict.fromkeys(dry.used)), dropped=_dropped(source, dry, redactor),
        notes=tuple(notes), labels=len(missing_labels(folder)),
    )  # fmt: skip


def _is_canary(value: Json) -> bool:
    return isinstance(value, str) and value.startswith("${canary:")


def _called(exchange: Exchange) -> str:
    return f"{exchange.request.method} {normalise_url(exchange.request.url)}"


def _put(recorded: Path | None, cassettes: Path) -> tuple[Path, ...]:
    """Move the complete recordings into place and return their files. The same ones may exist already if an import was killed.

    Raises:
        BadInput: different ones exist, or they cannot be written.
    """
    made = {} if recorded is None else _bytes(recorded)
    if not made or (cassettes.exists() and _bytes(cassettes) != made):
        refuse_existing(cassettes)
    if made and not cassettes.exists():
        try:
            with folder_beside(cassettes.parent.parent / cassettes.name) as beside:
                for name, data in made.items():
                    write_atomically(beside / name, data)
                move_folder(beside, cassettes)
        except OSError as error:
            hint = "name another folder with --cassettes"
            raise BadInput(str(cassettes), why_unwritable(error), hint) from None
    return tuple(cassettes / name for name in sorted(made))


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ran:
    """One run of the workflow against the imported world, or against its recording."""

    execution: Execution | None
    """None if it ended in a request without a response."""
    traffic: tuple[Exchange, ...]
    used: tuple[str, ...]
    again: int
    missed: tuple[str, ...] = ()
    """The URL of that request."""
    miss: str = ""
    lacking: FoundExchange | None = None
    """The matching exchange of the source, if the source does not contain its body."""


def _explored(draft: Draft, folder: Path, source: Source, redactor: Redactor, made: Path) -> tuple[_Ran, list[str]]:
    """Return a run in which every host that the workflow uses is declared, and the URLs that it requested.

    If the source has no requests or the workflow builds its URLs, the hosts are known only when they are requested: an undeclared
    host does not exist and ends the run.
    """
    reach = [
        *(exchange.request.url for exchange in source.found if exchange.request is not None),
        *_literal_urls(draft.workflow),
    ]
    for attempt in range(MOST_HOSTS):
        ran = _run(_case(_reaching(draft, reach, "live"), folder), source, redactor, made / f"dry-{attempt}")
        asked = [*(exchange.request.url for exchange in ran.traffic), *ran.missed]
        if declared_services([*reach, *asked], "live") == declared_services(reach, "live"):
            break
        reach += asked
    return ran, asked or reach


def _refuse_useless(dry: _Ran, source: Source, redactor: Redactor) -> None:
    """Refuse a source that lacks the body of a response that the workflow needs, or that was recorded from other hosts.

    Raises:
        BadInput: it is such a source.
    """
    if dry.lacking is not None and dry.lacking.request is not None:
        place, found, request = f"{source.path}: {dry.lacking.place}", "no response body", dry.lacking.request
        if not any(exchange.response is not None and exchange.response.body for exchange in source.found):
            place, found = str(source.path), "no response bodies in any entry"
        what = f"{request.method} {sanitise(redactor.text(request.url))}"
        raise BadInput(
            place, f"{found}, and the workflow asks for {what}", f"export the {source.kind} again, with content"
        )
    asked, held = (
        sorted({host_of(url) for url in urls if url.lower().startswith("http")})
        for urls in (
            [*(exchange.request.url for exchange in dry.traffic), *dry.missed],
            [exchange.request.url for exchange in source.found if exchange.request is not None],
        )
    )
    if asked and held and not set(asked) & set(held):
        found = f"the workflow asks {few(asked)}; the {source.kind} holds {few(held)}"
        raise BadInput(str(source.path), found, "name the recording of a run of this workflow")


def _refuse_other_run(dry: _Ran, source: Source) -> None:
    """Refuse a source of which the workflow requests nothing: it was recorded with other data.

    Raises:
        BadInput: it is such a source.
    """
    requests = [exchange.request for exchange in source.found if exchange.request is not None]
    hosts = {host_of(request.url) for request in requests}
    if dry.missed and not dry.used and host_of(dry.missed[0]) in hosts:
        found = f"none of its {len(requests)} exchanges answers {dry.miss}"
        hint = "give the inputs that the workflow was run with (--input NAME=VALUE), or the workflow that sent them (--workflow FILE)"
        raise BadInput(str(source.path), found, hint)


def _lost_failures(source: Source, dry: _Ran, redactor: Redactor) -> list[str]:
    """Return a note on each recorded failure, if the workflow requests none of them."""
    failures = [
        one
        for one in source.found
        if one.request is not None and one.response is not None and one.response.status >= _FAILED
    ]
    if any(one.place in dry.used for one in failures):
        return []
    return [
        f"the recorded failure {one.place} ({one.response.status}) is not in the case, because the workflow does not send "
        f"{one.request.method} {sanitise(redactor.text(one.request.url))} with that body: give the inputs of that run"
        for one in failures
        if one.request is not None and one.response is not None
    ]


def _without_secrets(source: Source, redactor: Redactor) -> Source:
    """Return the source with all known credential values removed from its error messages."""
    dropped = tuple(replace(entry, what=redactor.text(entry.what)) for entry in source.dropped)
    return replace(
        source, said={node: redactor.text(message) for node, message in source.said.items()}, dropped=dropped
    )


def _reaching(draft: Draft, urls: Sequence[str], provenance: str) -> Draft:
    recorded_from, state = declared_services(urls, provenance)
    return replace(draft, recorded_from=recorded_from, state=state)


def _case(draft: Draft, folder: Path) -> Case:
    """Return the draft as a runnable case without truth."""
    return Case(
        family=draft.family, name=draft.name, folder=folder, title="", group="", request="", workflow=draft.workflow,
        recorded_from=dict(draft.recorded_from), api="private", inputs=draft.inputs, state=dict(draft.state),  # type: ignore[arg-type]
        faults=(), first={}, after_fix={}, final="success", checks=(), variants=(), fix=None, accepts=(), wrong_fixes=(),
    )  # fmt: skip


def _run(case: Case, source: Source | None, redactor: Redactor, folder: Path) -> _Ran:
    """Run the case's workflow and record what it uses of a source; without a source, replay the recording."""
    both = Redactor({**redactor.secrets, **redactor_of(case).secrets})
    imported = ImportedWorld(found=source.found if source else (), redactor=both)
    live: Live | None = imported if source else None
    mode: RecordMode = "new_episodes" if source else "none"
    recording = Recording(mode=mode, live=live, caller=ImportedModels(imported) if source else None)
    scope = open_scope(case, None, Recordings.open(folder), recording, _HINT)
    execution: Execution | None = None
    missed: tuple[str, ...] = ()
    miss = ""
    try:
        execution = build_engine("mendbench", case).execute(
            case.workflow, scope.inputs, NodeNoting(scope.world, imported),
            checkpoint=None, detector=detector(TRUTH_DETECTOR), clock=scope.clock,
        )  # fmt: skip
    except ReplayMiss as error:
        missed, miss = (error.request.partition(" ")[2],), error.request
    return _Ran(
        execution=execution, traffic=scope.world.traffic(), used=tuple(imported.used), again=imported.again,
        missed=missed, miss=miss, lacking=imported.lacking,
    )  # fmt: skip


def _answered_otherwise(seen: _Ran, made: _Ran) -> list[str]:
    """Return a note on the first request for which the case's world and the source have different responses."""
    for one, other in zip(seen.traffic, made.traffic, strict=False):
        if one.request == other.request and _response(one) != _response(other):
            was, is_now = (_shown(exchange.response) for exchange in (one, other))
            hint = "change state until it does (`case check` compares them), or record from the API itself with --provenance live"
            return [f"{_called(one)} was answered {was}, and the simulated world answers {is_now}: {hint}"]
    return []


def _shown(response: Response) -> str:
    body = " ".join(response.body.decode("utf-8", "replace").split())
    return f"{response.fault or response.status} {body[:MOST_SHOWN]}{'…' if len(body) > MOST_SHOWN else ''}"


def _response(exchange: Exchange) -> tuple[object, ...]:
    return (
        exchange.response.status,
        exchange.response.fault,
        parse_body(exchange.response.body, exchange.response.header("content-type")),
    )


def _notes(whole: _Ran, source: Source, provenance: str) -> list[str]:
    notes: list[str] = []
    if whole.miss:
        hint = "let state answer it" if provenance == "simulator" else "record it, or make the world a simulator"
        notes.append(f"the {source.kind} has no response to {whole.miss}: {hint}")
    if whole.again:
        notes.append(
            f"{whole.again} responses were given once more: the workflow tries again where the response asked it to wait or not at all"
        )
    if whole.execution is not None and whole.execution.outcome == "success":
        notes.append(
            "the workflow ran to success on this data: look for a failure inside a response, or make it a control"
        )
    if whole.execution is not None and whole.execution.failures and not whole.traffic:
        notes.append(f"it fails before it asks anybody: {whole.execution.failures[0].message}")
    return notes


def _labelled(draft: Draft, source: Source, whole: _Ran) -> Draft:
    """Return the draft with the observations from the first execution."""
    execution = whole.execution
    records = execution.nodes if execution is not None else ()
    failed = next((record for record in records if record.observation is not None), None)
    by_source = next(
        (node for node in source.said if any(node == str(n.get("id")) for n in draft.workflow["nodes"])), None
    )
    where = failed.node_id if failed is not None else by_source
    words = failed.observation.message if failed is not None and failed.observation is not None else ""
    message = "; ".join(dict.fromkeys(filter(None, [words, str(sanitise(source.said.get(where or "", "")))])))
    writes = tuple(
        (exchange.request.method, normalise_url(exchange.request.url))
        for exchange in whole.traffic
        if not exchange.request.safe
    )
    return replace(
        draft,
        seen={record.node_id: record.state for record in records},
        failed=where if draft.kind != "control" else None,
        said=message,
        writes=writes,
        source=f"imported from {source.path.name}: {source.kind}",
    )


def _dropped(source: Source, whole: _Ran, redactor: Redactor) -> tuple[Dropped, ...]:
    unused = [
        Dropped(
            what=f"{entry.place} {f'{entry.request.method} {sanitise(redactor.text(entry.request.url))}' if entry.request else entry.node}",
            why="the workflow did not ask for it",
        )
        for entry in source.found
        if entry.place not in whole.used
    ]
    return (*(replace(entry, what=str(sanitise(entry.what))) for entry in source.dropped), *unused)


def _literal_urls(value: Json) -> list[str]:
    """Return the texts of a document that begin like a URL."""
    if isinstance(value, str):
        return [value] if value.lower().startswith(("http://", "https://")) else []
    if isinstance(value, dict):
        return [url for item in value.values() for url in _literal_urls(item)]
    return [url for item in value for url in _literal_urls(item)] if isinstance(value, list) else []
