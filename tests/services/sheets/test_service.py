from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import accepted
from mendbench.exchanges.bodies import parse_body
from mendbench.model.exchange import Request
from mendbench.services import hosts_of, simulated
from tests.fakes.services import NOW_MS, body_of
from tests.services.sheets.client import LEDGER, PAYROLL, RAW, append, change, message, sheets, update, values

STRANGER = {"tokens": {"tok": {"email": "stranger@example.org"}}}
READER = {"tokens": {"tok": {"email": "auditor@brackmoor-seedbank.example"}}}


def _sheet_of(body):
    return [(one["properties"]["sheetId"], one["properties"]["title"]) for one in body["sheets"]]


def test_it_answers_for_googles_host():
    assert hosts_of("sheets", {}) == ("sheets.googleapis.com",)


def test_a_spreadsheet_lists_its_sheets_grids_and_named_ranges():
    body = body_of(sheets().send("GET", LEDGER))
    assert _sheet_of(body) == [(731940255, "Outbound crates '26"), (118273640, "Germination"), (902, "Wickets")]
    assert body["sheets"][2]["properties"]["gridProperties"] == {"rowCount": 60, "columnCount": 4}
    assert body["namedRanges"][0]["range"] == {
        "sheetId": 731940255, "startRowIndex": 3, "endRowIndex": 20, "startColumnIndex": 0, "endColumnIndex": 5,
    }  # fmt: skip


def test_a_mask_leaves_the_fields_that_it_names():
    body = body_of(sheets().send("GET", f"{LEDGER}?fields=sheets(properties(title)),properties.title"))
    assert body["properties"] == {"title": "Brackmoor lot ledger"}
    assert body["sheets"][0] == {"properties": {"title": "Outbound crates '26"}}
    assert set(body) == {"properties", "sheets"}


def test_a_mask_of_unknown_fields_is_explained_in_the_details_alone():
    body = body_of(sheets().send("GET", f"{LEDGER}?fields=content"))
    assert message(body) == "Request contains an invalid argument."
    assert body["error"]["details"][0]["fieldViolations"] == [
        {
            "field": "content",
            "description": "Error expanding 'fields' parameter. Cannot find matching fields for path 'content'.",
        }
    ]


def test_cells_are_reported_with_the_grid():
    body = body_of(sheets().send("GET", f"{LEDGER}?includeGridData=true&ranges=Germination!C2:C3"))
    rows = body["sheets"][0]["data"][0]["rowData"]
    assert [row["values"][0]["formattedValue"] for row in rows] == ["47", "31"]
    assert len(body["sheets"]) == 1


@pytest.mark.parametrize(
    ("state", "header", "message_start"),
    [
        ({}, None, "Request is missing required authentication credential. Expected OAuth 2 access token"),
        (READER, "Bearer other", "Request had invalid authentication credentials. Expected OAuth 2 access token"),
        ({"tokens": {"tok": {"status": "expired"}}}, "Bearer tok", "Request had invalid authentication credentials."),
        ({}, "Bearer {{token}}", "Request had invalid authentication credentials."),
    ],
)
def test_a_missing_or_bad_credential_is_unauthenticated(state, header, message_start):
    response = sheets(state).send("GET", LEDGER, headers={"authorization": header})
    error = body_of(response)["error"]
    assert (response.status, error["code"], error["status"]) == (401, 401, "UNAUTHENTICATED")
    assert error["message"].startswith(message_start)


