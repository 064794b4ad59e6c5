"""Views of a trace: its failures, one node, a node's requests and responses, expected and actual values.

Every view is a JSON document; the front end formats it as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mendbench.errors import BadInput, UnknownName
from mendbench.exchanges.bodies import form_fields
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json, JsonObject

PREVIEW = 400
"""Maximum characters of one value, unless the full view was requested."""

_SUMMARY = ("node_id", "message", "category", "source", "fixable", "suggestion")
_ABSENT: Final = object()


def errors_list(trace: JsonObject) -> JsonObject:
    """Return how the run ended and every failure of every execution; ``open`` lists the failures at its end."""
    result = trace["result"]
    last = len(trace["executions"]) - 1
    return {
        "success": result.get("success"),
        "status": result.get("status"),
        "repair_attempted": result.get("repair_attempted"),
        "repair_reason": result.get("repair_reason"),
        "errors": [
            {"attempt": ran["attempt"], "open": number == last, **{name: failure.get(name) for name in _SUMMARY}}
            for number, ran in enumerate(trace["executions"])
            for failure in ran["failures"]
        ],
        "warnings": trace["executions"][-1]["warnings"] if trace["executions"] else [],
    }


def errors_of_node(trace: JsonObject, node_id: str | None) -> JsonObject:
    """Return all details of the failures at a node, one for each execution in which it failed; of all nodes if None.

    Raises:
        UnknownName: the trace has no such node.
        BadInput: the node did not fail.
    """
    found = [
        {"attempt": ran["attempt"], **failure, **_judged(ran, failure["node_id"])}
        for ran in trace["executions"]
        for failure in ran["failures"]
        if node_id is None or failure["node_id"] == node_id
    ]
    if node_id is not None and not found:
        _known_node(trace, node_id)
        failed = dict.fromkeys(str(failure["node_id"]) for ran in trace["executions"] for failure in ran["failures"])
        raise BadInput(f"node {node_id!r}", "it did not fail", f"failed: {', '.join(failed) or 'no node'}")
    return {"node_id": node_id, "errors": found}


def _judged(ran: JsonObject, node_id: str | None) -> JsonObject:
    """Return the detector's confidence and evidence for a failed node; nothing if the trace has none."""
    record: JsonObject = next((node for node in ran["nodes"] if node["node_id"] == node_id), {})
    return {name: record[name] for name in ("confidence", "evidence") if name in record}


def error_of_node(trace: JsonObject, node_id: str) -> JsonObject:
    """Return the last failure at a node, with all details.

    Raises:
        UnknownName, BadInput: as :func:`errors_of_node`.
    """
    last: JsonObject = errors_of_node(trace, node_id)["errors"][-1]
    return last


def node_view(trace: JsonObject, node_id: str, *, full: bool) -> JsonObject:
    """Return a node after its last execution: state, parameters as written and as resolved, outputs.

    Without ``full``, long values are cut and its exchanges are omitted.

    Raises:
        UnknownName: the trace has no such node.
    """
    attempt, record = _last_run(trace, node_id)
    view = {"attempt": attempt, **record}
    if full:
        return view
    del view["exchanges"]
    return {
        key: {name: _preview(item) for name, item in value.items()} if isinstance(value, dict) else value
        for key, value in view.items()
    }


def node_io(trace: JsonObject, node_id: str, *, request: bool, response: bool) -> JsonObject:
    """Return a node's requests and responses, from the last execution in which it sent any.

    Raises:
        UnknownName: the trace has no such node.
    """
    attempt, record = _last_run(trace, node_id)
    for ran in reversed(trace["executions"]):
        found = next((node for node in ran["nodes"] if node["node_id"] == node_id and node["exchanges"]), None)
        if found is not None:
            attempt, record = ran["attempt"], found
            break
    kept = [name for name, wanted in (("request", request), ("response", response)) if wanted]
    exchanges = [{name: exchange[name] for name in kept} for exchange in record["exchanges"]]
    return {"node_id": node_id, "attempt": attempt, "state": record["state"], "exchanges": exchanges}


