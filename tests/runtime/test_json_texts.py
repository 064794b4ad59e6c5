"""A text that templates lead into is parsed once, and all of them together are no longer than they may be."""

from __future__ import annotations

import json

import pytest

from mendbench.runtime import json_texts
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.json_texts import MAX_JSON_TEXT, JsonTexts, TooLarge
from mendbench.runtime.templates import field_paths, lookup, resolve, resolve_params, templates_in
from tests.fakes.engine import FakeWorld, chain, http, said

BASE = "https://api.example.com"
BODY = json.dumps([{"a": "${not.a.template}", "inner": json.dumps({"b": [1, 2]})}])
DATA = {"f": {"body": BODY}}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that are parsed from now on."""
    texts: list[str] = []
    read = json_texts.finite_json
    monkeypatch.setattr(json_texts, "finite_json", lambda text: texts.append(text) or read(text))
    return texts


@pytest.mark.parametrize(
    "text", ["plain", "", "1", '"a"', "  x", "{", "[1", "[NaN", "[NaN]", "[1e999]", "\u2003[]", "x" * 50]
)
def test_a_text_that_is_no_object_and_no_list_stays_what_it_is(text: str) -> None:
    assert JsonTexts().container(text) == text


def test_blanks_may_stand_before_a_container() -> None:
    assert JsonTexts().container(' \n\t\r{"a": 1}') == {"a": 1}


def test_many_templates_into_one_text_parse_it_once(parsed: list[str]) -> None:
    found = resolve_params({"x": ["${f.body[0].a}", "${f.body[0].inner.b[1]}", "${f.body}"] * 9}, DATA)
    assert found.params["x"][:2] == ["${not.a.template}", 2]
    assert len(parsed) == 2


def test_a_text_that_is_no_json_is_tried_once(parsed: list[str]) -> None:
    resolve({"x": ["${f.body.a}"] * 9}, {"f": {"body": "[broken"}})
    assert parsed == ["[broken"]


def test_the_items_of_a_batch_and_the_declared_outputs_parse_a_text_once_each(parsed: list[str]) -> None:
    world = FakeWorld({f"GET {BASE}/list": said({"body": BODY}), f"POST {BASE}/post": said({})})
    post = {**http("post", f"{BASE}/post", body={"b": "${list.response.body[0].inner.b}"})}
    post["batch"] = {"items": [1, 2, 3, 4], "as": "item"}
    outputs = {name: {"source": "${list.response.body[0].a}"} for name in ("one", "two")}
    workflow = chain(http("list", f"{BASE}/list"), post, outputs=outputs)
    done = MendbenchEngine().execute(workflow, {}, world, checkpoint=None, detector=None, clock=world.clock)
    assert done.outcome == "success"
    assert parsed.count(BODY) == 2


def test_what_stands_parsed_in_a_result_is_paid_for_before_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    container = JsonTexts.container
    monkeypatch.setattr(JsonTexts, "container", lambda self, text: asked.append(text) or container(self, text))
    found = resolve({"x": ["${f.body}"] * 100}, DATA, most=1000)
    assert found.too_large
    assert len(asked) < 20


def _long(mark: str) -> str:
    return f"[{' ' * (MAX_JSON_TEXT - 20)}{mark}]"


def test_texts_beyond_what_an_execution_may_parse_are_not_parsed() -> None:
    texts = JsonTexts()
    assert texts.container(_long("1")) == [1]
    assert texts.container(_long("1")) == [1]
    with pytest.raises(TooLarge):
        texts.container(_long("2"))


def test_a_node_that_leads_into_more_than_that_is_too_large_and_nobody_raises() -> None:
    texts = JsonTexts()
    data = {"f": {"one": _long("1"), "two": _long("2")}}
    assert resolve("${f.one[0]}", data, texts=texts).value == 1
    assert resolve("${f.two[0]}", data, texts=texts).too_large
    assert resolve_params({"x": "${f.one[0]}"}, data, texts=texts).params == {"x": 1}
    (template,) = templates_in("${f.two[0]}")
    assert lookup(data, template, texts) == (False, None)
    assert field_paths(data["f"]["two"], "two", texts=texts) == ()
