"""Imports responses made elsewhere into the cassettes: checks them against the exported prompts, and then writes them.

All checks come before the first write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import BatchPlace, Entry
from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.corpus import Corpus
from mendbench.corpus.declared_services import redactor_of
from mendbench.errors import BadInput, Incomplete
from mendbench.exchanges.urls import model_url
from mendbench.io.canonical_json import canonical_json, digest
from mendbench.model.exchange import Request, Response
from mendbench.model.json import JsonObject
from mendbench.prompts.collecting import Collected
from mendbench.prompts.label_requests import LabelRequests
from mendbench.prompts.response_lines import ResponseLine, content_of, counts_tokens
from mendbench.secrets.issued_credentials import without_provider_shapes
from mendbench.secrets.redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """The lines of a response file, by kind."""

    responses: Mapping[str, ResponseLine]
    """By id, each once."""
    repeated: tuple[ResponseLine, ...]
    """Lines that repeat another one. Of two, the one that counts tokens is kept."""
    unanswered: tuple[ResponseLine, ...]
    """Lines that report a missing response, if no other line has one."""
    unknown: tuple[ResponseLine, ...]
    """Lines whose id was not exported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposit:
    """One response and one place that needs it."""

    case: str
    """The case whose trials request it, or the name of the file of labelled API responses."""
    folder: Path
    """The folder of its recordings."""
    line: ResponseLine
    entry: Entry
    standing: Entry | None
    """The entry that is recorded already."""

    @property
    def same(self) -> bool:
        """Whether the recorded entry has the same content."""
        return self.standing is not None and _same_content(self.standing.response, self.entry.response)

    @property
    def counts_more(self) -> bool:
        """Whether it has the same content as the recorded entry, and also counts the tokens."""
        standing = self.standing
        return (
            standing is not None and self.same and counts_tokens(self.entry.response) > counts_tokens(standing.response)
        )


_Owner: TypeAlias = tuple[str, Path | None]
"""A case, and the folder of private recordings of its trials; None for those of the corpus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where responses belong."""

    deposits: tuple[Deposit, ...]
    unplaced: tuple[ResponseLine, ...]
    """Responses that nothing needs."""


def sort_lines(lines: Iterable[ResponseLine], prompts: Collection[str]) -> Sorted:
    """Return the lines by kind.

    Raises:
        BadInput: two lines have one id and different content; names both.
    """
    responses: dict[str, ResponseLine] = {}
    silent: dict[str, ResponseLine] = {}
    repeated: list[ResponseLine] = []
    unknown: list[ResponseLine] = []
    for line in lines:
        first = responses.get(line.custom_id)
        if line.custom_id not in prompts:
            unknown.append(line)
        elif line.response is None:
            silent.setdefault(line.custom_id, line)
        elif first is None:
            responses[line.custom_id] = line
        elif first.content == line.content:
            stays, goes = (line, first) if line.counts and not first.counts else (first, line)
            responses[line.custom_id] = stays
            repeated.append(goes)
        else:
            found = f"another response to {line.custom_id} than at {first.place}"
            raise BadInput(line.place, found, "delete one of the two lines")
    unanswered = tuple(line for name, line in silent.items() if name not in responses)
    return Sorted(responses=responses, repeated=tuple(repeated), unanswered=unanswered, unknown=tuple(unknown))


def place_responses(
    responses: Mapping[str, ResponseLine],
    prompts: Mapping[str, JsonObject],
    collected: Iterable[Collected],
    corpus: Corpus,
    provenance: str | None,
    batches: Mapping[str, BatchPlace] | None = None,
) -> Placed:
    """Return where each response belongs: in all cases whose trials miss it, and in those that have it already.

    The default ``provenance`` of a response is the shape of its line. ``batches`` has the places of prompts in their batches, by id.
    """
    wanting: dict[str, set[_Owner]] = {}
    opened: dict[_Owner, Recordings] = {}
    cases = {case.id: case for case in corpus.cases}
    for requests in collected:
        owner = (requests.trial.case, requests.private)
        if owner not in opened:
            opened[owner] = Recordings.open(corpus.cassettes(cases[owner[0]]), private=requests.private)
        for model_request in requests.missing:
            wanting.setdefault(digest(model_request), set()).add(owner)
    deposits: list[Deposit] = []
    unplaced: list[ResponseLine] = []
    for name, line in responses.items():
        model_request, model, key = prompts[name], str(prompts[name]["model"]), digest(prompts[name])
        standing = {owner: found for owner, own in opened.items() if (found := own.model_entry(model, key)) is not None}
        wanted_by = _nearest_to_the_corpus({*wanting.get(key, ()), *standing})
        if line.response is None or not wanted_by:
            unplaced.append(line)
            continue
        for owner in wanted_by:
            case = cases[owner[0]]
            entry = _entry(
                redactor_of(case), model_request, line.response, provenance or line.shape, (batches or {}).get(name)
            )
            folder = owner[1] or corpus.cassettes(case)
            deposits.append(Deposit(case=case.id, folder=folder, line=line, entry=entry, standing=standing.get(owner)))
    return Placed(deposits=tuple(deposits), unplaced=tuple(unplaced))


