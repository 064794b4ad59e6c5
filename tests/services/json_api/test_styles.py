"""Refusals in the words of the frameworks that answer so."""

from __future__ import annotations

import copy
import json
from typing import Annotated, Literal

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.services import simulated
from tests.fakes.services import Client, body_of
from tests.services.json_api.states import LEDGER

SCHEMA = {
    "required": ["gist", "heft", "kind"],
    "additionalProperties": False,
    "properties": {
        "gist": {"type": "string", "minLength": 1, "maxLength": 12},
        "heft": {"type": "integer", "minimum": 1, "maximum": 9},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "slug": {"type": "string", "pattern": "^[a-z]+$"},
        "person_id": {"type": "string"},
    },
}
GOOD = {"gist": "Buoy", "heft": 2, "kind": "a"}
ROUTE = {
    "collection": "notes",
    "action": "create",
    "schema": SCHEMA,
    "unique": ["slug"],
    "references": {"person_id": "people"},
}


def styled(style, **changes):
    state = copy.deepcopy(LEDGER)
    state["apis"]["ledger"] |= {"error_style": style, **changes}
    state["apis"]["ledger"]["routes"]["POST /v2/notes"] = ROUTE
    return Client(simulated("json_api"), state, base="https://api.tide-ledger.example", headers={})


def reply(style, body, **changes):
    response = styled(style, **changes).send("POST", "/v2/notes", body)
    return response.status, body_of(response)


BAD = {"gist": "", "heft": 12}


def test_rails_maps_fields_to_active_models_texts():
    assert reply("rails", BAD) == (422, {"errors": {
        "gist": ["can't be blank"], "heft": ["must be less than or equal to 9"], "kind": ["can't be blank"],
    }})  # fmt: skip
    assert reply("rails", {**GOOD, "heft": "x", "kind": "z"})[1]["errors"] == {
        "heft": ["is not a number"], "kind": ["is not included in the list"],
    }  # fmt: skip
    assert reply("rails", {**GOOD, "slug": "first"}) == (422, {"errors": {"slug": ["has already been taken"]}})
    assert reply("rails", {**GOOD, "person_id": "p-9"}) == (422, {"errors": {"person": ["must exist"]}})
    assert reply("rails", {**GOOD, "hue": 1}) == (400, {"error": "found unpermitted parameter: :hue"})


def test_drf_maps_fields_to_its_serializers_texts():
    assert reply("drf", BAD) == (400, {
        "gist": ["This field may not be blank."], "heft": ["Ensure this value is less than or equal to 9."],
        "kind": ["This field is required."],
    })  # fmt: skip
    assert reply("drf", {**GOOD, "heft": "x", "kind": "z"})[1] == {
        "heft": ["A valid integer is required."], "kind": ['"z" is not a valid choice.'],
    }  # fmt: skip
    assert reply("drf", {**GOOD, "slug": "first"}) == (400, {"slug": ["note with this slug already exists."]})
    assert reply("drf", {**GOOD, "person_id": "p-9"}) == (
        400,
        {"person_id": ['Invalid pk "p-9" - object does not exist.']},
    )
    assert reply("drf", [1]) == (400, {"non_field_errors": ["Invalid data. Expected a dictionary, but got list."]})
    assert body_of(styled("drf").send("GET", "/v2/people/p-1")) == {"detail": "No Person matches the given query."}
    assert body_of(styled("drf").send("POST", "/v2/people")) == {"detail": 'Method "POST" not allowed.'}


def test_aspnet_gives_a_map_of_validation_problems():
    status, body = reply("aspnet", BAD)
    assert (status, body["title"]) == (400, "One or more validation errors occurred.")
    assert body["errors"] == {
        "Gist": ["The Gist field is required."], "Heft": ["The field Heft must be between 1 and 9."],
        "Kind": ["The Kind field is required."],
    }  # fmt: skip
    assert body["traceId"].startswith("00-")
    unread = reply("aspnet", {**GOOD, "heft": "x"})[1]["errors"]
    assert unread["$.heft"][0].startswith(
        "The JSON value could not be converted to System.Int32. Path: $.heft | LineNumber: 0"
    )
    assert unread["note"] == ["The note field is required."]
    missing = styled("aspnet").send("GET", "/v2/people/p-1")
    assert (missing.header("content-type"), body_of(missing)["type"]) == (
        "application/problem+json; charset=utf-8", "https://tools.ietf.org/html/rfc9110#section-15.5.5",
    )  # fmt: skip