def test_an_unknown_spreadsheet_is_not_found():
    assert body_of(sheets().send("GET", "test")) == {
        "error": {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND"}
    }


@pytest.mark.parametrize(("state", "token"), [({}, "any-token"), (STRANGER, "tok")])
def test_a_spreadsheet_that_is_not_shared_is_forbidden(state, token):
    assert values(sheets(state, token=token), "A1", book=PAYROLL) == {
        "error": {"code": 403, "message": "The caller does not have permission", "status": "PERMISSION_DENIED"}
    }


def test_a_reader_reads_and_does_not_write():
    client = sheets(READER, token="tok")
    assert values(client, "Wickets!A1")["values"] == [["Wicket"]]
    assert update(client, "Wickets!A1", {"values": [["x"]]})["error"]["status"] == "PERMISSION_DENIED"


def test_a_token_for_reading_alone_lacks_the_scope_to_write():
    state = {"tokens": {"tok": {"scopes": ["https://www.googleapis.com/auth/spreadsheets.readonly"]}}}
    client = sheets(state, token="tok")
    assert "values" in values(client, "Wickets!A1")
    error = append(client, "Wickets", {"values": [["x"]]})["error"]
    assert error["message"] == "Request had insufficient authentication scopes."
    assert error["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    assert error["details"][0]["metadata"]["method"].endswith(".AppendValues")


@pytest.mark.parametrize(("retry_after", "header"), [(None, None), (20, "20")])
def test_the_first_requests_over_the_quota_are_refused_and_then_they_pass(retry_after, header):
    limit = {"times": 2} if retry_after is None else {"times": 2, "retry_after": retry_after}
    client = sheets({"rate_limited": {"write": limit}})
    path = f"{LEDGER}/values/Germination!A9?{RAW}"
    responses = [client.send("PUT", path, {"values": [["x"]]}) for _ in range(3)]
    assert [response.status for response in responses] == [429, 429, 200]
    assert responses[0].header("retry-after") == header
    error = body_of(responses[0])["error"]
    assert error["status"] == "RESOURCE_EXHAUSTED"
    assert error["message"] == (
        "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user' of service "
        "'sheets.googleapis.com' for consumer 'project_number:418820773306'."
    )
    assert error["details"][0]["reason"] == "RATE_LIMIT_EXCEEDED"
    assert error["details"][0]["metadata"]["quota_limit_value"] == "60"


def test_a_quota_for_writes_lets_reads_pass():
    client = sheets({"rate_limited": {"write": {}}})
    assert "values" in values(client, "Wickets!A1")
    assert update(client, "Germination!A9", {"values": [[1]]})["error"]["code"] == 429
    assert update(client, "Germination!A9", {"values": [[1]]})["error"]["code"] == 429


def test_a_failure_that_the_case_plans_comes_first():
    client = sheets({"failures": {"values.append": [{"status": 503, "body": "Service Unavailable"}]}})
    assert client.send("POST", f"{LEDGER}/values/Germination:append?{RAW}", {"values": [[1]]}).status == 503
    assert "updates" in append(client, "Germination", {"values": [[1]]})


def test_a_sheet_is_added_renamed_and_deleted():
    client = sheets()
    body = change(client, {"addSheet": {"properties": {"title": "Returns"}}})
    sheet_id = body["replies"][0]["addSheet"]["properties"]["sheetId"]
    renamed = {"updateSheetProperties": {"properties": {"sheetId": sheet_id, "title": "Sent back"}, "fields": "title"}}
    assert change(client, renamed)["replies"] == [{}]
    assert (sheet_id, "Sent back") in _sheet_of(body_of(client.send("GET", LEDGER)))
    assert change(client, {"deleteSheet": {"sheetId": sheet_id}})["replies"] == [{}]
    assert sheet_id not in dict(_sheet_of(body_of(client.send("GET", LEDGER))))


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({"frobnicate": {}}, "Invalid JSON payload received. Unknown name \"frobnicate\" at 'requests[0]': Cannot find field."),
        (
            {"addSheet": {"properties": {"title": "Wickets"}}},
            'Invalid requests[0].addSheet: A sheet with the name "Wickets" already exists. Please enter another name.',
        ),
        ({"deleteSheet": {"sheetId": 4}}, "Invalid requests[0].deleteSheet: No grid with id: 4"),
        (
            {"updateSheetProperties": {"properties": {"sheetId": 902, "title": "x"}}},
            ("Invalid requests[0].updateSheetProperties: At least one field must be listed in 'fields'. "
            "(Use '*' to indicate all fields.)"),
        ),
        ({"deleteSheet": {"sheetId": "Wickets"}}, "Invalid value at 'requests[0].delete_sheet.sheet_id' (TYPE_INT32), \"Wickets\""),
    ],
)  # fmt: skip
def test_a_request_of_a_batch_that_cannot_be_done_is_reported_with_its_place(request_, text):
    assert message(change(sheets(), request_)) == text


