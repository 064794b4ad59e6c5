import json

from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.failure import FieldProblem
from mendbench.runtime.problems import MAX_ITEMS, field_problems
from tests.fakes.tables import for_each


def fields_in(body):
    return [(problem.field, problem.problem) for problem in field_problems(body)]


def in_tool(text):
    """The answer of an MCP tool that failed with that text."""
    return {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}], "isError": True}}


def github(message, *errors):
    return {
        "message": message,
        "errors": list(errors),
        "documentation_url": "https://docs.github.com/rest",
        "status": "422",
    }


def google(message, **more):
    return {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT", **more}}


def slack(error, *messages):
    return {
        "ok": False,
        "error": error,
        "response_metadata": {"messages": list(messages), "warnings": ["missing_charset"]},
    }


def graphql(*messages):
    return {
        "errors": [
            {"message": message, "locations": [{"line": 1, "column": 18}], "path": ["issue"]} for message in messages
        ]
    }


CASES = {
    # GitHub
    "schema": (github('Invalid request.\n\n"title" wasn\'t supplied.'), [("title", "missing")]),
    "schema-type": (github("Invalid request.\n\nFor 'properties/labels', \"a,b\" is not an array."), [("labels", "invalid")]),
    "schema-two": (github('Invalid request.\n\nNo subschema in "anyOf" matched.\n"conclusion" wasn\'t supplied.\ncompleted is not a member of ["queued"].'), [("conclusion", "missing")]),
    "validation": (github("Validation Failed", {"resource": "Issue", "field": "title", "code": "missing_field"}), [("title", "missing")]),
    "validation-message": (github("Validation Failed", {"message": "title can't be blank", "field": "title", "code": "invalid"}), [("title", "invalid")]),
    "validation-two": (github("Validation Failed", {"field": "base", "code": "invalid"}, {"field": "head", "code": "invalid"}), [("base", "invalid"), ("head", "invalid")]),
    "validation-strings": (github("Validation Failed", "Only organization repositories can have users"), []),
    "dispatch": (github("Required input 'mandatory-parameter' not provided"), [("mandatory-parameter", "missing")]),
    "label-map": ({"message": {"labels": ["can't be blank"], "title": ["is too long (maximum is 255 characters)"]}}, [("labels", "invalid"), ("title", "invalid")]),
    # Slack
    "missing": (slack("invalid_arguments", "[ERROR] missing required field: channel"), [("channel", "missing")]),
    "pointer": (slack("invalid_blocks", "[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]"), [("blocks/0/text/text", "invalid")]),
    "pointer-missing": (slack("invalid_arguments", "[ERROR] failed to match all allowed schemas [json-pointer:/view]", "[ERROR] missing required field: type [json-pointer:/view]"), [("view", "invalid"), ("view/type", "missing")]),
    "pointer-extra": (slack("invalid_arguments", "[ERROR] invalid additional property: colour [json-pointer:/blocks/0]"), [("blocks/0/colour", "unknown")]),
    "both-lists": ({**slack("invalid_blocks", "[ERROR] unsupported type: sections [json-pointer:/blocks/0/type]"), "errors": ["unsupported type: sections [json-pointer:/blocks/0/type]"]}, [("blocks/0/type", "invalid")]),
    "code": ({"ok": False, "error": "no_text"}, [("text", "missing")]),
    "resource": ({"ok": False, "error": "channel_not_found"}, []),
    # frameworks
    "fastapi": ({"detail": [{"type": "missing", "loc": ["body", "name"], "msg": "Field required", "input": {}}, {"type": "int_parsing", "loc": ["path", "item_id"], "msg": "Input should be a valid integer"}]}, [("name", "missing"), ("path/item_id", "invalid")]),
    "fastapi-json": ({"detail": [{"type": "json_invalid", "loc": ["body", 13], "msg": "JSON decode error"}]}, [("body", "invalid")]),
    "fastapi-extra": ({"detail": [{"type": "extra_forbidden", "loc": ["body", "titel"], "msg": "Extra inputs are not permitted"}]}, [("titel", "unknown")]),
    "zod": ([{"code": "too_small", "path": ["title"], "message": "Too small"}, {"code": "unrecognized_keys", "keys": ["extra"], "path": [], "message": 'Unrecognized key: "extra"'}], [("title", "invalid"), ("extra", "unknown")]),
    "ajv": ([{"instancePath": "", "keyword": "required", "params": {"missingProperty": "a"}, "message": "must have required property 'a'"}, {"instancePath": "/n", "keyword": "type", "params": {"type": "integer"}, "message": "must be integer"}, {"instancePath": "/o", "keyword": "additionalProperties", "params": {"additionalProperty": "x"}, "message": "must NOT have additional properties"}], [("a", "missing"), ("n", "invalid"), ("o/x", "unknown")]),
    "problem-json": ({"type": "https://example.net/validation-error", "title": "Your request is not valid.", "errors": [{"detail": "must be a positive integer", "pointer": "#/age"}]}, [("age", "invalid")]),
    "problem-params": ({"title": "Bad", "invalid-params": [{"name": "age", "reason": "must be positive"}]}, [("age", "invalid")]),
    "json-api": ({"errors": [{"status": "422", "source": {"pointer": "/data/attributes/firstName"}, "title": "Invalid", "detail": "too short"}]}, [("data/attributes/firstName", "invalid")]),
    "rails": ({"errors": {"name": ["has already been taken", "is too short"]}}, [("name", "invalid"), ("name", "invalid")]),
    "django": ({"title": ["This field is required."]}, [("title", "missing")]),
    "nest": ({"statusCode": 400, "message": ["email must be an email"], "error": "Bad Request"}, [("email", "invalid")]),
    "clauses": ({"error": "title is missing, description is empty"}, [("title", "missing"), ("description", "invalid")]),
    # Google
    "violations": (google("Request contains an invalid argument.", details=[{"@type": "x", "fieldViolations": [{"field": "content", "description": "Cannot find matching fields"}]}]), [("content", "invalid")]),
    "values": (google("Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue), \"X\""), [("data.values", "invalid")]),
    "cell": (google("Invalid values[1][1]: struct_value {\n}\n"), [("values[1][1]", "invalid")]),
    "unknown-name": (google("Invalid JSON payload received. Unknown name \"frobnicate\" at 'requests[0]': Cannot find field."), [("requests[0].frobnicate", "unknown")]),
    "option": (google("'valueInputOption' is required but not specified"), [("valueInputOption", "missing")]),
    # Stripe, OpenAI
    "param": ({"error": {"code": "parameter_unknown", "message": "Received unknown parameter: account[legal_entity]", "param": "account[legal_entity]"}}, [("account[legal_entity]", "unknown")]),
    "params": ({"error": {"message": "Received unknown parameters: quantity, trial_end", "type": "invalid_request_error"}}, [("quantity", "unknown"), ("trial_end", "unknown")]),
    "param-missing": ({"error": {"code": "parameter_missing", "message": "Missing required param: source.", "param": "source"}}, [("source", "missing")]),
    "param-value": ({"error": {"code": "resource_missing", "message": "No such price: 'x'", "param": "items[0][price]"}}, [("items[0][price]", "invalid")]),
    "param-null": ({"error": {"code": "model_not_found", "message": "No such model", "param": None}}, []),
    # GraphQL
    "query-field": (graphql('Cannot query field "titel" on type "Issue". Did you mean "title"?'), [("titel", "unknown")]),
    "query-argument": (graphql('Field "issue" argument "id" of type "ID!" is required, but it was not provided.'), [("id", "missing")]),
    "variable": (graphql('Variable "$id" of required type "ID!" was not provided.'), [("id", "missing")]),
    "variable-type": (graphql('Variable "$i" got invalid value 5 at "i.title"; String cannot represent a non string value: 5'), [("i.title", "invalid")]),
    "variable-two": (graphql('Variable "$i" got invalid value {}; Field "title" of required type "String!" was not provided.', 'Variable "$i" got invalid value {}; Field "foo" is not defined by type "IssueInput".'), [("title", "missing"), ("foo", "unknown")]),
    "ruby-field": ({"errors": [{"message": "Field 'titel' doesn't exist on type 'Issue'", "extensions": {"code": "undefinedField"}}]}, [("titel", "unknown")]),
    "path-is-no-field": (graphql("Could not resolve to a Repository"), []),
    "user-errors": ({"data": {"productCreate": {"userErrors": [{"field": ["input", "title"], "message": "Title can't be blank"}]}}}, [("input/title", "invalid")]),
    # SaaS
    "jira": ({"errorMessages": [], "errors": {"invalid": "Field 'invalid' is not valid for this operation."}}, [("invalid", "unknown")]),
    "jackson": ({"errorMessages": ['Unrecognized field "colour" (Class X), not marked as ignorable']}, [("colour", "unknown")]),
    "discord": ({"code": 50035, "errors": {"embeds": {"0": {"title": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}]}}}}, "message": "Invalid Form Body"}, [("embeds/0/title", "missing")]),
    "notion": ({"object": "error", "message": "body failed validation: body.parent should be defined, instead was `undefined`."}, [("parent", "missing")]),
    "notion-type": ({"object": "error", "message": 'body failed validation: body.children should be an array, instead was `"[]"`.'}, [("children", "invalid")]),
    "hubspot": ({"status": "error", "message": 'Property values were not valid: [{"isValid":false,"message":"Property \\"x\\" does not exist","error":"PROPERTY_DOESNT_EXIST","name":"x"}]'}, [("x", "unknown")]),
    "hubspot-list": ({"validationResults": [{"isValid": False, "message": "Email address x is invalid", "error": "INVALID_EMAIL", "name": "email"}]}, [("email", "invalid")]),
    "sendgrid": ({"errors": [{"message": "The from address does not match", "field": "from", "help": "https://example.com"}]}, [("from", "invalid")]),
    "kubernetes": ({"kind": "Status", "message": "is invalid", "reason": "Invalid", "details": {"name": "x", "causes": [{"reason": "FieldValueRequired", "message": "Required value", "field": "spec.replicas"}]}}, [("spec.replicas", "missing")]),
    # SQL
    "column": ({"ok": False, "error": "no such column: titel", "status": 400, "title": "Invalid SQL"}, [("titel", "unknown")]),
    "table": ({"ok": False, "error": "no such table: isues"}, [("isues", "unknown")]),
    "insert": ({"error": "table issues has no column named titel"}, [("titel", "unknown")]),
    "postgres": ({"code": "42703", "message": "column users.nme does not exist"}, [("users.nme", "unknown")]),
    "not-null": ({"error": "NOT NULL constraint failed: issues.title"}, [("issues.title", "missing")]),
    # MCP
    "pydantic": (in_tool("Error executing tool send: 2 validation errors for sendArguments\nchannel\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit https://errors.pydantic.dev\ncount\n  Input should be a valid integer [type=int_parsing, input_value='x', input_type=str]"), [("channel", "missing"), ("count", "invalid")]),
    "required": (in_tool("Input validation error: 'channel_id' is a required property"), [("channel_id", "missing")]),
    "additional": (in_tool("Input validation error: Additional properties are not allowed ('a', 'b' were unexpected)"), [("a", "unknown"), ("b", "unknown")]),
    "zod-text": (in_tool("MCP error -32602: Input validation error: Invalid arguments for tool read: Invalid input: expected string, received undefined at path"), [("path", "missing")]),
    "zod-json": (in_tool('MCP error -32602: Invalid arguments for tool x: [\n  {"code": "invalid_type", "path": ["title"], "message": "Required"}\n]'), [("title", "missing")]),
    "go": (in_tool("missing required parameter: title"), [("title", "missing")]),
    "go-type": (in_tool("parameter labels could not be coerced to []string, is string"), [("labels", "invalid")]),
    "router": ({"successful": False, "error": "Invalid request data provided\n- Input should be a valid list on parameter `values.0`\n- Following fields are missing: {'sheet_name'}"}, [("values.0", "invalid"), ("sheet_name", "missing")]),
    "wrapped-slack": (in_tool('Error executing tool post: {"ok": false, "error": "invalid_arguments", "response_metadata": {"messages": ["[ERROR] missing required field: channel"]}}'), [("channel", "missing")]),
}  # fmt: skip


