"""Asks a model what detectors decide: one request for each labelled API response, and one recorded reply."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recordings import Recordings
from mendbench.config.tables import ModelConfig
from mendbench.corpus.labelled_responses import LabelledResponse, read_responses
from mendbench.errors import BadInput, UnknownName
from mendbench.io.canonical_json import digest
from mendbench.model.execution import State
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Context, Prompt, Reply
from mendbench.repairers.asking import build_model_request, read_response
from mendbench.strategies.tokens import estimate

MAX_BODY = 6_000
"""Characters of a body that a request quotes: longer than any shipped one."""

SYSTEM = """\
An automated workflow sent a request to an API on behalf of a user. You read the response and decide what it means for the workflow.

success: what was asked for was done or answered. A record that was asked for may say that something else failed earlier.
error: the request failed, and a different request could succeed. Somebody with the API's documentation and the request could edit the
workflow, without getting anything from anybody.
warning: the request failed, and no edit of it helps. Only the user, the operator of the service or time can: credentials, rights, plan,
quota, payment, rate limits, outages, consent, a well-formed identifier of a record that does not exist, a conflict with what exists.

Reply with one JSON object and nothing else:
{"state": "success" or "error" or "warning", "reason": "one sentence"}"""
"""The definitions are those of the labels."""

_STATE = re.compile(r'"state"\s*:\s*"(success|error|warning)"')


@dataclass(frozen=True, kw_only=True)
class LabelRequests:
    """The requests for the labels of one file of API responses."""

    path: Path
    responses: tuple[LabelledResponse, ...]
    parameters: Mapping[str, Mapping[str, Json]]
    """The sampling parameters of each model that is asked, by the model's name in requests."""

    @cached_property
    def _by_model(self) -> dict[str, list[JsonObject]]:
        return {
            model: [label_request(response, model, given) for response in self.responses]
            for model, given in self.parameters.items()
        }

    @property
    def folder(self) -> Path:
        """The folder of the recorded replies: beside the file, with its name."""
        return self.path.with_suffix("")

    def requests(self, model: str) -> Sequence[JsonObject]:
        """Return one request for each response, in their order; none for a model that is not asked."""
        return self._by_model.get(model, ())

    def replies(self, model: str) -> tuple[Reply | None, ...]:
        """Return the recorded reply to each request, or None where there is none. Token counts that it does not report are estimated."""
        recordings = Recordings.open(self.folder)
        return tuple(
            None if entry is None else _reply(request, entry)
            for request in self.requests(model)
            for entry in (recordings.model_entry(model, digest(request)),)
        )


def _reply(request: JsonObject, entry: Entry) -> Reply:
    reply = read_response(entry.response, model=str(request["model"]), model_request=entry.key)
    sent = sum(estimate(message["content"]) for message in request["messages"])
    return replace(
        reply,
        prompt_tokens=sent if reply.prompt_tokens is None else reply.prompt_tokens,
        completion_tokens=estimate(reply.text) if reply.completion_tokens is None else reply.completion_tokens,
    )


def label_requests(path: Path, names: Sequence[str], models: Mapping[str, ModelConfig]) -> LabelRequests:
    """Return the requests for a file of API responses, for each of the named models.

    Raises:
        UnknownName: a model is not configured.
        BadInput: the file cannot be used, or its name has no suffix, so that the folder of its recordings would have the same name.
    """
    for name in names:
        if name not in models:
            raise UnknownName("model", name, models)
    if not path.suffix:
        raise BadInput(str(path), "no suffix in its name", f"rename it to {path.name}.jsonl")
    parameters = {models[name].served_as or name: models[name].parameters for name in names}
    return LabelRequests(path=path, responses=read_responses(path, labelled=False), parameters=parameters)


def label_request(response: LabelledResponse, model: str, parameters: Mapping[str, Json]) -> JsonObject:
    """Return the request that asks ``model`` for the state of one API response."""
    prompt = Prompt(system=SYSTEM, frame=_described(response), context=Context(strategy="", sections=(), tokens=0))
    return build_model_request(prompt, model=model, params=parameters, response_format=None, draw=0)


def state_in(text: str) -> State | None:
    """Return the state that a reply gives; None if it gives none, or several."""
    found = set(_STATE.findall(text))
    return found.pop() if len(found) == 1 else None


def _described(response: LabelledResponse) -> str:
    sent = "" if response.sent is None else f"\n{_quoted(response.sent)}"
    request = " ".join(part for part in (response.method, response.url) if part) or "not known"
    headers = "".join(f"{name}: {value}\n" for name, value in response.headers.items())
    return (
        f"Request: {request}{sent}\n\n"
        f"Response of {response.service}:\nHTTP {response.status}\n{headers}\n{_quoted(response.body) or '(empty)'}\n"
    )


def _quoted(body: Json) -> str:
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return text if len(text) <= MAX_BODY else f"{text[:MAX_BODY]} … ({len(text)} characters)"
