"""Access to live APIs: real secrets go out and never come back, and writes are listed and need leave."""

import base64
import json

import pytest

from mendbench.errors import LiveRefused
from mendbench.live.access import LiveAccess, writes_refused
from mendbench.model.exchange import Request, Response
from mendbench.secrets.redaction import Redactor, canary

VARIABLE, TOKEN = "DESK_TOKEN", 'k3/+y "real" &%41'
CANARY, OTHER = canary("http/desk", "desk"), canary("http/desk", "other")
URL = "https://desk.example/notes"


class Echo:
    """A live API that says again what it is sent."""

    def __init__(self):
        self.got = []

    def serves(self, request):
        return True

    def resets(self, request):
        return False

    def send(self, request):
        self.got.append(request)
        said = [request.header("authorization"), base64.b64encode(TOKEN.encode()).decode(), TOKEN]
        return Response(status=200, headers=(("X-Seen", request.url),), body=json.dumps(said).encode())


def access(**more):
    given = {
        "case": "http/desk", "services": frozenset({"json_api"}), "canaries": {"desk": CANARY, "other": OTHER},
        "variables": {"desk": VARIABLE}, "workflows": ("the broken workflow", "the fix"),
    }  # fmt: skip
    return LiveAccess(**given | more)


def sent(request, live=None, *, execution=0, node="note", **more):
    clean = Redactor({"desk": CANARY, "other": OTHER}).request(request)
    return access(**more).send(live or Echo(), request, clean=clean, node=node, execution=execution)


def get(url=URL, value=f"Bearer {CANARY}"):
    return Request(method="GET", url=url, headers=(("Authorization", value),))


def post(body=b'{"text": "Hello"}'):
    return Request(method="POST", url=f"{URL}?key={CANARY}", body=body)


@pytest.fixture(autouse=True)
def _token(monkeypatch):
    monkeypatch.setenv(VARIABLE, TOKEN)


def test_the_api_gets_the_real_secret_and_the_response_has_its_placeholder_in_every_spelling():
    live = Echo()
    response = sent(get(f"{URL}?key={CANARY}&again=%3Csecret%3Adesk%3E"), live)
    assert live.got[0].header("authorization") == f"Bearer {TOKEN}"
    assert live.got[0].url == f"{URL}?key=k3%2F%2By%20%22real%22%20%26%2541&again=k3%2F%2By%20%22real%22%20%26%2541"
    assert json.loads(response.body) == ["Bearer <secret:desk>", "<secret:desk>", "<secret:desk>"]
    assert "k3" not in str(response.headers)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "DESK_TOKEN is not set; set it to the real value to record; replay does not need it"),
        ("", "DESK_TOKEN is empty; "),
        ("1234567", "DESK_TOKEN has fewer than 8 characters; "),
        ("12345678\n", "DESK_TOKEN begins or ends with a space, or holds more than printable ASCII; "),
        ("1234567ø", "DESK_TOKEN begins or ends with a space, or holds more than printable ASCII; "),
    ],
)
def test_a_variable_that_cannot_be_used_is_named_before_anything_is_sent(monkeypatch, value, said):
    monkeypatch.delenv(VARIABLE) if value is None else monkeypatch.setenv(VARIABLE, value)
    live = Echo()
    with pytest.raises(LiveRefused) as refused:
        sent(Request(method="GET", url=URL), live)
    assert str(refused.value).startswith(f"http/desk: secrets.desk: the environment variable {said}")
    assert refused.value.exit_code == 2
    assert live.got == []


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (
            get(value=f"Bearer {OTHER}"),
            r"made-up value of \$\{canary:other\} .* secrets: \{other: '\$\{env:VARIABLE\}'\}",
        ),
        (
            get(value="Basic " + base64.b64encode(f"kim:{CANARY}".encode()).decode()),
            "where its real value cannot be put",
        ),
        (get(f"https://{CANARY}.example/"), "where its real value cannot be put"),
    ],
)
def test_a_made_up_secret_is_never_sent(request_, said):
    live = Echo()
    with pytest.raises(LiveRefused, match=said) as refused:
        sent(request_, live)
    assert live.got == []
    assert not [one for one in (CANARY, OTHER, TOKEN) if one in str(refused.value)]


def test_a_write_is_refused_with_method_url_body_node_and_workflow_and_no_secret():
    live = Echo()
    with pytest.raises(LiveRefused) as refused:
        sent(post(json.dumps({"text": CANARY, "more": "x" * 400}).encode()), live, execution=3)
    line = str(refused.value)
    assert line.startswith(f"http/desk: 1 live write was not sent: POST {URL}?key=%3Csecret%3Adesk%3E {{")
    assert "<secret:desk>" in line
    assert line.endswith("… (node note, the fix); pass --allow-writes to send them")
    assert (len(refused.value.writes), live.got) == (1, [])


def test_a_write_that_is_allowed_is_listed_before_it_is_sent(capsys):
    class Listening(Echo):
        def send(self, request):
            self.listed = capsys.readouterr().err
            return super().send(request)

    live = Listening()
    sent(post(), live, allow_writes=True)
    want = f'mendbench: live write: POST {URL}?key=%3Csecret%3Adesk%3E {{"text": "Hello"}} (node note, the broken workflow)\n'
    assert live.listed == want


def test_a_write_that_cannot_be_listed_is_not_sent(monkeypatch):
    live = Echo()
    monkeypatch.setattr("sys.stderr", None)
    with pytest.raises(LiveRefused, match="standard error"):
        sent(post(), live, allow_writes=True)
    assert live.got == []


def test_only_reading_methods_are_reads():
    for method in ("GET", "HEAD", "OPTIONS"):
        sent(Request(method=method, url=URL))
    for method in ("POST", "PUT", "PATCH", "DELETE", "get", "TRACE", "PURGE"):
        with pytest.raises(LiveRefused):
            sent(Request(method=method, url=URL, body=b'{"query": "{ me { id } }"}'))


def test_a_scope_that_runs_no_named_workflow_is_closed_to_live_services_alone():
    assert access(workflows=()).is_closed_to("json_api")
    assert not access(workflows=()).is_closed_to("shell")
    assert not access().is_closed_to("json_api")


def test_all_writes_of_a_case_stand_in_one_line_however_many():
    writes = [f"POST {URL}/{number} (node note, the fix)" for number in range(40)]
    line = str(writes_refused("http/desk", writes))
    assert "\n" not in line
    assert all(write in line for write in writes)
