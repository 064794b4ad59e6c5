from mendbench.detectors.weighted.opening import opened
from tests.fakes.tables import for_each


@for_each(
    ("body", "value"),
    [
        ({"ok": False}, {"ok": False}),
        ('{"ok": false}', {"ok": False}),
        ('callback({"stat": "fail"})', {"stat": "fail"}),
        ('{"id": 1}\n{"id": 2}', [{"id": 1}, {"id": 2}]),
        ("ACK=Failure&L_ERRORCODE0=10002", {"ACK": "Failure", "L_ERRORCODE0": "10002"}),
        (
            '<rsp stat="fail"><err code="1" msg="Photo not found"/></rsp>',
            {"rsp": {"stat": "fail", "err": {"code": "1", "msg": "Photo not found"}}},
        ),
        ("<list><item>a</item><item>b</item></list>", {"list": {"item": ["a", "b"]}}),
        ('<Error n="2">Bad key</Error>', {"Error": {"n": "2", "#text": "Bad key"}}),
    ],
)
def test_data_is_opened_whatever_its_notation(body, value):
    assert (opened(body).form, opened(body).value) == ("data", value)


def test_the_responses_of_a_multipart_batch_are_opened():
    body = (
        "--batch_7\nContent-Type: application/http\n\nHTTP/1.1 404 Not Found\nContent-Type: application/json\n\n"
        '{"error": {"code": "NotFound"}}\n--batch_7--\n'
    )
    assert opened(body).value == {"responses": [{"status": 404, "body": {"error": {"code": "NotFound"}}}]}


def test_a_page_is_read_as_a_reader_sees_it():
    page = "<!doctype html><html><head><title>Sign in &amp; go</title><style>h1{}</style></head><body><h1>Hello</h1></body></html>"
    assert opened(page).form == "html"
    assert opened(page).value.startswith("Sign in & go\nHello\n")


@for_each("body", [None, "", "  \n", "\ufeff"])
def test_nothing_is_empty(body):
    assert opened(body).form == "empty"


@for_each("body", ["plain words", "a = b", "{not json", "<unclosed", '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'])
def test_anything_else_is_text(body):
    assert (opened(body).form, opened(body).value) == ("text", body)