@for_each("name", CASES)
def test_the_fields_that_an_answer_names_are_reported(name):
    body, expected = CASES[name]
    assert sorted(fields_in(body)) == sorted(expected)


@for_each("name", CASES)
def test_they_receive_the_answer_s_text_too(name):
    body, expected = CASES[name]
    assert sorted(fields_in(json.dumps(body))) == sorted(expected)


def test_the_words_are_the_apis_own_without_the_marks_of_its_notation():
    body = slack("invalid_blocks", "[ERROR] must be more than 0 characters [json-pointer:/blocks/0/text/text]")
    assert field_problems(body) == (
        FieldProblem(field="blocks/0/text/text", problem="invalid", says="must be more than 0 characters"),
    )


def test_where_there_are_no_words_the_code_stands_for_them():
    body = github("Validation Failed", {"resource": "Issue", "field": "milestone", "code": "invalid"})
    assert [problem.says for problem in field_problems(body)] == ["invalid"]


def test_an_object_s_word_about_a_field_goes_before_a_sentence_about_it():
    body = google(
        "Invalid value at 'data.values'",
        details=[{"fieldViolations": [{"field": "data.values", "description": "must be a list"}]}],
    )
    assert [problem.says for problem in field_problems(body)] == ["must be a list"]


@for_each("deep", range(5))
def test_json_in_strings_is_opened_up_to_four_times(deep):
    body: object = {"errors": [{"field": "title", "code": "missing_field"}]}
    for _ in range(deep):
        body = {"error": json.dumps(body)}
    assert fields_in(body) == [("title", "missing")]


