"""The responses to an HTTP Request node of n8n: from its output items, or from its error.

n8n stores the parsed body of a success, and its status only with the option to include it: without it, the status is taken as 200. A list
becomes one item for each of its values, so a list of one value reads as that value, and an empty body as ``{}``.
"""

from __future__ import annotations

import re

from mendbench.importing.interface import body_bytes, settled
from mendbench.importing.n8n.document import dict_at
from mendbench.importing.n8n.parameters import option
from mendbench.io.json_documents import parse_json, reader_of
from mendbench.model.exchange import Fault, Headers, Response
from mendbench.model.json import Json, JsonObject

_JSON = (("content-type", "application/json"),)
_FAULTS: tuple[tuple[str, Fault], ...] = (
    ("ECONNREFUSED", "refused"), ("ENOTFOUND", "dns"), ("EAI_AGAIN", "dns"), ("ETIMEDOUT", "timeout"),
    ("ESOCKETTIMEDOUT", "timeout"), ("ECONNABORTED", "timeout"), ("ECONNRESET", "reset"), ("_CERT", "tls"), ("CERT_", "tls"),
    ("CERTIFICATE", "tls"), ("LEAF_SIGNATURE", "tls"),
)  # fmt: skip
"""Words in the codes of Node.js's errors, and our faults for them. axios reports its own timeout as ECONNABORTED."""

_CODE = re.compile(r"[1-5]\d\d")
_STATUS = re.compile(r"([1-5]\d\d) - ")
"""The beginning of the HTTP client's message about a status."""


def responses(node: JsonObject, run: JsonObject, items: int) -> dict[int, Response | str]:
    """Return the response to each of the ``items`` requests of a run, or why it is not known."""
    took = run.get("executionTime")
    elapsed = round(took) if items == 1 and isinstance(took, int | float) and took > 0 else 0
    error = dict_at(run, "error")
    if error:
        failed = dict_at(error, "context").get("itemIndex")
        at = failed if isinstance(failed, int) and 0 <= failed < items else 0
        lost = f"item {at} failed, and n8n keeps nothing of the others then"
        return {index: failure(error, elapsed) if index == at else lost for index in range(items)}
    outputs = dict_at(run, "data").get("main")
    if not isinstance(outputs, list):
        return dict.fromkeys(range(items), "n8n stored no output of it")
    given = [
        (item, at == 1)
        for at, output in enumerate(outputs)
        for item in (output if isinstance(output, list) else [])
        if isinstance(item, dict)
    ]
    found: dict[int, Response | str] = {}
    for index in range(items):
        mine = [pair for pair in given if items == 1 or _paired(pair[0]) == index]
        if items > 1 and not mine:
            found[index] = "no output item says that it belongs to this request"
        else:
            found[index] = _success(node, mine, elapsed)
    return found


def failure(error: JsonObject, elapsed_ms: int) -> Response | str:
    """Return the response that an error holds (``NodeApiError``, or axios's own), or why it holds none."""
    cause = dict_at(error, "cause")
    codes = [
        str(part.get(name) or "") for part in (error, cause) for name in ("httpCode", "statusCode", "status", "code")
    ]
    codes += [found[1] for text in _texts(error) if (found := _STATUS.match(text))]
    status = next((int(code) for code in codes if _CODE.fullmatch(code)), None)
    if status is None:
        words = " ".join([*codes, *_texts(error)]).upper()
        fault = next((fault for word, fault in _FAULTS if word in words), None)
        if fault is None:
            return f"n8n stored no status of a response ({error.get('message')})"
        return Response(status=0, fault=fault, elapsed_ms=elapsed_ms)
    body = _failed_body(error, status)
    if body is None:
        return f"n8n stored the status {status} of its response and not the body"
    return Response(status=status, headers=_kind(body), body=body, elapsed_ms=elapsed_ms)


def _failed_body(error: JsonObject, status: int) -> bytes | None:
    """Return the body of a failed response.

    The HTTP client's message is ``404 - `` and the body as JSON: the JSON of its text, if the client did not parse it. It is among
    ``messages``. ``context.data`` is the parsed body. A description that is a JSON text is the body that the client did not parse.
    """
    mark = f"{status} - "
    for text in _texts(error):
        rest = text.partition(mark)[2]
        if rest.startswith("undefined"):
            return b""
        try:
            value, _ = reader_of(rest).raw_decode(rest)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, str | dict | list):
            return _buffer(value) or body_bytes(value)
    data = dict_at(error, "context").get("data")
    if isinstance(data, dict | list):
        return body_bytes(data)
    described = error.get("description")
    return described.encode("utf-8", "surrogatepass") if isinstance(described, str) and _holds_json(described) else None


