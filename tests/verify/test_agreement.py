"""The first difference of two responses: what a recording has, and what the simulator says."""

import pytest

from mendbench.model.exchange import Response
from mendbench.verify.agreement import difference

BODY = Response(
    status=200, headers=(("content-type", "application/json"),), body=b'{"a": {"b": [1, 2]}, "c": "x"}', elapsed_ms=5
)


def answer(**changes):
    given = {name: getattr(BODY, name) for name in ("status", "headers", "body", "elapsed_ms")}
    return Response(**(given | changes))


@pytest.mark.parametrize(
    ("fresh", "reason"),
    [
        (answer(status=404), "status is 200 in the recording and 404 from the simulator"),
        (answer(body=b'{"a": {"b": [1, 3]}, "c": "x"}'), "body /a/b/1 is 2 in the recording and 3 from"),
        (answer(body=b'{"a": {"b": [1]}, "c": "x"}'), "body /a/b is [1,2] in the recording and [1] from"),
        (answer(body=b'{"a": {"b": [1, 2]}}'), 'body /c is "x" in the recording and absent from'),
        (answer(body=b"busy"), 'body is {"a":{"b":[1,2]},"c":"x"} in the recording and "busy" from'),
        (answer(headers=(*BODY.headers, ("x-id", "1"))), 'header x-id is absent in the recording and "1" from'),
        (answer(elapsed_ms=6), "elapsed_ms is 5 in the recording and 6 from"),
    ],
)
def test_the_first_difference_is_reported_with_its_place_and_both_values(fresh, reason):
    assert difference(BODY, fresh).startswith(reason)