def _nearest_to_the_corpus(owners: Iterable[_Owner]) -> list[_Owner]:
    """Return one owner for each case: the corpus if a trial of it needs the response, since private trials read the corpus too."""
    found: dict[str, _Owner] = {}
    for owner in sorted(owners, key=lambda each: (each[0], str(each[1] or ""))):
        found.setdefault(owner[0], owner)
    return list(found.values())


def place_labels(
    responses: Mapping[str, ResponseLine],
    prompts: Mapping[str, JsonObject],
    labels: LabelRequests,
    provenance: str | None,
    batches: Mapping[str, BatchPlace] | None = None,
) -> Placed:
    """Return where labels of API responses belong: all in one folder beside the file of these API responses."""
    recordings = Recordings.open(labels.folder)
    deposits: list[Deposit] = []
    unplaced: list[ResponseLine] = []
    for name, line in responses.items():
        model_request, model, key = prompts[name], str(prompts[name]["model"]), digest(prompts[name])
        if line.response is None or model_request not in labels.requests(model):
            unplaced.append(line)
            continue
        entry = _entry(Redactor({}), model_request, line.response, provenance or line.shape, (batches or {}).get(name))
        standing = recordings.model_entry(model, key)
        deposits.append(Deposit(case=labels.path.name, folder=labels.folder, line=line, entry=entry, standing=standing))
    return Placed(deposits=tuple(deposits), unplaced=tuple(unplaced))


def write_responses(deposits: Sequence[Deposit]) -> None:
    """Write responses to their cassettes. They replace different recorded ones.

    Whether all can be written is checked before the first write. After an interruption, the same import
    continues where it stopped.

    Raises:
        MendbenchError: one of them cannot be written to a cassette; then none is.
        BadInput: another process recorded a different response at the same time.
    """
    for deposit in deposits:
        cassette.dump_entry(cassette.settled(deposit.entry))
    opened: dict[Path, Recordings] = {}
    for deposit in deposits:
        recordings = opened.setdefault(deposit.folder, Recordings.open(deposit.folder))
        model = str((deposit.entry.model_request or {})["model"])
        stands = recordings.append_model_entry(model, deposit.entry, replace=deposit.standing is not None)
        if not _same_content(stands.response, deposit.entry.response):
            raise BadInput(deposit.line.place, "meanwhile somebody else recorded another response", "import again")


def refuse_other_models(
    lines: Mapping[str, ResponseLine], prompts: Mapping[str, JsonObject], models: Collection[str]
) -> None:
    """Refuse responses to requests that were addressed to a different model than the one that responded.

    ``models`` are the models that responded. If none is named, all requests have to be addressed to one model.

    Raises:
        BadInput: names the first such line.
    """
    asked = {name: str(prompts[name]["model"]) for name in lines}
    answered = models or dict.fromkeys(asked.values())
    if not models and len(answered) > 1:
        raise BadInput(
            next(iter(lines.values())).place, f"the prompts are addressed to {' and '.join(answered)}",
            "name the model that answered with --model, and leave the other lines out: each model answers its own requests",
        )  # fmt: skip
    for name, line in lines.items():
        if asked[name] not in answered:
            raise BadInput(
                line.place, f"{name} is addressed to {asked[name]}, not to {' or '.join(answered)}",
                f"delete the line; only {asked[name]} may answer it",
            )  # fmt: skip


def refuse_others(deposits: Iterable[Deposit]) -> None:
    """Refuse to replace recorded responses.

    Raises:
        BadInput: a response differs from the recorded one.
    """
    for deposit in deposits:
        if deposit.standing is not None and not deposit.same:
            found = f"another response to {deposit.line.custom_id} than {deposit.case} has recorded"
            raise BadInput(deposit.line.place, found, "delete the line, or replace what is recorded with --replace")


def renamed(lines: Iterable[ResponseLine], prompts: Mapping[str, JsonObject]) -> Counter[tuple[str, str]]:
    """Return how many responses name another model than their request: (requested, responding)."""
    pairs = ((str(prompts[line.custom_id]["model"]), line.model) for line in lines)
    return Counter((asked, model) for asked, model in pairs if model is not None and model != asked)


def _same_content(one: Response, other: Response) -> bool:
    try:
        return content_of(one) == content_of(other)
    except Incomplete:  # not a response: it was written by hand
        return False


def _entry(
    redactor: Redactor, model_request: JsonObject, response: Response, provenance: str, batch: BatchPlace | None
) -> Entry:
    """Return the cassette entry of a response, redacted as if it had been recorded there."""
    model = str(model_request["model"])
    source = redactor.text(" ".join(provenance.encode("utf-8", "replace").decode().split()))
    request = Request(method="POST", url=model_url(model), body=canonical_json(model_request).encode())
    clean = without_provider_shapes(redactor.response(response))
    return Entry(
        key=digest(model_request),
        request=request,
        response=clean,
        model_request=model_request,
        provenance=source,
        batch=batch,
    )
