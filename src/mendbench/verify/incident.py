"""Whether a case's world still answers the broken workflow as it was answered in the incident that the case was imported from."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.corpus.incident import INCIDENT, unlike_incident
from mendbench.exchanges.bodies import parse_body
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json, JsonObject
from mendbench.scoring.judging.checks import short
from mendbench.verify.agreement import first_in_body, stated
from mendbench.verify.bench import ProofParts

_HINT = f"change state or the workflow until it does, or delete {INCIDENT} if the case is no longer about that incident"


def incident_difference(bench: ProofParts, incident: Sequence[JsonObject]) -> str:
    """Return the first difference, with what to do; empty if there is none."""
    found = unlike_incident(incident, bench.clean(bench.case.workflow, None).traffic)
    if found is None:
        return ""
    seen, now = found
    sent = f"{seen['method']} {seen['url']}"
    if now is None:
        body = seen.get("body")
        return f"the workflow no longer sends {sent}{f' {_shown(body)}' if body is not None else ''}; {_HINT}"
    response = now.response
    body = parse_body(response.body, response.header("content-type"))
    is_now = _answer(response.fault, response.status, body)
    was = _answer(seen.get("fault"), seen.get("status"), seen.get("response"))
    inside = first_in_body(seen.get("response"), body)
    where = f": {stated(inside, 'in the incident', 'in the world')}" if inside is not None else ""
    return f"{sent} was answered {was}, and the world answers {is_now}{where}; {_HINT}"


def _answer(fault: Json, status: Json, body: Json) -> str:
    return f"{fault or status} {_shown(body)}"


def _shown(body: Json) -> str:
    return short(body if isinstance(body, str) else canonical_json(body))
