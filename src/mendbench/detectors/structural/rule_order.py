"""The order in which the tables apply, and the text of the warning.

Each rule reads one :class:`Evidence` and returns who can fix the failure, or None. The first result decides. An unclear failure is an
error: a false warning prevents a repair that would have worked, a missed one costs one attempt.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.api_errors.envelopes import failure_in
from mendbench.api_errors.status_phrases import PHRASES
from mendbench.detectors._wording import worded
from mendbench.detectors.structural import phrases
from mendbench.detectors.structural.codes import RPC, Side, side_of, side_of_token, spelled
from mendbench.detectors.structural.reading import HTTP_FAILED, Reading, read
from mendbench.model.execution import Judgement, Observation
from mendbench.model.json import Json, JsonObject

RIGHTS_STATUS = frozenset({401, 402, 403, 407, 423, 451})
WAIT_STATUS = frozenset({408, 425, 429, *range(500, 600)}) - {501, 505}
"""Retries are exhausted when a detector sees one of these."""
FORM_STATUS = frozenset({405, 406, 411, 413, 414, 415, 416, 417, 426, 428, 431, 501, 505})
"""Statuses about the request's form, whatever the body contains (RFC 9110 sections 15.5, 15.6.2 and 15.6.6, RFC 6585 section 3)."""
ABSENT_STATUS = frozenset({404, 410})
STATE_STATUS = frozenset({409, 412})
REDIRECTS = range(300, 400)
"""The address moved and no redirect was followed: the workflow has the old one."""
NOT_MODIFIED = 304
KILLED = frozenset({124, 137, 143})
"""Exit codes of a command that ran out of time or was killed (``timeout`` of GNU coreutils; 128 + signal)."""
_INVALID_ID = re.compile(r"invalid_(?:\w+_)?id")
SERVER_FAULT = frozenset({-32000, -32603})
"""JSON-RPC codes for any failure of the server itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedObservation:
    """A parsed observation."""

    observation: Observation
    reading: Reading
    status: int | None
    """The HTTP status of the response, else the one in its body or its text."""
    text: str
    """All texts, one per line."""


Rule: TypeAlias = Callable[[ParsedObservation], Side | None]
Order: TypeAlias = tuple[tuple[Side, tuple[re.Pattern[str], ...]], ...]


@dataclass(frozen=True, slots=True)
class Structural:
    """Structure first, then codes, then statuses, then phrases."""

    name: str = "structural"

    def judge(self, observation: Observation) -> Judgement:
        """Return what the observation means. It is a success only if the parsed response contains no failure."""
        evidence = evidence_of(observation)
        if _is_no_failure(evidence):
            return Judgement(state="success", message=observation.message)
        rules = _RULES.get(observation.kind, _RESPONSE_RULES)
        side = next((side for rule in rules if (side := rule(evidence)) is not None), "edit")
        if side == "edit":
            return Judgement(state="error", message=observation.message)
        return Judgement(state="warning", message=_warning_text(evidence))


DETECTOR = Structural()


def evidence_of(observation: Observation) -> ParsedObservation:
    """Parse an observation: its response, its outputs and its own text."""
    outputs = _outputs(observation)
    body: Json = observation.body
    if body is None:
        body = next((outputs[slot] for slot in ("response", "result") if outputs.get(slot)), None)
    outside = observation.status if _is_http(observation) else None
    reading = read(body, failed=outside is not None and outside in HTTP_FAILED)
    embedded = failure_in(body) if observation.kind == "envelope" else None
    if embedded is not None and (isinstance(embedded.body, list) or not reading.failed):
        reading = read(embedded.body, failed=True)
        reading.failed = True
    stderr = outputs.get("stderr")
    text = "\n".join([*reading.texts, *([stderr] if isinstance(stderr, str) else []), observation.message])
    text = phrases.TOOL_FAILED.sub("", text[: phrases.MAX_TEXT].replace("\u2019", "'"))
    return ParsedObservation(
        observation=observation, reading=reading, status=_status(outside, reading, text), text=text
    )


def _outputs(observation: Observation) -> JsonObject:
    return observation.outputs if isinstance(observation.outputs, dict) else {}


def headers_of(observation: Observation) -> JsonObject:
    """Return the response's headers; empty if they are not a mapping."""
    return observation.headers if isinstance(observation.headers, dict) else {}


def _is_http(observation: Observation) -> bool:
    return observation.kind != "shell" and isinstance(observation.status, int)


