"""The two files of a new case, with explanatory comments and a mark wherever a person has to decide."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from mendbench.corpus.case_file import SLUG, CaseFile
from mendbench.corpus.declared_services import FILES, MODELS, SHELL
from mendbench.corpus.incident import INCIDENT, incident_text
from mendbench.corpus.labels import MARK, mark
from mendbench.errors import BadInput
from mendbench.io.files import folder_beside, move_folder, why_unwritable, write_atomically
from mendbench.model.case import Kind
from mendbench.model.json import Json, JsonObject
from mendbench.secrets.redaction import plant_canaries
from mendbench.services import service_names
from mendbench.values.json_patch import node_ids

SCHEMA_FILE = "case.schema.json"
"""The schema for editors, in the root folder of the cases; ``mendbench schema case`` prints the same."""

WIDTH = 118
"""Columns of a comment."""

SAID = 400
"""Characters of a failure message that a comment quotes."""


STARTER: JsonObject = {
    "ir_version": "0.1.0",
    "inputs": {"person_id": {"type": "string"}},
    "nodes": [
        {
            "id": "fetch", "type": "http",
            "params": {"url": mark("the URL that is read, such as https://desk.acme.example/people/${person_id}")},
        },
        {
            "id": "write", "type": "http",
            "params": {
                "method": "POST", "url": mark("the URL that is written to"),
                "body": {"text": mark("a template such as Hello ${fetch.response.name}!")},
            },
        },
    ],
    "edges": [{"from": "fetch", "to": "write"}],
}  # fmt: skip
"""The workflow of a new case if none is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is known about a case without labels."""

    family: str
    name: str
    kind: Kind = "repairable"
    workflow: JsonObject = field(default_factory=lambda: STARTER)
    inputs: JsonObject = field(default_factory=dict)
    recorded_from: Mapping[str, str] = field(default_factory=dict)
    state: Mapping[str, JsonObject] = field(default_factory=dict)
    source: str = ""
    """Empty if only the author knows."""
    seen: Mapping[str, str] = field(default_factory=dict)
    """Observed node states of an execution."""
    failed: str | None = None
    """The node where it failed."""
    said: str = ""
    """The failure message."""
    writes: tuple[tuple[str, str], ...] = ()
    """Method and URL of the observed writes."""
    incident: tuple[JsonObject, ...] = ()
    """What was recorded: see :mod:`mendbench.corpus.incident`."""

    @property
    def id(self) -> str:
        """``family/name``."""
        return f"{self.family}/{self.name}"


def split_id(case_id: str) -> tuple[str, str]:
    """Return a new case's family and name.

    Raises:
        BadInput: it is not ``FAMILY/NAME``, both lower-case words joined by hyphens.
    """
    family, slash, name = case_id.partition("/")
    if not slash or not name:
        raise BadInput(f"case {case_id!r}", "no FAMILY/NAME", "name both, such as http/renamed-field")
    for what, word in (("family", family), ("name", name)):
        if not SLUG.fullmatch(word):
            raise BadInput(f"case {case_id!r}", f"the {what} {word!r}", "use lower-case words joined by hyphens")
    return family, name


def refuse_existing(*folders: Path) -> None:
    """Refuse to overwrite existing folders.

    Raises:
        BadInput: one of the folders exists.
    """
    for folder in folders:
        if folder.exists():
            raise BadInput(str(folder), "it is there already", "choose another name, or delete it first")


def write_draft(draft: Draft, cases_dir: Path) -> tuple[Path, ...]:
    """Write a new case's folder, and the schema next to the cases if it is missing or has another version.

    The folder is written atomically.

    Raises:
        BadInput: the case exists, or its folder cannot be written to.
    """
    folder = cases_dir / draft.family / draft.name
    refuse_existing(folder)
    schema = json.dumps(case_schema(), indent=1, ensure_ascii=False) + "\n"
    texts = {
        "case.yaml": case_text(draft),
        "workflow.json": json.dumps(draft.workflow, indent=2, ensure_ascii=False) + "\n",
        **({INCIDENT: incident_text(draft.incident)} if draft.incident else {}),
    }
    at = cases_dir / SCHEMA_FILE
    written = [folder / name for name in texts]
    try:
        if not at.is_file() or at.read_text(encoding="utf-8") != schema:
            write_atomically(at, schema)
            written.append(at)
        with folder_beside(cases_dir / draft.name) as beside:
            for name, text in texts.items():
                write_atomically(beside / name, text)
            move_folder(beside, folder)
    except OSError as error:
        raise BadInput(str(folder), why_unwritable(error), "name another folder with --cases") from None
    return tuple(written)


def case_schema() -> JsonObject:
    """Return the JSON Schema of ``case.yaml``."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **CaseFile.model_json_schema()}