def validation_diff(trace: JsonObject, node_id: str) -> JsonObject:
    """Return, for the last failure at a node, the expected and the actual value of each field.

    The source is the API's messages about the request's fields, the unresolved templates, or the validator's message.

    Raises:
        UnknownName, BadInput: as :func:`errors_of_node`.
    """
    failure = error_of_node(trace, node_id)
    fields = [*_of_fields(failure), *_of_templates(failure), *_of_document(failure)]
    return {
        "node_id": node_id,
        "attempt": failure["attempt"],
        "message": failure.get("message"),
        "suggestion": failure.get("suggestion"),
        "fields": fields,
    }


def node_ids(trace: JsonObject) -> tuple[str, ...]:
    """Return the ids of all nodes of the trace, in the order of their first appearance."""
    return tuple(dict.fromkeys(str(node["node_id"]) for ran in trace["executions"] for node in ran["nodes"]))


def _known_node(trace: JsonObject, node_id: str) -> None:
    known = node_ids(trace)
    if node_id not in known:
        raise UnknownName("node", node_id, known)


def _last_run(trace: JsonObject, node_id: str) -> tuple[int, JsonObject]:
    """Return an attempt's number and the node's record in it: the last attempt in which it ran, else the last one."""
    _known_node(trace, node_id)
    records = [
        (ran["attempt"], node) for ran in trace["executions"] for node in ran["nodes"] if node["node_id"] == node_id
    ]
    ran = [(attempt, node) for attempt, node in records if node.get("state") != "not_run"]
    return (ran or records)[-1]


def _preview(value: Json) -> Json:
    text = value if isinstance(value, str) else canonical_json(value)
    return value if len(text) <= PREVIEW else f"{text[:PREVIEW]}… ({len(text)} characters, all with --full)"


def _of_fields(failure: JsonObject) -> Iterator[JsonObject]:
    sent = failure.get("request_sent")
    body = sent.get("body") if isinstance(sent, dict) else None
    fields = form_fields(body)
    for problem in failure.get("problems") or []:
        name = str(problem.get("field", ""))
        found = _at(body if fields is None else fields, name)
        actual = None if found is _ABSENT else found
        difference = _difference(problem.get("field"), problem.get("problem"), _expected(problem), actual)
        yield {**difference, "sent": found is not _ABSENT, "from": _template_of(failure, name)}


def _expected(problem: JsonObject) -> str:
    says = str(problem.get("says", ""))
    must = {"missing": "present", "unknown": "absent", "invalid": "valid"}.get(str(problem.get("problem")), "")
    return f"{must}: {says}" if says else must


def _of_templates(failure: JsonObject) -> Iterator[JsonObject]:
    known = failure.get("available_fields") or []
    for template in failure.get("unresolved") or []:
        sources: list[JsonObject] = failure.get("upstream") or []
        source: JsonObject = next((source for source in sources if source.get("template") == template), {})
        expected = failure.get("suggestion") or (f"one of: {', '.join(known)}" if known else "data that there is")
        yield {**_difference(source.get("param"), "unresolved", expected, template), "from": template}


def _of_document(failure: JsonObject) -> Iterator[JsonObject]:
    if failure.get("category") != "static_validation" or failure.get("unresolved"):
        return
    known = failure.get("available_fields") or []
    expected = failure.get("suggestion") or failure.get("hint") or (f"one of: {', '.join(known)}" if known else None)
    yield _difference(None, "invalid", expected, failure.get("message"))


def _difference(field: Json, problem: Json, expected: Json, actual: Json) -> JsonObject:
    """Return the expected and the actual value of a field that was not sent and that no template filled."""
    return {"field": field, "problem": problem, "expected": expected, "sent": False, "actual": actual, "from": None}


def _steps(field: str) -> list[str]:
    return [step for step in field.replace("[", ".").replace("]", "").replace("/", ".").split(".") if step]


def _at(value: Json, field: str) -> Json:
    """Return the value of a field as the API names it (``title``, ``blocks/0/text``, ``rows[0].id``), or _ABSENT."""
    steps = _steps(field)
    if isinstance(value, dict) and field in value:
        return value[field]
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return _ABSENT
    return value if steps else _ABSENT


def _template_of(failure: JsonObject, field: str) -> str | None:
    """Return the template that filled the field's parameter."""
    wanted = _steps(field)
    for source in failure.get("upstream") or []:
        steps = _steps(str(source.get("param", "")))
        if wanted and steps[-len(wanted) :] == wanted:
            return str(source.get("template"))
    return None
