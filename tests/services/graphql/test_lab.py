from __future__ import annotations

import copy

import pytest

from tests.fakes.services import body_of
from tests.services.graphql.client import ask, first_error, first_message, lab

PLACE = "mutation($i: RequisitionPlaceInput!) { requisitionPlace(input: $i) { requisition { id state specimen { aliquots } } userErrors { field message code } } }"
REGISTER = "mutation($i: SpecimenRegisterInput!) { specimenRegister(input: $i) { specimen { id } userErrors { field message code } } }"
NEW = {"code": "QM-1", "label": "L", "phase": "SLURRIED", "aliquots": 1, "custodianId": "cst-11"}


def errors_of(client, query, variables):
    (payload,) = ask(client, query, variables)["data"].values()
    return [(entry["field"][-1], entry["message"], entry["code"]) for entry in payload["userErrors"]]


def test_q16_what_the_model_refuses_is_a_200_with_user_errors_and_costs():
    client = lab()
    before = copy.deepcopy(client.state)
    response = client.send("POST", "", {"query": REGISTER, "variables": {"i": {**NEW, "label": ""}}})
    body = body_of(response)
    assert response.status == 200
    assert body["data"] == {
        "specimenRegister": {
            "specimen": None,
            "userErrors": [{"field": ["input", "label"], "message": "Label can't be blank", "code": "BLANK"}],
        }
    }
    assert "errors" not in body
    assert body["extensions"]["cost"]["throttleStatus"] == {
        "maximumAvailable": 2000.0, "currentlyAvailable": 1989, "restoreRate": 100.0,
    }  # fmt: skip
    assert client.state == before


@pytest.mark.parametrize(
    ("change", "entry"),
    [
        ({"code": "QM-0417"}, ("code", "Code has already been taken", "TAKEN")),
        ({"label": "x" * 81}, ("label", "Label is too long (maximum is 80 characters)", "TOO_LONG")),
        ({"aliquots": 0}, ("aliquots", "Aliquots must be greater than 0", "GREATER_THAN")),
        ({"custodianId": "cst-99"}, ("custodianId", "Custodian does not exist", "NOT_FOUND")),
        ({"lockerCode": "ARID-1"}, ("lockerCode", "Locker is invalid", "INVALID")),
        ({"lockerCode": "NONE-1"}, ("lockerCode", "Locker does not exist", "NOT_FOUND")),
    ],
)  # fmt: skip
def test_each_rule_of_a_specimen_has_its_field_message_and_code(change, entry):
    assert errors_of(lab(), REGISTER, {"i": {**NEW, **change}}) == [entry]


def test_a_requisition_takes_its_aliquots_once_and_not_more_than_there_are():
    client, order = lab(), {"specimenId": "spc-503", "aliquots": 2, "handling": "FEATHERBED", "costCentre": "CC-KELP"}
    placed = ask(client, PLACE, {"i": order})["data"]["requisitionPlace"]
    assert placed == {"requisition": {"id": "req-81", "state": "PLACED", "specimen": {"aliquots": 1}}, "userErrors": []}
    assert errors_of(client, PLACE, {"i": order}) == [
        ("aliquots", "Aliquots must be less than or equal to 1", "LESS_THAN_OR_EQUAL_TO")
    ]
    withdraw = 'mutation { requisitionWithdraw(id: "req-81") { userErrors { field message code } } }'
    assert errors_of(client, withdraw, None) == []
    assert errors_of(client, withdraw, None) == [("id", "State is invalid", "INVALID")]
    assert client.state["counters"]["writes"] == 2


def test_a_specimen_moves_to_a_locker_that_takes_its_phase():
    client = lab()
    move = 'mutation { specimenRelocate(specimenId: "%s", lockerCode: "%s") { specimen { locker { code free } } userErrors { field message code } } }'
    assert errors_of(client, move % ("spc-501", "ARID-1"), None)[0][2] == "INVALID"
    assert errors_of(client, move % ("spc-999", "ARID-1"), None)[0][1] == "Specimen does not exist"
    client = lab({"lab": {"lockers": {"ARID-1": {"phases": ["VITRIFIED"]}}}})
    moved = ask(client, move % ("spc-501", "ARID-1"))["data"]["specimenRelocate"]["specimen"]
    assert moved == {"locker": {"code": "ARID-1", "free": 4}}


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("{ specimens(first: 1) { nodes { kode } } }", 400, "Cannot query field 'kode' on type 'Specimen'. Did you mean 'code'?"),
        ("{ specimen { id } }", 400, "Argument 'Query.specimen(code:)' of type 'String!' is required, but it was not provided."),
        ("{ specimens(phase: FROZEN) { nodes { id } } }", 400, "Value 'FROZEN' does not exist in 'SpecimenPhase' enum."),
        ("{ { x", 400, "Syntax Error: Expected Name, found '{'."),
        ("query($c: String!) { specimen(code: $c) { id } }", 200, "Variable '$c' has invalid value: Expected a value of non-null type 'String!' to be provided."),
        ('{ specimen(code: "none") { id } }', 200, "Entity not found: Specimen"),
        ("{ specimens(first: -1) { nodes { id } } }", 200, "Argument 'first' must be a non-negative integer."),
    ],
)  # fmt: skip
def test_a_refusal_is_in_graphql_cores_words(query, status, message):
    client = lab()
    assert client.send("POST", "", {"query": query}).status == status
    assert first_message(client, query) == message


