from __future__ import annotations

import pytest

from tests.fakes.services import body_of
from tests.services.sheets.client import CRATES, LEDGER, RAW, TYPED, append, message, sheets, update, values

LIST_VALUE = "type.googleapis.com/google.protobuf.ListValue"


def test_a_range_is_read_without_its_empty_ends():
    body = values(sheets(), "Germination!A:D")
    assert body["range"] == "Germination!A1:D1000"
    assert body["values"][1] == ["HRD-77/b", "2025-12-01", "47"]
    assert len(body["values"]) == 3


def test_a_title_with_blanks_and_a_quote_is_shown_in_quotes():
    assert values(sheets(), f"{CRATES}!A2:B2") == {
        "range": "'Outbound crates ''26'!A2:B2", "majorDimension": "ROWS", "values": [["KX-0418", "HRD-77/b"]],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Wickets", "Wickets!A1:D60"),
        ("Wickets!A2:B", "Wickets!A2:B60"),
        ("Wickets!2:3", "Wickets!A2:D3"),
        ("Wickets!$A$1", "Wickets!A1"),
        ("'Wickets'!b2", "Wickets!B2"),
        ("open_crates", "'Outbound crates ''26'!A4:E20"),
        ("A1:B2", "'Outbound crates ''26'!A1:B2"),
        ("Outbound crates '26!A1", "'Outbound crates ''26'!A1"),
    ],
)
def test_every_way_to_write_a_range_is_understood(text, shown):
    assert values(sheets(), text)["range"] == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("foofoo!A1", "foofoo!A1"),
        ("'Data Tab'!A1:C10", "'Data Tab'!A1:C10"),
        ("Data Tab!A1:C10", "'Data Tab'!A1:C10"),
        ("A1:B2:C3", "A1:B2:C3"),
        ("'cpus'!'E1'", "cpus!'E1'"),
        ("'all prompts'!A1:[5", "'all prompts'!A1:[5"),
        ("Sheet1", "Sheet1"),
        ("'open", "'open"),
    ],
)
def test_what_is_no_range_or_names_no_sheet_cannot_be_parsed(text, shown):
    assert message(values(sheets(), text)) == f"Unable to parse range: {shown}"


def test_values_come_as_numbers_and_by_columns_where_that_is_asked_for():
    body = values(sheets(), "Germination!B2:C3", "valueRenderOption=UNFORMATTED_VALUE&majorDimension=COLUMNS")
    assert body["values"] == [[45992, 45999], [47, 31]]


def test_an_empty_range_has_no_values():
    assert "values" not in values(sheets(), "Wickets!D5:D9")


def test_rows_are_appended_below_the_table_that_the_range_touches():
    client = sheets()
    body = append(client, f"{CRATES}!A1", {"values": [["KX-0424", None, 7], ["KX-0425"]]})
    assert body == {
        "spreadsheetId": LEDGER,
        "tableRange": "'Outbound crates ''26'!A1:E4",
        "updates": {
            "spreadsheetId": LEDGER, "updatedRange": "'Outbound crates ''26'!A5:C6",
            "updatedRows": 2, "updatedColumns": 3, "updatedCells": 3,
        },
    }  # fmt: skip
    assert values(client, f"{CRATES}!A5:C6")["values"] == [["KX-0424", "", "7"], ["KX-0425"]]


def test_the_table_that_a_range_touches_reaches_up_to_the_next_empty_row():
    client = sheets()
    update(client, "Germination!A6", {"values": [["above"], ["below"]]})
    assert append(client, "Germination!A7", {"values": [["x"]]})["tableRange"] == "Germination!A6:A7"


def test_append_grows_the_sheet_and_says_nothing_of_its_limits():
    client = sheets({"spreadsheets": {LEDGER: {"sheets": {"118273640": {"rowCount": 3}}}}})
    assert append(client, "Germination", {"values": [["x"]]})["updates"]["updatedRange"] == "Germination!A4"


def test_append_without_a_table_begins_at_the_range():
    body = append(sheets(), "Germination!F8", {"values": [["x"]]})
    assert body["updates"]["updatedRange"] == "Germination!F8"
    assert "tableRange" not in body


def test_inserted_rows_push_down_what_stands_below():
    client = sheets()
    update(client, "Germination!A5", {"values": [["below"]]})
    append(client, "Germination!A1", {"values": [["new"]]}, f"{RAW}&insertDataOption=INSERT_ROWS")
    assert [row[:1] for row in values(client, "Germination!A4:A6")["values"]] == [["new"], [], ["below"]]


def test_a_text_where_rows_belong_is_reported_by_field():
    body = append(sheets(), "Germination", {"values": "X"})
    text = f"Invalid value at 'data.values' ({LIST_VALUE}), \"X\""
    assert message(body) == text
    assert body["error"]["details"] == [
        {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{"field": "data.values", "description": text}],
        }
    ]


def test_a_flat_list_is_shown_item_by_item():
    body = append(sheets(), "Germination", {"values": ["KX-1", 4, True]})
    assert message(body).splitlines() == [
        f"Invalid value at 'data.values[0]' ({LIST_VALUE}), \"KX-1\"",
        f"Invalid value at 'data.values[1]' ({LIST_VALUE}), 4",
        f"Invalid value at 'data.values[2]' ({LIST_VALUE}), true",
    ]
    fields = [one["field"] for one in body["error"]["details"][0]["fieldViolations"]]
    assert fields == ["data.values[0]", "data.values[1]", "data.values[2]"]


