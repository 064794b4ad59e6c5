from __future__ import annotations

import copy

from tests.fakes.services import body_of
from tests.fakes.tables import for_each
from tests.services.graphql.client import REPO, ask, first_error, first_message, tracker

REPO_ID = "R_647d63f0c25695"


def issue_id(client, number=3):
    return ask(client, f"{{{REPO} {{ issue(number: {number}) {{ id }} }}}}")["data"]["repository"]["issue"]["id"]


def test_g64_a_repository_that_is_not_there_is_null_in_a_200_with_an_error_of_its_type():
    client = tracker()
    response = client.send(
        "POST", "", {"query": '{\n  repository(owner: "github", name: "non-existing-repository") { id }\n}'}
    )
    assert response.status == 200
    assert body_of(response) == {
        "data": {"repository": None},
        "errors": [
            {
                "type": "NOT_FOUND",
                "path": ["repository"],
                "locations": [{"line": 2, "column": 3}],
                "message": "Could not resolve to a Repository with the name 'github/non-existing-repository'.",
            }
        ],
    }


def test_g66_the_limit_used_up_is_a_200_as_often_as_the_state_says():
    client = tracker({"rate_limited": {"tracker": {"times": 1}}})
    response = client.send("POST", "", {"query": "{ viewer { login } }"})
    assert body_of(response) == {
        "data": None,
        "errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}],
    }
    assert response.header("x-ratelimit-remaining") == "0"
    assert ask(client, "{ viewer { login } }")["data"]["viewer"]["login"] == "ivory-otter"


def test_a_field_that_is_not_there_is_reported_with_its_type_and_place():
    assert first_error(tracker(), f"{{{REPO} {{ issue(number: 3) {{ titel }} }}}}") == {
        "path": ["query", "repository", "issue", "titel"],
        "extensions": {"code": "undefinedField", "typeName": "Issue", "fieldName": "titel"},
        "locations": [{"line": 1, "column": 71}],
        "message": "Field 'titel' doesn't exist on type 'Issue'",
    }


@for_each(
    ("query", "message"),
    [
        ('{ repository(owner: "x") { id } }', "Field 'repository' is missing required arguments: name"),
        ('{ user(login: "x", age: 3) { id } }', "Field 'user' doesn't accept argument 'age'"),
        ("{ user(login: null) { id } }", "Argument 'login' on Field 'user' has an invalid value (null). Expected type 'String!'."),
        (f"{{{REPO} {{ issues(first: 1, swell: HUGE) {{ totalCount }} }}}}", "Argument 'swell' on Field 'issues' has an invalid value (HUGE). Expected type 'Swell'."),
        ("{ viewer }", "Field must have selections (field 'viewer' returns User but has no selections. Did you mean 'viewer { ... }'?)"),
        ("query Q { user(login: $who) { id } }", "Variable $who is used by Q but not declared"),
        ("query Q($a: Int) { viewer { id } }", "Variable $a is declared by Q but not used"),
        ("query($p: Thing) { viewer { id } }", "Thing isn't a defined input type (on $p)"),
        ("query($n: String) { user(login: $n) { id } }", "Nullability mismatch on variable $n and argument login (String / String!)"),
        ("query($n: Int!) { user(login: $n) { id } }", "Type mismatch on variable $n and argument login (Int! / String!)"),
        ("{ viewer { ... on Nobody { id } } }", "No such type Nobody, so it can't be a fragment condition"),
        ("{ viewer { ...Lost } }", "Fragment Lost was used, but not defined"),
        ("{\n  viewer) }", 'Parse error on ")" (RPAREN) at [2, 9]'),
        ("{ user(login: {{who}}) { id } }", 'Parse error on "{" (LCURLY) at [1, 16]'),
        ("{ viewer { login }", "Unexpected end of document"),
        ("query A { viewer { id } } query B { viewer { id } }", "An operation name is required"),
        ('mutation { createIssue(input: {title: "x", body: "y"}) { issue { id } } }', "Argument 'repositoryId' on InputObject 'CreateIssueInput' is required. Expected type ID!"),
        (f"{{{REPO} {{ issues {{ totalCount }} }}}}", "You must provide a `first` or `last` value to properly paginate the `issues` connection."),
        (f"{{{REPO} {{ issues(first: 101) {{ totalCount }} }}}}", "Requesting 101 records on the `issues` connection exceeds the `first` limit of 100 records."),
        (f'{{{REPO} {{ issues(first: 1, after: "invalid cursor") {{ totalCount }} }}}}', "`invalid cursor` does not appear to be a valid cursor."),
        (f"{{{REPO} {{ issue(number: 42) {{ id }} }}}}", "Could not resolve to an Issue with the number of 42."),
        ('{ node(id: "PR_gone") { id } }', "Could not resolve to a node with the global id of 'PR_gone'."),
        ('{ user(login: "nobody") { id } }', "Could not resolve to a User with the login of 'nobody'."),
    ],
)  # fmt: skip
def test_a_refusal_is_in_the_servers_words(query, message):
    client = tracker()
    assert client.send("POST", "", {"query": query}).status == 200
    assert message in [error["message"] for error in ask(client, query)["errors"]]