def test_a_null_where_none_may_be_takes_its_parent_along():
    client = lab({"lab": {"custodians": {"cst-11": None}}})
    body = ask(client, '{ specimensByCode(codes: ["QM-0417", "QM-0422"]) { code custodian { badge } } }')
    assert body["data"]["specimensByCode"] == [None, {"code": "QM-0422", "custodian": {"badge": "MO-118"}}]
    assert body["errors"][0]["message"] == "Cannot return null for non-nullable field Specimen.custodian."
    assert body["errors"][0]["path"] == ["specimensByCode", 0, "custodian"]


def test_q18_a_request_that_costs_more_than_is_left_is_throttled_and_a_smaller_one_is_not():
    client = lab({"lab": {"throttle": {"available": 60}}})
    error = ask(client, "{ specimens(first: 100) { nodes { id locker { code } } } }")
    assert error["errors"] == [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}]
    assert error["extensions"]["cost"]["requestedQueryCost"] == 200
    assert "data" not in error
    assert "errors" not in ask(client, "{ specimens(first: 10) { nodes { id locker { code } } } }")


def test_throttling_may_last_for_so_many_requests():
    client = lab({"rate_limited": {"lab": {"times": 1}}})
    assert first_message(client, "{ lockers { code } }") == "Throttled"
    assert "errors" not in ask(client, "{ lockers { code } }")


def test_what_a_query_costs_follows_its_page_size_objects_and_fragments():
    def cost(query, **variables):
        return ask(lab(), query, variables)["extensions"]["cost"]["requestedQueryCost"]

    assert cost("{ lockers { code } }") == 1
    assert cost("query($n: Int) { specimens(first: $n) { edges { node { id custodian { badge } } } } }", n=7) == 14
    assert cost("{ specimens(first: 3) { nodes { ...S } } } fragment S on Specimen { id locker { id } }") == 6
    assert cost('mutation { requisitionWithdraw(id: "x") { requisition { id } } }') == 12


def test_q11_without_a_good_token_there_is_a_401():
    response = lab().send("POST", "", {"query": "{ lockers { code } }"}, headers={"authorization": None})
    error = body_of(response)["errors"][0]
    assert (response.status, error["message"]) == (401, "Authentication required, not authenticated")
    assert error["extensions"]["code"] == "AUTHENTICATION_ERROR"


def test_a_token_without_the_scope_is_denied_the_field():
    client = lab({"tokens": {"any-one": {"scopes": []}}})
    error = first_error(client, 'mutation { requisitionWithdraw(id: "req-70") { userErrors { message } } }')
    assert (
        error["message"]
        == "Access denied for requisitionWithdraw field. Required access: `write_requisitions` access scope."
    )
    assert error["extensions"]["code"] == "ACCESS_DENIED"


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ([], "Operation data should be a JSON object"),
        ({}, "The query must be a string."),
        ({"query": "{a}", "variables": []}, "Query variables must be a null or an object."),
        ({"query": "{a}", "operationName": 3}, '"3" is not a valid operation name.'),
    ],
)
def test_a_body_is_checked_as_ariadne_does(sent, text):
    response = lab().send("POST", "", sent)
    assert (response.status, body_of(response)["errors"][0]["message"]) == (400, text)


def test_what_is_no_json_no_post_or_nested_without_end_is_refused():
    assert lab().send("POST", "", raw=b"{").body == b"Request body is not a valid JSON"
    assert lab().send("GET", "").status == 405
    assert lab().send("POST", "", {"query": "{a" * 1900}).status in {400, 500}


def test_a_failure_that_the_state_declares_for_a_root_field_comes_before_the_answer():
    client = lab({"failures": {"requisitionPlace": [{"status": 502, "body": "bad gateway"}]}})
    order = {"specimenId": "spc-503", "aliquots": 1, "handling": "TUMBLE", "costCentre": "x"}
    assert "errors" not in ask(client, "{ lockers { code } }")
    assert client.send("POST", "", {"query": PLACE, "variables": {"i": order}}).status == 502
    assert ask(client, PLACE, {"i": order})["data"]["requisitionPlace"]["userErrors"] == []


def test_a_field_that_goes_out_of_use_still_answers_and_says_so():
    query = '{ __type(name: "Specimen") { fields(includeDeprecated: true) { name isDeprecated deprecationReason } } }'
    fields = {one["name"]: one for one in ask(lab(), query)["data"]["__type"]["fields"]}
    assert fields["assayNote"] == {"name": "assayNote", "isDeprecated": True, "deprecationReason": "Use `remark`."}
    assert (
        ask(lab(), '{ specimen(code: "QM-0417") { assayNote } }')["data"]["specimen"]["assayNote"] == "thaw once only"
    )


def test_user_errors_name_a_renamed_field_by_its_new_name():
    client = lab({"renamed": {"SpecimenRegisterInput.label": "epithet"}})
    new = {**{key: value for key, value in NEW.items() if key != "label"}, "epithet": " "}
    assert errors_of(client, REGISTER, {"i": new}) == [("epithet", "Label can't be blank", "BLANK")]