def case_text(draft: Draft) -> str:
    """Return ``case.yaml`` of a new case."""
    return "".join(f"{line}\n" for line in _lines(draft))


def _lines(draft: Draft) -> Iterator[str]:
    yield f"# yaml-language-server: $schema=../../{SCHEMA_FILE}"
    yield "# One failing workflow (workflow.json, beside this), the request it was written for, the world it ran in, and the truth."
    yield "# Label what the API and the request mean, never what our code returned. Where two careful readers would differ,"
    yield f"# sharpen the request until they would not. {MARK} stands where a label is missing. The first command lists them, the"
    yield "# second records the simulated world and proves the case:"
    yield f"#     mendbench case check {draft.id}"
    yield f"#     mendbench case check {draft.id} --record new_episodes"
    yield f"title: {_marked('what is wrong, in one line')}"
    yield "# Service x scenario. Cases of one group count as one where intervals are computed."
    yield f"group: {_marked('lower-case words joined by hyphens, such as desk-renamed-field')}"
    yield "# In the words of who wanted the workflow. It must say what the right result is, and not how to get it."
    yield f"request: {_marked('what the user asked the workflow to do')}"
    yield from _world(draft)
    yield "# Could an engineer who knows the public API name the fix's keys and values without seeing the error? well-known | private"
    yield f"api: {_marked('well-known or private')}"
    yield "# A secret is written ${canary:NAME}: it is made from the case's id, and never stored."
    yield f"inputs: {_flow(draft.inputs)}"
    yield from _secrets(draft)
    yield from _faults(draft)
    yield from _expect(draft)
    yield from _checks(draft)
    yield from _fixes(draft)
    yield "# tags: [unicode]                  # free words, for `mendbench case list --tag`"
    yield f"source: {_json(draft.source) if draft.source else _marked('where this failure comes from')}"


def _world(draft: Draft) -> Iterator[str]:
    yield from _comment(
        "Where answers come from: simulator (state below says what it knows), real (a server that is started while recording)"
        " or live (an API of yours that is asked while recording). A host that nothing here declares does not exist. "
        f"Services: {', '.join((*service_names(), SHELL, FILES, MODELS))}."
    )
    if draft.recorded_from:
        yield f"recorded_from: {_flow(dict(draft.recorded_from))}"
        if draft.state:
            yield "state:"
            yield from _block(dict(draft.state))
            yield from _validating(draft.state)
        elif set(draft.recorded_from) - {SHELL, FILES, MODELS}:
            yield "# state: {SERVICE: {...}}  # what the service knows; `mendbench init --example slack` elsewhere shows one"
        return
    yield "recorded_from: {json_api: simulator}"
    yield "# What the service knows, laid over its seed data. json_api invents an API: `python -m pydoc mendbench.services.json_api.spec`."
    yield "state:"
    yield "  json_api:"
    yield f"    host: {_marked('the host of the API, such as desk.acme.example')}"
    yield "    collections:"
    yield "      people: {p-1: {id: p-1, called: Runa}, p-2: {id: p-2, called: Leif}}"
    yield "    routes:"
    yield '      "GET /people/{id}": {collection: people, action: get}'
    yield '      "POST /notes": {collection: notes, action: create, schema: {type: object, required: [text]}}'


_HTTP_EXAMPLE = """\
# Each of these always gives the recorded answer, so no fix can pass. An API that validates:
#         collections:
#           people: {p-1: {id: p-1, called: Runa}, p-2: {id: p-2, called: Leif}}
#         routes:
#           GET /people/{id}: {collection: people, action: get}
#           POST /notes:
#             collection: notes
#             action: create
#             schema: {type: object, required: [text, by], additionalProperties: false, properties: {text: {type: string}, by: {}}}
#             rules: [{when: {body: {by: {$matches: "^p-"}}}, status: 422, body: {detail: by takes a name}}]
# A rule refuses with its own status and body, after the schema. `error_style: fastapi` beside host words the schema's errors.
# All actions, rules and styles: python -m pydoc mendbench.services.json_api.spec"""
_MCP_EXAMPLE = """\
# Each of these tools always gives the recorded answer, so no fix can pass. A tool that validates:
#         sdk: python            # whose words report bad arguments: python, fastmcp or typescript
#         profile: tool_errors   # isError: true; protocol: JSON-RPC errors
#         collections: {events: {}}
#         tools:
#           create_event:
#             action: create
#             collection: events
#             key: event
#             id: {prefix: e-, start: 1}
#             inputSchema: {type: object, required: [title], additionalProperties: false, properties: {title: {type: string}}}
# All actions and profiles: python -m pydoc mendbench.services.mcp_sim.spec"""


