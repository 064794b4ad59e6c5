"""What services answer, as sightings: one row for each known answer, with what a careful reader says of it.

``cls`` is W (only the user can help), R (an edit of the workflow can), A (the payload alone does not decide) or N (no
failure at all, though it looks like one). Row ids name the service's family and a running number.
"""

import json
from dataclasses import dataclass, field
from typing import Any

from mendbench.model.execution import Observation


@dataclass(frozen=True, kw_only=True)
class Row:
    """One answer and its class."""

    id: str
    cls: str
    observation: Observation = field(repr=False)


def _row(row_id: str, cls: str, kind: str, message: str, **more: Any) -> Row:
    node_type = {"shell": "shell", "mcp": "mcp", "llm": "llm"}.get(kind, "http")
    return Row(
        id=row_id,
        cls=cls,
        observation=Observation(kind=kind, message=message, node_id="call", node_type=node_type, **more),
    )  # type: ignore[arg-type]


def http(row_id: str, cls: str, status: int, body: Any, **headers: str) -> Row:
    """An HTTP answer; a 2xx is an envelope. Underscores in header names are hyphens."""
    lower = {name.replace("_", "-"): value for name, value in headers.items()}
    body = None if body == "" else body
    outputs = {"response": body, "status_code": status, "response_headers": lower}
    kind, message = ("http", f"HTTP {status}") if status >= 300 else ("envelope", _first(body))
    return _row(row_id, cls, kind, message, status=status, headers=lower, body=body, outputs=outputs)


def slack(row_id: str, cls: str, error: str, *messages: str, **more: Any) -> Row:
    """A Slack answer: HTTP 200 and ``ok: false``."""
    metadata = {"response_metadata": {"messages": [f"[ERROR] {text}" for text in messages]}} if messages else {}
    return http(row_id, cls, 200, {"ok": False, "error": error, **metadata, **more})


def github(row_id: str, cls: str, status: int, message: str, *errors: Any, **headers: str) -> Row:
    """A GitHub answer, with the headers that each of its answers has."""
    found = {"errors": list(errors)} if errors else {}
    body = {"message": message, **found, "documentation_url": "https://docs.github.com/rest", "status": str(status)}
    return http(row_id, cls, status, body, **{"x_ratelimit_limit": "5000", "x_ratelimit_remaining": "4321", **headers})


def google(row_id: str, cls: str, code: int, status: str, message: str, **more: Any) -> Row:
    """A ``google.rpc.Status``."""
    return http(row_id, cls, code, {"error": {"code": code, "message": message, "status": status, **more}})


def stripe(row_id: str, cls: str, status: int, message: str, **more: Any) -> Row:
    """A Stripe-like error object."""
    return http(row_id, cls, status, {"error": {"message": message, "type": "invalid_request_error", **more}})


def graphql(row_id: str, cls: str, status: int, *errors: Any, **more: Any) -> Row:
    """A GraphQL answer with errors."""
    found = [
        error if isinstance(error, dict) else {"message": error, "locations": [{"line": 1, "column": 2}]}
        for error in errors
    ]
    return http(row_id, cls, status, {"errors": found, **more})


def tool(row_id: str, cls: str, text: str) -> Row:
    """An MCP tool result with ``isError``."""
    content = {"content": [{"type": "text", "text": text}], "isError": True}
    outputs = {"result": text, "server_tool_result": text, "error": text, "error_details": {"is_tool_error": True}}
    return _row(
        row_id, cls, "mcp", text, status=200, body={"jsonrpc": "2.0", "id": 1, "result": content}, outputs=outputs
    )


def rpc(row_id: str, cls: str, code: int, message: str) -> Row:
    """An MCP protocol error."""
    body = {"jsonrpc": "2.0", "id": 3, "error": {"code": code, "message": message}}
    said = f"MCP tool failed: {message}"
    return _row(
        row_id, cls, "mcp", said, status=200, body=body, outputs={"error": said, "error_details": {"timeout": False}}
    )


def gateway(row_id: str, cls: str, status: int, words: str) -> Row:
    """An MCP server whose transport answered with an HTTP status."""
    said = f"MCP tool failed: {words}"
    return _row(row_id, cls, "mcp", said, status=status, outputs={"error": said, "error_details": {"timeout": False}})


def result(row_id: str, cls: str, response: Any) -> Row:
    """An MCP tool result without ``isError`` whose text is JSON or prose."""
    text = response if isinstance(response, str) else json.dumps(response)
    body = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}]}}
    own = response if isinstance(response, dict) and not response.get("error") else {}
    outputs = {**own, "result": response, "server_tool_result": response}
    return _row(row_id, cls, "envelope", _first(response), status=200, body=body, outputs=outputs)


def shell(row_id: str, cls: str, exit_code: int, stderr: str) -> Row:
    """A command that failed."""
    message = f"Command failed with exit code {exit_code}" + (f": {stderr}" if stderr else "")
    wrote = {"stdout": "", "stderr": stderr, "exit_code": exit_code}
    return _row(row_id, cls, "shell", message, body=wrote, outputs={**wrote, "command": "run", "error": message})


def other(row_id: str, cls: str, kind: str, message: str) -> Row:
    """A fault without an answer."""
    return _row(row_id, cls, kind, message)


def _first(body: Any) -> str:
    if isinstance(body, dict):
        error = body.get("error") or body.get("message") or "request failed"
        return error if isinstance(error, str) else str(error.get("message", "request failed"))
    return str(body)[:80]


def _issue(field_name: str, code: str, **more: Any) -> dict[str, Any]:
    return {"resource": "Issue", "field": field_name, "code": code, **more}


