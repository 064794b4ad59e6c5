from __future__ import annotations

import json
import secrets

import pytest

from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.execution import Checkpoint
from mendbench.secrets.redaction import Redactor
from mendbench.workflow_app import Choice, Outside, RunOptions, run_workflow
from mendbench.workflow_app.param_values import leaves_of, shown_under
from tests.fakes.engine import FakeWorld, chain, http, said
from tests.fakes.tables import for_each

CHAT = "https://api.test/chat"


def plain(value):
    return value


def found(body, batch=None, secret=None, **inputs):
    node = {**http("send", CHAT, body=body), **({"batch": batch} if batch else {})}
    document = chain(node, inputs={name: {"type": "string"} for name in inputs})
    return [one for one in leaves_of(document, inputs, Checkpoint(), "send", secret or {}, plain) if one.param != "url"]


@for_each("written", ["${item.ch}", "${item}", "to ${item.ch}", "${__index__}", "${list[${__index__}]}"])
def test_what_a_batch_knows_of_its_item_is_not_offered(written):
    (only,) = found({"channel": written, "text": "hi"}, {"items": [{"ch": "a"}]}, list="[1]")
    assert only.param == "body.text"


def test_beside_an_item_an_input_in_the_same_text_can_be_given_by_itself():
    (only,) = found({"text": "${greeting} ${who}"}, {"items": ["a"], "as": "who"}, greeting="hi")
    assert (only.source, only.within, only.shown) == ("greeting", True, "hi")


def test_an_item_hides_an_input_and_a_secret_of_its_name():
    assert found({"text": "${who}"}, {"items": ["a"], "as": "who"}, who="you") == []
    assert found({"text": "${who}"}, {"items": ["a"], "as": "who"}, secret={"who": "WHO"}, who="you") == []


def test_without_a_batch_those_names_are_ordinary_ones():
    (only,) = found({"text": "${item}"}, item="a")
    assert (only.origin, only.source) == ("input", "item")


SECRET_PLACES = [
    {"credentials": {"value": None}},
    {"password": [None]},
    {"secret": {"of": [{"the": {"day": None}}]}},
    {"of": {"api_key": {"is": None}}},
]


def holding(value, body):
    if body is None:
        return value
    items = body.items() if isinstance(body, dict) else enumerate(body)
    made = {key: holding(value, item) for key, item in items}
    return made if isinstance(body, dict) else list(made.values())


@pytest.mark.parametrize("body", SECRET_PLACES)
@pytest.mark.parametrize("written", ["{}", "Bearer {} ${{who}}"])
def test_every_key_on_the_way_to_a_value_can_hide_it(body, written):
    value = secrets.token_hex(8)
    leaves = found(holding(written.format(value), body), who="me")
    assert leaves
    assert value not in repr(leaves)


def test_a_template_alone_under_such_a_key_still_shows_where_its_value_comes_from():
    value = secrets.token_hex(8)
    (only,) = found({"credentials": {"value": "${pin}"}}, pin=value)
    assert only.template == "${pin}"
    assert value not in repr(only)


def test_what_no_key_hides_is_shown_as_it_is():
    assert shown_under(("body", "items", 3, "title"), "channel", "gone", plain) == "gone"
    assert shown_under((), None, {"a": 1}, plain) == {"a": 1}


def test_the_name_of_the_input_hides_a_value_too():
    value = secrets.token_hex(8)
    assert value not in json.dumps(shown_under(("body", "text"), "access_token", value, plain))


def test_what_is_known_to_be_a_secret_is_taken_out_anywhere():
    value = secrets.token_hex(8)
    assert shown_under(("body", "text"), None, f"is {value}", Redactor({"key": value}).value) == "is <secret:key>"


@pytest.mark.parametrize("body", SECRET_PLACES)
@pytest.mark.parametrize("origin", ["fixed", "input"])
def test_a_value_typed_under_such_a_key_stands_neither_in_the_trace_nor_in_the_result(
    tmp_path, monkeypatch, body, origin
):
    monkeypatch.chdir(tmp_path)
    old, new = secrets.token_hex(8), secrets.token_hex(8)
    world = FakeWorld({f"POST {CHAT}": said({"ok": False, "error": "channel_not_found"})}, VirtualClock())
    asked = []

    def choose(warned):
        asked.append(warned)
        leaf = next(one for one in warned.leaves if one.origin == origin and one.place[1:] and one.param != "body.text")
        return Choice(name="stop") if len(asked) > 1 else Choice(name="value", leaf=leaf, value=new)

    document = chain(
        http("send", CHAT, body={**holding(old if origin == "fixed" else "${given}", body), "text": "hi"}),
        inputs={} if origin == "fixed" else {"given": {"type": "string"}},
    )
    options = RunOptions(trace=tmp_path / "t.json", inputs={} if origin == "fixed" else {"given": "first"})
    outside = Outside(world=world, model_world=world, clock=world.clock)
    ended = run_workflow(document, options, outside=outside, choose=choose)
    assert new in world.sent[-1].body.decode()
    assert ended.document["choices"][0]["value"].startswith("<redacted:")
    for shown in ((tmp_path / "t.json").read_text(), json.dumps(ended.document), repr(asked)):
        assert new not in shown
        assert old not in shown
