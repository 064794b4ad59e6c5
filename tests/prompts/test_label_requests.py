import pytest

from mendbench.corpus.labelled_responses import LabelledResponse
from mendbench.prompts.label_requests import MAX_BODY, label_request, label_requests, state_in

ROW = LabelledResponse(
    id="one", service="Parcel", status=409, headers={"retry-after": "7"}, body={"error": "taken"}, truth="warning",
    method="POST", url="https://parcel.example/v1/parcels", sent={"name": "box"},
)  # fmt: skip


def asked(response):
    return label_request(response, "m", {})["messages"][1]["content"]


def test_a_request_quotes_request_status_headers_and_body():
    assert asked(ROW) == (
        'Request: POST https://parcel.example/v1/parcels\n{"name": "box"}\n\n'
        'Response of Parcel:\nHTTP 409\nretry-after: 7\n\n{"error": "taken"}\n'
    )


def test_an_empty_body_is_named_and_a_long_one_cut():
    bare = {"id": "one", "service": "Parcel", "status": 500, "headers": {}, "truth": None}
    assert asked(LabelledResponse(**bare, body="")).endswith("HTTP 500\n\n(empty)\n")
    assert asked(LabelledResponse(**bare, body="x" * (MAX_BODY + 1))).endswith(f"x … ({MAX_BODY + 1} characters)\n")


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ('{"state": "warning", "reason": "no right to it"}', "warning"),
        ('```json\n{"state":"error","reason":"r"}\n```', "error"),
        ('{"state": "success", "reason": "not an \\"error\\""}', "success"),
        ("warning", None),
        ('{"state": "fine"}', None),
        ('{"state": "error"} or {"state": "warning"}', None),
    ],
)
def test_a_reply_gives_one_state_or_none(text, state):
    assert state_in(text) == state


def test_responses_without_labels_can_be_asked_about(tmp_path):
    file = tmp_path / "new.jsonl"
    file.write_text('{"service": "Parcel", "status": 409, "headers": {}, "body": "taken"}\n', "utf-8")
    (response,) = label_requests(file, [], {}).responses
    assert (response.body, response.truth) == ("taken", None)