def test_the_last_visible_sheet_cannot_be_hidden_nor_the_last_one_deleted():
    only = {"731940255": None, "118273640": None}
    client = sheets({"spreadsheets": {LEDGER: {"sheets": only, "protected": {"60442": None}}}})
    hide = {"updateSheetProperties": {"properties": {"sheetId": 902, "hidden": True}, "fields": "hidden"}}
    assert message(change(client, hide)) == (
        "Invalid requests[0].updateSheetProperties: You can't hide all the sheets in a document."
    )
    assert message(change(client, {"deleteSheet": {"sheetId": 902}})) == (
        "Invalid requests[0].deleteSheet: You can't remove all the sheets in a document."
    )


def test_a_batch_is_done_whole_or_not_at_all():
    client = sheets()
    change(client, {"addSheet": {"properties": {"title": "Returns"}}}, {"deleteSheet": {"sheetId": 4}})
    assert len(_sheet_of(body_of(client.send("GET", LEDGER)))) == 3


def test_no_request_is_one_too_few():
    assert message(change(sheets())) == "Must specify at least one request."


@pytest.mark.parametrize(
    ("raw", "kind", "text"),
    [
        (b"values", "application/json", "Invalid JSON payload received. Unexpected token.\nvalues\n^"),
        (b"[1]", "application/json", 'Invalid JSON payload received. Unknown name "": Root element must be a message.'),
        (
            b"values=x",
            "application/x-www-form-urlencoded",
            (
                'Invalid JSON payload received. Unknown name "values": Cannot bind query parameter. '
                "Field 'values' could not be found in request message."
            ),
        ),
    ],
)
def test_a_body_that_is_no_message_is_refused(raw, kind, text):
    response = sheets().send("POST", f"{LEDGER}/values/A1:append?{RAW}", raw=raw, headers={"content-type": kind})
    assert message(body_of(response)) == text


def test_another_verb_or_path_is_a_page():
    for method, path in (("DELETE", LEDGER), ("POST", f"{LEDGER}/values/A1"), ("GET", f"{LEDGER}/values/A1/B2")):
        response = sheets().send(method, path)
        assert (response.status, response.header("content-type")) == (404, "text/html; charset=utf-8")


def test_a_write_that_changes_nothing_leaves_the_state_as_it_was():
    client = sheets()
    before = copy.deepcopy(client.state)
    assert update(client, "Germination!A2", {"values": [["HRD-77/b"]]})["updatedCells"] == 1
    assert client.state == before


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
NAMES = ("values", "range", "majorDimension", "requests", "data", "valueInputOption", "ranges")
RANGES = (
    "Germination!A1",
    "Germination",
    "Wickets!A2:B",
    "open_crates",
    "A1:B2",
    "Nowhere!A1",
    "'x",
    "Germination!A999:Z1000",
)
QUERY = (
    "",
    RAW,
    "valueInputOption=USER_ENTERED",
    "majorDimension=COLUMNS",
    "fields=sheets.properties",
    "includeGridData=true",
)
KINDS = st.sampled_from(["addSheet", "deleteSheet", "updateSheetProperties", "repeatCell"])
PROPERTIES = st.dictionaries(
    st.sampled_from(["sheetId", "title", "hidden", "index", "gridProperties"]),
    JSON_VALUES | st.sampled_from([902, "902"]),
    max_size=3,
)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "properties": PROPERTIES,
        "fields": st.sampled_from(["title", "*", "hidden", ""]),
        "sheetId": st.sampled_from([902, 7, "x"]),
    },
)
REQUESTS = st.lists(st.dictionaries(KINDS, SAID | JSON_VALUES, max_size=2), max_size=2)
ROWS = st.lists(
    st.lists(
        st.text(max_size=4) | st.integers() | st.none() | st.sampled_from(["1e5", "٣", "12%", "-", "2026-13-01"]),
        max_size=3,
    ),
    max_size=3,
)
BODIES = st.one_of(
    st.binary(max_size=30),
    JSON_VALUES.map(json.dumps).map(str.encode),
    st.dictionaries(st.sampled_from(NAMES), JSON_VALUES, max_size=3).map(json.dumps).map(str.encode),
    ROWS.map(lambda rows: json.dumps({"values": rows}).encode()),
    REQUESTS.map(lambda requests: json.dumps({"requests": requests}).encode()),
    ROWS.map(lambda rows: json.dumps({"valueInputOption": "RAW", "data": [{"range": "Wickets!A1", "values": rows}]}).encode()),
)  # fmt: skip
PATHS = st.one_of(
    st.just(LEDGER), st.just(f"{LEDGER}:batchUpdate"),
    st.sampled_from([f"{LEDGER}/values:{verb}" for verb in ("batchGet", "batchUpdate", "batchClear")]),
    st.tuples(st.sampled_from(RANGES) | st.text(max_size=8), st.sampled_from(["", ":append", ":clear"])).map(
        lambda pair: f"{LEDGER}/values/{pair[0]}{pair[1]}"
    ),
)  # fmt: skip