CHARSET = {"warning": "missing_charset"}
NOT_FOUND_PAGE = "<!DOCTYPE HTML><html><head><title>404 Not Found</title></head><body><h1>Not Found</h1><p>The requested URL /api/team.info was not found on this server.</p></body></html>"
BLOCKS = "invalid_blocks"
FAILED = "Validation Failed"
ARGUMENT = "INVALID_ARGUMENT"
BAD = {"type": "type.googleapis.com/google.rpc.BadRequest"}
COMPOSIO = {"successful": True, "error": None, "data": {"ok": False, "error": "channel_not_found"}}
SHEETS = "Invalid request data provided\n- Input should be a valid list on parameter `values.0`"

# fmt: off
SLACK_ROWS = (
    slack("S1", "W", "not_authed"),
    slack("S2", "W", "invalid_auth"),
    slack("S3", "W", "token_revoked", **CHARSET),
    slack("S4", "W", "account_inactive"),
    slack("S4-token", "W", "token_expired"),
    slack("S5", "W", "missing_scope", needed="im:read", provided="links:write,channels:read"),
    slack("S6", "W", "missing_scope", needed="groups:history", provided="channels:history"),
    slack("S7", "W", "missing_scope", needed="identity.basic", provided="identify,read,post"),
    slack("S8", "W", "not_allowed_token_type"),
    slack("S9", "A", "channel_not_found", **CHARSET),
    slack("S11", "W", "not_in_channel"),
    slack("S12", "W", "is_archived"),
    slack("S13", "R", "no_text"),
    slack("S14", "R", "invalid_arguments", "missing required field: channel", **CHARSET),
    slack("S15", "R", "invalid_arguments", "missing required field: topic"),
    slack("S16", "R", "invalid_arguments", "failed to match all allowed schemas [json-pointer:/view]", "missing required field: type [json-pointer:/view]"),
    slack("S17", "R", "invalid_arguments", "input must match regex pattern: ^[CGDZ][A-Z0-9]{8,}$ [json-pointer:/channel_id]"),
    slack("S18", "R", "invalid_arguments", "input must match regex pattern: ^[C][A-Z0-9]{2,}$ [json-pointer:/channel_ids/0]"),
    slack("S19", "R", "invalid_arguments", "no more than 100 items allowed [json-pointer:/channel_ids]"),
    slack("S20", "R", "invalid_arguments", "must be less than 100 [json-pointer:/limit]"),
    slack("S20-code", "R", "invalid_limit"),
    slack("S21", "A", "invalid_cursor"),
    slack("S22", "R", BLOCKS, "must define either `text` or `fields` [json-pointer:/blocks/0/type]", errors=["must define either `text` or `fields` [json-pointer:/blocks/0/type]"]),
    slack("S23", "R", BLOCKS, "failed to match all allowed schemas [json-pointer:/blocks/0/text]", "must be less than 3001 characters [json-pointer:/blocks/0/text/text]"),
    slack("S24", "R", BLOCKS, "unsupported type: sections [json-pointer:/blocks/0/type]"),
    slack("S25", "R", BLOCKS, "no more than 50 items allowed [json-pointer:/blocks]"),
    slack("S26", "R", BLOCKS, "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
    slack("S27", "A", BLOCKS, "downloading image failed [json-pointer:/blocks/1/image_url]"),
    slack("S28", "R", "invalid_blocks_format"),
    slack("S29", "R", "msg_blocks_too_long"),
    slack("S29-update", "R", "msg_too_long"),
    slack("S30", "R", "markdown_text_conflict"),
    slack("S31", "W", "users_not_found"),
    slack("S32", "A", "user_not_found", errors=[{"user": "U111111", "ok": False, "error": "user_not_found"}, {"user": "U222222", "ok": False, "error": "cant_invite_self"}]),
    slack("S33", "A", "already_reacted"),
    slack("S33-channel", "A", "already_in_channel"),
    slack("S34", "A", "message_not_found"),
    slack("S34-ts", "R", "bad_timestamp"),
    slack("S35", "A", "name_taken"),
    slack("S35-specials", "R", "invalid_name_specials"),
    slack("S35-length", "R", "invalid_name_maxlength"),
    slack("S36", "R", "invalid_form_data"),
    slack("S36-array", "R", "invalid_array_arg"),
    slack("S36-type", "R", "missing_post_type"),
    slack("S37", "R", "unknown_method", req_method="chat.postMesage"),
    http("S38", "W", 429, {"ok": False, "error": "ratelimited"}, retry_after="30"),
    http("S38-empty", "W", 429, "", retry_after="3600"),
    http("S39", "W", 503, "<html><title>Server Error | Slack</title></html>"),
    http("S40", "R", 404, NOT_FOUND_PAGE),
    slack("S41", "W", "fatal_error"),
    http("S42", "R", 400, "invalid_blocks"),
    http("S42-service", "W", 404, "no_service"),
    http("S42-prohibited", "W", 403, "action_prohibited"),
    http("S43", "N", 200, {"ok": True, "channel": "C1", "ts": "1727855635.534319", "message": {}, **CHARSET, "response_metadata": {"warnings": ["missing_charset"]}}),
    result("S44", "A", COMPOSIO),
)

GITHUB_ROWS = (
    github("G1", "R", 422, 'Invalid request.\n\n"title" wasn\'t supplied.'),
    github("G2", "R", 422, FAILED, _issue("title", "invalid", message="title can't be blank", value=None)),
    github("G2-older", "R", 422, FAILED, _issue("title", "missing_field")),
    github("G3", "R", 422, "Invalid request.\n\nFor 'properties/labels', \"enhancement,game-design\" is not an array."),
    github("G4", "R", 422, "Invalid request.\n\nFor 'properties/labels', nil is not an array."),
    github("G5", "R", 422, "Invalid request.\n\nFor 'properties/title', 2026 is not a string."),
    github("G6", "A", 422, FAILED, _issue("assignees", "invalid", value=["e1-user"])),
    github("G7", "R", 422, FAILED, _issue("assignees", "invalid", value="alice;bob")),
    github("G8", "R", 422, FAILED, _issue("milestone", "invalid")),
    github("G11", "W", 410, "Issues has been disabled in this repository."),
    github("G12", "W", 403, "Repository was archived so is read-only."),
    github("G13", "R", 422, FAILED, {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "Body cannot be blank"}),
    github("G14", "A", 404, "Not Found"),
    github("G17", "R", 422, 'Invalid request.\n\n"sha" wasn\'t supplied.'),
    github("G18", "R", 409, "docs/a.md does not match 3d21ec53a331a6f037a91c368710b99387d012c1"),
    github("G19", "R", 422, "content is not valid Base64"),
    github("G20", "A", 404, "Branch not found"),
    github("G21", "A", 422, FAILED, {"resource": "PullRequest", "field": "base", "code": "invalid"}, {"resource": "PullRequest", "field": "head", "code": "invalid"}),
    github("G22", "A", 422, FAILED, {"message": "Proposed base branch 'non-existing' was not found", "resource": "PullRequest", "field": "base", "code": "invalid"}),
    github("G23", "A", 422, FAILED, {"resource": "PullRequest", "code": "custom", "message": "A pull request already exists for org:test/stable."}),
    github("G24", "A", 422, FAILED, {"resource": "PullRequest", "code": "custom", "message": "No commits between master and master"}),
    github("G25", "R", 422, FAILED, {"resource": "Label", "code": "invalid", "field": "color"}),
    github("G26", "A", 422, FAILED, {"resource": "Label", "code": "already_exists", "field": "name"}),
    github("G29", "R", 422, 'Invalid request.\n\nNo subschema in "anyOf" matched.\n"conclusion" wasn\'t supplied.\ncompleted is not a member of ["queued", "in_progress"].'),
    github("G30", "R", 422, "Invalid request.\n\n9 must be less than or equal to 6."),
    github("G31", "R", 422, '`{"permission"=>"pull"}` is not a valid permission.'),
    github("G32", "R", 422, "Required input 'mandatory-parameter' not provided"),
    github("G33", "W", 422, "Workflow does not have 'workflow_dispatch' trigger"),
    github("G34", "A", 422, "Invalid new_owner"),
    github("G35", "A", 422, "expected head sha didn\u2019t match current head ref."),
    github("G36", "A", 422, "Reference does not exist"),
    github("G37", "A", 404, "Label does not exist"),
    github("G38", "A", 422, FAILED, {"message": "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.", "resource": "Search", "field": "q", "code": "invalid"}, x_ratelimit_limit="30"),
    github("G39", "R", 422, FAILED, {"message": "Query must include 'is:issue' or 'is:pull-request'", "resource": "Search", "field": "q", "code": "invalid"}),
    github("G40", "R", 422, FAILED, {"resource": "Search", "field": "q", "code": "missing"}),
    github("G41", "R", 422, "Only the first 1000 search results are available"),
    github("G42", "R", 422, "ERROR_TYPE_QUERY_PARSING_FATAL unable to parse query!"),
    github("G43", "R", 422, FAILED, {"value": "invalid", "resource": "Issue", "field": "state", "code": "invalid"}),
    github("G44", "R", 422, "Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)"),
    github("G45", "W", 401, "Requires authentication"),
    github("G46", "W", 401, "Bad credentials"),
    github("G47", "W", 401, "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires"),
    github("G48", "R", 400, "Problems parsing JSON"),
    github("G49", "R", 400, "Body should be a JSON object"),
    github("G50", "W", 403, "Resource not accessible by integration", x_accepted_github_permissions="contents=write"),
    github("G51", "W", 403, "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.", x_github_sso="required"),
    github("G52", "W", 403, "Must have admin rights to Repository."),
    github("G53", "W", 403, "API rate limit exceeded for user ID 12345.", x_ratelimit_remaining="0", x_ratelimit_reset="1372700873"),
    github("G54", "W", 403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID FA2D:1."),
    github("G54-429", "W", 429, "You have exceeded a secondary rate limit.", retry_after="8"),
    github("G55", "A", 301, "Moved Permanently"),
    github("G57", "W", 409, "Merge conflict"),
    github("G58", "A", 404, "Branch not protected"),
    github("G59", "A", 404, "User does not exist or is not a member of the organization"),
    github("G60", "R", 403, "Missing or invalid User Agent string. See http://developer.github.com/v3/#user-agent-required"),
    github("G61", "R", 405, "Method not allowed. To make changes to a key, delete the existing key and add a new one with the desired attributes."),
    http("G62", "W", 502, "<html><head><title>Unicorn! &middot; GitHub</title></head></html>"),
    http("G62-503", "W", 503, "<html><body><h1>503 Service Unavailable</h1>No server is available to handle this request.</body></html>"),
    github("G63", "A", 403, "Unable to disable a workflow that is not active."),
    graphql("G64", "A", 200, {"type": "NOT_FOUND", "path": ["repository"], "message": "Could not resolve to a Repository with the name 'github/non-existing-repository'."}, data={"repository": None}),
    graphql("G65", "A", 200, {"type": "UNPROCESSABLE", "path": ["createPullRequest"], "message": "Head sha can't be blank, Base sha can't be blank"}, data={"createPullRequest": None}),
    graphql("G66", "W", 200, {"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}, data=None),
)

GOOGLE_ROWS = (
    google("H1", "R", 400, ARGUMENT, "Unable to parse range: foofoo!A1"),
    google("H2", "R", 400, ARGUMENT, "Unable to parse range: 'Data Tab'!A1:C10"),
    google("H3", "R", 400, ARGUMENT, "Range (Sheet1!A100000) exceeds grid limits. Max rows: 1000, max columns: 26"),
    google("H4", "R", 400, ARGUMENT, "Requested writing within range [Sheet1!A1:B1], but tried writing to column [C]"),
    google("H5", "R", 400, ARGUMENT, "Invalid value at 'data.values' (type.googleapis.com/google.protobuf.ListValue), \"X\"", details=[{**BAD, "fieldViolations": [{"field": "data.values", "description": "Invalid value"}]}]),
    google("H6", "R", 400, ARGUMENT, "Invalid values[1][1]: struct_value {\n}\n"),
    google("H7", "R", 400, ARGUMENT, "Request range[Sheet1!ZZ999] does not match value's range[Sheet1!ZZ998]"),
    google("H8", "R", 400, ARGUMENT, "'valueInputOption' is required but not specified"),
    google("H9", "R", 400, ARGUMENT, "Invalid JSON payload received. Unknown name \"frobnicate\" at 'requests[0]': Cannot find field."),
    google("H10", "A", 400, ARGUMENT, 'Invalid requests[0].addSheet: A sheet with the name "Sheet1" already exists. Please enter another name.'),
    google("H11", "A", 400, ARGUMENT, "Invalid requests[0].updateSheetProperties: You can't hide all the sheets in a document."),
    google("H12", "A", 404, "NOT_FOUND", "Requested entity was not found."),
    google("H13", "W", 403, "PERMISSION_DENIED", "The caller does not have permission"),
    google("H14", "W", 429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Write requests' and limit 'Write requests per minute per user' of service 'sheets.googleapis.com'."),
    google("H15", "R", 400, ARGUMENT, "Request contains an invalid argument.", details=[{**BAD, "fieldViolations": [{"field": "content", "description": "Error expanding 'fields' parameter. Cannot find matching fields for path 'content'."}]}]),
)

STRIPE_ROWS = (
    stripe("T1", "R", 400, "This value must be greater than or equal to 1.", code="parameter_invalid_integer", param="amount"),
    stripe("T2", "A", 400, "No such price: 'invalid'", code="resource_missing", param="items[0][price]"),
    stripe("T3", "A", 404, "No such customer: '1'", code="resource_missing", param="id"),
    stripe("T4", "A", 404, "No such PaymentMethod: 'abcd'; It's possible this PaymentMethod exists on one of your connected accounts", param="payment_method"),
    stripe("T5", "W", 400, "This customer has no attached payment source or default payment method.", code="resource_missing"),
    stripe("T6", "R", 400, "You must either provide a `customer` or a `subscription` to the upcoming invoice endpoint."),
    stripe("T7", "R", 400, "Received unknown parameter: account[legal_entity]", code="parameter_unknown", param="account[legal_entity]"),
    stripe("T8", "R", 400, "Missing required param: source.", code="parameter_missing", param="source"),
    stripe("T9", "W", 401, "Invalid API Key provided: sk_test_****"),
    stripe("T10", "W", 402, "Your card was declined.", code="card_declined", decline_code="generic_decline", param="", type="card_error"),
    stripe("T11", "R", 400, "Keys for idempotent requests can only be used with the same parameters they were first used with.", type="idempotency_error"),
    stripe("T12", "W", 429, "Request rate limit exceeded.", code="rate_limit"),
    stripe("T13", "R", 404, "Unrecognized request URL (POST: /v1/payment_intents/pi_123/void)."),
    stripe("T14", "R", 400, "Request's `Content-Type` didn't match the path's expected media type. Expected: `application/x-www-form-urlencoded`. Was: `application/json`."),
    http("T15", "R", 400, {"error": {"type": "request_error", "code": "bad_request", "detail": "Invalid request", "errors": [{"field": "items", "message": "Invalid type. Expected: array, given: null"}]}, "meta": {"request_id": "r"}}),
    http("T16", "W", 403, {"error": {"type": "request_error", "code": "forbidden", "detail": "You are not permitted to perform this request"}}),
)

GRAPHQL_ROWS = (
    graphql("Q1", "R", 400, 'Cannot query field "titel" on type "Issue". Did you mean "title"?'),
    graphql("Q1-200", "R", 200, 'Cannot query field "titel" on type "Issue". Did you mean "title"?'),
    graphql("Q2", "R", 200, 'Field "issue" argument "id" of type "ID!" is required, but it was not provided.'),
    graphql("Q3", "R", 200, 'Variable "$id" of required type "ID!" was not provided.'),
    graphql("Q4", "R", 200, 'Variable "$i" got invalid value 5 at "i.title"; String cannot represent a non string value: 5'),
    graphql("Q5", "R", 200, 'Variable "$i" got invalid value { teamId: "t", foo: 1 }; Field "title" of required type "String!" was not provided.', 'Variable "$i" got invalid value { teamId: "t", foo: 1 }; Field "foo" is not defined by type "IssueInput".'),
    graphql("Q6", "R", 200, 'Value "URGENT" does not exist in "P" enum.'),
    graphql("Q7", "R", 400, 'Syntax Error: Expected Name, found "{".'),
    graphql("Q8", "R", 200, "Syntax Error: Expected Name, found <EOF>."),
    graphql("Q9", "R", 400, "Must provide operation name if query contains multiple operations."),
    graphql("Q10", "A", 200, {"message": "Entity not found: Issue", "path": ["issue"]}, data={"issue": None}),
    graphql("Q11", "W", 401, {"message": "Authentication required, not authenticated", "extensions": {"type": "authentication error", "code": "AUTHENTICATION_ERROR", "statusCode": 401, "userError": True}}),
    graphql("Q12", "R", 400, {"message": 'Cannot query field "nope" on type "User". Did you mean "name"?', "extensions": {"code": "GRAPHQL_VALIDATION_FAILED", "type": "graphql error", "userError": True}}),
    graphql("Q13", "A", 400, {"message": "Entity not found in validateAccess: labelIds", "extensions": {"type": "invalid input", "code": "INPUT_ERROR", "statusCode": 400}}),
    graphql("Q14", "A", 200, {"message": "conflict on insert of Issue", "extensions": {"code": "INPUT_ERROR", "userPresentableMessage": "Entity Issue with id x already exists."}}, data=None),
    graphql("Q15", "W", 400, {"message": "Rate limit exceeded", "extensions": {"code": "RATELIMITED"}}, x_ratelimit="0"),
    http("Q16", "R", 200, {"data": {"productCreate": {"product": None, "userErrors": [{"field": ["title"], "message": "Title can't be blank"}]}}, "extensions": {"cost": {"requestedQueryCost": 13}}}),
    http("Q17", "A", 200, {"data": {"m": {"userErrors": [{"field": ["input", "key"], "message": "Key must be unique within this namespace on this resource"}]}}}),
    graphql("Q18", "W", 200, {"message": "Throttled", "extensions": {"code": "THROTTLED"}}, extensions={"cost": {"requestedQueryCost": 900}}),
)

MCP_ROWS = (
    rpc("M1", "R", -32602, "Unknown tool: invalid_tool_name"),
    tool("M2", "R", "Unknown tool: nope"),
    tool("M3", "R", "MCP error -32602: Tool nope not found"),
    tool("M4", "R", "Error executing tool send_message: 2 validation errors for send_messageArguments\nchannel\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.14/v/missing\ntext\n  Field required [type=missing, input_value={}, input_type=dict]"),
    tool("M5", "R", "Error executing tool t: 1 validation error for tArguments\ncount\n  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='abc', input_type=str]"),
    tool("M6", "R", "Error executing tool t: 1 validation error for tArguments\nmode\n  Input should be 'a' or 'b' [type=literal_error, input_value='z', input_type=str]"),
    tool("M8", "R", "Input validation error: 'channel_id' is a required property"),
    tool("M9", "R", "Input validation error: 5 is not of type 'string'"),
    tool("M10", "R", "Input validation error: Additional properties are not allowed ('channel' was unexpected)"),
    tool("M11", "R", "MCP error -32602: Input validation error: Invalid arguments for tool read_text_file: Invalid input: expected string, received undefined at path"),
    tool("M12", "R", "Invalid input: expected number, received string at head"),
    tool("M13", "A", "Access denied - path outside allowed directories: /etc/passwd not in /data/allowed"),
    tool("M14", "A", "ENOENT: no such file or directory, open '/data/none.txt'"),
    tool("M15", "R", "ENOTDIR: not a directory, scandir '/data/a.txt'"),
    tool("M16", "A", "Could not find exact match for edit:\nzzz"),
    result("M18", "N", "No matches found"),
    tool("M19", "A", "Entity with name nobody not found"),
    tool("M20", "R", "Error processing mcp-server-time query: Invalid timezone: 'No time zone found with key Mars/Olympus'"),
    tool("M20-format", "R", "Error processing mcp-server-time query: Invalid time format. Expected HH:MM [24-hour format]"),
    tool("M21", "R", "1 validation error for Fetch\nurl\n  Input should be a valid URL, relative URL without a base [type=url_parsing, input_value='not a url', input_type=str]"),
    tool("M22", "W", "Refused to fetch http://127.0.0.1:9/robots.txt: 127.0.0.1 resolves to 127.0.0.1, which is not a public address. Start the server with --allow-private-ips"),
    tool("M23", "A", "Failed to fetch https://example.org/x - status code 404"),
    tool("M24", "A", "Ref 'nobranch' did not resolve to an object"),
    rpc("M25", "R", -32602, "Invalid request parameters"),
    rpc("M25-ts", "R", -32601, "Method not found"),
    rpc("M27", "A", 0, "Unknown resource: file:///nope"),
    rpc("M28", "W", -32001, "Request timed out"),
    rpc("M28-internal", "W", -32603, "Internal error"),
    rpc("M28-parse", "R", -32700, "Parse error: Invalid JSON"),
    tool("M29", "A", "Error executing tool send_message: boom: upstream said no"),
    tool("M29-slack", "A", "Slack API error: channel_not_found"),
    tool("M29-scope", "W", "Slack API error: missing_scope"),
    tool("M29-blocks", "R", "Slack API error: invalid_blocks"),
    result("M30", "A", {"ok": False, "error": "channel_not_found"}),
    result("M30-scope", "W", {"ok": False, "error": "missing_scope", "needed": "chat:write"}),
    result("M30-text", "R", {"ok": False, "error": "no_text"}),
    tool("M32", "R", "missing required parameter: title"),
    tool("M32-coerced", "R", "parameter labels could not be coerced to []string, is string"),
    tool("M32-number", "R", 'parameter issue_number is not a valid number: strconv.Atoi: parsing "x"'),
    tool("M33", "A", "failed to create pull request: POST https://api.github.com/repos/o/r/pulls: 422 Validation Failed [{Resource:PullRequest Field:base Code:invalid Message:}]"),
    tool("M34", "W", "failed to get issue: GitHub API rate limit exceeded. Retry after 12m3s."),
    tool("M34-secondary", "W", "GitHub secondary rate limit exceeded. Wait before retrying."),
    result("M35", "R", "Resolved potential matches in the repository tree (resolved refs: main, matching files: README.md), but the content API returned an unexpected status code 404."),
    result("M36", "R", {"data": {"status_code": 400}, "successful": False, "error": "Input should be a valid boolean on parameter `send_updates`", "log_id": "log_1"}),
    result("M37", "A", {"successful": False, "error": "COMPOSIO_MANAGE_CONNECTIONS can only be called inside a tool-router session."}),
    result("M38", "N", {"data": {"messages": []}, "successful": True, "error": None}),
    result("M39", "R", {"successful": False, "error": SHEETS}),
    gateway("M40", "W", 401, "Authentication failed. Check your API credentials."),
    gateway("M41", "W", 403, "Access forbidden. Check your permissions."),
    gateway("M42", "W", 429, "Rate limited. Too many requests. Please wait and try again."),
    gateway("M43", "W", 502, "Server error (HTTP 502). The server encountered an error."),
    other("M44", "W", "transport", "MCP tool failed: MCP tool timed out after 30 seconds"),
)

SAAS_ROWS = (
    http("V1", "R", 400, {"object": "error", "status": 400, "code": "invalid_request_url", "message": "Invalid request URL.", "request_id": "r"}),
    http("V2", "W", 401, {"object": "error", "status": 401, "code": "unauthorized", "message": "API token is invalid.", "request_id": "r"}),
    http("V3", "A", 404, {"object": "error", "status": 404, "code": "object_not_found", "message": "Could not find page with ID: 0. Make sure the relevant pages and databases are shared with your integration."}),
    http("V4", "R", 400, {"object": "error", "status": 400, "code": "validation_error", "message": "body failed validation: body.parent should be defined, instead was `undefined`."}),
    http("V5", "W", 429, {"object": "error", "status": 429, "code": "rate_limited"}, retry_after="2"),
    http("V10", "A", 400, {"validationResults": [{"isValid": False, "message": "Email address an_invalid_email is invalid", "error": "INVALID_EMAIL", "name": "email"}], "status": "error", "message": "Property values were not valid"}),
    http("V11", "R", 400, {"status": "error", "message": 'Property values were not valid: [{"isValid":false,"message":"Property \\"segment_group_id\\" does not exist","error":"PROPERTY_DOESNT_EXIST","name":"segment_group_id"}]', "category": "VALIDATION_ERROR"}),
    http("V12", "R", 400, {"status": "error", "message": "Invalid enum constant 'FAKE_TYPE' for class ObjectType"}),
    http("V13", "A", 409, {"message": "Contact already exists", "identityProfile": {"vid": 1}, "status": "error", "error": "CONTACT_EXISTS"}),
    http("V14", "A", 404, {"status": "error", "message": "Couldn't find a Contact with the vid '1' in portal '62515'"}),
    http("V15", "W", 400, {"status": "error", "message": "Can not operate manually on a dynamic list"}),
    http("V16", "R", 400, {"errorMessages": [], "errors": {"invalid": "Field 'invalid' is not valid for this operation."}}),
    http("V16-one", "R", 400, {"errorMessages": ["one of 'fields' or 'update' required"], "errors": {}}),
    http("V17", "A", 400, {"errorMessages": [], "errors": {"reporter": "Field 'reporter' cannot be set. It is not on the appropriate screen, or unknown."}}),
    http("V18", "R", 400, {"errorMessages": ['Unrecognized field "invalid" (Class ComponentBean), not marked as ignorable']}),
    http("V19", "R", 400, {"code": 50035, "errors": {"access_token": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}]}}, "message": "Invalid Form Body"}),
    http("V20", "W", 429, {"message": "You are being rate limited.", "retry_after": 64.57, "global": False}, retry_after="65"),
    http("V23", "W", 403, {"errors": [{"message": "The from address does not match a verified Sender Identity.", "field": "from"}]}),
    http("V28", "A", 400, {"ok": False, "error_code": 400, "description": "Bad Request: chat not found"}),
    http("V28-parse", "R", 400, {"ok": False, "error_code": 400, "description": "Bad Request: can't parse entities"}),
)

INFRASTRUCTURE_ROWS = (
    http("I1", "A", 409, {"kind": "Status", "status": "Failure", "message": 'services "mock-2" already exists', "reason": "AlreadyExists", "code": 409}),
    http("I2", "A", 404, {"kind": "Status", "status": "Failure", "message": 'pods "x" not found', "reason": "NotFound", "code": 404}),
    http("I4", "R", 422, {"kind": "Status", "status": "Failure", "message": 'Deployment.apps "x" is invalid: spec.replicas: Invalid value: -1', "reason": "Invalid", "details": {"causes": [{"reason": "FieldValueInvalid", "message": "Invalid value: -1", "field": "spec.replicas"}]}, "code": 422}),
    http("I5", "A", 409, {"kind": "Status", "status": "Failure", "message": 'Operation cannot be fulfilled on deployments.apps "x": the object has been modified; please apply your changes to the latest version and try again', "reason": "Conflict", "code": 409}),
    http("I8", "A", 400, "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack: foobar does not exist</Message></Error><RequestId>1</RequestId></ErrorResponse>"),
    http("I10", "A", 403, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>1</RequestId></Error>"),
    http("I11", "A", 409, "<Error><Code>BucketAlreadyOwnedByYou</Code><Message>Your previous request to create the named bucket succeeded and you already own it.</Message></Error>"),
    http("I13", "W", 400, {"__type": "com.amazonaws.dynamodb.v20111205#ProvisionedThroughputExceededException", "message": "The level of configured provisioned throughput for the table was exceeded."}),
    http("I14", "W", 400, {"__type": "AccessDeniedException", "Message": "Operation createPipeline is not allowed to be performed with role identity"}),
)

FRAMEWORK_ROWS = (
    http("F1", "R", 422, {"detail": [{"type": "missing", "loc": ["body", "name"], "msg": "Field required", "input": {}}]}),
    http("F2", "R", 422, {"detail": [{"type": "string_too_short", "loc": ["body", "name"], "msg": "String should have at least 1 character"}, {"type": "int_parsing", "loc": ["body", "qty"], "msg": "Input should be a valid integer"}]}),
    http("F3", "R", 422, {"detail": [{"type": "int_parsing", "loc": ["path", "item_id"], "msg": "Input should be a valid integer", "input": "{{item.id}}"}]}),
    http("F4", "R", 422, {"detail": [{"type": "json_invalid", "loc": ["body", 13], "msg": "JSON decode error"}]}),
    http("F5", "R", 422, {"detail": [{"type": "model_attributes_type", "loc": ["body"], "msg": "Input should be a valid dictionary or object to extract fields from", "input": '{"name":1}'}]}),
    http("F6", "R", 404, {"detail": "Not Found"}),
    http("F6-item", "W", 404, {"detail": "Item not found"}),
    http("F7", "R", 405, {"detail": "Method Not Allowed"}),
    http("F8", "R", 400, [{"origin": "string", "code": "too_small", "minimum": 1, "path": ["title"], "message": "Too small: expected string to have >=1 characters"}, {"code": "unrecognized_keys", "keys": ["extra"], "path": [], "message": 'Unrecognized key: "extra"'}]),
    http("F9", "R", 400, [{"instancePath": "", "keyword": "required", "params": {"missingProperty": "a"}, "message": "must have required property 'a'"}, {"instancePath": "/n", "keyword": "type", "params": {}, "message": "must be integer"}]),
    http("F10", "W", 403, {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.", "detail": "Your current balance is 30, but that costs 50."}, content_type="application/problem+json"),
    http("F11", "R", 422, {"type": "https://example.net/validation-error", "title": "Your request is not valid.", "errors": [{"detail": "must be a positive integer", "pointer": "#/age"}]}),
    http("F12", "R", 422, {"errors": [{"status": "422", "source": {"pointer": "/data/attributes/firstName"}, "title": "Invalid Attribute", "detail": "First name must contain at least two characters."}]}),
    http("F13", "A", 404, {"error": {"code": "Request_ResourceNotFound", "message": "Resource 'x' does not exist or one of its queried reference-property objects are not present."}}),
    http("F14-413", "R", 413, "<html><title>413 Request Entity Too Large</title></html>"),
    http("F14-415", "R", 415, "Unsupported Media Type"),
    http("F14-502", "W", 502, "<html><title>502 Bad Gateway</title></html>"),
    http("F14-504", "W", 504, "upstream request timeout"),
)

MODEL_ROWS = (
    http("L1", "A", 404, {"error": {"code": "model_not_found", "message": "The model `gpt-5.2-proo` does not exist or you do not have access to it.", "param": None, "type": "invalid_request_error"}}),
    http("L2", "R", 400, {"error": {"code": "model_not_found", "message": "The requested model 'gpt-5.2-proo' does not exist.", "param": "model"}}),
    http("L3", "R", 400, {"error": {"code": "decimal_below_min_value", "message": "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.", "param": "temperature", "type": "invalid_request_error"}}),
    http("L4", "R", 400, {"error": {"code": "unsupported_value", "message": "Unsupported value: 'messages[0].role' does not support 'system' with this model.", "param": "messages[0].role"}}),
    http("L5", "R", 404, {"error": {"message": "model: claude-sonet-4-5", "type": "not_found_error"}, "request_id": "req_1", "type": "error"}),
    http("L6", "R", 400, {"error": {"message": "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.", "type": "invalid_request_error"}}),
    google("L7", "R", 404, "NOT_FOUND", "models/gemini-3.6-flahs is not found for API version v1beta, or is not supported for generateContent. Call ModelService.ListModels to see the list."),
    http("L8", "A", 400, {"error": {"code": "tool_use_failed", "message": "Tool call validation failed: parameters did not match schema: errors: [missing properties: 'name', additionalProperties 'foo' not allowed]"}}),
    http("L9", "W", 429, {"error": {"code": 429, "message": "Provider returned error", "metadata": {"provider_name": "Google"}}}),
    http("L10", "R", 400, {"message": "The provided model identifier is invalid."}),
    http("L11", "R", 400, {"detail": "Model nonexistent is not supported. Supported models are ['a', 'b']."}),
    http("L12", "R", 400, {"error": {"message": "No tool output found for tool call call-a.", "type": "invalid_request_error"}}),
    other("L14", "R", "llm", "Expecting value: line 1 column 1 (char 0)"),
    other("L15", "R", "llm", "Unexpected token '`', \"```json\" is not valid JSON"),
    other("L16", "R", "llm", "1 validation error for R\n  Invalid JSON: expected value at line 1 column 1 [type=json_invalid, input_value='```json', input_type=str]"),
    other("L17", "R", "llm", "Unknown model: gpt-fife"),
    other("L18", "W", "llm", "API key required for this model"),
)

LOCAL_ROWS = (
    shell("X1", "A", 127, "bash: line 1: nosuchcmd: command not found"),
    shell("X2", "A", 1, "cat: /nope/file.txt: No such file or directory"),
    shell("X3", "N", 1, ""),
    shell("X5", "R", 4, "parse error: Invalid numeric literal at line 2, column 0"),
    shell("X6", "R", 5, 'jq: error (at <stdin>:1): Cannot index number with string "b"'),
    shell("X8", "A", 6, "curl: (6) Could not resolve host: no.such.host.invalid"),
    shell("X9", "R", 3, "curl: (3) nested brace in URL position 19:\nhttp://127.0.0.1/{{id}}\n                  ^"),
    shell("X10", "W", 1, "ModuleNotFoundError: No module named 'nomod'"),
    shell("X11", "A", 128, "fatal: not a git repository (or any of the parent directories): .git"),
    shell("X12", "R", 2, "bash: -c: line 1: unexpected EOF while looking for matching `\"'"),
    shell("X13", "A", 127, "bash: line 1: UNDEF: unbound variable"),
    shell("X14", "W", 124, ""),
    shell("X14-killed", "W", 137, ""),
    shell("X14-docker", "W", 1, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"),
    shell("X15", "W", 2, 'psql: error: connection to server on socket "/run/x" failed: No such file or directory\n\tIs the server running locally and accepting connections on that socket?'),
    shell("X16", "R", 1, "date: invalid date \u2018notadate\u2019"),
    shell("X16-sort", "R", 2, "sort: unrecognized option '--bogus'"),
    shell("X16-npm", "R", 1, 'npm error Missing script: "nosuch"'),
    shell("X18", "A", 2, "tar (child): nofile.tgz: Cannot open: No such file or directory\ntar: Error is not recoverable: exiting now"),
    other("P1", "R", "template", "'dict object' has no attribute 'reslt'"),
    other("P1-undefined", "R", "template", "Unresolved variables in parameter 'text': ${fetch.response.username}"),
    stripe("P3", "R", 400, "No such price: '{{ price.id }}'", code="resource_missing", param="items[0][price]"),
    other("P4", "R", "exception", "KeyError: 'x'"),
    other("P4-url", "R", "exception", "HTTP node requires 'url' parameter"),
    other("D1", "W", "transport", "Request to https://api.example.org/x timed out after 30 seconds"),
    other("D2", "W", "transport", "Could not connect to https://api.example.org/x"),
    other("D3", "A", "transport", "Could not resolve host api.exmaple.org"),
    other("D4", "R", "transport", "Invalid URL '/v1/issues': no scheme supplied"),
    http("D5", "R", 400, {"ok": False, "error": "no such column: titel", "status": 400, "title": "Invalid SQL"}),
    http("D6", "R", 400, {"ok": False, "error": 'near "FORM": syntax error', "status": 400, "title": "Invalid SQL"}),
    http("D7", "A", 404, {"ok": False, "error": "Database not found: fixtures2", "status": 404, "title": None}),
)

TRAP_ROWS = (
    http("N1", "N", 200, {"id": "resp_1", "error": None, "incomplete_details": None, "refusal": None, "output": []}),
    http("N3", "N", 200, {"data": {"productCreate": {"product": {"id": 1}, "userErrors": []}}}),
    http("N3-ok", "N", 200, {"ok": True, "errors": {}}),
    http("N5", "N", 201, {"state": "failure", "description": "testing!"}),
    http("N7", "N", 200, {"object": "payment_intent", "status": "requires_payment_method", "last_payment_error": None}),
    http("N9", "N", 200, {"id": "rec1", "fields": {"Total": {"error": "#ERROR!"}, "Share": {"specialValue": "NaN"}}}),
    http("N11", "N", 304, ""),
    http("N13", "N", 200, {"total_count": 0, "incomplete_results": False, "items": []}),
    http("N13-list", "N", 200, []),
    http("N15", "N", 200, {"ok": True, "messages": [{"text": "deploy failed: channel_not_found"}]}),
    result("N15-tool", "N", {"items": [{"title": "404 Not Found when saving", "body": "rate limit exceeded"}]}),
    result("N15-prose", "N", "Last messages:\nbob: deploy failed: channel_not_found\neve: 429 Too Many Requests"),
    http("N17", "N", 200, {"openapi": "3.1.0", "paths": {"/a": {"get": {"responses": {"4XX": {"description": "error"}}}}}}),
    http("N19", "N", 200, {"total_count": 3, "incomplete_results": True, "items": [1, 2, 3]}),
    http("N21", "N", 200, {"kind": "Status", "status": "Success", "details": {"name": "x"}}),
    http("N21-list", "N", 200, {"kind": "PodList", "items": [{"status": {"phase": "Failed"}}]}),
    http("N23", "N", 200, {"id": 7, "status": "failed"}),
)

ROWS = (
    *SLACK_ROWS, *GITHUB_ROWS, *GOOGLE_ROWS, *STRIPE_ROWS, *GRAPHQL_ROWS, *MCP_ROWS, *SAAS_ROWS, *INFRASTRUCTURE_ROWS,
    *FRAMEWORK_ROWS, *MODEL_ROWS, *LOCAL_ROWS, *TRAP_ROWS,
)
