import json

import pytest

from mendbench.live.mcp_wire import asks_for_patience, stands_for_itself
from mendbench.model.exchange import Response

WAIT = (("Retry-After", "3"),)
INSIDE = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": -32602, "message": "no"}}).encode()


@pytest.mark.parametrize(
    ("refusal", "good"),
    [
        (Response(status=429), True),
        (Response(status=503), True),
        (Response(status=403, headers=WAIT), True),
        (Response(status=403), False),
        (Response(status=401), False),
        (Response(status=302), False),
        (Response(status=0, fault="refused"), False),
    ],
    ids=["429", "503", "403 and wait", "403", "401", "302", "refused"],
)
def test_a_server_asks_for_patience_where_another_try_may_bring_an_answer(refusal, good):
    assert asks_for_patience(refusal) is good


@pytest.mark.parametrize(
    ("refusal", "good"),
    [
        (Response(status=400, body=INSIDE), False),
        (Response(status=500, body=INSIDE), False),
        (Response(status=429, body=INSIDE), True),
        (Response(status=503, body=INSIDE), True),
        (Response(status=500, headers=WAIT, body=INSIDE), True),
        (Response(status=400, body=b'{"error": "no"}'), True),
        (Response(status=400, body=b'{"jsonrpc": "2.0", "error": "no"}'), True),
        (Response(status=400, body=b"<html>"), True),
        (Response(status=400), True),
    ],
    ids=["400", "500", "429", "503", "500 and wait", "no JSON-RPC", "no error object", "a page", "nothing"],
)
def test_a_json_rpc_error_is_the_answer_whatever_its_status_but_where_the_server_speaks_of_itself(refusal, good):
    assert stands_for_itself(refusal) is good