def _status(outside: int | None, reading: Reading, text: str) -> int | None:
    if outside is not None and outside in HTTP_FAILED:
        return outside
    if reading.statuses:
        return reading.statuses[0]
    return status_in_text(text)


_SUCCESSFUL = range(200, 300)
"""RFC 9110 section 15.3. A number above 599 is not a valid status (section 15), and not a success."""


def status_in_text(text: str) -> int | None:
    """Return the first failed HTTP status in a text. In a multi-status it may follow a successful one."""
    statuses = (int(next(group for group in found.groups() if group)) for found in phrases.STATUS.finditer(text))
    return next((status for status in statuses if status in HTTP_FAILED), None)


def _is_no_failure(evidence: ParsedObservation) -> bool:
    observation, reading = evidence.observation, evidence.reading
    if observation.kind == "http" and observation.status == NOT_MODIFIED:
        return True
    if observation.kind not in {"envelope", "mcp", "http"} or not reading.structured or reading.failed:
        return False
    return not (_is_http(observation) and observation.status not in _SUCCESSFUL)


def _echoed_template(evidence: ParsedObservation) -> Side | None:
    return None if evidence.reading.html or not phrases.TEMPLATE.search(evidence.text) else "edit"


def _limits_and_rights(evidence: ParsedObservation) -> Side | None:
    headers = headers_of(evidence.observation)
    if evidence.status in WAIT_STATUS:
        return "user"
    if evidence.status in HTTP_FAILED and "retry-after" in headers:
        return "user"
    if evidence.status in RIGHTS_STATUS:
        if str(headers.get("x-ratelimit-remaining")) == "0":
            return "user"
        return "edit" if phrases.HEADER.search(evidence.text) else "user"
    return None


def _soap_sender(evidence: ParsedObservation) -> Side | None:
    """A SOAP client fault also has HTTP 500 (SOAP 1.1 section 6.2)."""
    if not evidence.reading.soap_sender:
        return None
    return _first(evidence.text, _PLAIN[1:]) or "edit"


def _named_resource(evidence: ParsedObservation) -> Side | None:
    """A code with *resource* means one that the data names, though the words may call it a table or a function."""
    found = {spelled(code).removesuffix("_exception").removesuffix("_error") for code in evidence.reading.codes}
    if found & {"resource_not_found", "record_not_found", "object_not_found", "item_not_found"}:
        return "user"
    unknown = evidence.status in ABSENT_STATUS and any(_INVALID_ID.fullmatch(code) for code in found)
    return "user" if unknown else None


def _unknown_route(evidence: ParsedObservation) -> Side | None:
    if any(phrases.ROUTE.search(text) for text in evidence.text.split("\n")):
        return "edit"
    if evidence.status not in ABSENT_STATUS:
        return None
    body = evidence.observation.body
    if evidence.reading.html:
        return "edit"
    detail = body.get("detail") if isinstance(body, dict) and len(body) == 1 else body
    return "edit" if isinstance(detail, str) and phrases.BARE_NOT_FOUND.search(detail) else None


def _vocabulary(evidence: ParsedObservation) -> Side | None:
    absent = evidence.status not in STATE_STATUS
    if absent and (phrases.VOCABULARY.search(evidence.text) or phrases.OFFERS.search(evidence.text)):
        return "edit"
    return None


def _codes(evidence: ParsedObservation) -> Side | None:
    found = [side_of(code) for code in evidence.reading.codes]
    if not any(found) and evidence.observation.kind in {"mcp", "envelope"}:
        found = [side_of_token(token) for token in phrases.TOKEN.findall(evidence.text)]
    if "edit" in found:
        return "edit"
    return "user" if "user" in found else None


def _rpc(evidence: ParsedObservation) -> Side | None:
    match = phrases.RPC_CODE.search(evidence.text)
    codes = [*evidence.reading.rpc, *([int(match.group(1))] if match else [])]
    return next((RPC[code] for code in codes if code in RPC), None)


def _form_status(evidence: ParsedObservation) -> Side | None:
    return "edit" if evidence.status in FORM_STATUS or evidence.status in REDIRECTS else None


def _resource_status(evidence: ParsedObservation) -> Side | None:
    if evidence.status in ABSENT_STATUS:
        return "user"
    if evidence.status in STATE_STATUS:
        return "edit" if phrases.STALE.search(evidence.text) or phrases.FORM.search(evidence.text) else "user"
    return None