def test_spring_lists_binding_errors_and_by_default_says_nothing():
    status, body = reply("spring", BAD)
    assert (status, body["error"], body["path"]) == (400, "Bad Request", "/v2/notes")
    assert body["message"] == "Validation failed for object='note'. Error count: 3"
    assert [(one["field"], one["defaultMessage"], one["code"]) for one in body["errors"]] == [
        ("gist", "size must be between 1 and 12", "Size"), ("heft", "must be less than or equal to 9", "Max"),
        ("kind", "must not be null", "NotNull"),
    ]  # fmt: skip
    unread = reply("spring", {**GOOD, "heft": "x"})[1]["message"]
    assert unread == 'JSON parse error: Cannot deserialize value of type `int` from String "x": not a valid `int` value'
    assert set(reply("spring_bare", BAD)[1]) == {"timestamp", "status", "error", "path"}


def test_jsonapi_points_at_what_is_there():
    client = styled("jsonapi")
    response = client.send("POST", "/v2/notes", BAD)
    assert (response.status, response.header("content-type")) == (422, "application/vnd.api+json")
    assert [(one["source"]["pointer"], one["title"]) for one in body_of(response)["errors"]] == [
        ("/gist", "Invalid Attribute"), ("/heft", "Invalid Attribute"), ("", "Invalid Attribute"),
    ]  # fmt: skip
    query = body_of(client.send("GET", "/v2/people?limit=x"))["errors"][0]
    assert (query["source"], query["title"]) == ({"parameter": "limit"}, "Invalid Query Parameter")


def test_aws_names_a_type_and_all_constraints():
    assert reply("aws", {**BAD, "kind": "z"}) == (400, {"__type": "ValidationException", "message": (
        "3 validation errors detected: Value '' at 'gist' failed to satisfy constraint: Member must have length greater than or equal to 1; "
        "Value '12' at 'heft' failed to satisfy constraint: Member must have value less than or equal to 9; "
        "Value 'z' at 'kind' failed to satisfy constraint: Member must satisfy enum value set: [a, b]"
    )})  # fmt: skip
    assert reply("aws", {**GOOD, "heft": "2"}) == (
        400, {"__type": "SerializationException", "message": "STRING_VALUE can not be converted to Integer"},
    )  # fmt: skip
    gone = styled("aws").send("GET", "/v2/people/p-1")
    assert (gone.status, body_of(gone)["__type"]) == (400, "ResourceNotFoundException")


STYLES = [
    "fastapi",
    "problem",
    "plain",
    "ok_false",
    "jsonapi",
    "spring",
    "spring_bare",
    "rails",
    "drf",
    "aspnet",
    "aws",
]
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 20)
    | st.floats(0, 20)
    | st.text(max_size=15)
    | st.lists(st.integers(), max_size=2)
)


@pytest.mark.parametrize("style", STYLES)
@given(body=VALUES | st.dictionaries(st.sampled_from(["gist", "heft", "kind", "slug", "person_id", "hue"]), VALUES))
def test_every_style_refuses_whatever_does_not_fit(style, body):
    response = styled(style).send("POST", "/v2/notes", body)
    assert response.body
    assert response.status in {200, 201, 400, 404, 409, 415, 422}
    if style != "plain":
        assert json.loads(response.body)


class _Note(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")
    gist: Annotated[str, pydantic.Field(min_length=1, max_length=12)]
    heft: Annotated[int, pydantic.Field(ge=1, le=9)]
    kind: Literal["a", "b"]


@given(
    body=st.fixed_dictionaries(
        {},
        optional={
            "gist": st.text(alphabet="abc", max_size=15) | st.integers() | st.none(),
            "heft": st.integers(-2, 12)
            | st.sampled_from(["2", "x", "", 1.5, 3.0])
            | st.none()
            | st.lists(st.integers(), max_size=1),
            "kind": st.sampled_from(["a", "z", 1]),
            "hue": st.integers(),
        },
    )
)
def test_fastapis_details_are_pydantics(body):
    schema = {**SCHEMA, "properties": {name: SCHEMA["properties"][name] for name in ("gist", "heft", "kind")}}
    client = styled("fastapi")
    client.state["apis"]["ledger"]["routes"]["POST /v2/notes"] = {
        "collection": "notes",
        "action": "create",
        "schema": schema,
    }
    response = client.send("POST", "/v2/notes", body)
    try:
        _Note.model_validate(body)
    except pydantic.ValidationError as error:
        wanted = [{**one, "loc": ["body", *one["loc"]]} for one in error.errors(include_url=False)]
        assert (response.status, body_of(response)["detail"]) == (422, wanted)
    else:
        assert response.status == 201


def test_texts_come_in_the_apis_own_language_and_with_its_fields():
    words = {"This field is required.": "Dieses Feld ist zwingend erforderlich."}
    client = styled("drf", words=words, with_errors={"request_id": "{uuid}", "at": "{timestamp}"})
    first, second = (body_of(client.send("POST", "/v2/notes", {"gist": "x", "heft": 1})) for _ in range(2))
    assert first["kind"] == ["Dieses Feld ist zwingend erforderlich."]
    assert first["request_id"] != second["request_id"]
    assert first["at"] != second["at"]