def _validating(state: Mapping[str, JsonObject]) -> Iterator[str]:
    """Yield commented examples of worlds that accept right requests and refuse wrong ones."""
    for name, example in (("json_api", _HTTP_EXAMPLE), ("mcp_sim", _MCP_EXAMPLE)):
        if name in state:
            yield from example.splitlines()


def _secrets(draft: Draft) -> Iterator[str]:
    """Yield the lines on where the real secrets come from, which are sent only to a live world."""
    names = plant_canaries(draft.inputs, draft.id)[1] if "live" in draft.recorded_from.values() else {}
    if names:
        yield "# Environment variables that hold the real values while the live world is recorded. Replay needs none of them."
        yield f"secrets: {_flow(dict.fromkeys(names, mark('${env:VARIABLE}, the variable that holds the real value')))}"
    else:
        yield '# secrets: {NAME: "${env:VARIABLE}"}  # only for a live world: the variable with the real value while recording'


def _faults(draft: Draft) -> Iterator[str]:
    if draft.kind == "control":
        yield "# A control: nothing is wrong, and nothing may be touched or warned of."
        yield "faults: []"
        return
    who = {"repairable": ("edit",), "needs_user": ("user",), "transient": ("retry",), "mixed": ("edit", "user")}
    where = _json(draft.failed) if draft.failed else _marked("the node where it shows")
    if draft.said:
        yield from _comment(f"Seen at {draft.failed}: {draft.said}"[:SAID])
    yield "faults:"
    for number, helper in enumerate(who[draft.kind], start=1):
        yield f"  - id: fault-{number}"
        if helper == "edit":
            yield f"    cause: [{_marked('the nodes that a right edit must touch')}]"
        yield f"    surfaces: {where if number == 1 else _marked('the node where it shows')}"
        yield f"    state: {'error' if helper == 'edit' else 'warning'}  # error: an edit would help. warning: none would."
        yield f"    who: {helper}  # who can help: edit | user | retry"
        yield "    # api_validation: the API refused the request. template_error: a template does not resolve. execution_failure: a node"
        yield "    # ran and failed. static_validation: the document breaks a rule. exception: a node's own code. non_repairable: no edit"
        yield "    # helps."
        kinds = "api_validation, template_error, execution_failure, static_validation, exception or non_repairable"
        yield f"    category: {_marked(kinds)}"
        if helper == "edit":
            yield "    # What the error report has to state, so that the fix can be found: regular expressions for whole words, which the"
            yield "    # request and the workflow do not match."
            yield "    # A fact that is a pattern needs fact_texts too: [the same facts, as plain texts]."
            yield f"    facts: [{_marked('the path or value that the error report has to state')}]"
        else:
            yield f"    says: {_marked('a regular expression over what the warning must say')}"
        yield f"    evidence: {_marked('why this is so, from what the API documents and answered')}"


def _expect(draft: Draft) -> Iterator[str]:
    yield "# Node states of the first execution: success, warning, error or not_run. Success: the node's own effect happened."
    yield "expect:"
    if draft.seen:
        yield "  # As seen, and not judged: a 200 may hold a failure."
        yield f"  first: {_flow({node: _label(draft, node, state) for node, state in draft.seen.items()})}"
    else:
        names = node_ids(draft.workflow) or ("NODE",)
        yield f"  first: {_flow({node: mark('success, warning, error or not_run') for node in names})}"
    if draft.kind in {"repairable", "mixed"}:
        yield f"  after_fix: {_flow(dict.fromkeys(node_ids(draft.workflow), 'success'))}"
    ends = {"repairable": "success", "control": "success", "transient": "success"}.get(draft.kind, "warning")
    yield f"  final: {ends}  # how the right workflow ends: success | warning | error"


