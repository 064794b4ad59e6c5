"""The states of a case, held against the shapes that the services declare."""

import copy

import jsonschema
import pytest

from mendbench.api.schemas import schema
from mendbench.corpus.corpus import load_corpus
from mendbench.corpus.declared_services import FILES, MODELS, SHELL
from mendbench.services import service_names
from tests.fakes.cases import DESK, RENAMED, change_case, renamed_case, workflow, write_case

SIMULATED = {"chat", "github", "graphql", "json_api", "mcp_sim", "payments", "sheets", "slack"}
BASES = {"json_api": DESK, MODELS: {"names": ["a-model"]}}
REPO, BOOK, INTENT = "tern-and-tide/sluicegate", "1Qv8Brackm00rL0tLedgerXyT4nWc2Zs5eKd9uHfGa7J", "pi_3Qb2Osgodwharf5"
GUILD, CHANNEL = "1180000000000001000", "1180000000000002001"


def route(**changes):
    return {"routes": {"POST /notes": changes}}


def tool(**changes):
    return {"servers": {"harbour-tickets": {"tools": {"get_ticket": changes}}}}


MISSPELT = [
    ("chat", {"guilds": {GUILD: {"ownr": "1"}}}, "unknown key 'ownr'; did you mean 'owner'?"),
    ("chat", {"messages": {CHANNEL: {"1190000000000000001": {"contnet": "x"}}}}, "unknown key 'contnet'; did you mean 'content'?"),
    ("chroma", {"collections": {"help": {"records": {"a": {"embedding": [1.0], "documnt": "x"}}}}}, "unknown key 'documnt'; did you mean 'document'?"),
    ("datasette", {"sqll": "x"}, "unknown key 'sqll'; did you mean 'sql'?"),
    ("github", {"repos": {REPO: {"archive": True}}}, "unknown key 'archive'; did you mean 'archived'?"),
    ("github", {"repos": {REPO: {"issues": {"9": {"titel": "x"}}}}}, "unknown key 'titel'; did you mean 'title'?"),
    ("github", {"failures": {"GETT /x": [{"status": 500}]}}, "'GETT /x' names no requests"),
    ("graphql", {"tracker": {"repositories": {"saltpan/dredgelog": {"isprivate": True}}}}, "unknown key 'isprivate'; did you mean 'is_private'?"),
    ("graphql", {"renamed": {"Issue.titel": "headline"}}, "unknown member 'Issue.titel'; did you mean 'Issue.title'?"),
    ("graphql", {"failures": {"requisitionPlce": [{"status": 500}]}}, "unknown root field 'requisitionPlce'; did you mean 'requisitionPlace'?"),
    ("json_api", {"error_stile": "drf"}, "unknown key 'error_stile'; did you mean 'error_style'?"),
    ("json_api", {"error_stile": None}, "unknown key 'error_stile'; did you mean 'error_style'?"),
    ("json_api", route(idd={"prefix": "n-"}), "unknown key 'idd'; did you mean 'id'?"),
    ("json_api", route(schema={"requird": ["text"]}), "unknown key 'requird'; did you mean 'required'?"),
    ("json_api", route(schema={"aditionalProperties": False}), "unknown key 'aditionalProperties'; did you mean 'additionalProperties'?"),
    ("json_api", route(schema={"properties": {"text": {"minLenght": 1}}}), "unknown key 'minLenght'; did you mean 'minLength'?"),
    ("json_api", route(schema={"properties": {"text": {"format": "email"}}}), "the keyword 'format' is not supported; supported: additionalProperties"),
    ("json_api", route(query={"limit": {"maximun": 5}}), "unknown key 'maximun'; did you mean 'maximum'?"),
    ("json_api", route(rules=[{"when": {"body": {"tag": {"$abov": 4}}}}]), "unknown operator '$abov'; did you mean '$above'?"),
    ("json_api", route(references={"person": "poeple"}), "unknown collection 'poeple'; did you mean 'people'?"),
    ("json_api", {"routes": {"GET /who": {"action": "lookup", "collection": "people", "by": "caled"}}}, "unknown field 'caled'; did you mean 'called'?"),
    ("json_api", {"collections": {"people": {"p-3": {"idd": "p-3", "called": "Ask"}}}}, "unknown key 'idd'; did you mean 'id'?"),
    ("json_api", {"auth": {"tokens": {"${canary:desk}": {"routes": ["POST /note"]}}}}, "unknown route 'POST /note'; did you mean 'POST /notes'?"),
    ("json_api", {"at_first": {"GET /x": [{"staus": 503}]}}, "unknown key 'staus'; did you mean 'status'?"),
    ("jupyter", {"tokn": "x"}, "unknown key 'tokn'; did you mean 'token'?"),
    ("kinto", {"buckets": {"website": {"collection": {}}}}, "unknown key 'collection'; did you mean 'collections'?"),
    ("lab_api", {"phials": {"PX-0417": {"weights": {"tare": 5.0}}}}, "unknown key 'tare'; did you mean 'tare_mg'?"),
    ("lab_api", {"phials": {"PX-9": {"rak": "K7"}}}, "unknown key 'rak'; did you mean 'rack'?"),
    ("mcp_everything", {"a": 1}, "unknown key 'a'; no key is known here"),
    ("mcp_files", {"file": {}}, "unknown key 'file'; did you mean 'files'?"),
    ("mcp_git", {"commits": [{"message": "x", "fils": {}}]}, "unknown key 'fils'; did you mean 'files'?"),
    ("mlflow", {"experiments": {"churn": {"runs": {"a": {"metrix": {}}}}}}, "unknown key 'metrix'; did you mean 'metrics'?"),
    ("mcp_sim", {"servers": {"harbour-tickets": {"profil": "wrapper"}}}, "unknown key 'profil'; did you mean 'profile'?"),
    ("mcp_sim", tool(inputSchema={"aditionalProperties": False}), "unknown key 'aditionalProperties'; did you mean 'additionalProperties'?"),
    ("mcp_sim", tool(inputSchema={"properties": {"ticket_ref": {"items": {"default": 1}}}}), "the keyword 'default' is not supported"),
    ("mcp_sim", {"servers": {"crew-chat": {"workspace": {"chanels": {}}}}}, "unknown key 'chanels'; did you mean 'channels'?"),
    ("mcp_sim", {"servers": {"harbour-tickets": {"at_first": {"get_tickt": [{"says": "no"}]}}}}, "unknown tool 'get_tickt'; did you mean 'get_ticket'?"),
    ("mcp_time", {"nowe": "x"}, "unknown key 'nowe'; did you mean 'now'?"),
    ("moto_aws", {"calls": {"a": {"taget": "x"}}}, "unknown key 'taget'; did you mean 'target'?"),
    ("payments", {"customers": {"cus_1": {"emial": "a@b.example"}}}, "unknown key 'emial'; did you mean 'email'?"),
    ("payments", {"tokens": {"sk": {"staus": "expired"}}}, "unknown key 'staus'; did you mean 'status'?"),
    ("prefect", {"work_pools": {"k8s": {"queue": {}}}}, "unknown key 'queue'; did you mean 'queues'?"),
    ("sheets", {"spreadsheets": {BOOK: {"sheets": {"902": {"rowcount": 5}}}}}, "unknown key 'rowcount'; did you mean 'rowCount'?"),
    ("sheets", {"rate_limited": {"reads": {"times": 1}}}, "unknown key 'reads'; did you mean 'read'?"),
    ("slack", {"channels": {"C05TIDES22": {"is_archive": True}}}, "unknown key 'is_archive'; did you mean 'is_archived'?"),
    ("slack", {"rate_limited": {"chat.postMesage": {"times": 1}}}, "unknown method 'chat.postMesage'; did you mean 'chat.postMessage'?"),
    (SHELL, {"setpu": "true"}, "unknown key 'setpu'; did you mean 'setup'?"),
    (MODELS, {"name": ["b"]}, "unknown key 'name'; did you mean 'names'?"),
]  # fmt: skip

