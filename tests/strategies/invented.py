"""Failures of an invented library service, one of each sort that a strategy has to describe."""

import dataclasses
import itertools

from mendbench.model.execution import Checkpoint, Completed, Execution, NodeRecord
from mendbench.model.failure import Failure, FieldProblem, SentRequest, UpstreamSource
from mendbench.model.prompt import View

HOST = "https://library.example"


def http(node_id, method, path, body=None, **params):
    body = {} if body is None else {"body": body}
    return {"id": node_id, "type": "http", "params": {"url": f"{HOST}{path}", "method": method, **body, **params}}


def sent(method, path, body=None):
    return SentRequest(method=method, url=f"{HOST}{path}", headers={"content-type": "application/json"}, body=body)


def failure(message, node_id, **more):
    values = {"source": "runtime", "category": "execution_failure", "node_type": "http"} | more
    return Failure(message=message, node_id=node_id, **values)


def described(execution):
    """What the agent error format would hold, near enough: the fields of each failure that are not empty."""
    errors = [
        {k: v for k, v in dataclasses.asdict(f).items() if v not in (None, (), False)} for f in execution.failures
    ]
    steps = [{"node_id": r.node_id, "status": r.state} for r in execution.nodes]
    message = execution.failures[0].message if execution.failures else ""
    return {"success": False, "error": message, "errors": errors, "execution": {"steps": steps}}


def view(request, nodes, *failures, inputs=None):
    """A linear workflow that ran up to the node of its first failure."""
    ids = [node["id"] for node in nodes]
    bad = ids.index(failures[0].node_id) if failures and failures[0].node_id else 0
    states = ["success"] * bad + ["error"] + ["not_run"] * (len(ids) - bad - 1)
    if not failures:
        states = ["success"] * len(ids)
    done = {i: Completed(action="default", digest="d", outputs={}) for i in ids[:bad]}
    execution = Execution(
        outcome="error" if failures else "success",
        nodes=tuple(NodeRecord(node_id=i, node_type="http", state=s) for i, s in zip(ids, states, strict=True)),
        failures=failures,
        checkpoint=Checkpoint(completed=done, failed_node=ids[bad] if failures else None),
    )
    workflow = {
        "ir_version": "0.1.0",
        "inputs": inputs or {},
        "nodes": nodes,
        "edges": [{"from": a, "to": b} for a, b in itertools.pairwise(ids)],
    }
    return View(request=request, workflow=workflow, execution=execution, agent=described(execution))


def issue_422():
    """The specification's own example: an issue without a title and with a body that is too short."""
    body = {"title": "", "body": "Fix bug", "labels": ["bug"]}
    response = {
        "message": "Validation Failed",
        "errors": [
            {"resource": "Issue", "field": "title", "code": "missing_field"},
            {
                "resource": "Issue",
                "field": "body",
                "code": "invalid",
                "message": "body is too short (minimum is 30 characters)",
            },
        ],
    }
    url = "https://api.github.com/repos/owner/repo/issues"
    node = {
        "id": "create-issue",
        "type": "http",
        "params": {"url": url, "method": "POST", "body": {"title": "${issue.title}", "body": "${issue.description}"}},
    }
    return view(
        "Open an issue.",
        [node],
        failure(
            "HTTP 422",
            "create-issue",
            category="api_validation",
            status_code=422,
            raw_response=response,
            request_sent=SentRequest(method="POST", url=url, headers={}, body=body),
            problems=(
                FieldProblem(field="title", problem="missing", says="missing_field"),
                FieldProblem(field="body", problem="invalid", says="body is too short (minimum is 30 characters)"),
            ),
            upstream=(
                UpstreamSource(param="title", template="${issue.title}", resolved=True, value=""),
                UpstreamSource(param="body", template="${issue.description}", resolved=True, value="Fix bug"),
            ),
        ),
    )


def wrong_path():
    return view(
        "Welcome the reader by name.",
        [
            http("get_reader", "GET", "/readers/7"),
            http("post_card", "POST", "/cards", {"line": "Welcome ${get_reader.response.fullname}!"}),
        ],
        failure(
            "Unresolved variables in parameter 'body': ${get_reader.response.fullname}",
            "post_card",
            category="template_error",
            unresolved=("${get_reader.response.fullname}",),
            available_fields=("response.id", "response.full_name", "response.branch.city", "status_code"),
            available_fields_total=4,
            upstream=(UpstreamSource(param="body.line", template="${get_reader.response.fullname}", resolved=False),),
        ),
    )


def wrong_node_id():
    return view(
        "Count the shelf.",
        [
            http("shelf_scan", "GET", "/shelves/3"),
            http("post_count", "POST", "/counts", {"count": "${shelf-scan.response.total}"}),
        ],
        failure(
            "Unresolved variables in parameter 'body': ${shelf-scan.response.total}",
            "post_count",
            category="template_error",
            unresolved=("${shelf-scan.response.total}",),
            upstream=(UpstreamSource(param="body.count", template="${shelf-scan.response.total}", resolved=False),),
        ),
    )


def renamed_field():
    body = {"shelf": "S-9", "note": "dusty"}
    return view(
        "Report the shelf.",
        [http("file_report", "POST", "/reports", body)],
        failure(
            "HTTP 422",
            "file_report",
            status_code=422,
            raw_response={"message": 'Invalid request.\n\n"shelf_id" wasn\'t supplied.', "status": "422"},
            request_sent=sent("POST", "/reports", body),
            problems=(FieldProblem(field="shelf_id", problem="missing", says='"shelf_id" wasn\'t supplied.'),),
        ),
    )


