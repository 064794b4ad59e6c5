from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.kit.envelopes import failure_in
from mendbench.kit.xml_faults import fault_in

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


@given(st.text(alphabet="<>/=\"' :Errorstafil123", max_size=200))
def test_no_text_makes_it_raise(text):
    fault_in("<" + text)