def _said_absent(evidence: ParsedObservation) -> Side | None:
    """The response's first words report that something is missing, whatever its details add."""
    absent = phrases.ABSENT.search(evidence.reading.says or "") and not phrases.FORM.search(evidence.text)
    return "user" if absent else None


def _wording(evidence: ParsedObservation) -> Side | None:
    return _first(evidence.text, _WORDING)


def _refused_input(evidence: ParsedObservation) -> Side | None:
    if not evidence.reading.user_errors:
        return None
    return "user" if phrases.TAKEN.search(evidence.text) else "edit"


def _server_fault(evidence: ParsedObservation) -> Side | None:
    return "user" if SERVER_FAULT.intersection(evidence.reading.rpc) else None


def _address(evidence: ParsedObservation) -> Side | None:
    return "edit" if phrases.ADDRESS.search(evidence.text) else None


def _unreachable(evidence: ParsedObservation) -> Side | None:
    del evidence
    return "user"


def _killed(evidence: ParsedObservation) -> Side | None:
    outputs = _outputs(evidence.observation)
    codes = (evidence.observation.status, outputs.get("exit_code"), outputs.get("returncode"))
    return "user" if any(isinstance(code, int) and code in KILLED for code in codes) else None


def _environment(evidence: ParsedObservation) -> Side | None:
    return _first(evidence.text, _ENVIRONMENT)


def _plainly_the_users(evidence: ParsedObservation) -> Side | None:
    return _first(evidence.text, _PLAIN)


def _first(text: str, order: Order) -> Side | None:
    return next((side for side, tables in order if any(table.search(text) for table in tables)), None)


_WORDING: Order = (
    ("edit", (phrases.FORM,)),
    ("user", (phrases.RIGHTS, phrases.LIMITS, phrases.OUTAGE)),
    ("edit", (phrases.LOOSE,)),
    ("user", (phrases.ABSENT, phrases.TAKEN, phrases.STATE)),
)
_PLAIN: Order = _WORDING[:2]
_ENVIRONMENT: Order = (("user", (phrases.SHELL, phrases.LIMITS, phrases.OUTAGE)),)

_RESPONSE_RULES: tuple[Rule, ...] = (
    _echoed_template,
    _soap_sender,
    _limits_and_rights,
    _form_status,
    _unknown_route,
    _named_resource,
    _vocabulary,
    _refused_input,
    _codes,
    _rpc,
    _resource_status,
    _said_absent,
    _wording,
    _server_fault,
)

_RULES: dict[str, tuple[Rule, ...]] = {
    "template": (),
    "transport": (_echoed_template, _address, _unreachable),
    "shell": (_echoed_template, _address, _killed, _environment, _limits_and_rights, _resource_status),
    "file": (_echoed_template, _environment, _limits_and_rights),
    "exception": (_echoed_template, _address, _vocabulary, _limits_and_rights, _plainly_the_users),
}
"""By kind of observation; all other kinds are responses."""


def _warning_text(evidence: ParsedObservation) -> str:
    """Return the warning's text: ``API error (404): Not Found``, with the missing permission or the requested wait."""
    observation, reading = evidence.observation, evidence.reading
    if observation.kind in {"shell", "file", "exception", "transport"}:
        return worded(observation.message)
    status = f" ({evidence.status})" if evidence.status is not None else ""
    hints = f" (needs {worded(reading.needed)})" if reading.needed else ""
    wait = headers_of(observation).get("retry-after")
    if isinstance(wait, str) and wait.isascii() and wait.isdigit():
        hints += f" (retry after {wait} s)"
    return f"API error{status}: {_words_of(evidence)}{hints}"


def _code_not_in_message(evidence: ParsedObservation) -> str:
    """Return the first code that is a word and is not in the response's own message, or nothing."""
    spelled_message = spelled(evidence.reading.says or "")
    named = (code for code in evidence.reading.codes if "_" in code and spelled(code) not in spelled_message)
    return next(named, "")


def _words_of(evidence: ParsedObservation) -> str:
    """Return the API's own message; if it has none, its code, the status's name, or the node's message."""
    reading = evidence.reading
    if reading.says and not reading.html:
        message, more = worded(reading.says), worded(reading.detail, "") or _code_not_in_message(evidence)
        return message if not more or more in message else worded(f"{message}: {more}")
    if reading.codes:
        return worded(reading.codes[0])
    if evidence.observation.kind == "mcp":
        return worded(evidence.observation.message)
    return PHRASES.get(evidence.status or 0) or worded(evidence.observation.message)
