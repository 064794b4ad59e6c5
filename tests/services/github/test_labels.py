from __future__ import annotations

import pytest

from tests.fakes.services import body_of
from tests.services.github.client import DOCS, REPO, github, refusal, seen

ON_ISSUE = f"{REPO}/issues/1/labels"


def names(response):
    return [label["name"] for label in body_of(response)]


@pytest.mark.parametrize("color", ["invalid", "#ff0000", "fff"])
def test_g25_a_colour_has_six_digits(color):
    assert seen(github().send("POST", f"{REPO}/labels", {"name": "new", "color": color})) == refusal(
        422,
        "Validation Failed",
        f"{DOCS}/issues/labels#create-a-label",
        [{"resource": "Label", "code": "invalid", "field": "color"}],
    )


@pytest.mark.parametrize("name", ["leak", "LEAK"])
def test_g26_a_label_exists_in_any_case(name):
    response = github().send("POST", f"{REPO}/labels", {"name": name, "color": "ff0000"})
    assert body_of(response)["errors"] == [{"resource": "Label", "code": "already_exists", "field": "name"}]


def test_a_label_is_created_and_listed():
    client = github()
    assert client.send("POST", f"{REPO}/labels", {"name": "rust", "color": "B7410E"}).status == 201
    assert "rust" in names(client.send("GET", f"{REPO}/labels"))


def test_labels_are_added_and_replaced():
    client = github()
    assert names(client.send("POST", ON_ISSUE, {"labels": ["needs-survey"]})) == ["leak", "calibration", "needs-survey"]
    assert names(client.send("POST", ON_ISSUE, ["leak"])) == ["leak", "calibration", "needs-survey"]
    assert names(client.send("PUT", ON_ISSUE, {"labels": ["leak"]})) == ["leak"]


def test_g37_a_label_that_is_not_on_the_issue():
    response = github().send("DELETE", f"{ON_ISSUE}/needs-survey")
    assert seen(response) == refusal(404, "Label does not exist", f"{DOCS}/issues/labels#remove-a-label-from-an-issue")


def test_labels_are_removed_one_by_one_and_all_at_once():
    client = github()
    assert names(client.send("DELETE", f"{ON_ISSUE}/leak")) == ["calibration"]
    assert client.send("DELETE", ON_ISSUE).status == 204
    assert names(client.send("GET", ON_ISSUE)) == []


def test_g3_labels_as_one_text_break_the_schema():
    message = body_of(github().send("POST", ON_ISSUE, {"labels": "leak,rust"}))["message"]
    assert message == "Invalid request.\n\nFor 'properties/labels', \"leak,rust\" is not an array."
