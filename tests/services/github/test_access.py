"""Everything before the endpoint: agent, token, limits, repository, permission. Row ids are those of the catalogue of API errors."""

from __future__ import annotations

import base64
import re

import pytest

from tests.fakes.services import body_of
from tests.services.github.client import CREATE_ISSUE, DOCS, REPO, github, refusal, seen

BY_ID = "https://api.github.com/repositories/515436299"


@pytest.mark.parametrize("agent", [None, "", " "])
def test_g60_a_request_needs_a_user_agent(agent):
    response = github().send("GET", REPO, headers={"user-agent": agent})
    assert seen(response) == (
        403,
        {"message": "Missing or invalid User Agent string. See http://developer.github.com/v3/#user-agent-required"},
    )


def test_g45_writing_needs_a_token_and_the_body_is_not_looked_at():
    response = github(token=None).send("POST", f"{REPO}/issues", raw=b"{broken")
    assert seen(response) == refusal(401, "Requires authentication", CREATE_ISSUE)


def test_reading_what_is_public_needs_none():
    response = github(token=None).send("GET", REPO)
    assert (response.status, response.header("x-ratelimit-limit")) == (200, "60")


@pytest.mark.parametrize(
    "value", ["Bearer wrong", "token wrong", "Bearer Bearer tok", "Bearer {{token}}", "Bearer", "Digest x"]
)
def test_g46_a_bad_token_fails_even_for_reading(value):
    response = github({"tokens": {"tok": {"login": "mzeval"}}}).send("GET", REPO, headers={"authorization": value})
    assert seen(response) == refusal(401, "Bad credentials", DOCS)


def test_g46_hides_what_is_wrong_with_the_body():
    response = github({"tokens": {"tok": {}}}, token="old").send("POST", f"{REPO}/issues", {})
    assert response.status == 401


@pytest.mark.parametrize("value", ["Bearer tok", "token tok", "Basic " + base64.b64encode(b"me:tok").decode()])
def test_a_token_may_come_in_three_ways(value):
    client = github({"tokens": {"tok": {"login": "mzeval"}}})
    assert body_of(client.send("GET", "/user", headers={"authorization": value}))["login"] == "mzeval"


@pytest.mark.parametrize(
    "path",
    ["/repos/tern-and-tide/sluicegates", "/repos/nobody/sluicegate/issues/1", "/repos/tern-and-tide/ledger-private"],
)
def test_g15_a_missing_repository_and_a_private_one_are_alike_and_generic(path):
    assert seen(github().send("GET", path)) == refusal(404, "Not Found", DOCS)


def test_g15_comes_before_the_body_is_looked_at():
    assert github().send("POST", "/repos/nobody/nothing/issues", {}).status == 404


def test_repository_names_compare_without_case():
    assert body_of(github().send("GET", "/repos/Tern-And-Tide/SluiceGate"))["full_name"] == "tern-and-tide/sluicegate"


def test_a_slash_at_the_end_is_another_path():
    assert seen(github().send("GET", f"{REPO}/issues/")) == refusal(404, "Not Found", DOCS)


def test_g50_a_fine_grained_token_names_the_permission_that_it_lacks():
    client = github(
        {"tokens": {"tok": {"login": "mzeval", "kind": "fine_grained", "permissions": {"contents": "read"}}}}, "tok"
    )
    response = client.send("PUT", f"{REPO}/contents/new.md", {})
    assert seen(response) == refusal(403, "Resource not accessible by personal access token", DOCS)
    assert response.header("x-accepted-github-permissions") == "contents=write"


def test_g50_an_app_is_reported_in_its_own_words():
    client = github({"tokens": {"tok": {"kind": "app", "permissions": {"issues": "read"}}}}, "tok")
    assert (
        body_of(client.send("POST", f"{REPO}/issues", {"title": "x"}))["message"]
        == "Resource not accessible by integration"
    )


def test_g52_a_classic_token_lacks_rights():
    client = github({"tokens": {"tok": {"permissions": {"issues": "read"}}}}, "tok")
    assert (
        body_of(client.send("POST", f"{REPO}/labels", {"name": "x"}))["message"]
        == "Must have admin rights to Repository."
    )


def test_a_permission_that_is_granted_is_enough():
    client = github(
        {"tokens": {"tok": {"kind": "app", "login": "wrenfold-bot", "permissions": {"issues": "write"}}}}, "tok"
    )
    assert client.send("POST", f"{REPO}/issues", {"title": "x"}).status == 201


def test_g51_an_organisation_may_enforce_saml():
    state = {
        "saml": {"tern-and-tide": True},
        "tokens": {"out": {"login": "mzeval"}, "in": {"login": "mzeval", "sso": ["tern-and-tide"]}},
    }
    response = github(state, "out").send("GET", REPO)
    text = "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization."
    assert seen(response) == refusal(403, text, DOCS)
    assert response.header("X-GitHub-SSO").startswith("required; url=")
    assert github(state, "in").send("GET", REPO).status == 200


def test_g12_an_archived_repository_is_read_only():
    client = github()
    response = client.send("POST", "/repos/tern-and-tide/oxbow-docs/issues", {"title": "x"})
    assert seen(response) == refusal(403, "Repository was archived so is read-only.", CREATE_ISSUE)
    assert client.send("GET", "/repos/tern-and-tide/oxbow-docs/issues").status == 200


def test_g11_a_repository_without_issues_is_gone_for_writing_and_empty_for_reading():
    client = github()
    response = client.send("POST", "/repos/tern-and-tide/gauge-relay/issues", {"title": "x"})
    assert seen(response) == refusal(410, "Issues has been disabled in this repository.", CREATE_ISSUE)
    assert seen(client.send("GET", "/repos/tern-and-tide/gauge-relay/issues")) == (200, [])


