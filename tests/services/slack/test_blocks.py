from __future__ import annotations

import json

import pytest

from tests.services.slack.client import LOBBY, call, slack


def section(text, kind="mrkdwn"):
    return {"type": "section", "text": {"type": kind, "text": text}}


def post(blocks):
    return call(slack(), "chat.postMessage", {"channel": LOBBY, "blocks": blocks})


REFUSED = [
    ("S22", [{"type": "section"}], ["must define either `text` or `fields` [json-pointer:/blocks/0/type]"]),
    ("S23", [section("x" * 3001)], [
        "failed to match all allowed schemas [json-pointer:/blocks/0/text]",
        "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
    ]),
    ("S24", [{"type": "sections"}], ["unsupported type: sections [json-pointer:/blocks/0/type]"]),
    ("S25-blocks", [{"type": "divider"}] * 51, ["no more than 50 items allowed [json-pointer:/blocks]"]),
    ("S25-elements", [{"type": "divider"}, {"type": "actions", "elements": [{}] * 26}],
     ["no more than 25 items allowed [json-pointer:/blocks/1/elements]"]),
    ("context", [{"type": "context", "elements": [{}] * 11}], ["no more than 10 items allowed [json-pointer:/blocks/0/elements]"]),
    ("S26", [section("")], [
        "failed to match all allowed schemas [json-pointer:/blocks/0/text]",
        "must be more than 0 characters [json-pointer:/blocks/0/text/text]",
    ]),
    ("no-type", [{"text": "x"}], ["missing required field: type [json-pointer:/blocks/0]"]),
    ("header", [{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}], [
        "failed to match all allowed schemas [json-pointer:/blocks/0/text]",
        "must be less than 151 characters [json-pointer:/blocks/0/text/text]",
    ]),
    ("header-missing", [{"type": "header"}], ["missing required field: text [json-pointer:/blocks/0]"]),
    ("fields", [{"type": "section", "fields": [{"type": "mrkdwn", "text": "a"}] * 11}],
     ["no more than 10 items allowed [json-pointer:/blocks/0/fields]"]),
    ("image", [{"type": "image", "image_url": "https://x.example/a.png"}], ["missing required field: alt_text [json-pointer:/blocks/0]"]),
    ("two-blocks", [section(""), {"type": "nope"}], [
        "failed to match all allowed schemas [json-pointer:/blocks/0/text]",
        "must be more than 0 characters [json-pointer:/blocks/0/text/text]",
        "unsupported type: nope [json-pointer:/blocks/1/type]",
    ]),
    ("text-is-a-number", [section(5)], [
        "failed to match all allowed schemas [json-pointer:/blocks/0/text]", "must provide a string [json-pointer:/blocks/0/text/text]",
    ]),
    ("text-is-a-string", [{"type": "section", "text": "x"}], [
        "failed to match all allowed schemas [json-pointer:/blocks/0/text]", "must be an object [json-pointer:/blocks/0/text]",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("blocks", "texts"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_blocks_that_break_a_rule_are_named_with_their_place(blocks, texts):
    assert post(blocks) == {
        "ok": False,
        "error": "invalid_blocks",
        "errors": texts,
        "response_metadata": {"messages": [f"[ERROR] {text}" for text in texts]},
    }


@pytest.mark.parametrize("blocks", ["[{", {"type": "divider"}, json.dumps(json.dumps([section("x")])), 5])
def test_s28_what_is_no_array_has_the_wrong_format(blocks):
    assert post(blocks) == {"ok": False, "error": "invalid_blocks_format"}


def test_s29_blocks_can_be_too_long_together():
    assert post([section("x" * 2900)] * 5) == {"ok": False, "error": "msg_blocks_too_long"}


@pytest.mark.parametrize("text", ["x" * 3000, "x"])
def test_a_section_at_its_limit_is_taken(text):
    assert post([section(text)])["message"]["blocks"] == [section(text)]


def test_blocks_may_come_as_a_json_text():
    assert post(json.dumps([section("x")]))["ok"] is True