@for_each(
    "body",
    [
        None, "", "HTTP 422", [], {}, 7, True,
        "<html><title>404 Not Found</title></html>",
        {"message": "Not Found", "documentation_url": "https://docs.github.com/rest", "status": "404"},
        {"ok": True, "messages": [{"text": "'title' is a required property"}], "has_more": False},
        {"data": {"repository": None}, "errors": [{"type": "NOT_FOUND", "path": ["repository"], "message": "Could not resolve"}]},
        {"error": "You must be logged in"},
        {"errors": {}},
        {"name": "bob", "message": "hello", "type": "note"},
    ],
)  # fmt: skip
def test_where_no_field_is_named_none_is_reported(body):
    assert field_problems(body) == ()


def test_a_list_without_end_is_cut():
    body = {"errors": [{"field": f"f{number}", "code": "invalid"} for number in range(5 * MAX_ITEMS)]}
    assert len(field_problems(body)) == MAX_ITEMS


KEYS = st.sampled_from(
    ["error", "errors", "message", "detail", "details", "field", "loc", "path", "code", "msg", "param", "source", "pointer",
     "keys", "params", "instancePath", "missingProperty", "_errors", "ok", "response_metadata", "messages", "data",
     "userErrors", "fieldViolations", "name", "reason", "isValid", "extensions", "result", "content", "text", "x"],
)  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40)
    | st.sampled_from(["no_text", "[{", '{"errors": {"a": "is required"}}', "'a' is a required property", "[ERROR] x [json-pointer:]"])
)  # fmt: skip
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=30
)


@given(body=JSON)
def test_any_value_gives_an_answer_and_every_problem_names_a_field_in_one_line(body):
    for problem in field_problems(body):
        assert problem.field
        assert problem.problem in {"missing", "invalid", "unknown"}
        assert problem.says
        assert "\n" not in problem.says


@given(text=st.text(max_size=400))
def test_any_text_gives_an_answer(text):
    assert isinstance(field_problems(text), tuple)


def test_nesting_beyond_any_service_gives_an_answer():
    body: object = {"field": "title", "code": "missing"}
    for _ in range(900):
        body = {"error": [body]}
    assert field_problems(body) == ()
    assert field_problems("[" * 100_000) == ()