def test_a_variable_is_reported_with_all_that_is_wrong_with_it():
    query = "mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id } } }"
    error = first_error(tracker(), query, {"i": {"repositoryId": "x", "title": "t", "labelIDs": [], "swell": "HUGE"}})
    assert error["message"] == (
        "Variable $i of type CreateIssueInput! was provided invalid value for labelIDs (Field is not defined on "
        'CreateIssueInput), swell (Expected "HUGE" to be one of: SLACKWATER, RIPPLE, CHOP, BREAKER)'
    )
    assert [one["path"] for one in error["extensions"]["problems"]] == [["labelIDs"], ["swell"]]
    text = 'Could not coerce value "3" to Int'
    query = f"query($n: Int!) {{ {REPO} {{ issue(number: $n) {{ id }} }} }}"
    assert first_error(tracker(), query, {"n": "3"})["extensions"]["problems"] == [{"path": [], "explanation": text}]


def test_some_of_the_data_may_come_with_errors():
    body = ask(tracker(), '{ nodes(ids: ["R_647d63f0c25695", "gone"]) { id } viewer { login } }')
    assert body["data"]["nodes"] == [{"id": REPO_ID}, None]
    assert [error["path"] for error in body["errors"]] == [["nodes", 1]]


def test_pages_follow_one_another():
    client, seen, after = tracker(), [], "null"
    while after is not None:
        page = ask(
            client,
            f"{{{REPO} {{ issues(first: 2, after: {after}) {{ nodes {{ number }} pageInfo {{ hasNextPage endCursor }} }} }}}}",
        )
        found = page["data"]["repository"]["issues"]
        seen += [one["number"] for one in found["nodes"]]
        after = f'"{found["pageInfo"]["endCursor"]}"' if found["pageInfo"]["hasNextPage"] else None
    assert seen == [3, 5, 8]


def test_an_issue_is_made_commented_labelled_and_closed():
    client = tracker()
    label = ask(client, f'{{{REPO} {{ label(name: "recalibrate") {{ id }} }}}}')["data"]["repository"]["label"]["id"]
    made = ask(client, "mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { id number swell labels(first: 3) { nodes { name } } } } }",
               {"i": {"repositoryId": REPO_ID, "title": "New", "labelIds": [label], "swell": "BREAKER"}})["data"]["createIssue"]["issue"]  # fmt: skip
    assert (made["number"], made["swell"], made["labels"]["nodes"]) == (9, "BREAKER", [{"name": "recalibrate"}])
    ask(
        client,
        f'mutation {{ addComment(input: {{subjectId: "{made["id"]}", body: "seen"}}) {{ commentEdge {{ node {{ id }} }} }} }}',
    )
    ask(
        client,
        f'mutation {{ closeIssue(input: {{issueId: "{made["id"]}", stateReason: NOT_PLANNED}}) {{ issue {{ state }} }} }}',
    )
    shown = ask(
        client,
        f"{{{REPO} {{ issue(number: 9) {{ state stateReason comments(first: 2) {{ nodes {{ body author {{ login }} }} }} }} }}}}",
    )
    assert shown["data"]["repository"]["issue"] == {
        "state": "CLOSED", "stateReason": "NOT_PLANNED", "comments": {"nodes": [{"body": "seen", "author": {"login": "ivory-otter"}}]},
    }  # fmt: skip
    assert client.state["counters"]["writes"] == 3


