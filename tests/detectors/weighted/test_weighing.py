from mendbench.detectors import detector
from mendbench.model.execution import Observation
from tests.fakes.tables import for_each


def judged(body, status=200, **more):
    kind = "envelope" if status == 200 else "http"
    observation = Observation(
        kind=kind, message="m", node_id="call", node_type="http", status=status, body=body, **more
    )
    return detector("weighted").judge(observation)


@for_each(
    ("status", "body"),
    [
        (400, {"error": {"code": "INVALID_ARGUMENT", "message": "start must be before end"}}),
        (422, {"errors": {"title": ["can't be blank"]}}),
        (405, ""),
        (500, {"message": "Required parameter 'name' is missing"}),
        (200, {"ok": False, "error": "no_text"}),
        (404, "<html><body><h1>Not Found</h1>The requested URL was not found on this server.</body></html>"),
        (400, {"code": "42703", "message": "column users.nme does not exist"}),
    ],
)
def test_what_an_edit_could_help_is_an_error(status, body):
    assert judged(body, status).state == "error"


@for_each(
    ("status", "body"),
    [
        (401, {"message": "Bad credentials"}),
        (400, {"error": "invalid_grant"}),
        (403, {"message": "You need the role owner"}),
        (429, ""),
        (503, "<html><h1>503 Service Unavailable</h1></html>"),
        (404, {"message": "User 17 not found"}),
        (409, {"message": "A branch of that name already exists"}),
        (402, {"error": {"code": "card_declined", "message": "Your card was declined."}}),
        (200, {"ok": False, "error": "is_archived"}),
    ],
)
def test_what_only_the_user_can_help_is_a_warning(status, body):
    assert judged(body, status).state == "warning"


def test_evidence_adds_up_to_the_confidence():
    plain, surer = (
        judged({"message": "no access"}, 403),
        judged({"message": "Quota exceeded"}, 403, headers={"retry-after": "30"}),
    )
    assert 0.5 <= plain.confidence < surer.confidence <= 1
    assert {piece.path for piece in surer.evidence} >= {"status", "text", "header retry-after"}


def test_specific_validation_outweighs_a_general_status():
    assert judged({"message": "The field 'from' must be an e-mail address", "field": "from"}, 403).state == "error"


def test_another_identifier_in_the_run_makes_an_absent_thing_an_error():
    absent = {"ok": False, "error": "channel_not_found"}
    assert judged(absent).state == "warning"
    assert judged(absent, other_identifier="id=C024BE91L").state == "error"


def test_another_identifier_does_not_excuse_a_state():
    assert judged({"ok": False, "error": "is_archived"}, other_identifier="id=C024BE91L").state == "warning"


def test_a_success_that_was_taken_for_a_failure_is_a_success():
    assert judged({"id": 7, "status": "failed"}).state == "success"


def test_the_warning_quotes_the_response():
    assert "Quota exceeded" in judged({"error": {"message": "Quota exceeded"}}, 403).message
