from __future__ import annotations

import pytest

from tests.fakes.services import body_of
from tests.services.github.client import CREATE_ISSUE, DOCS, REPO, github, refusal, seen

ISSUES = f"{REPO}/issues"
INVALID = "Invalid request.\n\n"
FAILED = "Validation Failed"

SCHEMA = [
    ("G1", {}, '"title" wasn\'t supplied.'),
    (
        "G3",
        {"title": "x", "labels": "enhancement,game-design"},
        "For 'properties/labels', \"enhancement,game-design\" is not an array.",
    ),
    ("G4", {"title": "x", "labels": None}, "For 'properties/labels', nil is not an array."),
    ("G5-null", {"title": None}, "For 'properties/title', nil is not a string."),
    ("G5-number", {"title": "x", "body": 2026}, "For 'properties/body', 2026 is not a string."),
    ("two", {"labels": "a"}, '"title" wasn\'t supplied.\nFor \'properties/labels\', "a" is not an array.'),
    ("items", {"title": "x", "labels": [3]}, "For 'items', 3 is not a string."),
    ("object", {"title": {"a": 1}}, "For 'properties/title', {\"a\"=>1} is not a string."),
]
MODEL = [
    ("G2", {"title": ""}, [{"message": "title can't be blank", "value": None, "resource": "Issue", "field": "title", "code": "invalid"}]),
    ("G6", {"title": "x", "assignees": ["e1-user-that-does-not-exist"]},
     [{"value": ["e1-user-that-does-not-exist"], "resource": "Issue", "field": "assignees", "code": "invalid"}]),
    ("G6-no-collaborator", {"title": "x", "assignees": ["mzeval", "passer-by"]},
     [{"value": ["passer-by"], "resource": "Issue", "field": "assignees", "code": "invalid"}]),
    ("G7", {"title": "x", "assignees": ["alice;bob"]},
     [{"value": "alice;bob", "resource": "Issue", "field": "assignees", "code": "invalid"}]),
    ("G8", {"title": "x", "milestone": "Equinox"}, [{"resource": "Issue", "field": "milestone", "code": "invalid"}]),
    ("G8-number", {"title": "x", "milestone": 9}, [{"resource": "Issue", "field": "milestone", "code": "invalid"}]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "text"), [row[1:] for row in SCHEMA], ids=[row[0] for row in SCHEMA])
def test_a_body_that_does_not_fit_the_schema_has_no_errors(body, text):
    assert seen(github().send("POST", ISSUES, body)) == refusal(422, INVALID + text, CREATE_ISSUE)


@pytest.mark.parametrize(("body", "errors"), [row[1:] for row in MODEL], ids=[row[0] for row in MODEL])
def test_values_that_the_model_refuses_are_listed(body, errors):
    client = github()
    assert seen(client.send("POST", ISSUES, body)) == refusal(422, FAILED, CREATE_ISSUE, errors)
    assert set(client.state["repos"]["tern-and-tide/sluicegate"]["issues"]) == {"1", "2", "3"}


def test_the_schema_is_checked_before_the_model():
    assert "errors" not in body_of(github().send("POST", ISSUES, {"title": "", "labels": "a"}))


def test_an_issue_is_created_with_the_next_number_after_issues_and_pulls():
    client = github()
    status, issue = seen(
        client.send("POST", ISSUES, {"title": "Gate 9", "labels": ["Leak"], "assignees": ["mzeval"], "milestone": 2})
    )
    assert (status, issue["number"], issue["state"], issue["user"]["login"]) == (201, 5, "open", "wrenfold-bot")
    assert [label["name"] for label in issue["labels"]] == ["leak"]
    assert (issue["assignee"]["login"], issue["milestone"]["title"]) == ("mzeval", "Equinox")
    assert body_of(client.send("GET", f"{ISSUES}/5"))["title"] == "Gate 9"


def test_a_number_for_a_title_is_taken():
    assert body_of(github().send("POST", ISSUES, {"title": 2026}))["title"] == "2026"


def test_g10_a_mistyped_label_is_made_and_is_no_error():
    client = github()
    status, issue = seen(client.send("POST", ISSUES, {"title": "x", "labels": ["laek"]}))
    assert (status, issue["labels"][0]["color"]) == (201, "ededed")
    assert client.send("GET", f"{REPO}/labels/laek").status == 200


@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_g14_a_missing_issue_names_its_endpoint(method):
    page = {"GET": "get-an-issue", "PATCH": "update-an-issue"}[method]
    body = {} if method == "PATCH" else ...
    assert seen(github().send(method, f"{ISSUES}/999999", body)) == refusal(
        404, "Not Found", f"{DOCS}/issues/issues#{page}"
    )


