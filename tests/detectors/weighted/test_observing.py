from mendbench.detectors.weighted.observing import finding
from tests.fakes.tables import for_each


def failed(body, status=200, method=""):
    return finding(status, body, method).failed


@for_each(
    "body",
    [
        {"ok": False, "error": "channel_not_found"},
        {"status": "fail", "message": "invalid query"},
        {"errcode": 40001, "errmsg": "invalid credential"},
        {"status": "0", "message": "NOTOK", "result": "Invalid API Key"},
        {"Response": "False", "Error": "Movie not found!"},
        {"Note": "Our standard rate limit is 25 requests per day."},
        {"data": None, "errors": [{"message": "Field 'titel' doesn't exist"}]},
        {"data": {"create": {"item": None, "userErrors": [{"message": "Title can't be blank"}]}}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {"content": [{"type": "text", "text": '{"ok": false, "error": "no_text"}'}]},
        },
        {"successful": True, "error": None, "data": {"ok": False, "error": "not_in_channel"}},
        {"response": {"header": {"resultCode": "99", "resultMsg": "SERVICE KEY IS NOT REGISTERED"}, "body": {}}},
        '<rsp stat="fail"><err code="100" msg="Invalid API Key"/></rsp>',
        "<Envelope><Body><Fault><faultcode>Client</faultcode><faultstring>Missing element</faultstring></Fault></Body></Envelope>",
        "<!doctype html><html><head><title>Sign in</title></head><body>Please sign in</body></html>",
        "ERROR: invalid token",
        "invalid id",
        [{"error": {"type": 3, "address": "/lights/9", "description": "resource, /lights/9, not available"}}],
    ],
)
def test_a_failure_with_a_success_status_is_observed(body):
    assert failed(body)


@for_each(
    "body",
    [
        None,
        {"ok": True, "error": None},
        {"errcode": 0, "errmsg": "ok"},
        {"error": {"code": "ok", "message": "", "log_id": "7"}},
        {"results": [], "status": "ZERO_RESULTS"},
        {"id": "po_1", "object": "payout", "status": "failed", "failure_code": "account_closed"},
        {"id": 7, "status": "failed"},
        {"data": [{"id": 1, "state": "declined", "error": "insufficient funds"}], "next": None},
        {"builds": [{"number": 4, "result": "FAILURE"}]},
        {"title": "404 Not Found on the checkout page", "id": 12, "state": "open"},
        '<rsp stat="ok"><photos total="0"/></rsp>',
        "<!doctype html><html><head><title>Weather in Oslo</title></head><body>Rain</body></html>",
        "id,name,error\n1,Ann,\n",
        "2026-01-01 ERROR failed to connect\n2026-01-01 INFO recovered\n",
    ],
)
def test_data_about_failures_is_a_success(body):
    assert not failed(body)


def test_a_failed_status_decides_alone():
    assert failed({"ok": True}, status=404)


def test_not_modified_is_a_success():
    assert not failed(None, status=304)


@for_each(
    "body",
    [
        {"results": [{"id": "a", "status": "ok"}, {"id": "b", "error": "not found"}]},
        {"errors": True, "items": [{"index": {"_id": "1", "status": 201}}, {"index": {"_id": "2", "status": 400, "error": {"type": "parsing"}}}]},
        {"Successful": [{"Id": "1"}], "Failed": [{"Id": "2", "Code": "InvalidParameterValue", "Message": "too long"}]},
        {"responses": [{"id": "1", "status": 200, "body": {}}, {"id": "2", "status": 403, "body": {"error": {"code": "Forbidden"}}}]},
        {"UnprocessedItems": {"orders": [{"PutRequest": {}}]}},
    ],
)  # fmt: skip
def test_a_failed_item_of_a_batch_is_a_partial_failure(body):
    found = finding(200, body, "POST")
    assert (found.failed, found.partial) == (True, True)


def test_the_same_word_is_data_in_a_fetched_record_and_a_failure_of_a_write():
    refused = {"id": "tx_1", "status": "declined", "message": "The bank declined the card"}
    assert failed(refused, method="POST")
    assert not failed({**refused, "amount": 4, "currency": "EUR", "card": "4242", "customer": "c"}, method="GET")


@for_each(
    "record",
    [
        {"id": 4, "name": "nightly", "status": "failed", "error": {"code": 137, "message": "killed"}},
        {"run": "r-7", "state": "error", "error": "disk full", "error_code": 28, "started": 1, "ended": 2, "host": "a"},
    ],
)
def test_what_a_fetched_record_says_about_itself_is_data(record):
    assert not failed(record, method="GET")


@for_each(
    "body",
    [
        {"id": "pay_1", "amount": 1290, "currency": "EUR", "status": "Declined", "reference": "A-7", "method": "card"},
        {"TIMESTAMP": "2025-04-02", "CORRELATIONID": "5e80", "ACK": "Failure", "L_ERRORCODE0": "10009", "BUILD": "588"},
        {"message": "queued", "message_uuid": ["7c0b"], "invalid_number": ["4420712"]},
        {"subscribed": {"713": ["releases"]}, "unauthorized": ["incidents"]},
        {"data": [{"message_id": "", "is_sent": False, "drop_reason": {"code": "timed_out", "message": "Not now."}}]},
        {"sync_status": {"a": "ok", "b": {"error_code": 15, "error": "Invalid id"}}, "sync_token": "x"},
        [{"code": 200, "headers": [], "body": "{}"}, {"code": 400, "headers": [], "body": '{"error": {"code": 100}}'}],
        {"data": "unknown command: 'info snapshot'"},
        {"updated": 2, "missing": ["r-3"]},
    ],
)
def test_what_became_of_a_write_is_no_data(body):
    assert failed(body, method="POST")


@for_each(
    "body",
    [
        [{"id": "t1", "status": "FAILED", "errorMsg": "cancelled", "type": "load"}, {"id": "t2", "status": "SUCCESS"}],
        [{"error": "badge expired", "error_code": 403, "n": 214}, {"error": None, "error_code": 0, "n": 3}],
        {"items": [{"error_name": "bad_parameter", "error_id": 400}], "has_more": False, "quota_remaining": 299},
        {
            "id": "12",
            "name": "Spring",
            "issues_info": [{"level": "AD_SET", "error_code": 24, "error_message": "Blocked"}],
        },
        {
            "totalRecords": "1",
            "failures": [{"accountId": "5", "configUrl": "x", "connectId": "1", "email": "a", "error": "x"}],
        },
        {"succeeded": ["job-1"], "failed": [{"id": "job-4", "name": "nightly"}]},
    ],
)
def test_what_a_read_returned_is_data(body):
    assert not failed(body, method="GET")


def test_a_list_of_names_that_a_write_returns_is_no_failure():
    assert not failed({"id": "l1", "tags": ["red"], "reviewers": ["kim"]}, method="POST")


def test_a_table_that_an_error_broke_off_is_a_failure():
    assert failed("1\t/a\n2\t/b\nCode: 32. DB::Exception: Attempt to read after eof")


def test_a_document_type_that_is_defined_elsewhere_does_not_hide_a_failure():
    assert failed(
        '<!DOCTYPE r PUBLIC "-//X//DTD" "http://dtd.example/x.dtd"><r><ERROR>Search backend failed</ERROR></r>'
    )