@given(
    method=st.sampled_from(["GET", "POST", "PUT"]),
    path=PATHS,
    query=st.sampled_from(QUERY),
    body=BODIES,
)
def test_any_request_is_answered_twice_alike_and_only_an_accepted_write_leaves_a_trace(method, path, query, body):
    service = simulated("sheets")
    state = service.seed()
    before = copy.deepcopy(state)
    request = Request(
        method=method,
        url=f"https://sheets.googleapis.com/v4/spreadsheets/{path}?{query}",
        headers=(("authorization", "Bearer x"), ("content-type", "application/json")),
        body=body,
    )
    left, response = service.response(state, request, NOW_MS)
    assert state == before
    assert service.response(state, request, NOW_MS + 5) == (left, response)
    assert json.loads(json.dumps(left)) == left
    if request.safe or not accepted(response, parse_body(response.body, response.header("content-type"))):
        assert left == before
    assert service.response(left, request, NOW_MS)
    meant = service.canonical(request)
    assert meant is None or service.canonical(meant) == meant


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/values/'Wickets'!a$1:b2?majorDimension=ROWS", "/values/Wickets!A1:B2?majorDimension=ROWS"),
        ("/values/My%20Tab!A1", "/values/'My Tab'!A1"),
        ("/values/A1:append?value_input_option=RAW&prettyPrint=false", "/values/A1:append?valueInputOption=RAW"),
    ],
)
def test_two_spellings_of_one_call_mean_the_same(one, other):
    service, method = simulated("sheets"), "POST" if "append" in one else "GET"
    asked = [
        Request(method=method, url=f"https://sheets.googleapis.com/v4/spreadsheets/b{path}") for path in (one, other)
    ]
    assert service.canonical(asked[0]) == service.canonical(asked[1]) is not None


@pytest.mark.parametrize(("method", "tail"), [("POST", ":append"), ("PUT", "")])
def test_the_default_dimension_and_the_range_of_the_url_once_more_mean_nothing(method, tail):
    def normalised(**body):
        url = f"https://sheets.googleapis.com/v4/spreadsheets/b/values/Lots!A1{tail}?valueInputOption=RAW"
        return simulated("sheets").canonical(Request(method=method, url=url, body=json.dumps(body).encode()))

    plain = normalised(values=[["a"]])
    assert normalised(values=[["a"]], majorDimension="ROWS", range="'Lots'!A1") == plain
    assert normalised(values=[["a"]], majorDimension="COLUMNS") != plain
    assert normalised(values=[["a"]], range="Seals!A1") != plain


def test_an_empty_text_in_an_empty_cell_changes_nothing():
    client = sheets()
    before = copy.deepcopy(client.state)
    update(client, "Germination!H80", {"values": [[""]]})
    assert client.state == before