def test_an_issue_is_changed_and_closed():
    client = github()
    status, issue = seen(
        client.send("PATCH", f"{ISSUES}/1", {"state": "closed", "labels": ["leak"], "assignees": [], "milestone": None})
    )
    assert (status, issue["state"], issue["state_reason"], issue["assignees"], issue["milestone"]) == (
        200,
        "closed",
        "completed",
        [],
        None,
    )
    assert issue["closed_at"] == "2026-01-01T00:00:00Z"
    assert [label["name"] for label in issue["labels"]] == ["leak"]


def test_a_state_that_is_none_breaks_the_schema():
    message = body_of(github().send("PATCH", f"{ISSUES}/1", {"state": "done"}))["message"]
    assert message == INVALID + 'For \'properties/state\', done is not a member of ["open", "closed"].'


def test_an_update_checks_people_as_creation_does():
    body = body_of(github().send("PATCH", f"{ISSUES}/1", {"assignees": ["nobody"]}))
    assert body["errors"][0]["value"] == ["nobody"]


def test_the_list_shows_open_issues_and_pulls_newest_first():
    assert [issue["number"] for issue in body_of(github().send("GET", ISSUES))] == [4, 3, 1]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [("state=all&direction=asc", [1, 2, 3, 4]), ("state=closed", [2]), ("labels=leak,calibration", [1]), ("labels=buug", []),
     ("assignee=none&state=all", [4, 2]), ("assignee=mzeval", [3]), ("creator=ottoline-k", [1]), ("milestone=2", [1]), ("milestone=none", [4, 3]),
     ("since=2025-12-02T00:00:00Z", [4]), ("sort=invalid", [4, 3, 1]), ("per_page=2", [4, 3]), ("per_page=0", [4, 3, 1]), ("page=9", [])],
)  # fmt: skip
def test_the_list_is_filtered(query, numbers):
    assert [issue["number"] for issue in body_of(github().send("GET", f"{ISSUES}?{query}"))] == numbers


def test_g43_an_unknown_state_is_refused():
    assert seen(github().send("GET", f"{ISSUES}?state=invalid")) == refusal(
        422, FAILED, "https://docs.github.com/v3/issues/#list-issues",
        [{"value": "invalid", "resource": "Issue", "field": "state", "code": "invalid"}],
    )  # fmt: skip


def test_g44_deep_pages_of_a_large_repository_are_refused():
    client = github({"repos": {"tern-and-tide/sluicegate": {"large": True}}})
    text = "Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)"
    assert body_of(client.send("GET", f"{ISSUES}?page=9999"))["message"] == text


def test_pages_are_linked():
    link = github().send("GET", f"{ISSUES}?per_page=1&page=2").header("link")
    assert 'page=3>; rel="next"' in link
    assert 'page=1>; rel="prev"' in link
    assert 'page=3>; rel="last"' in link


def test_the_last_page_has_no_next():
    assert "next" not in github().send("GET", f"{ISSUES}?per_page=1&page=3").header("link")


def test_g13_a_comment_must_not_be_blank():
    assert seen(github().send("POST", f"{ISSUES}/1/comments", {"body": ""})) == refusal(
        422, FAILED, f"{DOCS}/issues/comments#create-an-issue-comment",
        [{"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "Body cannot be blank"}],
    )  # fmt: skip


def test_a_comment_is_kept_on_issues_and_on_pulls():
    client = github()
    for number in ("3", "4"):
        assert client.send("POST", f"{ISSUES}/{number}/comments", {"body": "Noted."}).status == 201
        assert body_of(client.send("GET", f"{ISSUES}/{number}/comments"))[-1]["body"] == "Noted."
    assert body_of(client.send("GET", f"{ISSUES}/3"))["comments"] == 2


def test_a_comment_without_a_body_breaks_the_schema():
    assert (
        body_of(github().send("POST", f"{ISSUES}/1/comments", {"text": "x"}))["message"]
        == INVALID + '"body" wasn\'t supplied.'
    )


def test_g9_assigning_somebody_unknown_is_a_silent_nothing():
    client = github()
    status, issue = seen(client.send("POST", f"{ISSUES}/3/assignees", {"assignees": ["nobody"]}))
    assert (status, len(issue["assignees"])) == (201, 2)


@pytest.mark.parametrize(("login", "status"), [("mzeval", 204), ("passer-by", 404)])
def test_g59_who_can_be_assigned_is_reported_by_status(login, status):
    assert github().send("GET", f"{REPO}/assignees/{login}").status == status


def test_milestones_are_listed_by_state():
    assert [item["title"] for item in body_of(github().send("GET", f"{REPO}/milestones"))] == ["Equinox"]
    assert len(body_of(github().send("GET", f"{REPO}/milestones?state=all"))) == 2