WRONG_TYPES = [
    ("chat", {"channels": {CHANNEL: {"type": "0"}}}, "Input should be a valid integer (found '0')"),
    ("chroma", {"collections": {"help": {"records": {"a": {"document": "x"}}}}}, "nothing is there; add 'embedding'"),
    ("datasette", {"sql": ["x"]}, "Input should be a valid string"),
    ("github", {"repos": {REPO: {"private": "yes"}}}, "Input should be a valid boolean (found 'yes')"),
    ("graphql", {"lab": {"specimens": {"spc-501": {"aliquots": "6"}}}}, "Input should be a valid integer (found '6')"),
    ("json_api", route(key=False), "Input should be a valid string (found False); put it in quotes"),
    ("json_api", route(schema={"required": "text"}), "Input should be a valid list (found 'text')"),
    ("json_api", route(schema={"properties": {"text": {"minLength": "1"}}}), "Input should be a valid integer (found '1')"),
    ("json_api", route(schema={"properties": {"text": {"pattern": "(("}}}), "'((' is no regular expression; correct it"),
    ("json_api", route(rules=[{"when": {"body": {"tag": {"$above": "4"}}}}]), "$above of '4'; $above and $below need a number"),
    ("json_api", {"failures": {"GET /x": [{"body": "x"}]}}, "a failure without a status; give it a status or a fault"),
    ("json_api", {"routes": {"GET /x": ["static"]}}, "Input should be an object"),
    ("json_api", {"routes": {"GET /x": {"action": "get", "collection": "people"}}}, "action get without an id in the path"),
    ("json_api", {"routes": {"GET /x": {"collection": "people"}}}, "nothing is there; add 'action'"),
    ("jupyter", {"files": {"a.ipynb": 5}}, "5 is no file; write its text, or what it holds as JSON"),
    ("kinto", {"buckets": {"website": {"permissions": {"write": "oidc:editor"}}}}, "Input should be a valid list (found 'oidc:editor')"),
    ("lab_api", {"dryers": [{"holds": "40"}]}, "Input should be a valid integer (found '40')"),
    ("mlflow", {"registered_models": {"churn": {"aliases": {"champion": "1"}}}}, "Input should be a valid integer (found '1')"),
    ("mcp_files", {"files": {"a": 5}}, "Input should be a valid string (found 5); put it in quotes"),
    ("mcp_git", {"commits": [{"files": {}}]}, "nothing is there; add 'message'"),
    ("mcp_sim", tool(id_argument=7), "Input should be a valid string (found 7); put it in quotes"),
    ("mcp_time", {"now": 5}, "Input should be a valid string (found 5); put it in quotes"),
    ("mcp_time", {"now": "2026-07-01T12:00:00"}, "'2026-07-01T12:00:00' is no time with a zone; write 2026-07-01T12:00:00Z"),
    ("moto_aws", {"calls": ["x"]}, "Input should be a valid dictionary"),
    ("payments", {"payment_intents": {INTENT: {"amount": "320"}}}, "Input should be a valid integer (found '320')"),
    ("prefect", {"variables": {"freeze": True}}, "Input should be an object"),
    ("sheets", {"spreadsheets": {BOOK: {"sheets": {"902": {"rows": [[["x"]]]}}}}}, "['x'] is no cell"),
    ("slack", {"members": {"C05TIDES22": {"U06ODILETR": "yes"}}}, "Input should be a valid boolean (found 'yes')"),
    (SHELL, {"setup": ["true"]}, "Input should be a valid string"),
    (FILES, {"a.txt": 5}, "5 is no file; write its text, or what it holds as JSON"),
    (MODELS, {"names": "b"}, "Input should be a valid list (found 'b')"),
]  # fmt: skip

