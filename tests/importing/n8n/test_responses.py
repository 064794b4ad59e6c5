"""What n8n keeps of a response: in output items, and in errors."""

import json

from mendbench.importing.n8n.responses import failure, responses
from tests.importing.n8n.executions import TEXT, node, ran, refused


def answer(item, **options):
    shown = {"options": {"response": {"response": options}}} if options else {}
    return responses(node("A", shown), ran(item), 1)[0]


def test_the_body_of_a_failure_comes_from_wherever_n8n_put_it():
    parsed = json.loads(TEXT)
    bare = {"httpCode": "422", "message": "Your request is invalid"}
    for error, body in (
        (refused(), TEXT.encode()),
        (refused(body=parsed), json.dumps(parsed).encode()),
        (refused(body={"type": "Buffer", "data": list(TEXT.encode())}), TEXT.encode()),
        ({**bare, "messages": f"Bad - 422 - {json.dumps(TEXT)}"}, TEXT.encode()),
        ({**bare, "cause": {"message": f"422 - {json.dumps(TEXT)}"}}, TEXT.encode()),
        ({**bare, "context": {"data": parsed}}, json.dumps(parsed).encode()),
        ({**bare, "messages": ["Try spacing your requests"], "description": TEXT}, TEXT.encode()),
        ({**bare, "messages": ["422 - undefined"]}, b""),
        ({"message": f"422 - {json.dumps(TEXT)}"}, TEXT.encode()),
        ({**bare, "httpCode": None, "status": 422, "messages": ['422 - "broken"']}, b"broken"),
    ):
        found = failure(error, 7)
        assert (found.status, found.body, found.elapsed_ms) == (422, body, 7), error


def test_a_failure_without_a_body_or_a_status_is_not_guessed():
    for error, said in (
        (
            {"httpCode": "404", "message": "Not found", "description": "no such bell"},
            "the status 404 of its response and not the body",
        ),
        (
            {"name": "NodeOperationError", "message": "URL parameter cannot be empty"},
            "no status of a response (URL parameter",
        ),
    ):
        assert said in failure(error, 0)


def test_a_code_of_the_network_is_a_fault():
    codes = {
        "ECONNREFUSED": "refused",
        "ENOTFOUND": "dns",
        "ECONNABORTED": "timeout",
        "ECONNRESET": "reset",
        "CERT_HAS_EXPIRED": "tls",
    }
    for code, fault in codes.items():
        for error in ({"httpCode": code}, {"cause": {"code": code}}, {"messages": [f"connect {code} 127.0.0.1:80"]}):
            found = failure(error, 9)
            assert (found.status, found.fault, found.elapsed_ms) == (0, fault, 9), error


def test_a_success_says_only_what_n8n_stored():
    whole = {"statusCode": 201, "headers": {"location": "/b/1", "transfer-encoding": "chunked"}, "body": {"id": 1}}
    found = answer(whole, fullResponse=True)
    assert (found.status, found.headers, json.loads(found.body)) == (201, (("location", "/b/1"),), {"id": 1})
    assert answer({"data": "ding"}, responseFormat="text").body == b"ding"
    assert json.loads(answer({"data": "ding", "n": 1}).body) == {"data": "ding", "n": 1}
    for item, options, said in (
        ({"data": "ding"}, {}, "either a text or an object"),
        ({"id": 1}, {"neverError": True}, "did not store the status"),
        ({"json": {}, "binary": {"data": {"id": "x"}}}, {}, "a file, which n8n stores elsewhere"),
    ):
        assert said in answer(item, **options), said
    assert json.loads(responses(node("A"), ran(), 1)[0].body) == []
    assert "may stand for an empty list" in responses(node("A", alwaysOutputData=True), ran({}), 1)[0]
    assert responses(node("A"), {"executionStatus": "canceled"}, 1) == {0: "n8n stored no output of it"}


def test_an_error_after_which_the_workflow_went_on_is_a_failure():
    error = {"error": {"message": f"422 - {json.dumps(TEXT)}", "name": "AxiosError", "status": 422}}
    assert responses(node("A", onError="continueRegularOutput"), ran(error), 1)[0].status == 422
    assert responses(node("A"), ran(error), 1)[0].status == 200
    by_error = {"data": {"main": [[], [{"json": {"mark": "b-1", **error}}]]}}
    assert responses(node("A", onError="continueErrorOutput"), by_error, 1)[0].status == 422


def test_of_several_items_only_what_belongs_to_a_request_is_its_response():
    failed = responses(node("A"), ran(error=refused(context={"itemIndex": 1})), 3)
    assert (failed[1].status, failed[1].elapsed_ms) == (422, 0)
    assert failed[0] == failed[2] == "item 1 failed, and n8n keeps nothing of the others then"
    unpaired = responses(node("A"), ran({"a": 1}, {"a": 2}), 2)
    assert set(unpaired.values()) == {"no output item says that it belongs to this request"}
