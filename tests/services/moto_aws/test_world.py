from __future__ import annotations

import json

import pytest

from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.services.local_server import util
from mendbench.services.moto_aws.world import PINS, MotoAws, calls_of, incoming
from mendbench.services.pinning_proxy import pinned_body, pinned_headers
from tests.fakes.behind import Program, Said, behind

QUERY = {"target": "DynamoDB_20120810.Query", "json": {"TableName": "t"}}


@pytest.fixture
def server():
    with behind() as served:
        yield served


@pytest.fixture
def world(server, monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: object())
    made = MotoAws()
    made._server = Program(server.base)
    yield made
    made.stop()


def test_the_state_s_calls_are_merged_over_the_seed_s_by_name():
    seed = calls_of({})
    calls = calls_of(
        {"calls": {"bale HM-31": {"json": {"Item": {"loft": {"S": "Byre 2"}}}}, "bale HM-32": None, "more": QUERY}}
    )
    assert calls["bale HM-31"]["json"]["Item"]["loft"] == {"S": "Byre 2"}
    assert calls["bale HM-31"]["json"]["Item"]["bale_rune"] == {"S": "HM-31"}
    assert list(calls) == [*(name for name in seed if name != "bale HM-32"), "more"]


@pytest.mark.parametrize("name", sorted(calls_of({})))
def test_every_call_of_the_seed_means_a_request(name):
    asked = incoming(name, calls_of({})[name])
    assert (asked.method, asked.target) == ("POST", "/")
    assert json.loads(asked.body)


def test_a_call_of_a_json_protocol_goes_to_its_service():
    asked = incoming("x", QUERY)
    assert asked.host == "dynamodb.eu-west-1.amazonaws.com"
    assert dict(asked.headers)["X-Amz-Target"] == "DynamoDB_20120810.Query"
    assert json.loads(asked.body) == {"TableName": "t"}


def test_a_call_may_be_any_request_to_a_known_host():
    url = "https://s3.eu-west-1.amazonaws.com/b/k.json?acl"
    asked = incoming("x", {"method": "PUT", "url": url, "text": "é", "headers": {"X-A": 1}})
    assert (asked.method, asked.target, asked.body) == ("PUT", "/b/k.json?acl", "é".encode())
    assert dict(asked.headers) == {"Host": "s3.eu-west-1.amazonaws.com", "X-A": "1"}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ({"target": "Nobody.Asks"}, "neither target nor url is one of dynamodb, "),
        ({"url": "https://s3.us-east-1.amazonaws.com/"}, "neither target nor url"),
    ],
)
def test_a_call_that_means_nothing_is_reported_in_one_line(call, said):
    with pytest.raises(BadInput) as caught:
        incoming("x", call)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "reads"),
    [
        ("DynamoDB_20120810.Query", True),
        ("DynamoDB_20120810.BatchGetItem", True),
        ("DynamoDB_20120810.PutItem", False),
        ("AmazonSSM.DescribeParameters", True),
        ("AmazonSQS.ListQueues", True),
        ("AmazonSQS.ReceiveMessage", False),
        ("AmazonSQS.SendMessage", False),
        (None, None),
    ],
)
def test_an_operation_s_name_shows_whether_it_only_reads(target, reads):
    headers = () if target is None else (("x-amz-target", target),)
    request = Request(method="POST", url="https://sqs.eu-west-1.amazonaws.com/", headers=headers)
    assert MotoAws().reads(request) is reads


def test_a_reset_forgets_everything_and_makes_the_calls_in_order(world, server):
    world.start()
    server.asked.clear()
    world.reset({"calls": {"more": QUERY}})
    lines = [one for one in server.asked if "seed" not in one.line]
    assert lines[0].line == "POST /moto-api/reset"
    assert len(lines) == len(calls_of({})) + 2
    assert lines[-1].headers["x-amz-target"] == "DynamoDB_20120810.Query"


def test_ids_hang_on_the_request_and_on_how_often_it_was_made(world, server):
    world.start()

    def seeds():
        server.asked.clear()
        for _ in range(2):
            world._front.response(incoming("x", QUERY))
        world._front.response(incoming("y", {**QUERY, "json": {}}))
        return [one.line for one in server.asked if "seed" in one.line]

    world.reset({})
    first = seeds()
    assert len(set(first)) == 3
    world.reset({})
    assert seeds() == first


def test_an_unsigned_request_is_signed_for_the_host_that_it_is_sent_to(world, server):
    world.start()
    world._front.response(incoming("x", {"url": "https://ssm.eu-west-1.amazonaws.com/"}))
    assert "/20260101/eu-west-1/ssm/aws4_request" in server.asked[-1].headers["authorization"]


def test_a_call_that_moto_refuses_is_reported_with_its_name_and_words(world, server):
    world.start()
    server.responses = lambda asked: (
        Said(400, (), b'{"message":\n"no table"}') if "Query" in str(asked.headers) else Said()
    )
    with pytest.raises(BadInput) as caught:
        world.reset({"calls": {"more": QUERY}})
    assert str(caught.value) == (
        'state of moto_aws: calls.more: refused with 400: {"message": "no table"}; mend the state'
    )


def test_reset_before_start_is_refused():
    with pytest.raises(BadInput, match="reset before start"):
        MotoAws().reset({})


def test_without_moto_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "moto" else object())
    with pytest.raises(BadInput, match="the package moto is not installed; run `make record-world`"):
        MotoAws().start()


def test_no_date_request_id_or_checksum_is_left_in_an_answer():
    body = (
        b'{"CreationDateTime": 1795312489.525, "SentTimestamp": "1795312489593", "Note": "1795312489.5", "Timeout": 30}'
    )
    assert pinned_body(body, PINS) == (
        b'{"CreationDateTime": 1767225600.0, "SentTimestamp": "1767225600000", "Note": "1795312489.5", "Timeout": 30}'
    )
    xml = b"<E><LastModified>2026-11-22T01:00:00.000Z</LastModified><RequestId>8FRC</RequestId><Key>a</Key></E>"
    assert pinned_body(xml, PINS) == (
        b"<E><LastModified>2026-01-01T00:00:00.000Z</LastModified><RequestId>7d1f0c9e-0000-4000-8000-000000000000</RequestId><Key>a</Key></E>"
    )
    assert pinned_headers((("x-amz-crc32", "1"), ("Server", "Werkzeug/3"), ("X-Amzn-ErrorType", "E")), PINS) == (
        ("X-Amzn-ErrorType", "E"),
    )