def _texts(error: JsonObject) -> list[str]:
    messages = error.get("messages")
    listed = messages if isinstance(messages, list) else [messages]
    texts = [*listed, dict_at(error, "cause").get("message"), error.get("message")]
    return [text for text in texts if isinstance(text, str)]


def _buffer(value: Json) -> bytes | None:
    """Return the bytes of a Node.js Buffer that was written as JSON."""
    if isinstance(value, dict) and value.get("type") == "Buffer" and isinstance(value.get("data"), list):
        try:
            return bytes(value["data"])
        except (TypeError, ValueError):
            return None
    return None


def _success(node: JsonObject, given: list[tuple[JsonObject, bool]], elapsed_ms: int) -> Response | str:
    """Return the response that a request's output items hold, each with whether it left by the error output."""
    items = [item for item, _ in given]
    values = [item.get("json") for item in items]
    error = _went_on(node, values[0], by_error=given[0][1]) if len(given) == 1 else None
    if error is not None:
        return failure(error, elapsed_ms)
    form = option(node, "response", "response", "responseFormat") or "autodetect"
    if node.get("alwaysOutputData") is True and values == [{}]:
        return "its output is empty, which may stand for an empty list: n8n does not store which"
    if form == "file" or any(item.get("binary") for item in items):
        return "its response is a file, which n8n stores elsewhere"
    name = str(option(node, "response", "response", "outputPropertyName") or "data")
    if option(node, "response", "response", "fullResponse"):
        return _whole(values, name, form, elapsed_ms)
    if option(node, "response", "response", "neverError"):
        return "the node never fails, and n8n did not store the status"
    if form == "text":
        text = values[0].get(name) if len(values) == 1 and isinstance(values[0], dict) else None
        if not isinstance(text, str):
            return "its output is no text"
        return Response(status=200, body=body_bytes(text), elapsed_ms=elapsed_ms)
    if form == "autodetect" and len(values) == 1 and _may_be_text(values[0], name):
        return f"its output is either a text or an object with the field {name!r}: n8n does not store which"
    body = values[0] if len(values) == 1 else values
    return Response(status=200, headers=_JSON, body=body_bytes(body), elapsed_ms=elapsed_ms)


def _whole(values: list[Json], name: str, form: str, elapsed_ms: int) -> Response | str:
    """Return the response of a node that includes status and headers in its output."""
    value = values[0] if len(values) == 1 and isinstance(values[0], dict) else {}
    status, kept = value.get("statusCode"), value.get("headers")
    body = value.get("body", value.get(name)) if form != "text" else value.get(name)
    if not isinstance(status, int):
        return "its output holds no status"
    headers = tuple(
        (str(key), str(item))
        for key, held in (kept.items() if isinstance(kept, dict) else ())
        for item in (held if isinstance(held, list) else [held])
    )
    return Response(status=status, headers=settled(headers), body=body_bytes(body), elapsed_ms=elapsed_ms)


def _may_be_text(value: Json, name: str) -> bool:
    return isinstance(value, dict) and set(value) == {name} and isinstance(value[name], str)


def _went_on(node: JsonObject, value: Json, *, by_error: bool) -> JsonObject | None:
    """Return the error of an output item after which the workflow went on; None if the item is no error."""
    goes_on = node.get("onError") == "continueRegularOutput" or node.get("continueOnFail") is True
    if not isinstance(value, dict) or not ((by_error and "error" in value) or (goes_on and set(value) == {"error"})):
        return None
    return value["error"] if isinstance(value["error"], dict) else {"message": str(value["error"])}


def _paired(item: JsonObject) -> int | None:
    """Return the index of the input item that an output item belongs to."""
    paired = item.get("pairedItem")
    first = paired[0] if isinstance(paired, list) and paired else paired
    index = first.get("item") if isinstance(first, dict) else first
    return index if isinstance(index, int) else None


def _kind(body: bytes) -> Headers:
    return _JSON if _holds_json(body.decode("utf-8", "replace")) else ()


def _holds_json(text: str) -> bool:
    try:
        return isinstance(parse_json(text), dict | list)
    except ValueError:
        return False
