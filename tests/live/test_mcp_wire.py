import json

import pytest

from mendbench.live.mcp_wire import asks_for_patience, stands_for_itself
from mendbench.model.exchange import Answer

WAIT = (("Retry-After", "3"),)
INSIDE = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32602, "message": "no"}}).encode()


@pytest.mark.parametrize(
    ("refusal", "good"),
    [
        (Answer(status=429), True),
        (Answer(status=503), True),
        (Answer(status=403, headers=WAIT), True),
        (Answer(status=403), False),
        (Answer(status=401), False),
        (Answer(status=302), False),
        (Answer(status=0, fault="refused"), False),
    ],
    ids=["429", "503", "403 and wait", "403", "401", "302", "refused"],
)
def test_a_server_asks_for_patience_where_another_try_may_bring_an_answer(refusal, good):
    assert asks_for_patience(refusal) is good


@pytest.mark.parametrize(
    ("refusal", "good"),
    [
        (Answer(status=400, body=INSIDE), False),
        (Answer(status=500, body=INSIDE), False),
        (Answer(status=429, body=INSIDE), True),
        (Answer(status=503, body=INSIDE), True),
        (Answer(status=500, headers=WAIT, body=INSIDE), True),
        (Answer(status=400, body=b'{"error": "no"}'), True),
        (Answer(status=400, body=b'{"jsonrpc": "2.0", "error": "no"}'), True),
        (Answer(status=400, body=b"<html>"), True),
        (Answer(status=400), True),
    ],
    ids=["400", "500", "429", "503", "500 and wait", "no JSON-RPC", "no error object", "a page", "nothing"],
)
def test_a_json_rpc_error_is_the_answer_whatever_its_status_but_where_the_server_speaks_of_itself(refusal, good):
    assert stands_for_itself(refusal) is good
