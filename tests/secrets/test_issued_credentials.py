"""What a live world hands out: off the record, and still good."""

import json
import secrets
from urllib.parse import quote

from mendbench.model.exchange import Request, Response
from mendbench.secrets.issued_credentials import IssuedCredentials, without_credentials, without_provider_shapes
from tests.fakes.worlds import json_response

HELD = "a+b/" + secrets.token_hex(12)


def taken():
    vault = IssuedCredentials()
    clean = json.loads(vault.take(json_response({"access_token": HELD, "n": 1})).body)
    return vault, clean["access_token"]


def test_an_answer_without_credentials_stays_to_the_byte():
    response = Response(status=200, headers=(("X-A", "1"),), body=b'{"a" :  1, "token_type": "bearer"}')
    assert without_credentials(response) == response
    assert without_credentials(Response(status=200, body=b"\xff\x00")).body == b"\xff\x00"


def test_a_token_is_taken_out_and_given_back_wherever_it_is_sent():
    vault, mark = taken()
    assert mark.startswith("<redacted:")
    body = json.dumps({"deep": [f"Bearer {mark}"]}).encode()
    sent = vault.give(
        Request(
            method="POST",
            url=f"https://a.test/?t={quote(mark)}",
            headers=(("Authorization", f"Bearer {mark}"),),
            body=body,
        )
    )
    assert sent.url == f"https://a.test/?t={quote(HELD, safe='')}"
    assert sent.header("authorization") == f"Bearer {HELD}"
    assert json.loads(sent.body) == {"deep": [f"Bearer {HELD}"]}
    form = vault.give(Request(method="POST", url="https://a.test/", body=f"token={quote(mark)}".encode()))
    assert form.body == f"token={quote(HELD, safe='')}".encode()


def test_what_was_handed_out_is_taken_out_when_it_is_said_again_under_any_name():
    vault, mark = taken()
    again = vault.take(json_response({"error": f"{HELD} is not enough"}))
    assert json.loads(again.body) == {"error": f"{mark} is not enough"}


def test_a_mark_of_an_earlier_recording_is_known_to_stand_for_nothing():
    vault, mark = IssuedCredentials(), taken()[1]
    asking = Request(method="GET", url="https://a.test/", headers=(("Authorization", f"Bearer {mark}"),))
    assert not vault.lacks(asking)
    vault.serve(json_response({"access_token": mark}))
    assert vault.lacks(asking)
    assert vault.give(asking) == asking


def test_a_key_that_breaks_off_with_its_answer_takes_nothing_else_along():
    began = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow"
    came = json_response({"choices": [{"message": {"content": f'{{"value": "{began}'}, "finish_reason": "length"}]})
    said = json.loads(without_provider_shapes(came).body)
    assert said["choices"][0]["finish_reason"] == "length"
    assert said["choices"][0]["message"]["content"].startswith('{"value": "<redacted:')


def test_a_key_in_a_member_that_stands_twice_is_taken_out_too():
    key = "gh" + "p_" + secrets.token_hex(18)
    said = without_provider_shapes(Response(status=200, body=f'{{"x": "{key}", "x": "ok"}}'.encode())).body.decode()
    assert json.loads(said) == {"x": "ok"}
    assert key not in said


def test_an_answer_without_a_providers_key_stays_to_the_byte_and_one_that_is_no_json_is_cleaned_too():
    plain = Response(status=200, body=b'{"a" :  1}')
    assert without_provider_shapes(plain) == plain
    key = "gh" + "p_" + secrets.token_hex(18)
    assert key not in without_provider_shapes(Response(status=500, body=f"<p>{key}</p>".encode())).body.decode()


def test_a_model_may_say_token_but_not_a_providers_key():
    key = "gh" + "p_" + secrets.token_hex(18)
    said = without_provider_shapes(
        json_response({"content": '{"auth_token": "${token}", "x": "' + key + '"}'})
    ).body.decode()
    assert key not in said
    assert "${token}" in said