WRONG_VALUES = [
    ("chat", {"tokens": {"t": {"status": "revokd"}}}, "unknown value 'revokd'; did you mean 'revoked'? known: active, revoked"),
    ("github", {"repos": {REPO: {"collaborators": {"mzeval": "writer"}}}}, "unknown value 'writer'; did you mean 'write'?"),
    ("graphql", {"lab": {"specimens": {"spc-501": {"phase": "VITRIFIEDD"}}}}, "unknown value 'VITRIFIEDD'; did you mean 'VITRIFIED'?"),
    ("json_api", route(action="creat"), "unknown value 'creat'; did you mean 'create'?"),
    ("json_api", {"error_style": "drff"}, "unknown value 'drff'; did you mean 'drf'?"),
    ("json_api", route(schema={"properties": {"text": {"type": "strng"}}}), "unknown type 'strng'; did you mean 'string'?"),
    ("json_api", {"at_first": {"GET /x": [{"status": 503, "page": "iis"}]}}, "unknown value 'iis'; known: elb, nginx"),
    ("json_api", {"at_first": {"GET /x": [{"fault": "time-out"}]}}, "unknown value 'time-out'; did you mean 'timeout'?"),
    ("mcp_sim", tool(action="gett"), "unknown value 'gett'; did you mean 'get'?"),
    ("mcp_sim", {"servers": {"crew-chat": {"tools": {"x": {"method": "chat.postMesage"}}}}}, "unknown Slack method 'chat.postMesage'; did you mean 'chat.postMessage'?"),
    ("payments", {"payment_methods": {"pm_1Qx6Looseleaf3": {"declines": "generic_declin"}}}, "unknown decline code 'generic_declin'; did you mean 'generic_decline'?"),
    ("sheets", {"spreadsheets": {BOOK: {"sharing": {"a@b.example": "read"}}}}, "unknown value 'read'; did you mean 'reader'?"),
    ("slack", {"tokens": {"t": {"type": "boot"}}}, "unknown value 'boot'; did you mean 'bot'?"),
]  # fmt: skip

ROWS = [*MISSPELT, *WRONG_TYPES, *WRONG_VALUES]


def written(root, service, state=None, in_variant=None):
    """Write a case whose state of one service is this, and a variant's; return what is wrong with it."""
    truth = renamed_case()
    truth["recorded_from"] = {service: "simulator" if service in SIMULATED else "real"}
    truth["state"] = {service: state}
    if in_variant is not None:
        truth["variants"][0]["state"] = {service: in_variant}
    write_case(root, RENAMED, truth, workflow("x"))
    return [str(one) for one in load_corpus(root / "cases", root / "cassettes", tolerant=True).broken.get(RENAMED, ())]


