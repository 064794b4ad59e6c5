"""What an exchange says of itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mendbench
from mendbench.model.exchange import Exchange, Request, Response


def made(method, url="https://api.test/x", *, accepted=True, changed=False, meaning=None):
    request, response = Request(method=method, url=url), Response(status=200)
    return Exchange(
        request=request, response=response, origin="live", key="k", accepted=accepted, changed=changed, meaning=meaning
    )


@pytest.mark.parametrize(
    ("exchange", "wrote", "only_read"),
    [
        (made("GET"), False, True),
        (made("GET", accepted=False), False, True),
        (made("GET", changed=True), True, False),
        (made("POST"), False, True),
        (made("POST", changed=True), True, False),
        (made("POST", accepted=False), False, False),
        (made("POST", accepted=False, changed=True), False, False),
        (made("POST", "model://tiny/chat"), False, False),
    ],
)
def test_what_wrote_and_what_only_read(exchange, wrote, only_read):
    assert (exchange.wrote, exchange.only_read) == (wrote, only_read)


def test_a_request_has_the_spelling_that_was_sent_and_the_one_that_is_meant():
    meant = Request(method="POST", url="https://api.test/x")
    assert made("GET").spellings == (made("GET").request,)
    assert made("GET", meaning=meant).spellings == (made("GET").request, meant)


@pytest.mark.parametrize("url", ["model://tiny/chat", "https://api.test/model://tiny", "mcp://model/chat"])
def test_a_request_to_a_model_is_an_ask(url):
    assert Request(method="POST", url=url).is_model_request == (url == "model://tiny/chat")


def test_how_the_address_of_a_model_begins_is_written_once():
    sources = Path(mendbench.__file__).parent.rglob("*.py")
    written = [path.name for path in sources if re.search(r'"model://', path.read_text(encoding="utf-8"))]
    assert written == ["exchange.py"]
