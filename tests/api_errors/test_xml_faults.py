from __future__ import annotations

import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors import xml_faults
from mendbench.api_errors.envelopes import failure_in
from mendbench.api_errors.xml_faults import fault_in, part_was_done

SOAP = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{}</s:Body></s:Envelope>'
DAV = (
    '<?xml version="1.0"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/a</D:href>{}</D:response></D:multistatus>'
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            SOAP.format("<s:Fault><faultcode>s:Client</faultcode><faultstring>no such name</faultstring></s:Fault>"),
            "no such name",
        ),
        (SOAP.format("<s:Fault></s:Fault>"), "request failed"),
        ("<Error><Code>SlowDown</Code><Message>Please wait</Message></Error>", "Please wait"),
        ("<DeleteResult><Deleted/><Error><Key>b</Key><Code>AccessDenied</Code></Error></DeleteResult>", "AccessDenied"),
        ('<?xml version="1.0"?>\n<rsp stat="fail"><err code="100" msg="Invalid key"/></rsp>', "Invalid key"),
        (DAV.format("<D:status>HTTP/1.1 423 Locked</D:status>"), "423 Locked"),
    ],
)
def test_a_failure_inside_an_xml_answer_is_noticed(text, says):
    assert fault_in(text) == says
    embedded = failure_in(text)
    assert embedded is not None
    assert embedded.message == says


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html><body>Error codes</body></html>",
        "<feed><entry><Error><Code>5</Code></Error></entry></feed>",
        '<rsp stat="ok"><photo title="stat=fail"/></rsp>',
        SOAP.format("<DefaultReply/>"),
        DAV.format("<D:propstat><D:prop/><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>"),
    ],
)
def test_xml_data_and_properties_that_are_not_there_are_no_failure(text):
    assert fault_in(text) is None


def test_a_resource_that_failed_is_found_between_properties_that_are_not_there():
    absent = "<D:propstat><D:prop/><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>"
    assert fault_in(DAV.format(f"{absent}<D:status>HTTP/1.1 423 Locked</D:status>{absent}")) == "423 Locked"


@pytest.mark.parametrize(
    ("status", "done"), [("200 OK", True), ("204 No Content", True), ("423 Locked", False), ("1200 OK", False)]
)
def test_a_multi_status_shows_whether_a_part_was_done(status, done):
    assert part_was_done(DAV.format(f"<D:status>HTTP/1.1 {status}</D:status>")) is done
    assert not part_was_done(f"<feed><status>HTTP/1.1 {status}</status></feed>")


UNCLOSED = {
    "properties": ("<D:multistatus>", "<propstat>x"),
    "words of a fault": ("<Envelope><Fault>", "<Text "),
    "a root": ("<", "a"),
    "a root's prefixes": ("<", "a:"),
    "errors": ("<Error>", "<Error><Code>"),
    "comments": ("", "<!--"),
}


@pytest.mark.parametrize(("start", "part"), UNCLOSED.values(), ids=UNCLOSED)
def test_what_is_never_closed_takes_time_that_grows_with_its_length_alone(start, part, monkeypatch):
    monkeypatch.setattr(xml_faults, "MAX_TEXT", 10**6)

    def seconds(size):
        text = start + part * (size // len(part))
        return min(timeit.repeat(lambda: fault_in(text), number=1, repeat=3))

    assert seconds(32_000) < 6 * max(seconds(8_000), 0.001)


@given(st.text(alphabet="<>/=\"' :Errorstafil123", max_size=200))
def test_no_text_makes_it_raise(text):
    fault_in("<" + text)