def merged(base, patch):
    if not isinstance(base, dict) or not isinstance(patch, dict):
        return patch
    return {**base, **{key: merged(base.get(key), value) for key, value in patch.items()}}


@pytest.mark.parametrize(
    ("service", "patch", "says", "in_variant"), [*((*row, False) for row in ROWS), *((*row, True) for row in MISSPELT)]
)
def test_what_does_not_fit_a_services_state_is_reported_with_line_and_column_when_the_case_is_read(
    tmp_path, service, patch, says, in_variant
):
    base = copy.deepcopy(BASES.get(service, {}))
    lines = written(tmp_path, service, base, patch) if in_variant else written(tmp_path, service, merged(base, patch))
    assert len(lines) == 1
    assert says in lines[0]
    place, line, column, path = lines[0].split(":")[:4]
    assert place.endswith("case.yaml")
    assert path.strip().startswith(f"variants.0.state.{service}" if in_variant else f"state.{service}")
    text = (tmp_path / "cases" / RENAMED / "case.yaml").read_text("utf-8").splitlines()[int(line) - 1]
    assert text[int(column) - 1 :].split(":")[0].strip("'") in lines[0] or text.lstrip().startswith("- ")


def test_every_service_is_among_those_that_are_tried():
    for rows in (MISSPELT, WRONG_TYPES):
        assert {service for service, *_ in rows} >= {*service_names(), SHELL, MODELS} - {"mcp_everything"}


def test_all_that_is_wrong_is_reported_at_once_and_once(tmp_path):
    state = {**copy.deepcopy(DESK), "error_stile": "drf", "wrapp": {}}
    lines = written(tmp_path, "json_api", state, {"routs": {}})
    assert [line.partition("unknown key ")[2].partition(";")[0] for line in lines] == [
        "'error_stile'",
        "'wrapp'",
        "'routs'",
    ]


def test_a_key_that_a_variant_misspells_in_what_the_case_has_is_placed_in_the_variant(tmp_path):
    line = written(tmp_path, "json_api", copy.deepcopy(DESK), route(schema={"requird": []}))[0]
    assert "variants.0.state.json_api.routes.POST /notes.schema.requird: unknown key" in line


def test_a_record_that_a_service_shows_as_it_is_may_have_fields_of_its_own(tmp_path):
    customer = {"name": "Ask", "email": "a@b.example", "tax_exempt": "none", "preferred_locales": ["nn"]}
    assert written(tmp_path, "payments", {"customers": {"cus_1": customer}}) == []
    person = {"id": "p-3", "called": "Ask", "idle": True, "anything": {"aditionalProperties": 1}}
    assert written(tmp_path, "json_api", merged(DESK, {"collections": {"people": {"p-3": person}}})) == []


def test_a_tool_may_fail_with_an_error_that_carries_a_list(tmp_path):
    failing = {"get_ticket": [{"error": {"code": -32603, "message": "no", "data": [1]}}]}
    assert written(tmp_path, "mcp_sim", {"servers": {"harbour-tickets": {"at_first": failing}}}) == []


def test_null_takes_away_what_the_state_has_and_is_no_fault(tmp_path):
    assert written(tmp_path, "json_api", copy.deepcopy(DESK), {"auth": None, "routes": {"POST /ledger": None}}) == []
    assert written(tmp_path, "slack", {}, {"users": {"U03GONEOLD": None}, "team": {"domain": None}}) == []


def test_a_service_that_is_not_simulated_is_reported_before_anything_runs(tmp_path):
    write_case(tmp_path, RENAMED, renamed_case(), workflow("x"))
    change_case(tmp_path, RENAMED, lambda t: t.update(recorded_from={"datasette": "simulator"}, state={}))
    found = load_corpus(tmp_path / "cases", tmp_path / "cassettes", tolerant=True).broken[RENAMED]
    assert "unknown simulated service 'datasette'" in str(found[0])


def test_the_published_schema_has_the_keys_of_every_services_state():
    published = schema("case")
    assert set(published["properties"]["state"]["properties"]) == {*service_names(), SHELL, FILES, MODELS}
    validator = jsonschema.Draft202012Validator(published)
    assert validator.is_valid(renamed_case())
    free = {"payments", "lab_api"}  # their records may have further keys
    for service, patch, says in MISSPELT:
        if "unknown key" in says and service not in free and "collections" not in patch and None not in patch.values():
            assert not validator.is_valid(
                {**renamed_case(), "recorded_from": {service: "real"}, "state": {service: patch}}
            ), patch
