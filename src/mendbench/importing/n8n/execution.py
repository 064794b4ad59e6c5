"""Executions of n8n, as its API, its editor and its database give them.

What the HTTP Request nodes sent is computed from their parameters and from the data of the execution, and what they got is their output.
The file has no traffic: what it does not determine is dropped, and never guessed.
"""

from __future__ import annotations

from pathlib import Path

from mendbench.errors import BadInput
from mendbench.importing.interface import Dropped, FoundExchange, Source, json_file
from mendbench.importing.n8n.document import Execution, dict_at, execution_of, is_execution
from mendbench.importing.n8n.expressions import NotSimple
from mendbench.importing.n8n.requests import SentValues, request_sent
from mendbench.importing.n8n.responses import responses
from mendbench.importing.n8n.workflow import http_nodes, ids_of, rewritten
from mendbench.model.exchange import Request, Response
from mendbench.model.json import JsonObject
from mendbench.secrets.redaction import sanitise

_HINT = "name an execution in which an HTTP Request node (version 3 or 4) ran"


def is_n8n_execution(document: JsonObject) -> bool:
    """Return whether a parsed file is an execution of n8n."""
    return is_execution(document)


def read_n8n_execution(path: Path) -> Source:
    """Return the exchanges of an execution, and the workflow of ours that its HTTP Request nodes make.

    Raises:
        BadInput: it is no execution with data and workflow, or has no exchange that can be imported.
    """
    execution = execution_of(json_file(path), path)
    ids = ids_of(http_nodes(execution))
    found: list[FoundExchange] = []
    dropped: list[Dropped] = []
    firsts: dict[str, Response] = {}
    stored: dict[str, JsonObject] = {}
    for name in ids:
        for number, run in enumerate(execution.runs.get(name, [])):
            for index, response in _answered(execution, name, run, number).items():
                values = SentValues(
                    execution=execution, name=name, run=number, item=index, stored=_stored(run, index)
                )  # fmt: skip
                if number == index == 0:
                    stored[name] = values.stored
                    if isinstance(response, Response):
                        firsts[name] = response
                read = _exchange(f"runData[{name!r}][{number}] item {index}", values, response)
                (found if isinstance(read, FoundExchange) else dropped).append(read)  # type: ignore[arg-type]
    if not found:
        why = "no run of an HTTP Request node that can be read"
        if dropped:
            why = f"no exchange that can be imported ({sanitise(dropped[0].what)}: {dropped[0].why})"
        raise BadInput(f"{path}: data.resultData.runData", why, _HINT)
    made = rewritten(execution, ids, firsts, stored)
    return Source(
        kind="n8n execution", path=path, found=tuple(found), dropped=(*dropped, *made.dropped),
        workflow=made.workflow, inputs=made.inputs, said=_said(execution, ids),
    )  # fmt: skip


def _answered(execution: Execution, name: str, run: JsonObject, number: int) -> dict[int, Response | str]:
    once = execution.nodes[name].get("executeOnce") is True
    items = 1 if once else max(1, len(execution.received(name, number)))
    return responses(execution.nodes[name], run, items)


def _exchange(place: str, values: SentValues, response: Response | str) -> FoundExchange | Dropped:
    try:
        request: Request | str = request_sent(values)
    except NotSimple as error:
        request = f"its request is not known: {error}"
    if isinstance(request, str) or isinstance(response, str):
        why = "; ".join(part for part in (request, response) if isinstance(part, str))
        return Dropped(what=place, why=str(sanitise(why)))
    return FoundExchange(place=place, request=request, response=response)


def _stored(run: JsonObject, index: int) -> JsonObject:
    """Return the request stored with the error of an item; an empty one if there is none."""
    context = dict_at(dict_at(run, "error"), "context")
    request = dict_at(context, "request")
    return request if "uri" in request and context.get("itemIndex", 0) == index else {}


def _said(execution: Execution, ids: dict[str, str]) -> dict[str, str]:
    """Return the error messages of nodes, by our id if they have one."""
    errors = [(name, dict_at(run, "error")) for name, runs in execution.runs.items() for run in runs]
    errors.append((str(dict_at(execution.error, "node").get("name", "")), execution.error))
    said: dict[str, str] = {}
    for name, error in errors:
        words = [error.get("message"), error.get("description")]
        message = ": ".join(dict.fromkeys(word for word in words if isinstance(word, str) and word))
        if name and message:
            said.setdefault(ids.get(name, name), message)
    return said
