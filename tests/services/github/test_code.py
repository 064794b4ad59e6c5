from __future__ import annotations

import base64

import pytest

from tests.fakes.services import body_of
from tests.services.github.client import DOCS, REPO, github, refusal, seen

PUT_DOCS = f"{DOCS}/repos/contents#create-or-update-file-contents"
PULL_DOCS = f"{DOCS}/pulls/pulls#create-a-pull-request"
FAILED = "Validation Failed"


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def write(client, path, text, **more):
    return client.send("PUT", f"{REPO}/contents/{path}", {"message": "m", "content": encoded(text), **more})


def pull(client, head, base, title="t"):
    return client.send("POST", f"{REPO}/pulls", {"title": title, "head": head, "base": base})


def test_a_file_comes_in_base64_with_gits_own_sha():
    body = body_of(github().send("GET", f"{REPO}/contents/config/tides.csv"))
    assert base64.b64decode(body["content"]) == b"station,high,low\nSkerry,11:52,17:58\n"
    assert (body["type"], body["encoding"]) == ("file", "base64")


def test_the_sha_is_the_one_that_git_gives():
    client = github()
    made = write(client, "empty.txt", "")
    assert body_of(made)["content"]["sha"] == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_a_directory_is_a_list():
    client = github()
    assert [entry["name"] for entry in body_of(client.send("GET", f"{REPO}/contents/config"))] == [
        "gates.toml",
        "tides.csv",
    ]
    assert [(e["name"], e["type"]) for e in body_of(client.send("GET", f"{REPO}/contents"))] == [
        ("README.md", "file"),
        ("config", "dir"),
    ]


@pytest.mark.parametrize("path", ["nope.md", "config/nope.toml", "README.md?ref=culvert/survey-notes"])
def test_g16_a_missing_file_names_its_endpoint(path):
    response = github().send("GET", f"{REPO}/contents/{path}")
    assert seen(response) == refusal(404, "Not Found", f"{DOCS}/repos/contents#get-repository-content")


def test_a_ref_that_is_not_there():
    response = github().send("GET", f"{REPO}/contents/README.md?ref=main")
    assert body_of(response)["message"] == "No commit found for the ref main"


def test_g17_changing_a_file_needs_its_sha():
    client = github()
    assert seen(write(client, "README.md", "new")) == refusal(
        422, 'Invalid request.\n\n"sha" wasn\'t supplied.', PUT_DOCS
    )


def test_g18_a_stale_sha_is_a_conflict():
    stale = "0" * 40
    assert seen(write(github(), "README.md", "new", sha=stale)) == refusal(
        409, f"README.md does not match {stale}", PUT_DOCS
    )


def test_g19_content_has_to_be_base64():
    response = github().send("PUT", f"{REPO}/contents/a.md", {"message": "m", "content": "plain text!"})
    assert seen(response) == refusal(422, "content is not valid Base64", PUT_DOCS)


def test_a_file_is_created_and_then_changed():
    client = github()
    made = write(client, "notes/a.md", "one")
    sha = body_of(made)["content"]["sha"]
    changed = write(client, "notes/a.md", "two", sha=sha)
    assert (made.status, changed.status) == (201, 200)
    assert body_of(made)["commit"]["sha"] != body_of(changed)["commit"]["sha"]
    assert base64.b64decode(body_of(client.send("GET", f"{REPO}/contents/notes/a.md"))["content"]) == b"two"


def test_a_write_without_its_message_breaks_the_schema():
    response = github().send("PUT", f"{REPO}/contents/a.md", {"content": encoded("x")})
    assert body_of(response)["message"] == 'Invalid request.\n\n"message" wasn\'t supplied.'


def test_g20_a_missing_branch_is_named_as_such():
    response = github().send("GET", f"{REPO}/branches/main")
    assert seen(response) == refusal(404, "Branch not found", f"{DOCS}/branches/branches#get-a-branch")


def test_branches_may_have_slashes():
    assert body_of(github().send("GET", f"{REPO}/branches/culvert/survey-notes"))["name"] == "culvert/survey-notes"


def test_g21_both_bad_branches_are_reported_together():
    assert seen(pull(github(), "no-head", "main")) == refusal(
        422, FAILED, PULL_DOCS,
        [{"resource": "PullRequest", "field": "base", "code": "invalid"}, {"resource": "PullRequest", "field": "head", "code": "invalid"}],
    )  # fmt: skip


def test_g21_an_empty_base_is_invalid():
    errors = body_of(pull(github(), "debounce-limit", ""))["errors"]
    assert errors == [{"resource": "PullRequest", "field": "base", "code": "invalid"}]


def test_g22_a_pull_cannot_be_moved_onto_a_branch_that_is_not_there():
    response = github().send("PATCH", f"{REPO}/pulls/4", {"base": "non-existing"})
    assert body_of(response)["errors"] == [
        {
            "message": "Proposed base branch 'non-existing' was not found",
            "resource": "PullRequest",
            "field": "base",
            "code": "invalid",
        }
    ]


@pytest.mark.parametrize("head", ["debounce-limit", "tern-and-tide:debounce-limit"])
def test_g23_a_pull_exists_already(head):
    errors = body_of(pull(github(), head, "trunk"))["errors"]
    text = "A pull request already exists for tern-and-tide:debounce-limit."
    assert errors == [{"resource": "PullRequest", "code": "custom", "message": text}]


@pytest.mark.parametrize("head", ["trunk", "mirror-of-trunk"])
def test_g24_there_is_nothing_to_merge(head):
    errors = body_of(pull(github(), head, "trunk"))["errors"]
    assert errors == [{"resource": "PullRequest", "code": "custom", "message": f"No commits between trunk and {head}"}]


def test_a_pull_is_opened_and_shown():
    client = github()
    status, made = seen(pull(client, "culvert/survey-notes", "trunk", title="Survey"))
    assert (status, made["number"], made["head"]["ref"], made["base"]["ref"]) == (
        201,
        5,
        "culvert/survey-notes",
        "trunk",
    )
    assert [item["number"] for item in body_of(client.send("GET", f"{REPO}/pulls"))] == [5, 4]
    assert [
        item["number"] for item in body_of(client.send("GET", f"{REPO}/pulls?head=tern-and-tide:debounce-limit"))
    ] == [4]


def test_a_pull_that_is_not_there():
    assert github().send("GET", f"{REPO}/pulls/1").status == 404


def test_a_user_is_shown_by_login():
    assert body_of(github().send("GET", "/users/Ottoline-K"))["name"] == "Ottoline Kask"
    assert seen(github().send("GET", "/users/nobody-here")) == refusal(
        404, "Not Found", f"{DOCS}/users/users#get-a-user"
    )


def test_the_repository_is_shown():
    body = body_of(github().send("GET", REPO))
    assert (body["default_branch"], body["open_issues_count"], body["permissions"]["push"]) == ("trunk", 2, True)


@pytest.mark.parametrize(("role", "pushes"), [("read", False), ("triage", False), ("push", True), ("maintain", True)])
def test_a_role_may_push_under_either_of_its_names(role, pushes):
    state = {"repos": {"tern-and-tide/sluicegate": {"collaborators": {"wrenfold-bot": role}}}}
    assert body_of(github(state).send("GET", REPO))["permissions"]["push"] is pushes