def test_a_refused_mutation_leaves_nothing_even_of_what_came_before_it():
    client = tracker()
    before = copy.deepcopy(client.state)
    known = issue_id(client)
    query = f'mutation {{ a: addComment(input: {{subjectId: "{known}", body: "x"}}) {{ subject {{ id }} }} b: updateIssue(input: {{id: "{known}", title: " "}}) {{ issue {{ id }} }} }}'
    error = first_error(client, query)
    assert (error["type"], error["message"], error["path"]) == ("UNPROCESSABLE", "Title can't be blank", ["b"])
    assert client.state == before


def test_a_token_without_the_scope_may_read_and_not_write():
    client = tracker({"tokens": {"any-one": {"scopes": ["read:user"]}}})
    error = first_error(
        client, f'mutation {{ closeIssue(input: {{issueId: "{issue_id(client)}"}}) {{ issue {{ id }} }} }}'
    )
    assert error["type"] == "INSUFFICIENT_SCOPES"
    assert error["message"].startswith(
        "Your token has not been granted the required scopes to execute this query. The 'closeIssue' field requires one of the "
        "following scopes: ['public_repo'], but your token has only been granted the: ['read:user'] scopes."
    )
    assert first_message(client, '{ repository(owner: "saltpan", name: "dredgelog") { id } }').endswith(
        "'saltpan/dredgelog'."
    )


@for_each(
    ("header", "message"),
    [(None, "This endpoint requires you to be authenticated."), ("Bearer ${token}", "Bad credentials"), ("Bearer other", "Bad credentials")],
)  # fmt: skip
def test_without_a_good_token_there_is_a_401(header, message):
    client = tracker({"tokens": {"any-one": {}}})
    response = client.send("POST", "", {"query": "{ viewer { id } }"}, headers={"authorization": header})
    assert (response.status, body_of(response)["message"]) == (401, message)


def test_bodies_that_ask_nothing_are_refused():
    client = tracker()
    assert body_of(client.send("POST", "", raw=b"{nope"))["message"] == "Problems parsing JSON"
    assert first_message(client, None) == "A query attribute must be specified and must be a string."


def test_the_schema_can_be_had_by_get_and_by_asking():
    client = tracker({"renamed": {"Issue.title": "headline"}})
    asked = ask(client, '{ __type(name: "Issue") { fields { name } } }')["data"]["__type"]["fields"]
    assert {"name": "headline"} in asked
    assert {"name": "title"} not in asked
    assert "headline" in client.send("GET", "").body.decode()


def test_a_renamed_field_and_input_answer_under_their_new_names_alone():
    client = tracker(
        {"renamed": {"Issue.title": "headline", "CreateIssueInput.title": "headline", "Swell.CHOP": "LOP"}}
    )
    shown = ask(client, f"{{{REPO} {{ issue(number: 3) {{ headline swell }} }}}}")["data"]["repository"]["issue"]
    assert shown == {"headline": "Gauge 4 reads low after the spring tide", "swell": "LOP"}
    assert (
        first_message(client, f"{{{REPO} {{ issue(number: 3) {{ title }} }}}}")
        == "Field 'title' doesn't exist on type 'Issue'"
    )
    query = "mutation($i: CreateIssueInput!) { createIssue(input: $i) { issue { headline } } }"
    made = ask(client, query, {"i": {"repositoryId": REPO_ID, "headline": "N"}})
    assert made["data"]["createIssue"]["issue"]["headline"] == "N"
