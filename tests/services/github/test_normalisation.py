"""One spelling for all requests that mean the same."""

import json

import pytest

from mendbench.model.exchange import Request
from mendbench.services.github.normalisation import normalised

ISSUES = "https://api.github.com/repos/tern-and-tide/sluicegate/issues"


def asked(method, url, body=None):
    raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    return normalised(Request(method=method, url=url, headers=(("user-agent", "test"),), body=raw))


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("https://API.github.com:443/repos/Tern-And-Tide/SluiceGate/issues", {"labels": ["leak"], "title": "x"}),
        (f"{ISSUES}?title=y", {"title": "x", "labels": [{"name": "leak"}]}),
        (ISSUES, {"title": "x", "labels": ["leak"], "name": "not read", "milestone": None, "assignees": []}),
    ],
)
def test_case_query_and_what_is_not_read_make_no_other_request(url, body):
    assert asked("POST", url, body) == asked("POST", ISSUES, {"title": "x", "labels": ["leak"]})


@pytest.mark.parametrize(
    ("method", "url", "body"),
    [
        ("POST", ISSUES, {"title": "x", "labels": ["leak", "rust"]}),
        ("POST", ISSUES, {"title": "X", "labels": ["leak"]}),
        ("POST", ISSUES.replace("sluicegate", "weir"), {"title": "x", "labels": ["leak"]}),
        ("PATCH", f"{ISSUES}/1", {"title": "x", "labels": ["leak"]}),
    ],
)
def test_what_has_another_effect_is_another_request(method, url, body):
    assert asked(method, url, body) != asked("POST", ISSUES, {"title": "x", "labels": ["leak"]})


def test_taking_something_away_is_kept_in_a_change():
    assert json.loads(asked("PATCH", f"{ISSUES}/1", {"labels": [], "milestone": None}).body) == {
        "labels": [], "milestone": None,
    }  # fmt: skip


def test_a_bare_list_of_labels_is_their_object():
    url = f"{ISSUES}/1/labels"
    assert asked("POST", url, ["leak"]) == asked("POST", url, {"labels": ["leak"]})


def test_a_branch_of_the_repositorys_own_owner_needs_no_owner():
    url = ISSUES.replace("/issues", "/pulls")
    pull = {"title": "x", "head": "debounce-limit", "base": "trunk"}
    assert asked("POST", url, {**pull, "head": "Tern-And-Tide:debounce-limit"}) == asked("POST", url, pull)
    assert asked("POST", url, {**pull, "head": "ottoline-k:debounce-limit"}) != asked("POST", url, pull)


def test_what_reads_keeps_its_query_and_a_files_path_its_case():
    assert asked("GET", f"{ISSUES}?state=all").url == f"{ISSUES}?state=all"
    url = "https://api.github.com/repos/tern-and-tide/sluicegate/contents/README.md"
    assert asked("GET", url).url == url


@pytest.mark.parametrize(
    ("url", "body"), [("https://api.github.com/no/such", {}), (ISSUES, b"{"), (ISSUES, [1]), (ISSUES, b"3")]
)
def test_what_github_cannot_read_means_nothing(url, body):
    assert asked("POST", url, body) is None