def test_g55_reading_under_an_old_name_is_moved():
    response = github().send("GET", "/repos/tern-and-tide/lockkeeper")
    assert seen(response) == (
        301,
        {
            "message": "Moved Permanently",
            "url": BY_ID,
            "documentation_url": "https://docs.github.com/v3/#http-redirects",
        },
    )
    assert response.header("location") == BY_ID


def test_g56_writing_under_an_old_name_is_redirected_with_its_method():
    response = github().send("POST", "/repos/tern-and-tide/lockkeeper/issues", {"title": "x"})
    assert (response.status, response.header("location")) == (307, f"{BY_ID}/issues")


def test_where_the_redirect_leads_there_is_the_repository():
    client = github()
    assert body_of(client.send("GET", "/repositories/515436299"))["full_name"] == "tern-and-tide/sluicegate"
    assert client.send("POST", "/repositories/515436299/issues", {"title": "x"}).status == 201


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"title": "a"b"}', "Problems parsing JSON"),
        (b"[1]", "Body should be a JSON object"),
        (b'"x"', "Body should be a JSON object"),
    ],
)
def test_g49_a_body_that_is_no_json_object(raw, message):
    assert seen(github().send("POST", f"{REPO}/issues", raw=raw)) == refusal(400, message, DOCS)


def test_every_answer_carries_the_rate_limit():
    client = github()
    first = client.send("GET", REPO)
    client.send("POST", f"{REPO}/issues", {"title": "x"})
    second = client.send("GET", "/repos/no/thing")
    assert (first.header("x-ratelimit-limit"), first.header("x-ratelimit-resource")) == ("5000", "core")
    assert [a.header("x-ratelimit-remaining") for a in (first, second)] == ["4999", "4998"]
    assert first.header("x-ratelimit-reset") == second.header("x-ratelimit-reset")


def test_only_accepted_writes_use_up_a_limit_that_no_state_declares():
    client = github()
    client.send("POST", f"{REPO}/issues", {"title": ""})
    responses = [client.send("GET", "/search/issues?q=is:issue+gate") for _ in range(40)]
    assert {(response.status, response.header("x-ratelimit-used")) for response in responses} == {(200, "1")}


def test_a_declared_limit_counts_refused_requests_too_and_no_other_limit():
    client = github({"rate_limits": {"core": {"limit": 10}}})
    responses = [client.send("GET", path) for path in (REPO, "/repos/no/thing", "/search/issues?q=is:issue+gate", REPO)]
    assert [response.header("x-ratelimit-used") for response in responses] == ["1", "2", "1", "3"]


def test_a_request_id_has_githubs_form_and_changes_with_each_accepted_write():
    client = github()
    ids = []
    for title in ("", "a", "b"):
        client.send("POST", f"{REPO}/issues", {"title": title})
        ids.append(client.send("GET", REPO).header("x-github-request-id"))
    assert len(set(ids)) == 3
    assert all(re.fullmatch(r"[0-9A-F]{4}:[0-9A-F]{5}:[0-9A-F]{6}:[0-9A-F]{6}:[0-9A-F]{8}", one) for one in ids)


def test_g53_a_used_up_limit_ends_when_its_hour_does():
    client = github({"rate_limits": {"core": {"limit": 1}}})
    client.send("GET", REPO)
    refused = client.send("GET", REPO)
    assert seen(refused) == refusal(
        403, "API rate limit exceeded for user ID 48110273.", f"{DOCS}/overview/resources-in-the-rest-api#rate-limiting"
    )
    assert refused.header("x-ratelimit-remaining") == "0"
    client.now_ms = int(refused.header("x-ratelimit-reset")) * 1000
    assert client.send("GET", REPO).status == 200


def test_g53_without_a_token_the_address_is_named():
    client = github({"rate_limits": {"core": {"limit": 0}}}, token=None)
    assert body_of(client.send("GET", REPO))["message"].startswith(
        "API rate limit exceeded for 203.0.113.7. (But here's the good news:"
    )


def test_g54_the_limit_on_bursts_hits_writes_and_may_name_no_time():
    client = github({"secondary_limit": {"times": 1}})
    assert client.send("GET", REPO).status == 200
    refused = client.send("POST", f"{REPO}/issues", {"title": "x"})
    assert refused.status == 403
    assert body_of(refused)["message"].startswith(
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    )
    assert refused.header("retry-after") is None
    assert int(refused.header("x-ratelimit-remaining")) > 0
    assert client.send("POST", f"{REPO}/issues", {"title": "x"}).status == 201


def test_g54_a_wait_and_another_status_can_be_given():
    refused = github({"secondary_limit": {"status": 429, "retry_after": 8}}).send(
        "POST", f"{REPO}/issues", {"title": "x"}
    )
    assert (refused.status, refused.header("retry-after")) == (429, "8")


def test_g62_an_outage_is_written_by_path_or_by_route():
    client = github(
        {
            "failures": {
                f"GET {REPO}": [{"status": 502, "body": "Unicorn!"}],
                "POST /repos/{owner}/{repo}/issues": [{"fault": "reset"}],
            }
        }
    )
    assert (client.send("GET", REPO).status, client.send("GET", REPO).status) == (502, 200)
    assert client.send("POST", f"{REPO}/issues", {"title": "x"}).fault == "reset"


def test_a_head_request_has_no_body():
    response = github().send("HEAD", REPO)
    assert (response.status, response.body) == (200, b"")