def test_an_object_or_a_list_in_a_cell_is_shown_as_protobuf_text():
    client = sheets()
    assert (
        message(append(client, "Germination", {"values": [["a"], ["b", {}]]}))
        == "Invalid values[1][1]: struct_value {\n}\n"
    )
    assert message(append(client, "Germination", {"values": [[["x"]]]})) == (
        'Invalid values[0][0]: list_value {\n  values {\n    string_value: "x"\n  }\n}\n'
    )


def test_an_unknown_key_beside_the_values_is_reported():
    body = append(sheets(), "Germination", {"value": [["x"]]})
    assert message(body) == "Invalid JSON payload received. Unknown name \"value\" at 'data': Cannot find field."


@pytest.mark.parametrize("send", [append, update])
def test_the_input_option_is_required(send):
    assert message(send(sheets(), "Germination!A9", {"values": [["x"]]}, "")) == (
        "'valueInputOption' is required but not specified"
    )


def test_an_input_option_that_is_none_is_reported():
    body = update(sheets(), "Germination!A9", {"values": [["x"]]}, "valueInputOption=Text")
    assert message(body) == (
        "Invalid value at 'value_input_option' (type.googleapis.com/google.apps.sheets.v4.ValueInputOption), \"Text\""
    )


def test_an_unknown_query_parameter_cannot_be_bound():
    assert message(values(sheets(), "Germination", "limit=4")) == (
        'Invalid JSON payload received. Unknown name "limit": Cannot bind query parameter. '
        "Field 'limit' could not be found in request message."
    )


def test_a_write_beyond_the_grid_is_refused():
    body = update(sheets(), "Germination!A100000", {"values": [["x"]]})
    assert message(body) == "Range (Germination!A100000) exceeds grid limits. Max rows: 1000, max columns: 26"


def test_a_write_beyond_its_range_is_refused():
    client = sheets()
    assert message(update(client, "Germination!A9:B9", {"values": [[1, 2, 3]]})) == (
        "Requested writing within range [Germination!A9:B9], but tried writing to column [C]"
    )
    assert message(update(client, "Germination!A9:B9", {"values": [[1], [2]]})) == (
        "Requested writing within range [Germination!A9:B9], but tried writing to row [10]"
    )


def test_the_range_in_the_body_has_to_be_that_of_the_path():
    body = update(sheets(), "Germination!Z999", {"range": "Germination!Z998", "values": [["x"]]})
    assert message(body) == "Request range[Germination!Z999] does not match value's range[Germination!Z998]"


def test_raw_texts_stay_texts_and_typed_ones_become_what_they_look_like():
    client = sheets()
    for row, option in ((11, RAW), (12, TYPED)):
        update(
            client, f"Germination!A{row}", {"values": [["007", "1,200", "true", "2026-03-04", "'12", "12%"]]}, option
        )
    plain = values(client, "Germination!A11:F12", "valueRenderOption=UNFORMATTED_VALUE")["values"]
    assert plain == [
        ["007", "1,200", "true", "2026-03-04", "'12", "12%"],
        [7, 1200, True, 46085, "12", 0.12],
    ]
    assert values(client, "Germination!A12:F12")["values"] == [["7", "1,200", "TRUE", "2026-03-04", "12", "12%"]]


def test_several_ranges_are_written_at_once_or_not_at_all():
    client = sheets()
    path = f"{LEDGER}/values:batchUpdate"
    data = [{"range": "Germination!A9", "values": [["x"]]}, {"range": "Nowhere!A1", "values": [["y"]]}]
    body = body_of(client.send("POST", path, {"valueInputOption": "RAW", "data": data}))
    assert message(body) == "Invalid data[1]: Unable to parse range: Nowhere!A1"
    assert "values" not in values(client, "Germination!A9")
    body = body_of(client.send("POST", path, {"valueInputOption": "RAW", "data": data[:1]}))
    assert (body["totalUpdatedCells"], body["totalUpdatedSheets"]) == (1, 1)
    assert values(client, "Germination!A9")["values"] == [["x"]]


def test_several_ranges_are_read_at_once():
    body = body_of(sheets().send("GET", f"{LEDGER}/values:batchGet?ranges=Wickets!A1&ranges=Germination!A1"))
    assert [one["values"] for one in body["valueRanges"]] == [[["Wicket"]], [["Lot ciphers"]]]


def test_a_range_is_cleared():
    client = sheets()
    assert body_of(client.send("POST", f"{LEDGER}/values/Germination!A2:C3:clear", {})) == {
        "spreadsheetId": LEDGER, "clearedRange": "Germination!A2:C3",
    }  # fmt: skip
    assert len(values(client, "Germination")["values"]) == 1


def test_a_protected_range_takes_no_write_from_who_is_no_editor():
    body = update(sheets(), f"{CRATES}!B1", {"values": [["Lots"]]})
    assert message(body).startswith("You are trying to edit a protected cell or object. Please contact")


def test_what_was_written_is_reported_where_that_is_asked_for():
    body = update(sheets(), "Germination!A9", {"values": [[1.5]]}, f"{RAW}&includeValuesInResponse=true")
    assert body["updatedData"] == {"range": "Germination!A9", "majorDimension": "ROWS", "values": [["1.5"]]}


def test_null_leaves_a_cell_as_it_is():
    client = sheets()
    assert update(client, "Germination!A2", {"values": [[None, "later"]]})["updatedCells"] == 1
    assert values(client, "Germination!A2:B2")["values"] == [["HRD-77/b", "later"]]
