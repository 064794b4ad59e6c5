"""The requests that an HTTP Request node of n8n sent: its parameters with their expressions resolved from what other nodes gave.

A failed request is stored with its error (``context.request``), after credentials were hidden; its values come first.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from urllib.parse import quote_plus

from mendbench.importing.n8n.document import Execution, Origin, dict_at
from mendbench.importing.n8n.expressions import (
    Missing,
    NotSimple,
    Path,
    Reference,
    followed,
    in_text,
    is_expression,
    parts_of,
    sole,
)
from mendbench.importing.n8n.parameters import OMITTED, http_params
from mendbench.io.json_documents import parse_json
from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.http import request_of

_STORED = {"method": "method", "url": "uri", "params": "qs", "headers": "headers", "body": "body", "form": "form"}
"""Our parameters, and the fields of a stored request."""

_HIDDEN = "**hidden**"
"""n8n's placeholder for a credential."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentValues:
    """The values that one item of a node's run sent."""

    execution: Execution
    name: str
    run: int = 0
    item: int = 0
    stored: JsonObject = field(default_factory=dict)
    """The request stored with its error; empty if there is none."""
    omits_headers: bool = False
    """Whether headers with unknown values are omitted, except for the content type: imported requests match without them."""

    def value(self, raw: Json, place: Path) -> Json:
        """Return the value of a parameter, or :data:`OMITTED`.

        Raises:
            Missing: it names nothing in the data, and the request is not stored.
            NotSimple: it cannot be known.
        """
        if not is_expression(raw):
            return raw
        stored, found = self._stored(place)
        if stored:
            return found
        try:
            return self._evaluated(raw)
        except NotSimple:
            if self.omits_headers and place[0] == "headers" and str(place[-1]).lower() != "content-type":
                return OMITTED
            raise

    def json_text(self, raw: Json, place: Path) -> Json:
        """Return the value of a JSON text.

        Raises:
            NotSimple: it cannot be known, or it is no JSON.
        """
        stored, value = self._stored(place) if is_expression(raw) else (False, None)
        if not stored:
            value = self._evaluated(raw) if is_expression(raw) else raw
        if not isinstance(value, str):
            return value
        try:
            return parse_json(value)
        except ValueError:
            raise NotSimple("a parameter is no JSON") from None

    def form_text(self, raw: Json, place: Path) -> str:
        """Return a value of a form, percent-encoded.

        Raises:
            NotSimple: it cannot be known, or is no text.
        """
        value = self.value(raw, place)
        if value is OMITTED:
            raise NotSimple("a value of its form is undefined")
        return quote_plus(in_text(value))

    def _stored(self, place: Path) -> tuple[bool, Json]:
        """Return whether the stored request shows what was sent at a place, and the value."""
        held: Json = self.stored.get(_STORED[str(place[0])])
        if held is None:
            return False, None
        steps = [str(step) for step in place[1:]]
        if place[0] == "headers" and isinstance(held, dict):  # n8n may have written their names in lower case
            held, steps = {name.lower(): value for name, value in held.items()}, [step.lower() for step in steps]
        for step in steps:
            if not isinstance(held, dict):
                return False, None
            held = held.get(step, OMITTED)
            if held is OMITTED:
                break
        return _HIDDEN not in str(held), held

    def _evaluated(self, raw: str) -> Json:
        parts = parts_of(raw)
        if (alone := sole(parts)) is not None:
            return self._found(alone)
        if None in parts:
            raise NotSimple(f"the expression {raw[:60]!r} is JavaScript")
        return "".join(
            part if isinstance(part, str) else in_text(self._found(part)) for part in parts if part is not None
        )

    def _found(self, reference: Reference) -> Json:
        """Return what a reference names in the data of the execution."""
        given = self._given(reference)
        at = 0 if reference.first or len(given) == 1 else self.item
        if at >= len(given):
            raise Missing(f"{reference.node or 'its input'} has no such item")
        try:
            return followed(given[at].get("json"), reference.path)
        except Missing:
            raise Missing("it names nothing in the data") from None
        except NotSimple:
            raise NotSimple("it names a property of JavaScript") from None

    def _given(self, reference: Reference) -> list[JsonObject]:
        if reference.node is None:
            return self.execution.received(self.name, self.run) or [{"json": {}}]
        runs = self.execution.runs.get(reference.node, [])
        if len(runs) != 1:
            raise NotSimple(f"node {reference.node!r} ran {len(runs)} times")
        outputs = dict_at(runs[0], "data").get("main")
        filled = [
            given
            for output in range(len(outputs) if isinstance(outputs, list) else 0)
            if (given := self.execution.items(Origin(node=reference.node, output=output)))
        ]
        before = self.execution.origin(self.name, self.run)
        paired = reference.first or (before is not None and before.node == reference.node)
        if len(filled) != 1 or (len(filled[0]) > 1 and not paired):
            raise NotSimple(f"which item of node {reference.node!r} belongs to it is not simple to determine")
        return filled[0]


def request_sent(values: SentValues) -> Request:
    """Return the request of one item, as our ``http`` node would send it.

    Raises:
        NotSimple: it cannot be known, or our node cannot send it.
    """
    params = http_params(values.execution.nodes[values.name], replace(values, omits_headers=True))
    try:
        return request_of(params)
    except (TypeError, ValueError) as error:
        raise NotSimple(str(error)) from None