def not_an_array():
    body = {"reader": 7, "genres": "crime, travel"}
    return view(
        "Set the reader's genres.",
        [http("set_genres", "POST", "/genres", body)],
        failure(
            "HTTP 422",
            "set_genres",
            status_code=422,
            raw_response={"message": "Invalid request.\n\nFor 'properties/genres', \"crime, travel\" is not an array."},
            request_sent=sent("POST", "/genres", body),
        ),
    )


def not_a_string():
    body = {"isbn": 9780140328721}
    return view(
        "Order the book.",
        [http("order_book", "POST", "/orders", body)],
        failure(
            "HTTP 422",
            "order_book",
            status_code=422,
            raw_response={"message": "Invalid request.\n\nFor 'properties/isbn', 9780140328721 is not a string."},
            request_sent=sent("POST", "/orders", body),
        ),
    )


def over_the_limit():
    body = {"copies": 9}
    return view(
        "Reserve as many copies as allowed.",
        [http("reserve", "POST", "/reservations", body)],
        failure(
            "HTTP 422",
            "reserve",
            status_code=422,
            raw_response={"message": "Invalid request.\n\n9 must be less than or equal to 6."},
            request_sent=sent("POST", "/reservations", body),
        ),
    )


def no_member():
    body = {"state": "lend"}
    return view(
        "Mark the book as lent.",
        [http("mark_book", "POST", "/marks", body)],
        failure(
            "HTTP 422",
            "mark_book",
            status_code=422,
            raw_response={"message": 'Invalid request.\n\nlend is not a member of ["shelved", "lent", "lost"].'},
            request_sent=sent("POST", "/marks", body),
        ),
    )


def only_the_user():
    return view(
        "Remind the reader.",
        [http("remind", "POST", "/reminders", {"reader": 7})],
        failure(
            "missing_scope",
            "remind",
            status_code=200,
            raw_response={
                "ok": False,
                "error": "missing_scope",
                "needed": "reminders:write",
                "provided": "readers:read",
            },
            request_sent=sent("POST", "/reminders", {"reader": 7}),
        ),
    )


def shell_typo():
    node = {"id": "list_titles", "type": "shell", "params": {"command": "sortt titles.txt", "stdin": "Emma"}}
    return view(
        "Sort the titles.",
        [node],
        failure(
            "Command failed with exit code 127: sortt: not found",
            "list_titles",
            node_type="shell",
            shell_command="sortt titles.txt",
            shell_exit_code=127,
            shell_stdout="",
            shell_stderr="sh: 1: sortt: not found",
        ),
    )


def tool_refused():
    node = {
        "id": "find_copy",
        "type": "mcp",
        "params": {"server": "catalogue", "tool": "find", "arguments": {"q": "Emma"}},
    }
    return view(
        "Find a copy.",
        [node],
        failure(
            "Tool execution failed",
            "find_copy",
            node_type="mcp",
            mcp_error_details={"server": "catalogue", "tool": "find"},
            mcp_error={"code": -32602, "message": "Input validation error: 'query' is a required property"},
            request_sent=SentRequest(method="CALL", url="mcp://catalogue/find", headers={}, body={"q": "Emma"}),
            problems=(FieldProblem(field="query", problem="missing", says="'query' is a required property"),),
        ),
    )


def bad_gateway():
    page = "<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n<h1>Bad Gateway</h1>\n</body>\n</html>\n"
    return view(
        "Close the branch for the day.",
        [http("close_branch", "POST", "/branches/2/closing", {"day": "2026-03-02"})],
        failure(
            "HTTP 502",
            "close_branch",
            status_code=502,
            raw_response=page,
            request_sent=sent("POST", "/branches/2/closing", {"day": "2026-03-02"}),
        ),
    )


def not_valid():
    return view(
        "Lend the book.",
        [{"id": "lend", "type": "htp", "params": {}}, http("thank", "POST", "/thanks", {"to": "${lend.response.id}"})],
        failure(
            "Unknown node type: 'htp'. Did you mean 'http'?", None, source="validation", category="static_validation"
        ),
        failure("Structure: nodes[0].params.url is required", None, source="validation", category="static_validation"),
    )


def many_wrong_rows():
    rows = [{"copy": f"K-{n}", "due": f"2026-02-{n:02d}", "fee": "none"} for n in range(1, 8)]
    problems = tuple(
        FieldProblem(field=f"rows/{n}/fee", problem="invalid", says="fee has to be a number of cents, or null")
        for n in range(7)
    )
    return view(
        "Book the fees of this month.",
        [
            http("list_overdue", "GET", "/overdue"),
            http("book_fees", "POST", "/fees", {"rows": "${list_overdue.response.rows}"}),
        ],
        failure(
            "HTTP 400",
            "book_fees",
            status_code=400,
            raw_response={
                "error": "validation",
                "details": [{"path": p.field, "reason": p.says, "received": "none"} for p in problems],
                "help": f"{HOST}/docs/fees#rows",
            },
            request_sent=sent("POST", "/fees", {"rows": rows}),
            problems=problems,
            upstream=(
                UpstreamSource(param="body.rows", template="${list_overdue.response.rows}", resolved=True, value=rows),
            ),
        ),
    )


ALL = (
    wrong_path, wrong_node_id, renamed_field, not_an_array, not_a_string, over_the_limit, no_member, only_the_user,
    shell_typo, tool_refused, bad_gateway, not_valid, many_wrong_rows,
)  # fmt: skip
"""Makers of all views but the specification's own."""