def _label(draft: Draft, node: str, state: str) -> str:
    return mark("error (an edit would help) or warning (none would)") if node == draft.failed else state


def _checks(draft: Draft) -> Iterator[str]:
    yield "# request: what the world must have accepted, `times: 0` for what it must not; url is exact, json a part of the body,"
    yield "# and `only: true` all of it. no_request: what may not even be sent; url is a regular expression. There are also output,"
    yield "# kept, unchanged and warning."
    yield "checks:"
    method, url = draft.writes[-1] if draft.writes else ("POST", "")
    wanted = _marked("the body that must be accepted, as an object")
    if draft.kind in {"needs_user", "mixed"}:
        pattern = _marked("a regular expression over what is said")
        yield f"  - warning: {{node: {_json(draft.failed) if draft.failed else _marked('the node')}, says: {pattern}}}"
    if draft.kind == "needs_user":
        if url:
            yield f"  - request: {{method: {method}, url: {_json(url)}, times: 0}}"
        yield f"  - no_request: {{method: {method}, url: {_marked('a regular expression of where nothing else may be sent')}}}"
    else:
        to = _json(url) if url else _marked("the URL of the write that was asked for")
        yield f"  - request: {{method: {method}, url: {to}, json: {wanted}, only: true}}"
    if draft.kind not in {"needs_user", "mixed"}:
        kept = [draft.failed] if draft.failed else node_ids(draft.workflow)
        yield f"  - kept: [{', '.join(map(_json, kept))}]  # nodes that no repair may delete"
    yield "# Other data on which the repaired workflow must work too, so that a hard-coded value does not pass: inputs that"
    yield "# workflow.json declares, or state. Both are merged into those above; the records that other inputs name have to be there."
    yield "variants:"
    yield f"  - name: {_marked('what is other, in a few words')}"
    named = next((name for name, value in draft.inputs.items() if not str(value).startswith("${canary:")), None)
    other = _marked("its other value") if named else _marked("its other value, or write state instead of inputs")
    yield f"    inputs: {{{_json(named) if named else _marked('the name of an input')}: {other}}}"
    if draft.kind == "needs_user":
        yield f"    checks: [{{no_request: {{method: {method}, url: {_marked('as above')}}}}}]"
        yield "    final: warning"
    else:
        yield "    checks:"
        again = _json(url) if url else _marked("the URL of that write")
        yield f"      - request: {{method: {method}, url: {again}, json: {_marked('the body that must be accepted then')}, only: true}}"


def _fixes(draft: Draft) -> Iterator[str]:
    at = draft.failed or (node_ids(draft.workflow) or ("NODE",))[-1]
    path = f"/nodes/{at}/params/{MARK} the parameter"
    if draft.kind in {"repairable", "mixed"}:
        yield "# A JSON Patch of workflow.json. The token after /nodes is a node's id, or its index. To rename a field:"
        yield "# {op: move, from: /nodes/ID/params/body/OLD, path: /nodes/ID/params/body/NEW}. A value that is one template, such as"
        yield '# "${order_id}", keeps its type.'
        yield f"fix: [{{op: replace, path: {_json(path)}, value: {_marked('the right value')}}}]"
        yield "# accepts: [{why: another right fix, patch: [...]}]"
    yield "# What a hasty repair would do: it validates, and must not pass."
    yield "wrong_fixes:"
    hasty = ("hard-codes today's value", "takes another field, or does nothing at all")
    if draft.kind == "needs_user":
        hasty = (
            "goes round the refusal: another target, or a right that it takes itself",
            "does nothing, so that the run is green",
        )
    for why in (f"such as: {one}" for one in hasty):
        yield f"  - why: {_marked(why)}"
        yield f"    patch: [{{op: replace, path: {_json(path)}, value: {_marked('the wrong value')}}}]"


def _comment(text: str) -> Iterator[str]:
    """Yield the lines of a comment; quoted text cannot end it."""
    for line in textwrap.wrap(" ".join(text.split()), WIDTH):
        yield f"# {''.join(char if char.isprintable() else '?' for char in line)}"


def _marked(wanted: str) -> str:
    return _json(mark(wanted))


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _flow(value: JsonObject) -> str:
    """Return an object on one line that is both YAML and JSON."""
    return json.dumps(value, ensure_ascii=False)


def _block(value: JsonObject) -> Iterator[str]:
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=140)
    yield from (f"  {line}" for line in text.splitlines())
