from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.fakes.services import body_of
from tests.services.github.client import github, refusal, seen

DOCS = "https://docs.github.com/v3/search/"
FAILED = "Validation Failed"
HERE = "repo:tern-and-tide/sluicegate"


def search(query, client=None, tail=""):
    return (client or github()).send("GET", f"/search/issues?q={quote(query)}{tail}")


@pytest.mark.parametrize(
    ("query", "numbers"),
    [(f"{HERE} is:issue", [3, 2, 1]), (f"{HERE} is:pr", [4]), (f"{HERE} gate closed", [1]), (f'{HERE} "leap second"', [2]),
     (f"{HERE} is:open label:leak", [1]), (f"{HERE} -label:leak is:issue", [3, 2]), (f"{HERE} author:mzeval", [2]),
     (f"{HERE} assignee:mzeval", [3]), (f"{HERE} state:closed", [2]), (f"{HERE} milestone:equinox", [1]), ("org:tern-and-tide culvert", [3]),
     ("unheard-of-word", [])],
)  # fmt: skip
def test_all_terms_have_to_hold(query, numbers):
    body = body_of(search(query))
    assert [item["number"] for item in body["items"]] == numbers
    assert body["total_count"] == len(numbers)


@pytest.mark.parametrize(
    "query",
    [
        "repo:tern-and-tide/sluicegates gate",
        "repo:/sluicegate",
        "user:nobody-here",
        "repo:tern-and-tide/ledger-private",
    ],
)
def test_g38_what_one_cannot_see_cannot_be_searched(query):
    text = "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them."
    response = search(query)
    assert seen(response) == refusal(
        422, FAILED, DOCS, [{"message": text, "resource": "Search", "field": "q", "code": "invalid"}]
    )
    assert (response.header("x-ratelimit-limit"), response.header("x-ratelimit-resource")) == ("30", "search")


def test_g39_a_fine_grained_token_has_to_say_what_it_looks_for():
    client = github({"tokens": {"tok": {"kind": "fine_grained", "login": "mzeval"}}}, "tok")
    assert (
        body_of(search(f"{HERE} gate", client))["errors"][0]["message"]
        == "Query must include 'is:issue' or 'is:pull-request'"
    )
    assert search(f"{HERE} gate is:issue", client).status == 200


@pytest.mark.parametrize("path", ["/search/issues", "/search/issues?q=", "/search/issues?q=%20"])
def test_g40_a_query_is_needed(path):
    assert seen(github().send("GET", path)) == refusal(
        422, FAILED, DOCS, [{"resource": "Search", "field": "q", "code": "missing"}]
    )


@pytest.mark.parametrize("tail", ["&page=11&per_page=100", "&page=35"])
def test_g41_only_so_many_results_can_be_paged(tail):
    assert seen(search("gate", tail=tail)) == refusal(422, "Only the first 1000 search results are available", DOCS)


def test_a_query_has_a_greatest_length():
    assert search("x" * 257).status == 422


def test_searches_count_against_their_own_limit():
    client = github({"rate_limits": {"search": {"limit": 1}}})
    assert [search("gate", client).status, search("gate", client).status, client.send("GET", "/user").status] == [
        200,
        403,
        200,
    ]
